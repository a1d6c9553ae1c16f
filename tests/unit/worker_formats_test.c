/* SPDX-License-Identifier: Apache-2.0 */
/* JPEG, GIF and WebP: pixels, scale, frames, limits; and of all four formats, that a cut file is refused. */
#include <webp/decode.h>

#include "test.h"

#include "base/clock.h"
#include "pictures.h"

static double mean_difference(const uint8_t *a, const uint8_t *b, size_t len)
{
    double sum = 0;
    for (size_t i = 0; i < len; i++)
        sum += abs(a[i] - b[i]);
    return sum / (double)len;
}

/* ---- JPEG */

TEST(jpeg_rows_are_the_picture_plain_and_progressive)
{
    auto_free uint8_t *rgba = make_rgba(203, 117, false);
    for (int kind = JPEG_PLAIN; kind <= JPEG_PROGRESSIVE; kind++) {
        auto_buf b = BUF_INIT(FILE_MAX);
        make_jpeg(&b, rgba, 203, 117, kind);
        auto_picture p = decode(MEDIA_JPEG, &b);
        CHECK_MSG(!p.status && p.size.w == 203 && p.size.h == 117, "%s", p.c.detail);
        CHECK(!p.h.alpha && p.h.colour == COLOUR_RGBA && p.h.orientation == 1 && p.h.frames == 1);
        if (!p.status)
            CHECK(mean_difference(p.rgba, rgba, (size_t)203 * 117 * 4) < 3);
    }
}

TEST(jpeg_is_decoded_smaller_but_never_below_what_is_wanted)
{
    static const struct {
        uint32_t least, w, h;
    } cases[] = {{0, 801, 599}, {500, 801, 599}, {301, 801, 599}, {300, 401, 300}, {150, 201, 150}, {10, 101, 75}};
    auto_free uint8_t *rgba = make_rgba(801, 599, false);
    auto_buf b = BUF_INIT(FILE_MAX);
    make_jpeg(&b, rgba, 801, 599, JPEG_PLAIN);
    for (size_t i = 0; i < COUNT(cases); i++) {
        auto_picture p = decode_with(MEDIA_JPEG, b.data, b.len, 1, cases[i].least);
        CHECK_MSG(!p.status && p.size.w == cases[i].w && p.size.h == cases[i].h, "least %u gave %ux%u", cases[i].least,
                  p.size.w, p.size.h);
    }
}

TEST(jpeg_over_50_megapixels_is_decoded_scaled_whatever_is_wanted)
{
    auto_free uint8_t *gray = calloc(1, (size_t)9000 * 6000);
    auto_buf b = BUF_INIT(FILE_MAX);
    make_jpeg(&b, gray, 9000, 6000, JPEG_GRAY);
    struct decoder *d = NULL;
    struct header h;
    struct size s = {0};
    CHECK(!decode_jpeg.open(SOURCE(&b), &d, &h, NULL));
    CHECK(!decode_jpeg.start(d, &(struct want){.frame = 1, .least = {9000, 6000}, .channels = 4}, &s, NULL));
    CHECK(h.width == 9000 && h.colour == COLOUR_GRAY && s.w == 4500 && s.h == 3000);
    decode_jpeg.close(d);
}

TEST(inks_come_out_with_0_as_no_ink)
{
    uint8_t inks[16 * 16 * 4];
    for (size_t i = 0; i < sizeof(inks); i += 4)
        memcpy(inks + i, (uint8_t[4]){10, 200, 30, 90}, 4);
    /* libjpeg writes what it is given and an Adobe marker, which says that the values are inverted. */
    auto_buf b = BUF_INIT(FILE_MAX);
    make_jpeg(&b, inks, 16, 16, JPEG_INKS);
    auto_picture p = decode(MEDIA_JPEG, &b);
    CHECK(!p.status && p.h.colour == COLOUR_CMYK && !p.h.alpha);
    static const uint8_t want[4] = {245, 55, 225, 165};
    if (!p.status)
        CHECK(mean_difference(pixel(&p, 7, 7), want, 4) < 3);
}

