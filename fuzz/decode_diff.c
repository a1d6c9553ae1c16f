/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How two pictures differ, of any two: the answer is believed, its number of changed pixels is what a plain count finds, and
 * each of them lies in a box.
 * about: worker/diff.c worker/diff_boxes.c
 * max_len: 16384
 * keep: 196608
 */
#include "shown.h"
#include "worker/diff.h"

enum { HEAD = 6, SIDE = 96 };

struct two {
    struct size size[2];
    uint8_t *px[2];
};

/* Pixels from the bytes, again and again; the second as the first but for what the bytes change. */
static void fill(struct two *t, const uint8_t *data, size_t len, bool alike)
{
    for (size_t k = 0; k < 2; k++) {
        size_t n = (size_t)t->size[k].w * t->size[k].h * 4;
        t->px[k] = malloc(n);
        assert(t->px[k]);
        for (size_t i = 0; i < n; i++)
            t->px[k][i] = len ? data[(i + (alike ? 0 : k)) % len] : 255;
    }
    for (size_t i = 0; alike && i + 2 < len; i += 3) {
        size_t n = (size_t)t->size[1].w * t->size[1].h * 4;
        t->px[1][(data[i] * 256u + data[i + 1]) % n] ^= data[i + 2];
    }
}

static bool changed_at(const struct two *t, uint32_t x, uint32_t y)
{
    uint32_t px[2] = {0};
    bool there[2];
    for (size_t k = 0; k < 2; k++) {
        there[k] = x < t->size[k].w && y < t->size[k].h;
        if (there[k])
            memcpy(&px[k], t->px[k] + ((size_t)y * t->size[k].w + x) * 4, 4);
    }
    if (!there[0] && !there[1])
        return false;
    bool clear = !(px[0] >> 24) && !(px[1] >> 24);
    return there[0] != there[1] || (px[0] != px[1] && !clear);
}

static bool in_box(const struct output *out, uint32_t x, uint32_t y)
{
    for (uint32_t i = 0; i < out->n_cells; i++) {
        const struct work_cell *c = &out->cells[i];
        if (x >= c->x && x - c->x < c->w && y >= c->y && y - c->y < c->h)
            return true;
    }
    return false;
}

static void count_again(const struct two *t, const struct work_reply *reply, const struct output *out)
{
    uint64_t n = 0;
    for (uint32_t y = 0; y < MAX(t->size[0].h, t->size[1].h); y++)
        for (uint32_t x = 0; x < MAX(t->size[0].w, t->size[1].w); x++)
            if (changed_at(t, x, y)) {
                assert(in_box(out, x, y));
                n++;
            }
    assert(n == reply->changed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    size_t n = shown_len(data, len);
    if (n < HEAD)
        return 0;
    struct two t = {.size = {{1u + data[0] % SIDE, 1u + data[1] % SIDE}, {1u + data[2] % SIDE, 1u + data[3] % SIDE}}};
    if (data[4] & 1)
        t.size[1] = t.size[0];
    fill(&t, data + HEAD, n - HEAD, data[4] & 2);
    struct work_request q = shown_request(n < len ? data + n : NULL, MEDIA_NONE, (size_t)t.size[0].w * t.size[0].h * 4);
    q.flags = (q.flags & (WORK_WEBP_OK | WORK_NO_GIF)) | WORK_DIFF | (data[4] & 4 ? WORK_FLAT : 0);
    q.limits.resize = 1;
    q.page = 0;
    q.region.set = 0;
    q.raw_w = t.size[0].w, q.raw_h = t.size[0].h;
    q.other_w = t.size[1].w, q.other_h = t.size[1].h;
    q.other_len = (uint64_t)q.other_w * q.other_h * 4;
    struct work_reply reply = {0};
    struct output out = {0};
    struct complaint c = {""};
    struct source s = {.data = t.px[0], .len = (size_t)q.input_len, .request = &q, .other = t.px[1]};
    assert(diff_make(&s, &reply, &out, &c) == WORK_OK);
    shown_believed(&q, &reply, &out);
    if (!(q.flags & WORK_FLAT))
        count_again(&t, &reply, &out);
    output_done(&out);
    free(t.px[0]);
    free(t.px[1]);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
    return shown_mutate(data, len, room, seed, NULL, NULL);
}
