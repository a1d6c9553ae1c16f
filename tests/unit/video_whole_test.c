/* SPDX-License-Identifier: Apache-2.0 */
/* A video that ends before its end is known by what it says of its own length. */
#include "render/video/whole.h"

#include <string.h>

#include "base/cleanup.h"
#include "test.h"

/* Two boxes, the second with its size in 64 bits. */
static const char mp4[] = "\0\0\0\x10" "ftypisom\0\0\0\0" "\0\0\0\1" "mdat\0\0\0\0\0\0\0\x18" "12345678";
static const char mp4_open[] = "\0\0\0\x10" "ftypisom\0\0\0\0" "\0\0\0\0" "mdat12345678";
static const char avi[] = "RIFF\x0c\0\0\0AVI 12345678" "RIFF\x09\0\0\0AVIX12345\0";
static const char avi_open[] = "RIFF\0\0\0\0AVI 12345678";
/* A header of 2 bytes, a segment of 6 with a cluster of 1; then a segment without a size. */
static const char webm[] = "\x1a\x45\xdf\xa3\x82" "12" "\x18\x53\x80\x67\x86" "\x1f\x43\xb6\x75\x81" "1";
static const char webm_open[] = "\x1a\x45\xdf\xa3\x82" "12" "\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff" "\x1f\x43\xb6\x75\x84" "1234";
static const char webm_live[] = "\x1a\x45\xdf\xa3\x82" "12" "\x18\x53\x80\x67\xff" "\x1f\x43\xb6\x75\xff" "1234";

static bool cut(enum media media, const char *data, size_t len)
{
    uint8_t exact[128]; /* nothing behind it may be looked at: the sanitizers see */
    memcpy(exact + sizeof exact - len, data, len);
    return video_is_cut(media, exact + sizeof exact - len, len);
}

TEST(a_file_that_is_all_there_is_whole)
{
    CHECK(!cut(MEDIA_MP4, mp4, sizeof mp4 - 1) && !cut(MEDIA_MP4, mp4_open, sizeof mp4_open - 1));
    CHECK(!cut(MEDIA_AVI, avi, sizeof avi - 1) && !cut(MEDIA_AVI, avi_open, sizeof avi_open - 1));
    CHECK(!cut(MEDIA_WEBM, webm, sizeof webm - 1) && !cut(MEDIA_WEBM, webm_open, sizeof webm_open - 1));
    CHECK(!cut(MEDIA_WEBM, webm_live, sizeof webm_live - 1) && !cut(MEDIA_MKV, webm, sizeof webm - 1) && !cut(MEDIA_MOV, mp4, sizeof mp4 - 1));
}

TEST(one_that_ends_within_a_part_is_cut)
{
    for (size_t less = 1; less <= 8; less++) {
        CHECK_MSG(cut(MEDIA_MP4, mp4, sizeof mp4 - 1 - less), "%zu", less);
        CHECK_MSG(!cut(MEDIA_MP4, mp4_open, sizeof mp4_open - 1 - less), "%zu", less);
        CHECK_MSG(!cut(MEDIA_AVI, avi_open, sizeof avi_open - 1 - less), "%zu", less);
    }
    CHECK(cut(MEDIA_AVI, avi, sizeof avi - 3) && cut(MEDIA_AVI, avi, 15));
    CHECK(cut(MEDIA_WEBM, webm, sizeof webm - 2) && cut(MEDIA_WEBM, webm_open, sizeof webm_open - 2));
    CHECK(cut(MEDIA_WEBM, webm, 12) && cut(MEDIA_MKV, webm, 12) && cut(MEDIA_MOV, mp4, sizeof mp4 - 2));
}

