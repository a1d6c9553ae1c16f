/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fovea as the benchmark runs it: one context, paths on stdin, and for each the whole job (file to JSON with the
 * picture as base64, in a confined worker) and one line out: file, milliseconds, bytes, media type. The protocol is
 * that of bench/peers. With BENCH_DUMP set, pictures are also written to that folder, after the clock has stopped.
 */
#include <err.h>
#include <fovea.h>
#include <time.h>

#include "base/cleanup.h"

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void dump(const char *folder, const char *name, const struct fovea_image *image)
{
    char path[4096];
    const char *kind = strchr(image->media_type, '/') + 1;
    snprintf(path, sizeof(path), "%s/%s.%s", folder, name, kind);
    FILE *file = fopen(path, "we");
    if (!file || fwrite(image->data, 1, image->len, file) != image->len || fclose(file))
        err(1, "cannot write '%s'", path);
}

/* Answers one path. Words of a refusal or fault have no quotes that JSON would mind but double ones; those go. */
static void complain(const char *name, const char *words)
{
    printf("{\"file\":\"%s\",\"error\":\"", name);
    for (; *words; words++)
        if (*words != '"' && *words != '\\' && (unsigned char)*words >= ' ')
            putchar(*words);
    printf("\"}\n");
}

static void look(fovea *f, const char *path)
{
    struct fovea_view_request request = {.path = path};
    struct fovea_fault fault = {0};
    fovea_result *result = NULL;
    struct fovea_image image;
    double start = now_ms();
    int rc = fovea_view(f, &request, &result, &fault);
    auto_free char *json = rc ? NULL : fovea_result_json_new(result, FOVEA_JSON_DATA);
    double ms = now_ms() - start;
    const char *name = name_of(path), *folder = getenv("BENCH_DUMP");
    if (rc) {
        complain(name, fault.text);
    } else if (!json || fovea_result_image(result, &image)) {
        complain(name, fovea_result_text(result));
    } else {
        if (folder && *folder)
            dump(folder, name, &image);
        printf("{\"file\":\"%s\",\"ms\":%.3f,\"bytes\":%zu,\"media\":\"%s\"}\n", name, ms, image.len, image.media_type);
    }
    fflush(stdout);
    fovea_result_free(result);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        errx(2, "usage: fovea_bench WORKER_FOLDER READY_WORKERS CORPUS_FOLDER < paths");
    const char *const reach[] = {argv[3], NULL};
    struct fovea_options options = {
        .cwd = argv[3],
        .reach = reach,
        .config_file = "",
        .worker_dir = argv[1],
        .no_cache = true, /* rounds over the same files would measure nothing else */
        .ready_workers = (unsigned)strtoul(argv[2], NULL, 10),
    };
    struct fovea_fault fault = {0};
    fovea *f = NULL;
    if (fovea_new(&options, &f, &fault))
        errx(1, "%s", fault.text);
    auto_free char *line = NULL;
    size_t size = 0;
    for (ssize_t n; (n = getline(&line, &size, stdin)) > 0;) {
        if (line[n - 1] == '\n')
            line[n - 1] = 0;
        look(f, line);
    }
    fovea_free(f);
    return 0;
}
