/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the targets of decoders have in common: any bytes go the whole way of a worker, and its answer must be one that the
 * parent believes. A file that ends with SHOWN_MARK has SHOWN_TAIL bytes before it that choose the request and are no part of
 * the file, so that plain files are seeds as they are; the mutator adds such an end. Requests are those that a parent makes:
 * no region of a sheet, no page of a video, and so on (src/api/view_kinds.c).
 */
#ifndef FOVEA_FUZZ_SHOWN_H
#define FOVEA_FUZZ_SHOWN_H

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "sandbox/check.h"
#include "source/sniff.h"
#include "worker/picture.h"

enum {
    SHOWN_TAIL = 16,
    SHOWN_MARK = 0xf0,
    SHOWN_PIXELS = 1 << 20, /* larger pictures are slow, not wrong: the limits on them have tests of their own */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerInitialize(int *argc, char ***argv);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed);
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t len, size_t room);

/* Bytes of the file; the request's are behind them, unless that is all there is. */
static inline size_t shown_len(const uint8_t *data, size_t len)
{
    return len > SHOWN_TAIL && data[len - 1] == SHOWN_MARK ? len - SHOWN_TAIL - 1 : len;
}

/* An exact copy, so that a read behind the file's end is seen. The caller frees. */
static inline uint8_t *shown_copy(const uint8_t *data, size_t len)
{
    uint8_t *copy = malloc(len + !len);
    assert(copy);
    if (len)
        memcpy(copy, data, len);
    return copy;
}

static inline struct fit_limits shown_limits(const uint8_t t[SHOWN_TAIL])
{
    static const struct token_rule rules[4] = {{.kind = TOKENS_UNKNOWN},
                                               {.kind = TOKENS_CLAUDE, .edge = 150, .budget = 20},
                                               {.kind = TOKENS_PATCH, .edge = 200, .budget = 30, .mult = 120},
                                               {.kind = TOKENS_TILE, .base = 85, .per_tile = 170}};
    return (struct fit_limits){.max_edge = 48u + t[7], .min_edge = t[8] & 63, .max_patches = t[8] >> 6,
                               .max_bytes = 600u + 200u * t[9], .quality = 1u + t[10] % 100, .resize = t[0] & 1, .rule = rules[t[1] & 3]};
}

/* Frames, pages, times and sheets as a type has them. */
static inline void shown_part(struct work_request *q, const uint8_t t[SHOWN_TAIL])
{
    enum media_class class = media_row((enum media)q->media)->class;
    bool sheet = t[0] & 2 && !(q->flags & (WORK_RAW | WORK_RGBA)), frames = class == CLASS_BITMAP || class == CLASS_VIDEO;
    bool album = class == CLASS_DOCUMENT || (class == CLASS_PICTURE && q->media != MEDIA_BMP);
    uint32_t n = t[11] & 7;
    if (class == CLASS_VIDEO && t[0] & 4) {
        q->flags |= WORK_TIME;
        q->time_ms = t[12] * 256 + t[13];
    } else if (frames && !sheet) {
        q->frame = n;
    }
    if (class != CLASS_VIDEO)
        q->page = frames ? t[12] & 3 : n;
    if (sheet && album) {
        q->page = n ? n : 1;
        q->last_page = q->page + 1 + (t[12] & 7);
    }
    if (sheet && (album || frames) && !(q->flags & WORK_TIME))
        q->flags |= WORK_SHEET;
    if (class == CLASS_VIDEO && !q->frame && !(q->flags & WORK_TIME))
        q->flags |= WORK_SHEET;
}

/* A file without a request is asked for all of these, so that plain files as they are reach what only some requests do. */
enum { SHOWN_USUAL = 4 };
static const uint8_t shown_usual[SHOWN_USUAL][SHOWN_TAIL] = {
    {[0] = 1 | 32, [7] = 150, [9] = 100, [10] = 74},
    {[0] = 1 | 2 | 32, [7] = 200, [9] = 200, [10] = 74, [11] = 1, [12] = 3},                    /* a sheet */
    {[0] = 1 | 128, [1] = 3 << 2, [7] = 150, [9] = 100, [10] = 50, [11] = 3, [14] = 40},        /* the third frame's pixels, and a preview */
    {[0] = 1 | 64, [1] = 16 | 2, [3] = 1, [4] = 1, [5] = 10, [6] = 10, [7] = 100, [9] = 60, [10] = 90}, /* a region */
};

static inline struct work_request shown_request(const uint8_t *tail, enum media media, size_t len)
{
    static const uint32_t raw[4] = {0, 0, WORK_RAW, WORK_RGBA};
    const uint8_t *t = tail ? tail : shown_usual[0];
    struct work_request q = {.magic = WORK_MAGIC, .media = media, .input_len = len, .limits = shown_limits(t)};
    q.flags = (t[0] & 32 ? WORK_WEBP_OK : 0) | (t[0] & 64 ? WORK_NO_GIF : 0) | raw[t[1] >> 2 & 3];
    q.preview_w = t[0] & 128 ? 1u + (t[14] & 127) : 0;
    q.preview_h = q.preview_w ? 64 : 0;
    shown_part(&q, t);
    if (t[1] & 16 && !(q.flags & WORK_SHEET))
        q.region = (struct fit_box){(int8_t)t[3] * 4, (int8_t)t[4] * 4, t[5] * 4, t[6] * 4, t[1] & 32 ? FIT_UNIT : FIT_SOURCE, 1};
    if (t[1] & 64 && media_row(media)->class == CLASS_TEXT) {
        q.layout = q.limits;
        q.layout.max_edge = 48u + t[15];
    }
    return q;
}

