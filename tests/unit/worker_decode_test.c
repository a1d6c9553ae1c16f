/* SPDX-License-Identifier: Apache-2.0 */
/* PNG: every kind of it against libspng, damage of every kind, animation, and how little memory rows take. */
#include <spng.h>

#include "test.h"

#include "pictures.h"
#include "worker/colour.h"

static const struct {
    uint8_t colour, depth, samples;
} kinds[] = {
    {0, 1, 1}, {0, 2, 1}, {0, 4, 1}, {0, 8, 1},  {0, 16, 1}, {2, 8, 3}, {2, 16, 3}, {3, 1, 1},
    {3, 2, 1}, {3, 4, 1}, {3, 8, 1}, {4, 8, 2},  {4, 16, 2}, {6, 8, 4}, {6, 16, 4},
};

/* Rows of random bytes; interlaced ones are seven small pictures. */
static void random_image(struct buf *raw, uint32_t w, uint32_t h, size_t bits, bool interlaced)
{
    static const uint8_t x0[] = {0, 4, 0, 2, 0, 1, 0}, dx[] = {8, 8, 4, 4, 2, 2, 1};
    static const uint8_t y0[] = {0, 0, 4, 0, 2, 0, 1}, dy[] = {8, 8, 8, 4, 4, 2, 2};
    if (!interlaced) {
        random_rows(raw, (w * bits + 7) / 8, h, 12345);
        return;
    }
    for (int i = 0; i < 7; i++) {
        uint32_t pw = w > x0[i] ? (w - x0[i] + dx[i] - 1) / dx[i] : 0, ph = h > y0[i] ? (h - y0[i] + dy[i] - 1) / dy[i] : 0;
        if (pw && ph)
            random_rows(raw, (pw * bits + 7) / 8, ph, 777 + (uint32_t)i);
    }
}

static void make_kind(struct buf *b, size_t kind, uint32_t w, uint32_t h, bool interlaced, bool keyed)
{
    uint8_t colour = kinds[kind].colour;
    auto_buf raw = BUF_INIT(FILE_MAX);
    auto_buf z = BUF_INIT(FILE_MAX);
    random_image(&raw, w, h, (size_t)kinds[kind].samples * kinds[kind].depth, interlaced);
    deflate_to(&z, raw.data, raw.len);
    add_png_head(b, w, h, kinds[kind].depth, colour, interlaced);
    uint8_t palette[768];
    for (size_t i = 0; i < sizeof(palette); i++)
        palette[i] = (uint8_t)(i * 37);
    if (colour == 3)
        add_chunk_of(b, "PLTE", palette, (size_t)3 << kinds[kind].depth);
    if (keyed && colour == 3)
        add_chunk_of(b, "tRNS", "\0\x80", 2);
    if (keyed && colour == 0)
        add_chunk_of(b, "tRNS", "\0\1", 2);
    if (keyed && colour == 2)
        add_chunk_of(b, "tRNS", "\0\1\0\2\0\3", 6);
    add_chunk_of(b, "IDAT", z.data, z.len);
    add_chunk_of(b, "IEND", NULL, 0);
}

/* libspng's RGBA8; it cuts 16 bits down where we round, so those may differ by one. */
static void check_against_spng(const struct buf *b, const struct picture *p, int tolerance, const char *what)
{
    spng_ctx *s = spng_ctx_new(0);
    size_t len = 0;
    spng_set_png_buffer(s, b->data, b->len);
    CHECK_MSG(!spng_decoded_image_size(s, SPNG_FMT_RGBA8, &len), "%s", what);
    auto_free uint8_t *want = malloc(len + 1);
    CHECK_MSG(!spng_decode_image(s, want, len, SPNG_FMT_RGBA8, SPNG_DECODE_TRNS), "%s", what);
    spng_ctx_free(s);
    CHECK_MSG(len == (size_t)p->size.w * p->size.h * 4, "%s", what);
    size_t wrong = 0;
    for (size_t i = 0; i < len; i++)
        wrong += abs(want[i] - p->rgba[i]) > tolerance;
    CHECK_MSG(!wrong, "%s: %zu of %zu bytes differ", what, wrong, len);
}