TEST(orientation_is_read_in_both_byte_orders_and_odd_ones_are_upright)
{
    uint8_t tiff[] = "Exif\0\0II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0\6\0\0\0\0\0\0";
    uint8_t big[] = "MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0\x08\0\0\0\0\0\0";
    CHECK(exif_orientation(tiff, sizeof(tiff) - 1) == 6);
    CHECK(exif_orientation(tiff + 6, sizeof(tiff) - 7) == 6);
    CHECK(exif_orientation(big, sizeof(big) - 1) == 8);
    for (size_t n = 0; n < 26; n++) {
        auto_free uint8_t *cut = malloc(n + 1);
        memcpy(cut, tiff, n);
        CHECK(exif_orientation(cut, n) == 1);
    }
    tiff[24] = 9;
    CHECK(exif_orientation(tiff, sizeof(tiff) - 1) == 1);
    tiff[10] = 0xff;
    tiff[13] = 0xff;
    CHECK(exif_orientation(tiff, sizeof(tiff) - 1) == 1);
}

TEST(a_jpeg_of_very_many_scans_is_refused)
{
    auto_free uint8_t *rgba = make_rgba(64, 64, false);
    auto_buf b = BUF_INIT(FILE_MAX);
    auto_buf bomb = BUF_INIT(FILE_MAX);
    make_jpeg(&b, rgba, 64, 64, JPEG_PROGRESSIVE);
    /* The last scan again and again. */
    const char *last = NULL;
    for (size_t i = 0; i + 1 < b.len; i++)
        if ((uint8_t)b.data[i] == 0xff && (uint8_t)b.data[i + 1] == 0xda)
            last = b.data + i;
    buf_add(&bomb, b.data, b.len - 2);
    for (int i = 0; i < 200; i++)
        buf_add(&bomb, last, (size_t)(b.data + b.len - 2 - last));
    buf_add(&bomb, "\xff\xd9", 2);
    auto_picture p = decode(MEDIA_JPEG, &bomb);
    CHECK_MSG(p.status == WORK_MALFORMED, "%d %s", p.status, p.c.detail);
}

TEST(garbage_in_a_jpeg_scan_is_malformed)
{
    auto_free uint8_t *rgba = make_rgba(256, 256, false);
    auto_buf b = BUF_INIT(FILE_MAX);
    make_jpeg(&b, rgba, 256, 256, JPEG_PLAIN);
    memset(b.data + b.len / 2, 0, 64);
    memset(b.data + b.len / 2 + 64, 0xff, 1);
    memset(b.data + b.len / 2 + 65, 0xd9, 1);
    auto_picture p = decode(MEDIA_JPEG, &b);
    CHECK(p.status == WORK_MALFORMED);
}

/* Some cameras pad the end; what is skipped there is no pixel, but it may be nothing else either. */
TEST(jpeg_padding_before_the_end_is_harmless_and_other_bytes_are_not)
{
    static const struct {
        const char *bytes;
        size_t len;
        int status;
    } cases[] = {{"\0\0\0\0\0\0\0", 7, WORK_OK},         {"\0\0\xff\0\0", 5, WORK_OK},
                 {"\xff\xff\xff", 3, WORK_OK},             {"\0", 1, WORK_OK},
                 {"\0\0\0\0\0\0\0\0\0a\0", 11, WORK_MALFORMED}, {"hidden words", 12, WORK_MALFORMED},
                 {"\0\0hidden words", 14, WORK_MALFORMED}};
    auto_free uint8_t *rgba = make_rgba(203, 117, false);
    for (int kind = JPEG_PLAIN; kind <= JPEG_PROGRESSIVE; kind++) {
        auto_buf plain = BUF_INIT(FILE_MAX);
        make_jpeg(&plain, rgba, 203, 117, kind);
        auto_picture want = decode(MEDIA_JPEG, &plain);
        for (size_t i = 0; i < COUNT(cases); i++) {
            auto_buf b = BUF_INIT(FILE_MAX);
            buf_add(&b, plain.data, plain.len - 2);
            buf_add(&b, cases[i].bytes, cases[i].len);
            buf_add(&b, "\xff\xd9", 2);
            auto_picture p = decode(MEDIA_JPEG, &b);
            CHECK_MSG(p.status == cases[i].status, "kind %d case %zu: %d %s", kind, i, p.status, p.c.detail);
            if (!p.status)
                CHECK(!memcmp(p.rgba, want.rgba, (size_t)203 * 117 * 4));
        }
    }
}

/* ---- GIF */

