/* SPDX-License-Identifier: Apache-2.0 */
/* view PICTURE OUTPUT: cc view.c $(pkg-config --cflags --libs fovea) -o view */
#include <fovea.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct fovea_fault fault;
    struct fovea_image image;
    fovea *f = NULL;
    fovea_result *result = NULL;
    if (argc != 3)
        return 2;
    if (fovea_new(NULL, &f, &fault) < 0 ||
        fovea_view(f, &(struct fovea_view_request){.path = argv[1]}, &result, &fault) < 0) {
        fprintf(stderr, "%s\n", fault.text);
        fovea_free(f);
        return 3;
    }
    puts(fovea_result_text(result)); /* a note, or a refusal that says what to do */
    int shown = fovea_result_image(result, &image) == 0;
    FILE *out = shown ? fopen(argv[2], "wb") : NULL;
    int saved = out && fwrite(image.data, 1, image.len, out) == image.len;
    saved = out && fclose(out) == 0 && saved;
    fovea_result_free(result);
    fovea_free(f);
    return saved ? 0 : 1;
}