TEST(every_colour_type_depth_filter_and_interlacing_matches_libspng)
{
    static const struct size sizes[] = {{1, 1}, {3, 5}, {67, 41}, {300, 70}};
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t i = 0; i < COUNT(sizes) * 4; i++) {
            struct size s = sizes[i / 4];
            auto_buf b = BUF_INIT(FILE_MAX);
            make_kind(&b, k, s.w, s.h, i & 1, i & 2);
            char what[80];
            snprintf(what, sizeof(what), "colour %u depth %u %ux%u interlaced %d keyed %d", kinds[k].colour,
                     kinds[k].depth, s.w, s.h, (int)(i & 1), (int)(i >> 1 & 1));
            auto_picture p = decode(MEDIA_PNG, &b);
            CHECK_MSG(p.status == WORK_OK, "%s: %s", what, p.c.detail);
            CHECK(p.h.exact == (kinds[k].depth <= 8));
            CHECK(p.h.colour == (kinds[k].colour & 2 ? COLOUR_RGBA : COLOUR_GRAY));
            if (!p.status)
                check_against_spng(&b, &p, kinds[k].depth == 16, what);
        }
}

/* As screenshots are: each filter mostly with nothing to add, over rows that are not flat. */
TEST(rows_that_hardly_differ_match_libspng_with_every_filter)
{
    static const uint8_t colours[] = {2, 6, 2, 6}, depths[] = {8, 8, 16, 16}, bpp[] = {3, 4, 6, 8};
    uint32_t seed = 9, w = 333, h = 90;
    for (size_t k = 0; k < COUNT(bpp); k++) {
        auto_buf raw = BUF_INIT(FILE_MAX);
        auto_buf z = BUF_INIT(FILE_MAX);
        auto_buf b = BUF_INIT(FILE_MAX);
        for (uint32_t y = 0; y < h; y++) {
            (void)buf_add(&raw, &(uint8_t){(uint8_t)(y % 3 ? 4 : y / 3 % 5)}, 1);
            uint32_t rare = y % 9 ? 100 : 2;
            for (uint32_t i = 0; i < w * bpp[k]; i++)
                (void)buf_add(&raw, &(uint8_t){(uint8_t)(noise(&seed) % rare ? 0 : noise(&seed))}, 1);
        }
        deflate_to(&z, raw.data, raw.len);
        add_png_head(&b, w, h, depths[k], colours[k], false);
        add_chunk_of(&b, "IDAT", z.data, z.len);
        add_chunk_of(&b, "IEND", NULL, 0);
        auto_picture p = decode(MEDIA_PNG, &b);
        CHECK_MSG(p.status == WORK_OK, "%zu: %s", k, p.c.detail);
        if (!p.status)
            check_against_spng(&b, &p, depths[k] == 16, k % 2 ? "rgba" : "rgb");
    }
}

TEST(sixteen_bits_are_rounded_to_nearest)
{
    auto_buf b = BUF_INIT(FILE_MAX);
    auto_buf z = BUF_INIT(FILE_MAX);
    deflate_to(&z, "\0\x00\x80\x00\x81\xff\x7e\xff\x7f\x80\x80", 11);
    add_png_head(&b, 5, 1, 16, 0, 0);
    add_chunk_of(&b, "IDAT", z.data, z.len);
    add_chunk_of(&b, "IEND", NULL, 0);
    auto_picture p = decode(MEDIA_PNG, &b);
    CHECK(!p.status);
    static const uint8_t want[] = {0, 1, 254, 255, 128};
    for (uint32_t x = 0; x < 5 && p.rgba; x++)
        CHECK_MSG(pixel(&p, x, 0)[0] == want[x], "pixel %u is %u", x, pixel(&p, x, 0)[0]);
}

TEST(one_byte_idats_and_empty_ones_are_a_picture)
{
    auto_buf b = BUF_INIT(FILE_MAX);
    auto_buf raw = BUF_INIT(FILE_MAX);
    auto_buf z = BUF_INIT(FILE_MAX);
    random_rows(&raw, 40 * 3, 40, 9);
    deflate_to(&z, raw.data, raw.len);
    add_png_head(&b, 40, 40, 8, 2, 0);
    for (size_t i = 0; i < z.len; i++) {
        add_chunk_of(&b, "IDAT", z.data + i, 1);
        add_chunk_of(&b, "IDAT", NULL, 0);
    }
    add_chunk_of(&b, "IEND", NULL, 0);
    auto_picture p = decode(MEDIA_PNG, &b);
    CHECK_MSG(!p.status, "%s", p.c.detail);
    check_against_spng(&b, &p, 0, "one-byte chunks");
}

