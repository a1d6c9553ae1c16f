/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PNG: an exact palette of 1, 2, 4 or 8 bits where the colours are few, else grey, RGB or RGBA. The filter is chosen row
 * by row (least sum of absolute differences), but drawn pictures are better without one: deflate finds their repetitions
 * only as long as they are not filtered. They were 3 to 18 % smaller then, and made in less than half of the time.
 */
#include <errno.h>
#include <libdeflate.h>
#include <string.h>
#if defined(__x86_64__)
#include <tmmintrin.h>
#endif

#include "base/limits.h"
#include "deflate.h"
#include "encode.h"
#include "quick.h"

enum { GREY = 0, RGB = 2, PALETTE = 3, RGBA = 6 }; /* PNG's colour types */
enum { PACK_SLACK = 1 };
/* Of libdeflate. Where much of the picture is text the quick one costs 4 % more bytes, and the quickest, which has a third
 * of the time, 6 % with alpha and none in grey. */
enum { LEVEL = 6, QUICK_LEVEL = 4, QUICKEST_LEVEL = 1 };
/* Shares as in struct look. Photos are under 0.05 flat, screenshots over 0.5; text is over 0.1 sharp, icons are under. */
static const double flat_enough = 0.4, sharp_enough = 0.1;

struct png {
    const struct image *m;
    uint8_t type, bits;
    size_t bpp; /* bytes of a pixel, at least 1 */
    size_t row; /* bytes of a row */
    bool filtered;
    int level;
    struct palette palette;
    struct palette_map map;
};

static bool all_grey(const struct palette *p)
{
    for (uint32_t i = 0; i < p->n; i++) {
        uint8_t c[4];
        memcpy(c, &p->colour[i], sizeof c);
        if (c[0] != c[1] || c[1] != c[2])
            return false;
    }
    return true;
}

/* Which of PNG's kinds holds the picture in the fewest bits. Grey levels filter well, palette indices do not. */
static void choose_kind(struct png *p)
{
    bool few = palette_of(p->m, &p->palette);
    bool grey = few && p->m->opaque && p->palette.n > 16 && all_grey(&p->palette);
    p->type = grey ? GREY : few ? PALETTE : p->m->opaque ? RGB : RGBA;
    p->bits = p->type == PALETTE ? p->palette.bits : 8;
    p->bpp = p->type == RGB ? 3 : p->type == RGBA ? 4 : 1;
    p->row = ((size_t)p->m->size.w * p->bpp * p->bits + 7) / 8;
    if (p->type == PALETTE)
        palette_map(&p->palette, &p->map);
}

/* Whether to filter, and how hard to try. */
static void choose_effort(struct png *p)
{
    struct look look = image_look(p->m, LOOK_ROWS, false);
    bool drawn = p->type != PALETTE && look.flat > flat_enough;
    p->filtered = p->type != PALETTE && !drawn;
    bool text = drawn && look.sharp > sharp_enough;
    p->level = !text ? LEVEL : p->type == RGB ? QUICK_LEVEL : QUICKEST_LEVEL;
}

static void pack_bytes(const struct png *p, const uint32_t *px, uint8_t *to)
{
    size_t n = p->m->size.w;
    for (size_t x = 0, run; x < n; x += run) {
        run = pixels_alike(px + x, n - x);
        memset(to + x, palette_index(&p->map, px[x]), run);
    }
}

static void pack_indices(const struct png *p, const uint8_t *from, uint8_t *to)
{
    if (p->bits == 8) {
        pack_bytes(p, (const uint32_t *)(const void *)from, to);
        return;
    }
    uint32_t last = 0, per_byte = 8 / p->bits;
    uint8_t index = 0;
    memset(to, 0, p->row);
    for (uint32_t x = 0; x < p->m->size.w; x++) {
        uint32_t colour;
        memcpy(&colour, from + (size_t)x * 4, 4);
        if (!x || colour != last)
            index = palette_index(&p->map, colour);
        last = colour;
        to[x / per_byte] |= (uint8_t)(index << (8 - p->bits - x % per_byte * p->bits));
    }
}

#if defined(__x86_64__)
/* Sixteen pixels at once; returns how many were packed. */
__attribute__((target("ssse3"))) static uint32_t pack_many(const uint8_t *from, uint32_t n, uint8_t *to)
{
    const __m128i order = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    uint32_t x = 0;
    for (; x + 16 <= n; x += 16, from += 64, to += 48) {
        __m128i v[4];
        for (int i = 0; i < 4; i++)
            v[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)from + i), order);
        __m128i *out = (__m128i *)(void *)to;
        _mm_storeu_si128(out, _mm_or_si128(v[0], _mm_slli_si128(v[1], 12)));
        _mm_storeu_si128(out + 1, _mm_or_si128(_mm_srli_si128(v[1], 4), _mm_slli_si128(v[2], 8)));
        _mm_storeu_si128(out + 2, _mm_or_si128(_mm_srli_si128(v[2], 8), _mm_slli_si128(v[3], 4)));
    }
    return x;
}
#endif