static void check_rgba(const struct picture *p, uint32_t x, uint32_t y, uint32_t want)
{
    if (!p->rgba)
        return;
    const uint8_t *q = pixel(p, x, y);
    uint32_t got = (uint32_t)q[0] << 24 | (uint32_t)q[1] << 16 | (uint32_t)q[2] << 8 | q[3];
    CHECK_MSG(got == want, "at %u,%u: %08x, not %08x", x, y, got, want);
}

TEST(gif_frames_are_composed_with_disposal_transparency_and_clipping)
{
    static const struct gif_part parts[] = {
        {{0, 0, 20, 20}, 1, DISPOSE_DO_NOT, -1, false},
        {{5, 5, 10, 10}, 2, DISPOSE_PREVIOUS, -1, true},
        {{15, 15, 10, 10}, 3, DISPOSE_BACKGROUND, -1, false},
        {{0, 0, 4, 4}, 2, DISPOSE_DO_NOT, 2, false},
    };
    static const struct {
        uint32_t frame, x, y, want;
    } cases[] = {
        {1, 7, 7, 0xff0000ff},   {2, 7, 7, 0x00ff00ff},   {2, 4, 4, 0xff0000ff}, {2, 14, 14, 0x00ff00ff},
        {3, 7, 7, 0xff0000ff},   {3, 19, 19, 0x0000ffff}, {4, 19, 19, 0x00000000}, {4, 1, 1, 0xff0000ff},
    };
    auto_buf b = BUF_INIT(FILE_MAX);
    make_gif(&b, 20, 20, parts, COUNT(parts));
    for (size_t i = 0; i < COUNT(cases); i++) {
        auto_picture p = decode_with(MEDIA_GIF, b.data, b.len, cases[i].frame, 0);
        CHECK_MSG(!p.status && p.h.frames == 4 && p.h.alpha && p.size.w == 20, "%s", p.c.detail);
        check_rgba(&p, cases[i].x, cases[i].y, cases[i].want);
    }
}

TEST(an_opaque_gif_frame_that_is_undone_leaves_transparency)
{
    static const struct gif_part parts[] = {{{0, 0, 20, 20}, 1, DISPOSE_PREVIOUS, -1, false},
                                            {{0, 0, 4, 4}, 2, DISPOSE_DO_NOT, -1, false}};
    auto_buf b = BUF_INIT(FILE_MAX);
    make_gif(&b, 20, 20, parts, COUNT(parts));
    auto_picture p = decode_with(MEDIA_GIF, b.data, b.len, 2, 0);
    CHECK(!p.status && p.h.alpha);
    check_rgba(&p, 1, 1, 0x00ff00ff);
    check_rgba(&p, 10, 10, 0x00000000);
}

/* Random indices, so that the code table fills, is cleared and fills again; giflib has written them. */
TEST(gif_pixels_are_those_that_giflib_wrote)
{
    enum { W = 211, H = 173 };
    for (int colours = 2; colours <= 256; colours *= 2) {
        uint32_t seed = 31;
        uint8_t indices[W * H];
        for (size_t i = 0; i < sizeof(indices); i++)
            indices[i] = (uint8_t)(i % 40 < 20 ? 0 : noise(&seed) % (uint32_t)colours);
        auto_buf b = BUF_INIT(FILE_MAX);
        int error = 0;
        GifFileType *gif = EGifOpen(&b, write_gif, &error);
        GifColorType grays[256];
        for (int i = 0; i < colours; i++)
            grays[i] = (GifColorType){(GifByteType)i, (GifByteType)i, (GifByteType)i};
        ColorMapObject *map = GifMakeMapObject(colours, grays);
        EGifPutScreenDesc(gif, W, H, 8, 0, map);
        EGifPutImageDesc(gif, 0, 0, W, H, false, map);
        for (int y = 0; y < H; y++)
            EGifPutLine(gif, indices + y * W, W);
        EGifCloseFile(gif, &error);
        GifFreeMapObject(map);
        auto_picture p = decode(MEDIA_GIF, &b);
        CHECK_MSG(!p.status && !p.h.alpha, "%d colours: %s", colours, p.c.detail);
        size_t wrong = 0;
        for (size_t i = 0; i < sizeof(indices) && !p.status; i++)
            wrong += p.rgba[i * 4] != indices[i] || p.rgba[i * 4 + 3] != 255;
        CHECK_MSG(!wrong, "%d colours: %zu pixels", colours, wrong);
    }
}