/* A picture of 8x8 RGB with chosen raw data, cut or lengthened after deflating. */
static int verdict(const void *raw, size_t raw_len, long more, const char *between, const char *after)
{
    auto_buf b = BUF_INIT(FILE_MAX);
    auto_buf z = BUF_INIT(FILE_MAX);
    deflate_to(&z, raw, raw_len);
    if (more > 0)
        buf_add(&z, "abcdefgh", (size_t)more);
    else
        z.len -= (size_t)-more;
    add_png_head(&b, 8, 8, 8, 2, 0);
    add_chunk_of(&b, "IDAT", z.data, 10);
    if (between)
        add_chunk_of(&b, between, "x", 1);
    add_chunk_of(&b, "IDAT", z.data + 10, z.len - 10);
    if (after)
        add_chunk_of(&b, after, "x", 1);
    add_chunk_of(&b, "IEND", NULL, 0);
    auto_picture p = decode(MEDIA_PNG, &b);
    return p.status;
}

TEST(too_much_too_little_or_split_idat_is_malformed)
{
    auto_buf raw = BUF_INIT(FILE_MAX);
    random_rows(&raw, 24, 9, 5);
    size_t whole = 25 * 8;
    CHECK(verdict(raw.data, whole, 0, NULL, NULL) == WORK_OK);
    CHECK(verdict(raw.data, whole, 0, NULL, "teXt") == WORK_OK);
    CHECK(verdict(raw.data, whole + 1, 0, NULL, NULL) == WORK_MALFORMED);
    CHECK(verdict(raw.data, whole + 25, 0, NULL, NULL) == WORK_MALFORMED);
    CHECK(verdict(raw.data, whole - 1, 0, NULL, NULL) == WORK_MALFORMED);
    CHECK(verdict(raw.data, whole, 1, NULL, NULL) == WORK_MALFORMED);
    CHECK(verdict(raw.data, whole, 8, NULL, NULL) == WORK_MALFORMED);
    CHECK(verdict(raw.data, whole, -1, NULL, NULL) == WORK_MALFORMED);
    CHECK(verdict(raw.data, whole, -4, NULL, NULL) == WORK_MALFORMED);
    CHECK(verdict(raw.data, whole, 0, "teXt", NULL) == WORK_MALFORMED);
    CHECK(verdict(raw.data, whole, 0, NULL, "ABCD") == WORK_MALFORMED);
    raw.data[25] = 5;
    CHECK(verdict(raw.data, whole, 0, NULL, NULL) == WORK_MALFORMED);
}

TEST(every_flipped_byte_that_matters_is_noticed)
{
    auto_free uint8_t *rgba = make_rgba(48, 32, true);
    auto_buf b = BUF_INIT(FILE_MAX);
    make_png(&b, rgba, 48, 32);
    for (size_t i = 0; i < b.len; i++) {
        b.data[i] ^= 0x10;
        auto_picture p = decode(MEDIA_PNG, &b);
        CHECK_MSG(p.status != WORK_OK, "byte %zu", i);
        b.data[i] ^= 0x10;
    }
}

TEST(an_index_outside_the_palette_is_malformed)
{
    auto_buf b = BUF_INIT(FILE_MAX);
    auto_buf z = BUF_INIT(FILE_MAX);
    deflate_to(&z, "\0\0\1\2\3", 5);
    add_png_head(&b, 4, 1, 8, 3, 0);
    add_chunk_of(&b, "PLTE", "abcdefghi", 9);
    add_chunk_of(&b, "IDAT", z.data, z.len);
    add_chunk_of(&b, "IEND", NULL, 0);
    auto_picture p = decode(MEDIA_PNG, &b);
    CHECK(p.status == WORK_MALFORMED);
    CHECK_STR(p.c.detail, "a pixel is outside the palette of 3 colours");
}

/* One row of 4 pixels with a chunk before its palette, one behind, and one behind the pixels. */
static struct picture odd_png(uint8_t colour, const char *raw, size_t raw_len, const char *types[3], const char *data,
                              size_t len)
{
    auto_buf b = BUF_INIT(FILE_MAX);
    auto_buf z = BUF_INIT(FILE_MAX);
    deflate_to(&z, raw, raw_len);
    add_png_head(&b, 4, 1, 8, colour, 0);
    if (types[0])
        add_chunk_of(&b, types[0], data, len);
    if (colour == 3)
        add_chunk_of(&b, "PLTE", "abcdefghijkl", 12);
    if (types[1])
        add_chunk_of(&b, types[1], data, len);
    add_chunk_of(&b, "IDAT", z.data, z.len);
    if (types[2])
        add_chunk_of(&b, types[2], data, len);
    add_chunk_of(&b, "IEND", NULL, 0);
    return decode(MEDIA_PNG, &b);
}