static void pack_rgb(const uint8_t *from, uint32_t n, uint8_t *to)
{
    uint32_t x = 0;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("ssse3"))
        x = pack_many(from, n, to);
#endif
    for (; x < n; x++)
        memcpy(to + (size_t)x * 3, from + (size_t)x * 4, 4); /* one more than needed is one move */
}

/* May write PACK_SLACK bytes behind the row. */
static void pack_row(const struct png *p, uint32_t y, uint8_t *to)
{
    const uint8_t *from = image_row(p->m, y);
    if (p->type == PALETTE)
        pack_indices(p, from, to);
    else if (p->type == RGBA)
        memcpy(to, from, p->row);
    else if (p->type == GREY)
        for (uint32_t x = 0; x < p->m->size.w; x++)
            to[x] = from[(size_t)x * 4];
    else
        pack_rgb(from, p->m->size.w, to);
}

/* PNG's filters 0..4. n bytes of a row, `up` the row above (zeros for the first), both with bpp zero bytes in front. */
typedef void filter(const uint8_t *row, const uint8_t *up, size_t n, size_t bpp, uint8_t *out);

static void filter_none(const uint8_t *row, const uint8_t *up, size_t n, size_t bpp, uint8_t *out)
{
    (void)up, (void)bpp;
    memcpy(out, row, n);
}

static void filter_sub(const uint8_t *row, const uint8_t *up, size_t n, size_t bpp, uint8_t *out)
{
    (void)up;
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(row[i] - (row - bpp)[i]);
}

static void filter_up(const uint8_t *row, const uint8_t *up, size_t n, size_t bpp, uint8_t *out)
{
    (void)bpp;
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(row[i] - up[i]);
}

static void filter_average(const uint8_t *row, const uint8_t *up, size_t n, size_t bpp, uint8_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(row[i] - ((row - bpp)[i] + up[i]) / 2);
}

static void filter_paeth(const uint8_t *row, const uint8_t *up, size_t n, size_t bpp, uint8_t *out)
{
    for (size_t i = 0; i < n; i++) {
        int a = (row - bpp)[i], b = up[i], c = (up - bpp)[i];
        int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
        out[i] = (uint8_t)(row[i] - (pa <= pb && pa <= pc ? a : pb <= pc ? b : c));
    }
}

static filter *const filters[] = {filter_none, filter_sub, filter_up, filter_average, filter_paeth};

static uint64_t cost_of(const uint8_t *row, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (uint32_t)abs((int8_t)row[i]);
    return sum;
}

/* The cheapest of the filters, written to out with its number in front. */
static void best_row(const struct png *p, const uint8_t *row, const uint8_t *before, uint8_t *trial, uint8_t *out)
{
    uint64_t least = UINT64_MAX;
    for (size_t f = 0; f < COUNT(filters); f++) {
        filters[f](row, before, p->row, p->bpp, trial);
        uint64_t cost = cost_of(trial, p->row);
        if (cost >= least)
            continue;
        least = cost;
        out[0] = (uint8_t)f;
        memcpy(out + 1, trial, p->row);
    }
}

/* All rows, each behind its filter byte. NULL when out of memory. */
static uint8_t *filtered(const struct png *p, size_t *ret_len)
{
    enum { LEAD = 8 };
    size_t len, room = p->row + LEAD + PACK_SLACK;
    if (__builtin_mul_overflow(p->row + 1, (size_t)p->m->size.h, &len))
        return NULL;
    auto_free uint8_t *out = malloc(len + PACK_SLACK), *rows = calloc(3, room);
    if (!out || !rows)
        return NULL;
    uint8_t *row = rows + LEAD, *before = row + room, *trial = before + room;
    for (uint32_t y = 0; y < p->m->size.h; y++) {
        uint8_t *to = out + y * (p->row + 1);
        if (!p->filtered) {
            to[0] = 0;
            pack_row(p, y, to + 1);
            continue;
        }
        pack_row(p, y, row);
        best_row(p, row, before, trial, to);
        uint8_t *was = before;
        before = row;
        row = was;
    }
    *ret_len = len;
    return take(out);
}

static uint8_t *put32(uint8_t *at, uint32_t v)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *at++ = (uint8_t)(v >> shift);
    return at;
}

/* Completes a chunk whose data lies at at + 8 already; returns where the next one goes. */
static uint8_t *seal_chunk(uint8_t *at, const char *name, size_t len)
{
    put32(at, (uint32_t)len);
    memcpy(at + 4, name, 4);
    return put32(at + 8 + len, libdeflate_crc32(0, at + 4, len + 4));
}

static uint8_t *put_header(uint8_t *at, const struct png *p)
{
    static const uint8_t magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    memcpy(at, magic, sizeof magic);
    at += sizeof magic;
    put32(put32(at + 8, p->m->size.w), p->m->size.h);
    const uint8_t kind[5] = {p->bits, p->type, 0, 0, 0};
    memcpy(at + 16, kind, sizeof kind);
    return seal_chunk(at, "IHDR", 13);
}

