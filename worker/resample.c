/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scaling, see resample.h. Weights are made once per axis; each pushed row is scaled across into a ring, and every
 * output row whose filter is complete is then summed down the ring. The output is cut into spans of columns. Those with
 * transparency are premultiplied with 7 more bits, so that colours of faint pixels survive; those without take the byte
 * path and come out the same.
 *
 * Screenshots repeat themselves from row to row: a span whose source pixels are those of the row before is copied instead
 * of summed across, one that did not change over a whole filter is its own sum down, and one that did not since the output
 * row above is that. The result is the same, bit for bit.
 */
#include "resample.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/limits.h"
#include "axis.h"
#include "kernel.h"
#include "spread.h"

enum { SPAN = 32 }; /* output pixels; a whole number of DOWN_STEPs */

struct resampler {
    struct size source;
    struct image *out;
    const struct kernel *kernel;
    unsigned channels; /* of pushed rows */
    bool alpha, copy, opaque;
    uint32_t x0, y0;       /* of a plain copy */
    uint32_t row, out_row; /* next to come, next to write */
    struct axis across, down;
    size_t mid_values;     /* of one ring row, in whole steps */
    uint32_t ring_rows;
    size_t spans;          /* of a row */
    int16_t *ring;
    bool *ring_opaque;     /* for each span of each row */
    const int16_t **window, **shifted;
    void (*row_across)(const uint8_t *row, const struct taps *taps, uint32_t n_out, int16_t *out);
    const uint8_t *last;   /* the row before, for spans to be compared with; NULL: none */
    uint32_t *still;       /* for each span, how many rows it has been the same */
    int16_t *wide;         /* a premultiplied source row, or an output row with fraction */
};

static _Atomic(const struct kernel *) forced;

const struct kernel *kernel_best(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") ? &kernel_avx2 : &kernel_sse2;
#else
    return &kernel_plain;
#endif
}

void kernel_force(const struct kernel *k)
{
    atomic_store(&forced, k);
}

static int make_ring(struct resampler *r)
{
    r->mid_values = ((size_t)r->out->size.w * 4 + DOWN_STEP - 1) / DOWN_STEP * DOWN_STEP;
    r->ring_rows = r->down.longest;
    r->spans = r->out->size.w / SPAN + 1;
    size_t wide = MAX((size_t)r->source.w * 4 + TAP_GROUP * 4, r->mid_values);
    r->ring = calloc(r->ring_rows, r->mid_values * sizeof *r->ring);
    r->ring_opaque = calloc(r->ring_rows, r->spans * sizeof *r->ring_opaque);
    r->window = calloc(2 * (size_t)r->ring_rows, sizeof *r->window);
    r->shifted = r->window + r->ring_rows;
    r->wide = r->alpha ? calloc(wide, sizeof *r->wide) : NULL;
    r->still = calloc(r->spans, sizeof *r->still);
    return r->ring && r->ring_opaque && r->window && (r->wide || !r->alpha) && r->still ? 0 : -ENOMEM;
}

static bool whole(double v, uint32_t *ret)
{
    double near = nearbyint(v);
    *ret = (uint32_t)fmax(near, 0);
    return fabs(v - near) < HAIR;
}

static bool is_copy(struct part p, struct size out, uint32_t *ret_x, uint32_t *ret_y)
{
    return whole(p.x, ret_x) && whole(p.y, ret_y) && fabs(p.w - out.w) < HAIR && fabs(p.h - out.h) < HAIR;
}

int resample_new(struct size source, unsigned channels, struct part part, bool alpha, struct image *out,
                 struct resampler **ret)
{
    struct resampler *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    const struct kernel *kernel = atomic_load(&forced);
    *r = (struct resampler){.source = source, .channels = channels, .out = out, .alpha = alpha, .opaque = true};
    r->kernel = kernel ? kernel : kernel_best();
    r->row_across = channels == 1 ? r->kernel->across_grey : channels == 3 ? r->kernel->across_rgb : r->kernel->across8;
    r->copy = is_copy(part, out->size, &r->x0, &r->y0);
    if (!r->copy && (axis_init(&r->across, source.w, part.x, part.w, out->size.w, TAP_GROUP) ||
                     axis_init(&r->down, source.h, part.y, part.h, out->size.h, 2) || make_ring(r))) {
        resample_free(r);
        return -ENOMEM;
    }
    *ret = r;
    return 0;
}

