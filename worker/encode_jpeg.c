/* SPDX-License-Identifier: Apache-2.0 */
/* JPEG by libjpeg-turbo: 4:2:0, best Huffman tables. Transparency is not looked at: flatten first. */
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include "encode.h"

struct failure {
    struct jpeg_error_mgr base;
    jmp_buf back;
};

_Noreturn static void fail(j_common_ptr j)
{
    longjmp(((struct failure *)(void *)j->err)->back, 1);
}

static void say_nothing(j_common_ptr j)
{
    (void)j;
}

static void set_up(struct jpeg_compress_struct *j, const struct image *m, int quality)
{
    j->image_width = m->size.w;
    j->image_height = m->size.h;
    j->input_components = 4;
    j->in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(j);
    jpeg_set_quality(j, quality, TRUE);
    j->optimize_coding = TRUE;
    j->write_JFIF_header = TRUE;
}

/* The part that libjpeg may leave by longjmp: it owns nothing. */
static int compress(struct jpeg_compress_struct *j, struct failure *f, const struct image *m, int quality,
                    unsigned char **data, unsigned long *len)
{
    if (setjmp(f->back))
        return -ENOMEM;
    jpeg_create_compress(j);
    jpeg_mem_dest(j, data, len);
    set_up(j, m, quality);
    jpeg_start_compress(j, TRUE);
    while (j->next_scanline < j->image_height) {
        JSAMPROW row = (JSAMPROW)(uintptr_t)image_row(m, j->next_scanline);
        (void)jpeg_write_scanlines(j, &row, 1);
    }
    jpeg_finish_compress(j);
    return 0;
}

static int encode(const struct image *m, unsigned quality, struct encoded *ret)
{
    if (m->size.w > JPEG_MAX_DIMENSION || m->size.h > JPEG_MAX_DIMENSION)
        return -EFBIG;
    struct failure f;
    struct jpeg_compress_struct j = {.err = jpeg_std_error(&f.base)};
    f.base.error_exit = fail;
    f.base.output_message = say_nothing;
    unsigned char *data = NULL;
    unsigned long len = 0;
    int e = compress(&j, &f, m, (int)quality, &data, &len);
    jpeg_destroy_compress(&j);
    if (e) {
        free(data);
        return e;
    }
    *ret = (struct encoded){data, len, &encode_jpeg, m->size};
    return 0;
}

const struct encoder encode_jpeg = {
    .media = MEDIA_JPEG,
    .max_side = JPEG_MAX_DIMENSION,
    .shares = {92, 80, 71, 61},
    .encode = encode,
};