static uint8_t *put_palette(uint8_t *at, const struct palette *p)
{
    uint32_t faint = 0;
    uint8_t alpha[256];
    for (uint32_t i = 0; i < p->n; i++) {
        uint8_t c[4];
        memcpy(c, &p->colour[i], sizeof c);
        memcpy(at + 8 + (size_t)i * 3, c, 3);
        alpha[i] = c[3];
        faint += c[3] != 255;
    }
    at = seal_chunk(at, "PLTE", (size_t)p->n * 3);
    if (!faint)
        return at;
    memcpy(at + 8, alpha, faint);
    return seal_chunk(at, "tRNS", faint);
}

enum { AROUND = 2048 }; /* every chunk but the pixels, at most */

/* The file so far, up to where the pixels' stream begins. */
static uint8_t *begin_file(const struct png *p, uint8_t *file)
{
    uint8_t *at = put_header(file, p);
    if (p->type == PALETTE)
        at = put_palette(at, &p->palette);
    return at;
}

/* Takes over the file, whose chunk of pixels begins at `at` with len bytes of data. */
static void end_file(const struct png *p, uint8_t *file, uint8_t *at, size_t len, const struct encoder *by,
                     struct encoded *ret)
{
    at = seal_chunk(at, "IDAT", len);
    at = seal_chunk(at, "IEND", 0);
    size_t total = (size_t)(at - file);
    uint8_t *fitting = realloc(file, total);
    *ret = (struct encoded){fitting ? fitting : file, total, by, p->m->size};
}

static int write_file(const struct png *p, const uint8_t *raw, size_t raw_len, struct encoded *ret)
{
    auto_free uint8_t *file = malloc(deflate_bound(raw_len) + AROUND);
    if (!file)
        return -ENOMEM;
    uint8_t *at = begin_file(p, file);
    int64_t len = deflate(raw, raw_len, p->level, at + 8);
    if (len < 0 || len > INT32_MAX)
        return len < 0 ? (int)len : -EFBIG;
    end_file(p, take(file), at, (size_t)len, &encode_png, ret);
    return 0;
}

static int encode(const struct image *m, unsigned quality, struct encoded *ret)
{
    (void)quality;
    auto_free struct png *p = calloc(1, sizeof *p);
    if (!p)
        return -ENOMEM;
    p->m = m;
    choose_kind(p);
    choose_effort(p);
    size_t len = 0;
    auto_free uint8_t *raw = filtered(p, &len);
    return raw ? write_file(p, raw, len, ret) : -ENOMEM;
}

/* Some rows at a time, none filtered, so that they are still at hand when they are deflated. `rows` has room for what came before
 * them too. False: no room. */
static bool deflate_rows(const struct png *p, uint8_t *rows, uint32_t at_once, struct quick *q)
{
    uint32_t h = p->m->size.h;
    uint8_t *now = rows + QUICK_WINDOW;
    bool good = true;
    for (uint32_t y = 0; good && y < h; y += at_once) {
        uint32_t n = MIN(at_once, h - y);
        size_t len = n * (p->row + 1);
        for (uint32_t i = 0; i < n; i++) {
            uint8_t *to = now + i * (p->row + 1);
            pack_row(p, y + i, to + 1);
            to[0] = 0;
        }
        good = quick_add(q, now, len);
        memmove(rows, rows + len, QUICK_WINDOW);
    }
    return good;
}

static int encode_quick(const struct image *m, unsigned quality, struct encoded *ret)
{
    enum { AT_ONCE = 64 * 1024 };
    (void)quality;
    auto_free struct png *p = calloc(1, sizeof *p);
    if (!p)
        return -ENOMEM;
    p->m = m;
    choose_kind(p);
    if (p->type == PALETTE) { /* packing bits would take longer than deflating bytes */
        p->bits = 8;
        p->row = m->size.w;
    }
    uint32_t at_once = (uint32_t)MAX(AT_ONCE / (p->row + 1), (size_t)1);
    size_t raw = (p->row + 1) * m->size.h, room = deflate_bound(raw);
    auto_free uint8_t *file = malloc(room + AROUND), *rows = malloc(QUICK_WINDOW + (p->row + 1) * at_once + PACK_SLACK);
    if (!file || !rows)
        return -ENOMEM;
    uint8_t *at = begin_file(p, file);
    struct quick *q = quick_new(at + 8, MIN(room, (size_t)INT32_MAX));
    if (!q)
        return -ENOMEM;
    size_t len = deflate_rows(p, rows, at_once, q) ? quick_end(q) : 0;
    quick_free(q);
    if (!len) { /* noise, which the quick way makes larger than it was */
        free(take(file));
        free(take(rows));
        return encode(m, 0, ret);
    }
    end_file(p, take(file), at, len, &encode_png_quick, ret);
    return 0;
}

const struct encoder encode_png_quick = {
    .media = MEDIA_PNG,
    .lossless = true,
    .alpha = true,
    .max_side = LIMIT_SIDE,
    .encode = encode_quick,
};

const struct encoder encode_png = {
    .media = MEDIA_PNG,
    .lossless = true,
    .alpha = true,
    .max_side = LIMIT_SIDE,
    .encode = encode,
};