void resample_free(struct resampler *r)
{
    if (!r)
        return;
    axis_done(&r->across);
    axis_done(&r->down);
    free(r->ring);
    free(r->ring_opaque);
    free(r->window);
    free(r->wide);
    free(r->still);
    free(r);
}

/* Two pixels at a time; row and out have room for one more. A product p becomes (p * 2^COVER_BITS + 127) / 255, which
 * with s = p + 1 is (128 s + s / 2 + s / 512) / 256 for all of them, and that stays within 16 bits. */
static void premultiply(const uint8_t *row, uint32_t n, int16_t *out)
{
    typedef uint8_t two __attribute__((vector_size(8)));
    typedef uint16_t wide __attribute__((vector_size(16)));
    const wide whole = {0, 0, 0, 255, 0, 0, 0, 255};
    for (uint32_t x = 0; x < n; x += 2, row += 8, out += 8) {
        two bytes;
        memcpy(&bytes, row, sizeof bytes);
        wide v = __builtin_convertvector(bytes, wide), a = __builtin_shufflevector(v, v, 3, 3, 3, 3, 7, 7, 7, 7);
        wide s = (v | whole) * a + 1, half = s >> 1;
        v = half + ((((s & 1) << COVER_BITS) + half + (s >> 9)) >> 8);
        memcpy(out, &v, sizeof v);
    }
}

/* Values with MID_BITS of fraction, premultiplied → bytes, straight. */
static void unpremultiply(const int16_t *in, uint32_t n, uint8_t *out)
{
    typedef float levels __attribute__((vector_size(16)));
    typedef int32_t numbers __attribute__((vector_size(16)));
    typedef uint8_t bytes __attribute__((vector_size(4)));
    const int16_t half = 1 << (MID_BITS - 1), full = MID_OPAQUE;
    for (uint32_t x = 0; x < n; x++, in += 4, out += 4) {
        if (in[3] < half) {
            memset(out, 0, 4);
            continue;
        }
        float back = in[3] >= full ? 1.0f / (1 << MID_BITS) : 255.0f / in[3];
        levels v = {in[0], in[1], in[2], 0};
        numbers byte = __builtin_convertvector(v * back + 0.5f, numbers);
        byte &= byte >= 0;
        byte |= byte > 255;
        bytes rgb = __builtin_convertvector(byte, bytes);
        memcpy(out, &rgb, sizeof rgb);
        out[3] = (uint8_t)MIN((in[3] + half) >> MID_BITS, 255);
    }
}

static uint8_t *out_row(const struct resampler *r)
{
    return r->out->px + r->out_row * image_stride(r->out);
}

static void copy_row(struct resampler *r, const uint8_t *row)
{
    if (r->row < r->y0 || r->out_row >= r->out->size.h)
        return;
    spread(row + (size_t)r->x0 * r->channels, r->channels, r->out->size.w, out_row(r));
    if (r->alpha && r->opaque)
        r->opaque = row_opaque(out_row(r), r->out->size.w);
    r->out_row++;
}

/* Whether the pixels from..end are opaque, of those that count. */
static bool opaque_part(const struct resampler *r, const uint8_t *row, uint32_t from, uint32_t end)
{
    from = MAX(from, r->across.low);
    end = MIN(end, r->across.high);
    return !r->alpha || end <= from || row_opaque(row + (size_t)from * 4, end - from);
}

/* One span of a row. before: the ring's row before this one. */
static void span_across(struct resampler *r, const uint8_t *row, uint32_t x, uint32_t before, uint32_t slot)
{
    uint32_t n = MIN((uint32_t)SPAN, r->across.n - x);
    const struct taps *first = &r->across.taps[x], *last = first + n - 1;
    uint32_t from = first->first, end = MIN(last->first + last->n, r->source.w);
    int16_t *mid = r->ring + slot * r->mid_values + (size_t)x * 4;
    bool *opaque = &r->ring_opaque[slot * r->spans + x / SPAN];
    if (r->last && !memcmp(row + (size_t)from * r->channels, r->last + (size_t)from * r->channels,
                           (size_t)(end - from) * r->channels)) {
        memcpy(mid, r->ring + before * r->mid_values + (size_t)x * 4, (size_t)n * 4 * sizeof *mid);
        *opaque = r->ring_opaque[before * r->spans + x / SPAN];
        r->still[x / SPAN]++;
        return;
    }
    r->still[x / SPAN] = 1;
    *opaque = opaque_part(r, row, from, end);
    if (*opaque) {
        r->row_across(row, first, n, mid);
    } else {
        premultiply(row + (size_t)from * 4, end - from, r->wide + (size_t)from * 4);
        r->kernel->across16(r->wide, first, n, mid);
        r->opaque = false;
    }
}

