/* SPDX-License-Identifier: Apache-2.0 */
/* Stripping: the words are gone, the pixels are the same, and what cannot be stripped is said to be so. */
#include "test.h"

#include <lcms2.h>

#include "pictures.h"

#define SECRET "secret-place-48.85N"

struct stripped {
    int status;
    const uint8_t *data;
    size_t len;
    uint8_t *copy;
    struct complaint c;
};

static struct stripped strip_file(enum media media, const struct buf *b)
{
    struct stripped s = {0};
    struct decoder *d = NULL;
    struct header h = {0};
    s.status = decoder_of(media)->open(SOURCE(b), &d, &h, &s.c);
    CHECK_MSG(!s.status, "%s", s.c.detail);
    if (!s.status)
        s.status = strip(media, (const uint8_t *)b->data, b->len, &h, &s.data, &s.len, &s.copy, &s.c);
    decoder_of(media)->close(d);
    return s;
}

/* Stripped, it holds no secret, decodes to the same pixels, and a second time there is nothing to take out. */
static void check_strip(enum media media, const struct buf *b, const char *what)
{
    CHECK_MSG(memmem(b->data, b->len, SECRET, strlen(SECRET)), "%s", what);
    struct stripped s = strip_file(media, b);
    CHECK_MSG(!s.status && s.copy && s.data == s.copy, "%s: %s", what, s.c.detail);
    if (s.status)
        return;
    CHECK_MSG(s.len < b->len && !memmem(s.data, s.len, SECRET, strlen(SECRET)), "%s", what);
    auto_picture before = decode(media, b);
    struct buf after_file = {.data = (char *)s.copy, .len = s.len};
    auto_picture after = decode(media, &after_file);
    CHECK_MSG(!before.status && !after.status, "%s: %s", what, after.c.detail);
    if (!after.status)
        CHECK_MSG(!memcmp(before.rgba, after.rgba, (size_t)before.size.w * before.size.h * 4), "%s", what);
    struct stripped again = strip_file(media, &after_file);
    CHECK_MSG(!again.status && again.data == s.copy && !again.copy && again.len == s.len, "%s", what);
    free(again.copy);
    free(s.copy);
}

static void check_refused(enum media media, const struct buf *b, const char *why)
{
    struct stripped s = strip_file(media, b);
    CHECK(s.status == WORK_UNSUPPORTED && !s.copy);
    CHECK_STR(s.c.detail, why);
}

/* An ICC profile of lcms: sRGB, or one with other primaries. */
static void make_profile(struct buf *b, bool srgb)
{
    cmsCIExyY white = {0.3127, 0.3290, 1};
    cmsCIExyYTRIPLE wide = {{0.64, 0.33, 1}, {0.21, 0.71, 1}, {0.15, 0.06, 1}};
    cmsToneCurve *gamma = cmsBuildGamma(NULL, 2.2), *curves[3] = {gamma, gamma, gamma};
    cmsHPROFILE p = srgb ? cmsCreate_sRGBProfile() : cmsCreateRGBProfile(&white, &wide, curves);
    cmsUInt32Number len = 0;
    cmsSaveProfileToMem(p, NULL, &len);
    char *to = buf_reserve(b, len);
    cmsSaveProfileToMem(p, to, &len);
    buf_grew(b, len);
    cmsCloseProfile(p);
    cmsFreeToneCurve(gamma);
}

TEST(profiles_are_judged_by_their_numbers)
{
    auto_buf srgb = BUF_INIT(FILE_MAX);
    auto_buf wide = BUF_INIT(FILE_MAX);
    make_profile(&srgb, true);
    make_profile(&wide, false);
    CHECK(profile_is_srgb((const uint8_t *)srgb.data, srgb.len));
    CHECK(!profile_is_srgb((const uint8_t *)wide.data, wide.len));
    for (size_t n = 0; n < srgb.len; n += 7) {
        auto_free uint8_t *cut = malloc(n + 1);
        memcpy(cut, srgb.data, n);
        (void)profile_is_srgb(cut, n);
    }
    CHECK(!profile_is_srgb((const uint8_t *)srgb.data, 130));
}