TEST(palettes_and_transparency_that_do_not_fit_are_passed_over)
{
    static const char indices[] = "\0\0\1\2\3", rgba[] = "\0abc\xff" "abc\xff" "abc\xff" "abc\xff";
    static const struct {
        const char *what, *types[3];
        uint8_t colour;
        const char *raw;
        size_t raw_len, len;
    } cases[] = {
        {"tRNS longer than the palette", {NULL, "tRNS", NULL}, 3, indices, 5, 5},
        {"tRNS before the palette", {"tRNS", NULL, NULL}, 3, indices, 5, 2},
        {"tRNS behind the pixels", {NULL, NULL, "tRNS"}, 3, indices, 5, 2},
        {"an empty tRNS", {NULL, "tRNS", NULL}, 3, indices, 5, 0},
        {"tRNS beside alpha", {NULL, "tRNS", NULL}, 6, rgba, 17, 6},
        {"tRNS of the wrong size", {NULL, "tRNS", NULL}, 0, indices, 5, 6},
        {"PLTE in gray", {NULL, "PLTE", NULL}, 0, indices, 5, 6},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *types[3] = {cases[i].types[0], cases[i].types[1], cases[i].types[2]};
        auto_picture p = odd_png(cases[i].colour, cases[i].raw, cases[i].raw_len, types, "\0\0\0\0\0\0", cases[i].len);
        CHECK_MSG(!p.status, "%s: %s", cases[i].what, p.c.detail);
        for (uint32_t x = 0; x < 4 && !p.status; x++)
            CHECK_MSG(pixel(&p, x, 0)[3] == 255, "%s", cases[i].what);
    }
    const char *twice[3] = {NULL, "PLTE", NULL};
    auto_picture p = odd_png(3, indices, 5, twice, "abcdef", 6);
    CHECK(p.status == WORK_MALFORMED);
}

/* A gray ramp of 256 levels with a gAMA chunk, and what it is in sRGB; -1 when nothing is to be converted. */
static int level_in_srgb(uint8_t colour, const char *type, const void *data, size_t len, uint8_t level)
{
    auto_buf b = BUF_INIT(FILE_MAX);
    auto_buf z = BUF_INIT(FILE_MAX);
    deflate_to(&z, (uint8_t[4]){0, level, level, level}, colour ? 4 : 2);
    add_png_head(&b, 1, 1, 8, colour, 0);
    add_chunk_of(&b, type, data, len);
    add_chunk_of(&b, "IDAT", z.data, z.len);
    add_chunk_of(&b, "IEND", NULL, 0);
    struct decoder *d = NULL;
    struct header h;
    CHECK(!decode_png.open(SOURCE(&b), &d, &h, NULL));
    uint8_t px[4] = {level, level, level, 255};
    struct image m = {.size = {1, 1}, .px = px};
    bool changed = colour_to_srgb(&m, &h);
    decode_png.close(d);
    return changed ? px[0] : -1;
}

TEST(gamma_and_primaries_that_are_not_srgb_are_converted)
{
    for (uint8_t colour = 0; colour <= 2; colour += 2) {
        CHECK(level_in_srgb(colour, "gAMA", "\0\0\xb1\x8f", 4, 128) == -1); /* 0.45455 */
        CHECK(level_in_srgb(colour, "gAMA", "\0\0\0\0", 4, 128) == -1);
        int linear = level_in_srgb(colour, "gAMA", "\0\1\x86\xa0", 4, 128); /* 1.0 */
        CHECK_MSG(abs(linear - 188) <= 1, "colour %u: %d", colour, linear);
        int steep = level_in_srgb(colour, "gAMA", "\0\0\x88\xb8", 4, 128); /* 0.35 */
        CHECK_MSG(steep > 90 && steep < 110, "colour %u: %d", colour, steep);
    }
    auto_buf chrm = BUF_INIT(64);
    static const uint32_t wide[8] = {31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000};
    for (size_t i = 0; i < COUNT(wide); i++)
        add_be32(&chrm, wide[i]);
    int white = level_in_srgb(2, "cHRM", chrm.data, chrm.len, 128); /* other primaries, the same gray */
    CHECK_MSG(abs(white - 128) <= 1, "%d", white);
    CHECK(level_in_srgb(0, "cHRM", chrm.data, chrm.len, 128) == -1);
    memset(chrm.data, 0, chrm.len);
    CHECK(level_in_srgb(2, "cHRM", chrm.data, chrm.len, 128) == -1);
}