TEST(a_gif_of_100000_frames_is_counted_in_milliseconds)
{
    static const struct gif_part part[] = {{{0, 0, 2, 2}, 1, DISPOSE_DO_NOT, -1, false}};
    auto_buf one = BUF_INIT(FILE_MAX);
    auto_buf b = BUF_INIT(FILE_MAX);
    make_gif(&one, 100, 100, part, 1);
    size_t head = 13 + 12, body = one.len - head - 1;
    buf_add(&b, one.data, head);
    for (int i = 0; i < 100000; i++)
        buf_add(&b, one.data + head, body);
    buf_add(&b, ";", 1);
    int64_t from = clock_ms();
    auto_picture p = decode(MEDIA_GIF, &b);
    CHECK(!p.status && p.h.frames == 100000);
    CHECK_MSG(clock_ms() - from < 1000, "%lld ms", (long long)(clock_ms() - from));
    auto_picture last = decode_with(MEDIA_GIF, b.data, b.len, 100000, 0);
    CHECK(!last.status);
    CHECK_MSG(clock_ms() - from < 2500, "%lld ms", (long long)(clock_ms() - from));
}

TEST(frames_that_add_up_to_more_than_50_megapixels_are_too_large)
{
    static struct gif_part parts[8];
    for (size_t i = 0; i < COUNT(parts); i++)
        parts[i] = (struct gif_part){{0, 0, 3000, 3000}, (uint8_t)(i % 4), DISPOSE_DO_NOT, 3, false};
    auto_buf b = BUF_INIT(FILE_MAX);
    make_gif(&b, 3000, 3000, parts, COUNT(parts));
    auto_picture first = decode(MEDIA_GIF, &b);
    CHECK(!first.status);
    auto_picture last = decode_with(MEDIA_GIF, b.data, b.len, 8, 0);
    CHECK_MSG(last.status == WORK_TOO_LARGE, "%d", last.status);
    CHECK_STR(last.c.detail, "showing this frame of 3000x3000 takes 72.0 megapixels in all; the limit is 50");
}

/* ---- WebP */

TEST(lossless_webp_is_exact_and_lossy_is_what_libwebp_says)
{
    auto_free uint8_t *rgba = make_rgba(301, 203, true);
    auto_buf exact = BUF_INIT(FILE_MAX);
    auto_buf lossy = BUF_INIT(FILE_MAX);
    make_webp(&exact, rgba, 301, 203, true);
    make_webp(&lossy, rgba, 301, 203, false);
    auto_picture p = decode(MEDIA_WEBP, &exact);
    CHECK_MSG(!p.status && p.h.alpha && !memcmp(p.rgba, rgba, (size_t)301 * 203 * 4), "%s", p.c.detail);
    auto_picture q = decode(MEDIA_WEBP, &lossy);
    int w = 0, h = 0;
    uint8_t *want = WebPDecodeRGBA((const uint8_t *)lossy.data, lossy.len, &w, &h);
    CHECK_MSG(!q.status && !memcmp(q.rgba, want, (size_t)301 * 203 * 4), "%s", q.c.detail);
    WebPFree(want);
}

TEST(webp_rows_have_full_size_whatever_is_wanted)
{
    auto_free uint8_t *rgba = make_rgba(801, 599, false);
    for (int lossless = 0; lossless < 2; lossless++) {
        auto_buf b = BUF_INIT(FILE_MAX);
        make_webp(&b, rgba, 801, 599, lossless);
        auto_picture whole = decode(MEDIA_WEBP, &b), small = decode_with(MEDIA_WEBP, b.data, b.len, 1, 100);
        CHECK(!small.status && small.size.w == 801 && small.size.h == 599 && small.h.lossy == !lossless);
        CHECK(!memcmp(whole.rgba, small.rgba, (size_t)801 * 599 * 4));
        picture_done(&whole);
        picture_done(&small);
    }
}