/* ---- PNG */

static void make_png_with(struct buf *b, const char *type, const void *data, size_t len)
{
    auto_free uint8_t *rgba = make_rgba(40, 30, true);
    auto_buf plain = BUF_INIT(FILE_MAX);
    make_png(&plain, rgba, 40, 30);
    buf_add(b, plain.data, 33);
    add_chunk_of(b, type, data, len);
    buf_add(b, plain.data + 33, plain.len - 33);
}

static void make_iccp(struct buf *b, bool srgb)
{
    auto_buf profile = BUF_INIT(FILE_MAX);
    auto_buf chunk = BUF_INIT(FILE_MAX);
    make_profile(&profile, srgb);
    buf_add(&chunk, SECRET "\0\0", strlen(SECRET) + 2);
    deflate_to(&chunk, profile.data, profile.len);
    make_png_with(b, "iCCP", chunk.data, chunk.len);
}

TEST(png_loses_text_time_exif_srgb_profiles_and_what_is_behind_its_end)
{
    static const char *const types[] = {"tEXt", "zTXt", "iTXt", "eXIf", "tIME", "prVt", "gAMA", "bKGD",
                                        "tRNS", "PLTE"};
    for (size_t i = 0; i < COUNT(types); i++) {
        auto_buf b = BUF_INIT(FILE_MAX);
        make_png_with(&b, types[i], SECRET, strlen(SECRET));
        check_strip(MEDIA_PNG, &b, types[i]);
    }
    auto_buf named = BUF_INIT(FILE_MAX);
    make_iccp(&named, true);
    check_strip(MEDIA_PNG, &named, "iCCP");
    auto_free uint8_t *rgba = make_rgba(40, 30, true);
    auto_buf tail = BUF_INIT(FILE_MAX);
    make_png(&tail, rgba, 40, 30);
    buf_add_str(&tail, SECRET);
    check_strip(MEDIA_PNG, &tail, "trailing bytes");
    auto_buf end = BUF_INIT(FILE_MAX);
    make_png(&end, rgba, 40, 30);
    end.len -= 12;
    add_chunk_of(&end, "IEND", SECRET, strlen(SECRET));
    check_strip(MEDIA_PNG, &end, "IEND");
}

TEST(png_keeps_one_srgb_chunk_and_one_tRNS_that_counts)
{
    auto_buf b = BUF_INIT(FILE_MAX);
    auto_buf z = BUF_INIT(FILE_MAX);
    deflate_to(&z, "\0\0\1", 3);
    add_png_head(&b, 2, 1, 8, 3, 0);
    add_chunk_of(&b, "sRGB", "\0", 1);
    add_chunk_of(&b, "PLTE", "abcdef", 6);
    add_chunk_of(&b, "tRNS", "\x80", 1);
    size_t once = b.len;
    add_chunk_of(&b, "sRGB", "\1", 1);
    add_chunk_of(&b, "tRNS", "\x40\x40", 2);
    add_chunk_of(&b, "tRNS", SECRET, strlen(SECRET));
    size_t idat = b.len;
    add_chunk_of(&b, "IDAT", z.data, z.len);
    add_chunk_of(&b, "IEND", NULL, 0);
    check_strip(MEDIA_PNG, &b, "palette");
    struct stripped s = strip_file(MEDIA_PNG, &b);
    CHECK(!s.status && s.len == once + b.len - idat);
    auto_picture p = decode_with(MEDIA_PNG, s.data, s.len, 1, 0);
    free(s.copy);
    CHECK(!p.status && p.rgba[3] == 0x80 && p.rgba[7] == 255);
}

TEST(png_keeps_its_srgb_chunk_and_is_itself_when_it_holds_nothing_else)
{
    auto_buf b = BUF_INIT(FILE_MAX);
    make_png_with(&b, "sRGB", "\0", 1);
    struct stripped s = strip_file(MEDIA_PNG, &b);
    CHECK(!s.status && !s.copy && s.data == (const uint8_t *)b.data && s.len == b.len);
}