TEST(a_header_that_lies_about_30000x30000_is_too_large)
{
    auto_buf b = BUF_INIT(FILE_MAX);
    add_png_head(&b, 30000, 30000, 8, 6, 0);
    add_chunk_of(&b, "IDAT", "x", 1);
    add_chunk_of(&b, "IEND", NULL, 0);
    auto_picture p = decode(MEDIA_PNG, &b);
    CHECK(p.status == WORK_TOO_LARGE);
    CHECK_STR(p.c.detail, "the picture is 30000x30000, 900.0 megapixels; the limit is 50");
}

TEST(a_side_over_65535_is_too_large_at_once)
{
    auto_buf b = BUF_INIT(FILE_MAX);
    add_png_head(&b, 65536, 1, 8, 6, 0);
    auto_picture p = decode(MEDIA_PNG, &b);
    CHECK(p.status == WORK_TOO_LARGE);
}

/* The most memory held since it was last asked, in KiB; -1 where the kernel does not say. */
static long peak_kib(void)
{
    long kib = -1;
    char line[128];
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof(line), f))
        if (!strncmp(line, "VmHWM:", 6))
            kib = strtol(line + 6, NULL, 10);
    if (f)
        fclose(f);
    f = fopen("/proc/self/clear_refs", "w");
    if (!f)
        return -1;
    bool reset = fputs("5", f) >= 0;
    return !fclose(f) && reset ? kib : -1;
}

/* Decodes without keeping a picture. */
static int run_through(const struct buf *b)
{
    struct decoder *d = NULL;
    struct header h;
    struct size s = {0};
    struct complaint c;
    int status = decode_png.open(SOURCE(b), &d, &h, &c);
    if (status)
        return status;
    status = decode_png.start(d, &(struct want){.frame = 1, .least = {h.width, h.height}, .channels = 4}, &s, &c);
    auto_free uint8_t *row = malloc((size_t)s.w * 4 + 1);
    for (uint32_t y = 0; y < s.h && !status; y++)
        status = decode_png.row(d, row, &c);
    if (!status)
        status = decode_png.finish(d, &c);
    decode_png.close(d);
    return status;
}

TEST(rows_of_a_large_png_and_a_text_bomb_take_little_memory)
{
    auto_buf b = BUF_INIT(FILE_MAX);
    auto_buf z = BUF_INIT(FILE_MAX);
    auto_buf bomb = BUF_INIT(FILE_MAX);
    size_t len = (6000 * 3 + 1) * 4000;
    uint8_t *zeros = calloc(1, len);
    deflate_to(&z, zeros, len);
    buf_add(&bomb, "Comment\0\0", 9);
    deflate_to(&bomb, zeros, len);
    free(zeros);
    add_png_head(&b, 6000, 4000, 8, 2, 0);
    add_chunk_of(&b, "zTXt", bomb.data, bomb.len);
    add_chunk_of(&b, "IDAT", z.data, z.len);
    add_chunk_of(&b, "IEND", NULL, 0);
    (void)peak_kib();
    long before = peak_kib();
    CHECK(run_through(&b) == WORK_OK);
    long after = peak_kib();
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
    before = after; /* a sanitizer's own memory is not ours */
#endif
    if (before < 0 || after < 0)
        SKIP("the kernel does not tell the peak");
    CHECK_MSG(after - before < 4 * 1024, "%ld KiB", after - before);
}

static void add_fctl(struct buf *b, uint32_t sequence, struct rect r, uint8_t dispose, uint8_t blend)
{
    auto_buf d = BUF_INIT(64);
    add_be32(&d, sequence);
    add_be32(&d, r.w);
    add_be32(&d, r.h);
    add_be32(&d, r.x);
    add_be32(&d, r.y);
    buf_add(&d, (uint8_t[6]){0, 1, 0, 10, dispose, blend}, 6);
    add_chunk_of(b, "fcTL", d.data, d.len);
}

/* A frame's data: w x h pixels of one colour. */
static void add_frame(struct buf *b, const char *type, uint32_t sequence, uint32_t w, uint32_t h, const uint8_t rgba[4])
{
    auto_buf raw = BUF_INIT(FILE_MAX);
    auto_buf z = BUF_INIT(FILE_MAX);
    if (*type == 'f')
        add_be32(&z, sequence);
    for (uint32_t y = 0; y < h; y++) {
        buf_add(&raw, "\0", 1);
        for (uint32_t x = 0; x < w; x++)
            buf_add(&raw, rgba, 4);
    }
    deflate_to(&z, raw.data, raw.len);
    add_chunk_of(b, type, z.data, z.len);
}