/* The pages of rows handed out are given back while the library still writes. */
TEST(rows_of_a_large_webp_are_those_of_libwebp)
{
    for (int i = 0; i < 4; i++) {
        auto_free uint8_t *rgba = make_rgba(1201, 907, i & 2);
        auto_buf b = BUF_INIT(FILE_MAX);
        make_webp(&b, rgba, 1201, 907, i & 1);
        auto_picture p = decode(MEDIA_WEBP, &b);
        int w = 0, h = 0;
        uint8_t *want = WebPDecodeRGBA((const uint8_t *)b.data, b.len, &w, &h);
        CHECK_MSG(!p.status && !memcmp(p.rgba, want, (size_t)1201 * 907 * 4), "%d: %s", i, p.c.detail);
        WebPFree(want);
    }
}

/* The alpha bit stands behind the two sizes of 14 bits. */
TEST(alpha_that_a_lossless_webp_denies_is_not_shown)
{
    auto_free uint8_t *rgba = make_rgba(60, 50, true);
    auto_buf b = BUF_INIT(FILE_MAX);
    make_webp(&b, rgba, 60, 50, true);
    CHECK(!memcmp(b.data + 12, "VP8L", 4) && b.data[24] & 0x10);
    b.data[24] &= ~0x10;
    auto_picture p = decode(MEDIA_WEBP, &b);
    CHECK(!p.status && !p.h.alpha);
    for (size_t i = 0; i < (size_t)60 * 50 && !p.status; i++)
        CHECK(p.rgba[i * 4 + 3] == 255 && p.rgba[i * 4] == rgba[i * 4]);
}

static void add_le(struct buf *b, uint32_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        buf_add(b, (uint8_t[1]){(uint8_t)(v >> 8 * i)}, 1);
}

/* One frame of one colour: the bitstream of a file, in an ANMF. */
static void add_anmf(struct buf *b, struct rect r, uint8_t flags, const uint8_t rgba[4])
{
    auto_free uint8_t *pixels = malloc((size_t)r.w * r.h * 4);
    for (size_t i = 0; i < (size_t)r.w * r.h; i++)
        memcpy(pixels + i * 4, rgba, 4);
    auto_buf file = BUF_INIT(FILE_MAX);
    make_webp(&file, pixels, r.w, r.h, true);
    buf_add(b, "ANMF", 4);
    add_le(b, (uint32_t)(file.len - 12 + 16), 4);
    add_le(b, r.x / 2, 3);
    add_le(b, r.y / 2, 3);
    add_le(b, r.w - 1, 3);
    add_le(b, r.h - 1, 3);
    add_le(b, 100, 3);
    buf_add(b, &flags, 1);
    buf_add(b, file.data + 12, file.len - 12);
}

static void make_animated_webp(struct buf *b)
{
    auto_buf body = BUF_INIT(FILE_MAX);
    buf_add(&body, "WEBPVP8X\x0a\0\0\0\x12\0\0\0", 16);
    add_le(&body, 15, 3);
    add_le(&body, 15, 3);
    buf_add(&body, "ANIM\6\0\0\0\xff\xff\xff\xff\0\0", 14);
    add_anmf(&body, (struct rect){0, 0, 16, 16}, 0, (const uint8_t[4]){255, 0, 0, 255});
    add_anmf(&body, (struct rect){4, 4, 8, 8}, 1, (const uint8_t[4]){0, 255, 0, 255});
    add_anmf(&body, (struct rect){8, 8, 8, 8}, 2, (const uint8_t[4]){0, 0, 255, 128});
    buf_add(b, "RIFF", 4);
    add_le(b, (uint32_t)body.len, 4);
    buf_add(b, body.data, body.len);
}

TEST(frames_of_an_animated_webp_are_composed)
{
    static const struct {
        uint32_t frame, x, y, want;
    } cases[] = {
        {1, 5, 5, 0xff0000ff}, {2, 5, 5, 0x00ff00ff}, {2, 1, 1, 0xff0000ff},
        {3, 5, 5, 0x00000000}, {3, 9, 9, 0x0000ff80}, {3, 1, 1, 0xff0000ff},
    };
    auto_buf b = BUF_INIT(FILE_MAX);
    make_animated_webp(&b);
    for (size_t i = 0; i < COUNT(cases); i++) {
        auto_picture p = decode_with(MEDIA_WEBP, b.data, b.len, cases[i].frame, 0);
        CHECK_MSG(!p.status && p.h.frames == 3 && p.size.w == 16, "%s", p.c.detail);
        check_rgba(&p, cases[i].x, cases[i].y, cases[i].want);
    }
    auto_picture past = decode_with(MEDIA_WEBP, b.data, b.len, 4, 0);
    CHECK(past.status == WORK_BAD_FRAME);
}