static void row_across(struct resampler *r, const uint8_t *row)
{
    uint32_t slot = r->row % r->ring_rows, before = (r->row + r->ring_rows - 1) % r->ring_rows;
    for (uint32_t x = 0; x < r->across.n; x += SPAN)
        span_across(r, row, x, before, slot);
    r->last = row;
}

/* How a span of an output row is made. */
enum way {
    COPY_ABOVE = 1, /* nothing changed since the row above */
    ONE_ROW = 2,    /* nor over the window: any row of it will do */
    COVERED = 4,    /* some of it is not opaque */
};

static unsigned way_of(const struct resampler *r, const struct taps *t, size_t span)
{
    uint32_t rows = r->row - t->first + 1;
    if (r->out_row && r->still[span] > r->row - (t - 1)->first)
        return COPY_ABOVE;
    unsigned way = r->still[span] >= rows ? ONE_ROW : 0;
    for (uint32_t k = 0; k < t->n && !r->opaque && !(way & COVERED); k++)
        if (t->weight[k] && !r->ring_opaque[(t->first + k) % r->ring_rows * r->spans + span])
            way |= COVERED;
    return way;
}

/* From column `at` on, len values of an output row. */
static void sum_down(struct resampler *r, const struct taps *t, unsigned way, size_t at, size_t len)
{
    static const int16_t one[2] = {1 << WEIGHT_BITS, 0};
    const struct taps single = {0, COUNT(one), one};
    const struct taps *by = way & ONE_ROW ? &single : t;
    uint8_t *out = out_row(r) + at;
    if (way & COPY_ABOVE) {
        memcpy(out, out - image_stride(r->out), len);
        return;
    }
    for (uint32_t k = 0; k < by->n; k++)
        r->shifted[k] = r->window[way & ONE_ROW ? 0 : k] + at;
    if (way & COVERED) {
        r->kernel->down16(r->shifted, by, len, r->wide);
        unpremultiply(r->wide, (uint32_t)(len / 4), out);
    } else {
        r->kernel->down8(r->shifted, by, len, out);
    }
}

/* Neighbouring spans of one kind go together. */
static void row_down(struct resampler *r, const struct taps *t)
{
    for (uint32_t k = 0; k < t->n; k++)
        r->window[k] = r->ring + (t->first + k) % r->ring_rows * r->mid_values;
    size_t n = image_stride(r->out), step = SPAN * 4;
    unsigned next = way_of(r, t, 0);
    for (size_t at = 0, end; at < n; at = end) {
        unsigned way = next;
        for (end = at + step; end < n && (next = way_of(r, t, end / step)) == way;)
            end += step;
        sum_down(r, t, way, at, MIN(end, n) - at);
    }
    r->out_row++;
}

/* The last row that an output row needs; the tap that fills up a pair has no weight and needs none. */
static uint32_t last_of(const struct taps *t)
{
    return t->first + t->n - 1 - (t->weight[t->n - 1] == 0);
}

void resample_push(struct resampler *r, const uint8_t *row)
{
    if (r->copy) {
        copy_row(r, row);
    } else if (r->out_row < r->down.n && r->row >= r->down.taps[0].first) {
        row_across(r, row);
        while (r->out_row < r->down.n && last_of(&r->down.taps[r->out_row]) <= r->row)
            row_down(r, &r->down.taps[r->out_row]);
    }
    r->row++;
}

uint32_t resample_done(const struct resampler *r)
{
    return r->out_row;
}

bool resample_opaque(const struct resampler *r)
{
    return r->opaque;
}