TEST(a_profile_that_is_not_srgb_cannot_be_stripped)
{
    auto_buf b = BUF_INIT(FILE_MAX);
    make_iccp(&b, false);
    check_refused(MEDIA_PNG, &b, "a colour profile that is not sRGB");
}

/* ---- JPEG */

TEST(jpeg_loses_every_application_segment_and_comment)
{
    auto_free uint8_t *rgba = make_rgba(120, 90, false);
    for (int kind = JPEG_PLAIN; kind <= JPEG_INKS; kind++)
        for (int marker = 0xe1; marker <= 0xfe; marker = marker == 0xef ? 0xfe : marker + 1) {
            auto_buf plain = BUF_INIT(FILE_MAX);
            auto_buf b = BUF_INIT(FILE_MAX);
            make_jpeg(&plain, rgba, 120, 90, kind);
            with_segment(&b, &plain, (uint8_t)marker, SECRET, strlen(SECRET));
            char what[40];
            snprintf(what, sizeof(what), "kind %d marker %02x", kind, (unsigned)marker);
            check_strip(MEDIA_JPEG, &b, what);
        }
}

TEST(jpeg_loses_its_thumbnail_and_what_is_behind_its_end)
{
    auto_free uint8_t *rgba = make_rgba(120, 90, false);
    auto_buf plain = BUF_INIT(FILE_MAX);
    make_jpeg(&plain, rgba, 120, 90, JPEG_PLAIN);
    auto_buf tail = BUF_INIT(FILE_MAX);
    buf_add(&tail, plain.data, plain.len);
    buf_add_str(&tail, SECRET);
    check_strip(MEDIA_JPEG, &tail, "trailing bytes");
    /* A JFIF header whose thumbnail of 7x1 pixels is the secret. */
    auto_buf b = BUF_INIT(FILE_MAX);
    auto_buf app0 = BUF_INIT(FILE_MAX);
    buf_add(&app0, "JFIF\0\1\1\0\0\1\0\1\7\1", 14);
    buf_add(&app0, SECRET "..", 21);
    buf_add(&b, plain.data, 2);
    buf_add(&b, (uint8_t[4]){0xff, 0xe0, 0, 37}, 4);
    buf_add(&b, app0.data, app0.len);
    buf_add(&b, plain.data + 20, plain.len - 20);
    check_strip(MEDIA_JPEG, &b, "thumbnail");
}

/* The file with bytes put in at an offset. */
static void with_bytes(struct buf *out, const struct buf *in, size_t at, const void *data, size_t len)
{
    buf_add(out, in->data, at);
    buf_add(out, data, len);
    buf_add(out, in->data + at, in->len - at);
}

TEST(jpeg_keeps_only_the_markers_that_decoding_needs)
{
    auto_free uint8_t *rgba = make_rgba(120, 90, false);
    auto_buf plain = BUF_INIT(FILE_MAX);
    make_jpeg(&plain, rgba, 120, 90, JPEG_PLAIN);
    /* A height for a scan that has one; a second JFIF; one with bytes behind it; Adobe's with bytes behind it. */
    static const struct {
        const char *what, *data;
        size_t at, len;
    } cases[] = {
        {"DNL", "\xff\xdc\0\x15" SECRET, 20, 23},
        {"second JFIF", "\xff\xe0\0\x23JFIF\0\1\1\0\0\1\0\1\0\0" SECRET, 20, 37},
        {"long JFIF", "\xff\xe0\0\x23JFIF\0\1\1\0\0\1\0\1\0\0" SECRET, 2, 37},
        {"long Adobe", "\xff\xee\0\x21" "Adobe\0\x64\0\0\0\0\1" SECRET, 20, 35},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        auto_buf b = BUF_INIT(FILE_MAX);
        with_bytes(&b, &plain, cases[i].at, cases[i].data, cases[i].len);
        check_strip(MEDIA_JPEG, &b, cases[i].what);
    }
    /* A table that no scan follows. */
    uint8_t table[69] = {0xff, 0xdb, 0, 67, 3};
    memset(table + 5, 1, 64);
    memcpy(table + 5, SECRET, strlen(SECRET));
    auto_buf b = BUF_INIT(FILE_MAX);
    with_bytes(&b, &plain, plain.len - 2, table, sizeof(table));
    check_strip(MEDIA_JPEG, &b, "late DQT");
}