/* ---- all */

static void check_cuts(enum media media, const struct buf *b, uint32_t frame, const char *what)
{
    auto_picture whole = decode_with(media, b->data, b->len, frame, 0);
    CHECK_MSG(!whole.status, "%s: %s", what, whole.c.detail);
    for (size_t i = 0; i < 16; i++) {
        auto_picture p = decode_with(media, b->data, b->len * i / 16, frame, 0);
        CHECK_MSG(p.status == WORK_MALFORMED && p.c.detail[0], "%s cut at %zu/16: %d", what, i, p.status);
    }
    auto_picture p = decode_with(media, b->data, b->len - 1, frame, 0);
    CHECK_MSG(p.status == WORK_MALFORMED, "%s without its last byte: %d", what, p.status);
}

TEST(a_file_cut_anywhere_is_malformed)
{
    auto_free uint8_t *rgba = make_rgba(160, 120, true);
    static const struct gif_part parts[] = {{{0, 0, 90, 70}, 1, 0, -1, true}, {{5, 5, 10, 10}, 2, 0, -1, false}};
    struct buf files[8] = {BUF_INIT(FILE_MAX), BUF_INIT(FILE_MAX), BUF_INIT(FILE_MAX), BUF_INIT(FILE_MAX),
                         BUF_INIT(FILE_MAX), BUF_INIT(FILE_MAX), BUF_INIT(FILE_MAX), BUF_INIT(FILE_MAX)};
    make_png(&files[0], rgba, 160, 120);
    make_jpeg(&files[1], rgba, 160, 120, JPEG_PLAIN);
    make_jpeg(&files[2], rgba, 160, 120, JPEG_PROGRESSIVE);
    make_jpeg(&files[3], rgba, 160, 120, JPEG_INKS);
    make_gif(&files[4], 90, 70, parts, COUNT(parts));
    make_webp(&files[5], rgba, 160, 120, false);
    make_webp(&files[6], rgba, 160, 120, true);
    make_animated_webp(&files[7]);
    static const enum media media[8] = {MEDIA_PNG, MEDIA_JPEG, MEDIA_JPEG, MEDIA_JPEG,
                                        MEDIA_GIF, MEDIA_WEBP, MEDIA_WEBP, MEDIA_WEBP};
    static const char *const names[8] = {"png",  "jpeg", "progressive jpeg", "cmyk jpeg", "gif",
                                         "webp", "lossless webp", "animated webp"};
    for (size_t i = 0; i < COUNT(files); i++) {
        check_cuts(media[i], &files[i], 1, names[i]);
        buf_done(&files[i]);
    }
}

/* No verdict is asked for: only that nothing crashes, hangs or reads out of bounds. */
TEST(random_damage_never_crashes_a_decoder)
{
    auto_free uint8_t *rgba = make_rgba(60, 50, true);
    static const struct gif_part parts[] = {{{0, 0, 30, 30}, 1, 3, 2, true}, {{5, 5, 30, 30}, 2, 2, -1, false}};
    static const enum media media[4] = {MEDIA_PNG, MEDIA_JPEG, MEDIA_GIF, MEDIA_WEBP};
    uint32_t seed = 4711;
    for (size_t k = 0; k < COUNT(media) * 400; k++) {
        auto_buf b = BUF_INIT(FILE_MAX);
        size_t kind = k % COUNT(media);
        if (kind == 0)
            make_png(&b, rgba, 60, 50);
        else if (kind == 1)
            make_jpeg(&b, rgba, 60, 50, k & 4 ? JPEG_PROGRESSIVE : JPEG_PLAIN);
        else if (kind == 2)
            make_gif(&b, 30, 30, parts, COUNT(parts));
        else if (k & 4)
            make_animated_webp(&b);
        else
            make_webp(&b, rgba, 60, 50, k & 8);
        for (uint32_t i = 0; i < 1 + k % 5; i++)
            b.data[noise(&seed) % b.len] = (char)noise(&seed);
        auto_picture p = decode_with(media[kind], b.data, b.len, 1 + (k & 16 ? 1 : 0), k & 32 ? 8 : 0);
        CHECK(p.status >= WORK_OK && p.status < WORK_STATUS_COUNT);
    }
}