/* What a worker would have written. The caller frees. */
static inline uint8_t *shown_bytes(const struct output *out, size_t *ret_len)
{
    size_t preview = out->preview.px ? image_stride(&out->preview) * out->preview.size.h : 0;
    size_t cells = out->n_cells * sizeof *out->cells;
    uint8_t *all = malloc(out->len + preview + cells + 1);
    assert(all);
    if (out->len)
        memcpy(all, out->data, out->len);
    if (preview)
        memcpy(all + out->len, out->preview.px, preview);
    if (cells)
        memcpy(all + out->len + preview, out->cells, cells);
    *ret_len = out->len + preview + cells;
    return all;
}

/* An honest answer must never be called a lie. */
static inline void shown_believed(const struct work_request *q, const struct work_reply *reply, const struct output *out)
{
    size_t len = 0, told = 0;
    auto_free uint8_t *bytes = shown_bytes(out, &len);
    if (reply->status == WORK_OK)
        assert(check_length(q, reply, &told) && told == len);
    assert(check_reply(q, reply, bytes));
}

/* The sniffer, which parents ask first, saw the size that the decoder found. */
static inline void shown_sniffed(const struct sniff *s, const struct work_reply *reply)
{
    bool turned = reply->orientation >= 5;
    if (reply->status != WORK_OK || reply->cells || media_row(s->media)->class != CLASS_BITMAP || !s->width)
        return;
    uint32_t w = turned ? s->height : s->width, h = turned ? s->width : s->height;
    bool grows = s->media == MEDIA_GIF && w <= reply->source_w && h <= reply->source_h; /* a screen that is too small */
    assert(grows || (w == reply->source_w && h == reply->source_h));
}

static inline void shown_run(const struct decoder_ops *ops, const struct source *source, const struct sniff *s)
{
    struct work_reply reply = {0};
    struct output out = {0};
    (void)picture_make_with(ops, source, &reply, &out);
    shown_believed(source->request, &reply, &out);
    shown_sniffed(s, &reply);
    output_done(&out);
}

/* A file of a type that decoder_of knows; another is nobody's business here. */
static inline int shown_file(const struct decoder_ops *(*decoder)(enum media media), const uint8_t *data, size_t len)
{
    struct sniff s;
    size_t n = shown_len(data, len);
    auto_free uint8_t *copy = shown_copy(data, n);
    sniff(copy, n, n, &s);
    const struct decoder_ops *ops = decoder(s.media);
    if (!ops || (uint64_t)s.width * s.height > SHOWN_PIXELS)
        return 0;
    for (size_t i = 0; i < (n < len ? 1 : SHOWN_USUAL); i++) {
        struct work_request q = shown_request(n < len ? data + n : shown_usual[i], s.media, n);
        shown_run(ops, &(struct source){.data = copy, .len = n, .request = &q}, &s);
    }
    return 0;
}

/* ---- mutation */

static inline size_t shown_add_word(uint8_t *data, size_t len, size_t room, const char *word, unsigned at)
{
    size_t n = strlen(word), here = at % (len + 1);
    if (len + n > room)
        return len;
    memmove(data + here + n, data + here, len - here);
    memcpy(data + here, word, n);
    return len + n;
}

/* Changes the file, the request, or adds one. words (perhaps NULL, ended by NULL): what its language is made of. repair
 * (perhaps NULL): sets checksums right, now and then. */
static inline size_t shown_mutate(uint8_t *data, size_t len, size_t room, unsigned seed, const char *const *words,
                                  void (*repair)(uint8_t *data, size_t len))
{
    uint8_t tail[SHOWN_TAIL + 1] = {[SHOWN_TAIL] = SHOWN_MARK};
    size_t n = shown_len(data, len), count = 0;
    bool asked = n < len;
    unsigned dice = seed >> 4;
    if (asked)
        memcpy(tail, data + n, SHOWN_TAIL);
    if (room < 2 * sizeof tail)
        return LLVMFuzzerMutate(data, len, room);
    if (seed % 4 == 0) {
        (void)LLVMFuzzerMutate(tail, SHOWN_TAIL, SHOWN_TAIL);
        asked = true;
    } else {
        while (words && words[count])
            count++;
        n = n > room - sizeof tail ? room - sizeof tail : n;
        if (count && seed % 4 == 1)
            n = shown_add_word(data, n, room - sizeof tail, words[dice % count], dice / 64);
        else
            n = LLVMFuzzerMutate(data, n, room - sizeof tail);
        if (repair && dice % 8)
            repair(data, n);
    }
    if (asked && n + sizeof tail <= room) {
        memcpy(data + n, tail, sizeof tail);
        n += sizeof tail;
    }
    return n;
}

#endif
