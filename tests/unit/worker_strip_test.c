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
    s.status = decoder_of(media)->open((const uint8_t *)b->data, b->len, &d, &h, &s.c);
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
    static const char *const types[] = {"tEXt", "zTXt", "iTXt", "eXIf", "tIME", "prVt", "gAMA", "bKGD"};
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
    CHECK(!decode_jpeg.open((const uint8_t *)file.data, file.len, &d, &h, NULL));
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
