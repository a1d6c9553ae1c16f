/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mkvideo DIR: writes the videos of the tests below a folder, clips into good, the same but small and short into small (fuzzing starts from
 * those), bombs into bomb, and last DIR/good.tsv.
 */
#include "mkvideo.h"

#include <libavutil/error.h>
#include <libavutil/log.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"

enum {
    SMALL_SHARE = 5, /* of its width and height */
    SMALL_FRAMES = 8,
    SMALL_FROM = 100, /* frames at most of what is made small */
};

static int save(const char *dir, const char *kind, const char *name, const struct buf *b)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s/%s", dir, kind, name);
    FILE *f = fopen(path, "we");
    bool written = f && fwrite(b->data, 1, b->len, f) == b->len;
    if (!f || fclose(f) || !written) {
        fprintf(stderr, "mkvideo: cannot write %s\n", path);
        return 1;
    }
    return 0;
}

static int complain_of(const char *name, int error)
{
    char words[AV_ERROR_MAX_STRING_SIZE] = "";
    (void)av_strerror(error, words, sizeof words);
    fprintf(stderr, "mkvideo: %s: %s\n", name, words);
    return 1;
}

static int make_folders(const char *dir)
{
    char path[4096];
    static const char *const kinds[] = {"good", "small", "bomb"};
    (void)mkdir(dir, 0777);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        (void)snprintf(path, sizeof path, "%s/%s", dir, kinds[i]);
        (void)mkdir(path, 0777);
    }
    return 0;
}

static int make_clips(const char *dir, struct buf *list)
{
    int bad = 0;
    for (const struct clip *c = clips; c->name && !bad; c++) {
        auto_buf b = BUF_INIT(VIDEO_BYTES);
        int e = clip_make(c, &b);
        bad = e < 0 ? complain_of(c->name, e) : save(dir, "good", c->name, &b);
        (void)buf_add_format(list, "%s\t%d\n", c->name, c->frames);
    }
    return bad;
}

/* x265 writes behind its memory where pictures are as small as that. */
static struct clip small_of(const struct clip *c)
{
    struct clip small = *c;
    int share = c->encoder && !strcmp(c->encoder, "libx265") ? 1 : SMALL_SHARE;
    small.width = c->width / share, small.height = c->height / share, small.second_width = c->second_width / share;
    small.frames = MIN(c->frames, SMALL_FRAMES), small.gop = MIN(c->gop, SMALL_FRAMES / 2);
    return small;
}

/* Of those that are long there would be nothing new. */
static int make_small(const char *dir)
{
    int bad = 0;
    for (const struct clip *c = clips; c->name && !bad; c++) {
        auto_buf b = BUF_INIT(VIDEO_BYTES);
        if (c->frames > SMALL_FROM)
            continue;
        struct clip small = small_of(c);
        int e = clip_make(&small, &b);
        bad = e < 0 ? complain_of(c->name, e) : save(dir, "small", c->name, &b);
    }
    return bad;
}

static int make_bombs(const char *dir)
{
    int bad = 0;
    for (const struct bomb *x = bombs; x->name && !bad; x++) {
        auto_buf b = BUF_INIT(VIDEO_BYTES);
        int e = x->make(&b);
        bad = e < 0 ? complain_of(x->name, e) : save(dir, "bomb", x->name, &b);
    }
    return bad;
}

int main(int argc, char **argv)
{
    auto_buf list = BUF_INIT(65536);
    if (argc != 2) {
        fputs("usage: mkvideo DIR\n", stderr);
        return 2;
    }
    av_log_set_level(AV_LOG_ERROR);
    return make_folders(argv[1]) || make_clips(argv[1], &list) || make_small(argv[1]) || make_bombs(argv[1]) ||
           save(argv[1], ".", "good.tsv", &list);
}