TEST(streams_without_a_head_of_their_own_length_are_walked)
{
    static const char flv[] = "FLV\1\5\0\0\0\x09\0\0\0\0" "\x09\0\0\2\0\0\0\0\0\0\0" "12\0\0\0\x0d";
    static const char ogg[] = "OggS\0\4" "12345678" "1234" "1234" "1234" "\2\1\2" "abc";
    static const char asf[] = "0123456789abcdef" "\x1a\0\0\0\0\0\0\0" "xx" "0123456789abcdef" "\x1a\0\0\0\0\0\0\0" "yy";
    static const char ts[376] = {0x47}, stamped[384] = {0};
    CHECK(!cut(MEDIA_FLV, flv, sizeof flv - 1) && !cut(MEDIA_OGG, ogg, sizeof ogg - 1) && !cut(MEDIA_ASF, asf, sizeof asf - 1));
    for (size_t less = 1; less <= 8; less++) {
        CHECK_MSG(cut(MEDIA_FLV, flv, sizeof flv - 1 - less) && cut(MEDIA_OGG, ogg, sizeof ogg - 1 - less), "%zu", less);
        CHECK_MSG(cut(MEDIA_ASF, asf, sizeof asf - 1 - less) && video_is_cut(MEDIA_TS, (const uint8_t *)ts, sizeof ts - less), "%zu", less);
    }
    CHECK(!video_is_cut(MEDIA_TS, (const uint8_t *)ts, sizeof ts) && !video_is_cut(MEDIA_TS, (const uint8_t *)stamped, sizeof stamped));
}

static bool torn(enum media media, const char *data, size_t len)
{
    uint8_t exact[128];
    memcpy(exact + sizeof exact - len, data, len);
    return video_is_torn(media, exact + sizeof exact - len, len);
}

TEST(parts_that_do_not_add_up_are_torn_where_the_whole_knows_its_size)
{
    static const struct {
        const char *what, *bytes;
        size_t len;
        bool torn;
    } rows[] = {
#define HEAD "\x1a\x45\xdf\xa3\x82" "12"
#define ROW(what, bytes, torn) {what, bytes, sizeof(bytes) - 1, torn}
        ROW("two blocks", HEAD "\x18\x53\x80\x67\x8b" "\x1f\x43\xb6\x75\x86" "\xa3\x81" "1" "\xa3\x81" "2", false),
        ROW("a block beyond its cluster", HEAD "\x18\x53\x80\x67\x8b" "\x1f\x43\xb6\x75\x86" "\xa3\x81" "1" "\xa3\x82" "2", true),
        ROW("no name", HEAD "\x18\x53\x80\x67\x8b" "\x1f\x43\xb6\x75\x86" "\xa3\x81" "1" "\x00\x81" "2", true),
        ROW("a name of five bytes", HEAD "\x18\x53\x80\x67\x8b" "\x1f\x43\xb6\x75\x86" "\x08\x81" "1222", true),
        ROW("a cluster beyond its segment", HEAD "\x18\x53\x80\x67\x86" "\x1f\x43\xb6\x75\x86" "\xa3\x81" "1" "\xa3\x81" "2", true),
        ROW("nonsense behind the segment", HEAD "\x18\x53\x80\x67\x80" "\0\0\0\0", false),
        ROW("nonsense in one without a size", HEAD "\x18\x53\x80\x67\xff" "\x1f\x43\xb6\x75\xff" "\xa3\x81" "1" "\0\0", false),
        ROW("a cluster in one without a size", HEAD "\x18\x53\x80\x67\xff" "\x1f\x43\xb6\x75\x83" "\xa3\x82" "1" "\0\0", true),
        ROW("cut", HEAD "\x18\x53\x80\x67\x8b" "\x1f\x43\xb6\x75\x86" "\xa3\x81" "1" "\xa3", false),
#undef ROW
#undef HEAD
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_MSG(torn(MEDIA_WEBM, rows[i].bytes, rows[i].len) == rows[i].torn, "%s", rows[i].what);
        CHECK(!torn(MEDIA_MP4, rows[i].bytes, rows[i].len));
    }
    CHECK(!torn(MEDIA_WEBM, webm_live, sizeof webm_live - 1) && !torn(MEDIA_WEBM, "", 0));
}

TEST(any_bytes_are_harmless)
{
    static const char *const files[] = {mp4, avi, webm};
    static const size_t lens[] = {sizeof mp4 - 1, sizeof avi - 1, sizeof webm - 1};
    static const enum media media[] = {MEDIA_MP4, MEDIA_AVI, MEDIA_WEBM};
    char bytes[64];
    for (size_t f = 0; f < COUNT(files); f++)
        for (size_t i = 0; i < lens[f] * 256; i++) {
            memcpy(bytes, files[f], lens[f]);
            bytes[i / 256] = (char)i;
            (void)cut(media[f], bytes, lens[f]);
            (void)torn(media[f], bytes, lens[f]);
        }
    CHECK(!cut(MEDIA_MP4, "", 0) && !cut(MEDIA_WEBM, "", 0) && !cut(MEDIA_PNG, "RIFF", 4));
}