TEST(jpeg_loses_fill_bytes_and_restarts_before_its_end)
{
    auto_free uint8_t *rgba = make_rgba(120, 90, false);
    auto_buf plain = BUF_INIT(FILE_MAX);
    make_jpeg(&plain, rgba, 120, 90, JPEG_PLAIN);
    auto_buf b = BUF_INIT(FILE_MAX);
    with_bytes(&b, &plain, plain.len - 2, "\xff\xd3\xff\xd1\xff\xff\xff", 7);
    struct stripped s = strip_file(MEDIA_JPEG, &b);
    CHECK(!s.status && s.len == plain.len && !memcmp(s.data, plain.data, plain.len));
    free(s.copy);
}

TEST(a_turned_jpeg_cannot_be_stripped)
{
    static const char exif[] = "Exif\0\0II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0\6\0\0\0\0\0\0";
    auto_free uint8_t *rgba = make_rgba(30, 20, false);
    auto_buf plain = BUF_INIT(FILE_MAX);
    auto_buf b = BUF_INIT(FILE_MAX);
    make_jpeg(&plain, rgba, 30, 20, JPEG_PLAIN);
    with_segment(&b, &plain, 0xe1, exif, sizeof(exif) - 1);
    check_refused(MEDIA_JPEG, &b, "orientation 6");
}

TEST(a_profile_in_pieces_is_joined_in_order)
{
    auto_free uint8_t *rgba = make_rgba(30, 20, false);
    auto_buf file = BUF_INIT(FILE_MAX);
    auto_buf profile = BUF_INIT(FILE_MAX);
    make_profile(&profile, false);
    make_jpeg(&file, rgba, 30, 20, JPEG_PLAIN);
    /* Each one is put in front of those before it, so the numbers stand in order in the file for 2, 1. */
    for (int number = 1; number <= 2; number++) {
        auto_buf piece = BUF_INIT(FILE_MAX);
        auto_buf next = BUF_INIT(FILE_MAX);
        size_t from = number == 1 ? 0 : 100, to = number == 1 ? 100 : profile.len;
        buf_add(&piece, "ICC_PROFILE", 12);
        buf_add(&piece, (uint8_t[2]){(uint8_t)number, 2}, 2);
        buf_add(&piece, profile.data + from, to - from);
        with_segment(&next, &file, 0xe2, piece.data, piece.len);
        buf_done(&file);
        file = (struct buf)BUF_INIT(FILE_MAX);
        buf_add(&file, next.data, next.len);
    }
    struct decoder *d = NULL;
    struct header h;
    CHECK(!decode_jpeg.open(SOURCE(&file), &d, &h, NULL));
    CHECK(h.icc && h.icc_len == profile.len && !memcmp(h.icc, profile.data, profile.len));
    decode_jpeg.close(d);
    check_refused(MEDIA_JPEG, &file, "a colour profile that is not sRGB");
}

/* ---- GIF */

TEST(gif_loses_its_extensions_and_keeps_its_transparency)
{
    static const struct gif_part parts[] = {{{0, 0, 20, 20}, 1, 0, 1, false}, {{0, 0, 20, 20}, 2, 0, -1, false}};
    auto_buf plain = BUF_INIT(FILE_MAX);
    auto_buf b = BUF_INIT(FILE_MAX);
    make_gif(&plain, 20, 20, parts, 1);
    buf_add(&b, plain.data, 25);
    buf_add(&b, "!\xfe\x13" SECRET "\0", 23);
    buf_add(&b, plain.data + 25, plain.len - 25);
    check_strip(MEDIA_GIF, &b, "comment");
    auto_buf tail = BUF_INIT(FILE_MAX);
    buf_add(&tail, plain.data, plain.len);
    buf_add_str(&tail, SECRET);
    check_strip(MEDIA_GIF, &tail, "trailing bytes");
    auto_buf animated = BUF_INIT(FILE_MAX);
    make_gif(&animated, 20, 20, parts, 2);
    check_refused(MEDIA_GIF, &animated, "an animation");
}