static const uint8_t red[4] = {255, 0, 0, 255}, green[4] = {0, 255, 0, 255}, half_blue[4] = {0, 0, 255, 128},
                     clear[4] = {0, 0, 0, 0};

/* Red all over; a green corner that is undone; half-transparent blue over the middle; a wipe of the left. */
static void make_apng(struct buf *b, uint32_t announced)
{
    add_png_head(b, 8, 8, 8, 6, 0);
    auto_buf d = BUF_INIT(64);
    add_be32(&d, announced);
    add_be32(&d, 0);
    add_chunk_of(b, "acTL", d.data, d.len);
    add_fctl(b, 0, (struct rect){0, 0, 8, 8}, 0, 0);
    add_frame(b, "IDAT", 0, 8, 8, red);
    add_fctl(b, 1, (struct rect){0, 0, 4, 4}, 2, 0);
    add_frame(b, "fdAT", 2, 4, 4, green);
    add_fctl(b, 3, (struct rect){2, 2, 4, 4}, 0, 1);
    add_frame(b, "fdAT", 4, 4, 4, half_blue);
    add_fctl(b, 5, (struct rect){0, 0, 4, 8}, 0, 0);
    add_frame(b, "fdAT", 6, 4, 8, clear);
    add_chunk_of(b, "IEND", NULL, 0);
}

static void check_pixel(const struct picture *p, uint32_t x, uint32_t y, const uint8_t want[4])
{
    if (!p->rgba)
        return;
    const uint8_t *q = pixel(p, x, y);
    CHECK_MSG(!memcmp(q, want, 4), "at %u,%u: %u %u %u %u", x, y, q[0], q[1], q[2], q[3]);
}

TEST(frames_of_an_animated_png_are_composed)
{
    auto_buf b = BUF_INIT(FILE_MAX);
    make_apng(&b, 4);
    static const uint8_t mixed[4] = {127, 0, 128, 255};
    static const struct {
        uint32_t frame, x, y;
        const uint8_t *want;
    } cases[] = {
        {1, 0, 0, red}, {2, 0, 0, green}, {2, 4, 4, red},   {3, 0, 0, red}, {3, 3, 3, mixed},
        {3, 7, 7, red}, {4, 3, 3, clear}, {4, 4, 4, mixed}, {4, 7, 0, red},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        auto_picture p = decode_with(MEDIA_PNG, b.data, b.len, cases[i].frame, 0);
        CHECK_MSG(!p.status && p.h.frames == 4, "%s", p.c.detail);
        check_pixel(&p, cases[i].x, cases[i].y, cases[i].want);
    }
    auto_picture past = decode_with(MEDIA_PNG, b.data, b.len, 5, 0);
    CHECK(past.status == WORK_BAD_FRAME);
}

TEST(an_unsound_animation_is_its_still_picture)
{
    auto_buf b = BUF_INIT(FILE_MAX);
    make_apng(&b, 5);
    auto_picture p = decode(MEDIA_PNG, &b);
    CHECK(!p.status && p.h.frames == 1);
    check_pixel(&p, 0, 0, red);
}

TEST(complaints_are_printable_ascii)
{
    struct complaint c;
    CHECK(complain(&c, WORK_MALFORMED, "a\n%c\x7f", 0xe9) == WORK_MALFORMED);
    CHECK_STR(c.detail, "a???");
    CHECK(complain(NULL, WORK_UNSUPPORTED, "x") == WORK_UNSUPPORTED);
    CHECK(!decoder_of(MEDIA_PDF));
}

TEST(every_decoder_names_its_library_with_a_version)
{
    size_t count = 0;
    for (const struct decoder_ops *o; (o = decoder_at(count)); count++) {
        char name[64];
        decoder_name(count, name, sizeof(name));
        CHECK_MSG(o->media == MEDIA_GIF || strpbrk(name, "0123456789"), "%s", name);
        CHECK(decoder_of(o->media) == o);
    }
    CHECK(count == 4);
    char name[64];
    colour_library(name, sizeof(name));
    CHECK_MSG(!strncmp(name, "lcms2 2.", 8), "%s", name);
}