TEST(gif_loses_sub_blocks_that_no_pixel_needs)
{
    static const struct gif_part parts[] = {{{0, 0, 20, 20}, 1, 0, 1, false}};
    auto_buf plain = BUF_INIT(FILE_MAX);
    make_gif(&plain, 20, 20, parts, 1);
    struct stripped s = strip_file(MEDIA_GIF, &plain);
    CHECK(!s.status && !s.copy && s.len == plain.len);
    auto_buf control = BUF_INIT(FILE_MAX);
    with_bytes(&control, &plain, 25 + 7, "\x13" SECRET, 20);
    check_strip(MEDIA_GIF, &control, "control");
    auto_buf codes = BUF_INIT(FILE_MAX);
    with_bytes(&codes, &plain, plain.len - 2, "\x13" SECRET, 20);
    check_strip(MEDIA_GIF, &codes, "codes");
    /* In the last sub-block itself: its length byte is behind descriptor and code size. */
    size_t length = 25 + 8 + 10 + 1;
    auto_buf inside = BUF_INIT(FILE_MAX);
    with_bytes(&inside, &plain, plain.len - 2, SECRET, 19);
    inside.data[length] = (char)(inside.data[length] + 19);
    check_strip(MEDIA_GIF, &inside, "last sub-block");
}

/* ---- WebP */

static void add_riff(struct buf *b, const char *type, const void *data, size_t len)
{
    buf_add(b, type, 4);
    buf_add(b, (uint8_t[4]){(uint8_t)len, (uint8_t)(len >> 8), (uint8_t)(len >> 16), 0}, 4);
    buf_add(b, data, len);
    if (len & 1)
        buf_add(b, "\0", 1);
}

/* The extended form of a simple (or extended) file, with EXIF and XMP. */
static void make_webp_with(struct buf *b, bool lossless, bool alpha)
{
    auto_free uint8_t *rgba = make_rgba(51, 33, alpha);
    auto_buf plain = BUF_INIT(FILE_MAX);
    auto_buf body = BUF_INIT(FILE_MAX);
    make_webp(&plain, rgba, 51, 33, lossless);
    size_t from = memcmp(plain.data + 12, "VP8X", 4) ? 12 : 30;
    buf_add(&body, "WEBP", 4);
    add_riff(&body, "VP8X", (uint8_t[10]){(uint8_t)(8 | 4 | (alpha ? 16 : 0)), 0, 0, 0, 50, 0, 0, 32, 0, 0}, 10);
    buf_add(&body, plain.data + from, plain.len - from);
    add_riff(&body, "EXIF", SECRET, strlen(SECRET));
    add_riff(&body, "XMP ", SECRET, strlen(SECRET));
    add_riff(b, "RIFF", body.data, body.len);
}

TEST(webp_loses_exif_and_xmp)
{
    for (int i = 0; i < 4; i++) {
        auto_buf b = BUF_INIT(FILE_MAX);
        make_webp_with(&b, i & 1, i & 2);
        check_strip(MEDIA_WEBP, &b, i & 1 ? "lossless" : "lossy");
        buf_add_str(&b, SECRET);
        check_strip(MEDIA_WEBP, &b, "trailing bytes");
    }
}

/* The chunk of a simple file made longer. */
static void lengthen(struct buf *b, const char *type, size_t by)
{
    uint8_t *chunk = memmem(b->data, b->len, type, 4);
    CHECK(chunk && (chunk[4] & 1) == 0);
    size_t at = (size_t)(chunk - (uint8_t *)b->data) + 8 + le32(chunk + 4);
    auto_buf whole = BUF_INIT(FILE_MAX);
    auto_buf more = BUF_INIT(FILE_MAX);
    for (size_t i = 0; i < by; i++)
        buf_add(&more, &SECRET[i % strlen(SECRET)], 1);
    with_bytes(&whole, b, at, more.data, more.len);
    for (size_t field = 0; field < 2; field++) {
        uint8_t *n = (uint8_t *)whole.data + (field ? (size_t)(chunk - (uint8_t *)b->data) + 4 : 4);
        uint32_t v = le32(n) + (uint32_t)by;
        memcpy(n, (uint8_t[4]){(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)}, 4);
    }
    buf_done(b);
    *b = (struct buf)BUF_INIT(FILE_MAX);
    buf_add(b, whole.data, whole.len);
}

TEST(webp_with_bytes_behind_its_bitstream_is_not_answered_as_it_is)
{
    static const struct {
        const char *type;
        bool lossless, alpha;
    } cases[] = {{"VP8 ", false, false}, {"VP8L", true, false}, {"VP8L", true, true}, {"VP8 ", false, true},
                 {"ALPH", false, true}};
    for (uint32_t side = 1; side < 700; side = side * 3 + 1)
        for (size_t i = 0; i < COUNT(cases); i++) {
            auto_free uint8_t *rgba = make_rgba(side, side, cases[i].alpha);
            rgba[3] = cases[i].alpha ? 7 : 255;
            auto_buf b = BUF_INIT(FILE_MAX);
            make_webp(&b, rgba, side, side, cases[i].lossless);
            struct stripped s = strip_file(MEDIA_WEBP, &b);
            CHECK_MSG(!s.status && !s.copy && s.len == b.len, "%s of %u: %s", cases[i].type, side, s.c.detail);
            free(s.copy);
            uint8_t *chunk = memmem(b.data, b.len, cases[i].type, 4);
            if (!chunk || chunk[4] & 1)
                continue; /* ALPH may be of odd length */
            lengthen(&b, cases[i].type, 20);
            auto_picture p = decode(MEDIA_WEBP, &b);
            CHECK_MSG(!p.status, "%s of %u: %s", cases[i].type, side, p.c.detail);
            check_refused(MEDIA_WEBP, &b, "bytes behind the end of the picture");
        }
}

/* No verdict is asked for: only that nothing crashes or reads out of bounds, since nothing was decoded before. */
TEST(random_damage_never_crashes_stripping)
{
    static const struct gif_part parts[] = {{{0, 0, 30, 30}, 1, 3, 2, true}};
    static const enum media media[4] = {MEDIA_PNG, MEDIA_JPEG, MEDIA_GIF, MEDIA_WEBP};
    auto_free uint8_t *rgba = make_rgba(60, 50, true);
    struct buf files[5] = {BUF_INIT(FILE_MAX), BUF_INIT(FILE_MAX), BUF_INIT(FILE_MAX), BUF_INIT(FILE_MAX),
                           BUF_INIT(FILE_MAX)};
    make_png(&files[0], rgba, 60, 50);
    make_jpeg(&files[1], rgba, 60, 50, JPEG_PROGRESSIVE);
    make_gif(&files[2], 30, 30, parts, 1);
    make_webp(&files[3], rgba, 60, 50, false);
    make_webp(&files[4], rgba, 60, 50, true);
    uint32_t seed = 815;
    for (size_t k = 0; k < COUNT(files) * 400; k++) {
        const struct buf *b = &files[k % COUNT(files)];
        enum media m = media[MIN(k % COUNT(files), COUNT(media) - 1)];
        auto_free uint8_t *bad = malloc(b->len);
        memcpy(bad, b->data, b->len);
        for (uint32_t i = 0; i < 1 + k % 5; i++)
            bad[noise(&seed) % b->len] = (uint8_t)noise(&seed);
        size_t len = k & 16 ? b->len : b->len - noise(&seed) % b->len;
        struct header h = {.width = 60, .height = 50, .frames = 1, .orientation = 1};
        const uint8_t *data = NULL;
        size_t n = 0;
        auto_free uint8_t *copy = NULL;
        if (len > 12 && !strip(m, bad, len, &h, &data, &n, &copy, NULL))
            CHECK(data == (copy ? copy : bad) && n <= len + 64);
    }
    for (size_t i = 0; i < COUNT(files); i++)
        buf_done(&files[i]);
}
