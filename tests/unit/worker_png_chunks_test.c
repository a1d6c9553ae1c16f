/* SPDX-License-Identifier: Apache-2.0 */
/* PNG chunk by chunk: what is out of place, too short, twice or a lie is refused or passed over, and an animation with anything wrong is
 * the still picture that every PNG is. */
#include "test.h"

#include <libdeflate.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/media.h"
#include "worker/picture.h"

struct chunk {
    const char *type;
    const void *data;
    size_t len;
    bool bad_sum;
};

enum { MOST = 10, STILL = 1 };

#define C(type, data) {type, data, sizeof data - 1, false}
#define BAD(type, data) {type, data, sizeof data - 1, true}
/* Two pixels of grey, and what they are made of. */
#define HEAD C("IHDR", "\0\0\0\2\0\0\0\1\x08\0\0\0\0")
#define COLOURS C("IHDR", "\0\0\0\2\0\0\0\1\x08\3\0\0\0")
#define PIXELS "\x78\x01\x01\x03\x00\xfc\xff\x00\x0a\x14\x00\x2b\x00\x1f"
#define DATA C("IDAT", PIXELS)
#define END C("IEND", "")
#define TWO C("acTL", "\0\0\0\2\0\0\0\0")
#define FRAME(number, w, h, x, y, rest) C("fcTL", "\0\0\0" number "\0\0\0" w "\0\0\0" h "\0\0\0" x "\0\0\0" y rest)
#define WHOLE(number) FRAME(number, "\2", "\1", "\0", "\0", "\0\1\0\0\0\0")
#define MORE(number) C("fdAT", "\0\0\0" number PIXELS)
#define PRIMARIES "\0\0\x7a\x26\0\0\x80\x84\0\0\xfa\0\0\0\x80\xe8\0\0\x75\x30\0\0\xea\x60\0\0\x3a\x98\0\0\x17\x70"

static const struct {
    const char *what;
    struct chunk chunks[MOST];
    uint32_t frame;  /* that is asked for */
    uint32_t status;
    uint32_t frames; /* when it is shown */
    const char *words;
} rows[] = {
    {"as it should be", {HEAD, DATA, END}, 0, WORK_OK, STILL, ""},
    {"a short header", {C("IHDR", "\0\0\0\2\0\0\0\1\x08\0\0\0"), DATA, END}, 0, WORK_MALFORMED, 0, "IHDR is not 13 bytes once"},
    {"two headers", {HEAD, HEAD, DATA, END}, 0, WORK_MALFORMED, 0, "IHDR is not 13 bytes once"},
    {"unknown compression", {C("IHDR", "\0\0\0\2\0\0\0\1\x08\0\1\0\0"), DATA, END}, 0, WORK_MALFORMED, 0, "unknown compression, filter or interlace method"},
    {"unknown filter", {C("IHDR", "\0\0\0\2\0\0\0\1\x08\0\0\1\0"), DATA, END}, 0, WORK_MALFORMED, 0, "unknown compression, filter or interlace method"},
    {"unknown interlace", {C("IHDR", "\0\0\0\2\0\0\0\1\x08\0\0\0\2"), DATA, END}, 0, WORK_MALFORMED, 0, "unknown compression, filter or interlace method"},
    {"no bits", {C("IHDR", "\0\0\0\2\0\0\0\1\0\0\0\0\0"), DATA, END}, 0, WORK_MALFORMED, 0, "colour type 0 does not come with 0 bits"},
    {"Apple's", {C("CgBI", "\0\0\0\0"), HEAD, DATA, END}, 0, WORK_UNSUPPORTED, 0, "Apple's own variety of PNG (CgBI)"},
    {"no header", {DATA, END}, 0, WORK_MALFORMED, 0, "the first chunk is not IHDR"},
    {"no end", {HEAD, DATA}, 0, WORK_MALFORMED, 0, "the file ends before its IEND chunk"},
    {"no pixels", {HEAD, END}, 0, WORK_MALFORMED, 0, "there is no IDAT chunk"},
    {"pixels apart", {HEAD, DATA, C("tEXt", "a"), DATA, END}, 0, WORK_MALFORMED, 0, "IDAT chunks are not together"},
    {"unknown and needed", {HEAD, C("ABCD", ""), DATA, END}, 0, WORK_MALFORMED, 0, "unknown critical chunk ABCD"},
    {"a palette that is a hint", {HEAD, C("PLTE", "abc"), DATA, END}, 0, WORK_OK, STILL, ""},
    {"two palettes", {HEAD, C("PLTE", "abc"), C("PLTE", "abc"), DATA, END}, 0, WORK_MALFORMED, 0, "PLTE is out of place"},
    {"a late palette", {HEAD, DATA, C("PLTE", "abc"), END}, 0, WORK_MALFORMED, 0, "PLTE is out of place"},
    {"an empty palette", {COLOURS, C("PLTE", ""), DATA, END}, 0, WORK_MALFORMED, 0, "PLTE is not a palette"},
    {"an odd palette", {COLOURS, C("PLTE", "abcd"), DATA, END}, 0, WORK_MALFORMED, 0, "PLTE is not a palette"},
    {"a palette too long", {COLOURS, {"PLTE", (const char[771]){0}, 771, false}, DATA, END}, 0, WORK_MALFORMED, 0, "PLTE is not a palette"},
    {"no palette", {COLOURS, DATA, END}, 0, WORK_MALFORMED, 0, "the palette is missing"},
    {"a colour that is not in the palette", {COLOURS, C("PLTE", "abc"), DATA, END}, 0, WORK_MALFORMED, 0, "a pixel is outside the palette of 1 colours"},
    {"sRGB late, twice, long, broken",
     {HEAD, BAD("sRGB", "\0"), C("sRGB", "\0\0"), C("sRGB", "\0"), C("sRGB", "\0"), DATA, C("sRGB", "\0"), END}, 0, WORK_OK, STILL, ""},
    {"gAMA late, twice, long, broken",
     {HEAD, BAD("gAMA", "\0\0\xb1\x8f"), C("gAMA", "\0"), C("gAMA", "\0\0\xb1\x8f"), C("gAMA", "\0\0\xb1\x8f"), DATA, C("gAMA", "\0\0\xb1\x8f"), END},
     0, WORK_OK, STILL, ""},
    {"cHRM late, twice, long, broken",
     {HEAD, BAD("cHRM", PRIMARIES), C("cHRM", "\0"), C("cHRM", PRIMARIES), C("cHRM", PRIMARIES), DATA, C("cHRM", PRIMARIES), END}, 0, WORK_OK, STILL, ""},
    {"a gamma beyond all", {HEAD, C("gAMA", "\0\x10\0\0"), DATA, END}, 0, WORK_OK, STILL, ""},
    {"a late profile", {HEAD, DATA, C("iCCP", "a\0\0x"), END}, 0, WORK_OK, STILL, ""},
    {"a profile without a name's end", {HEAD, C("iCCP", "abc"), DATA, END}, 0, WORK_OK, STILL, ""},
    {"a profile that is a name", {HEAD, C("iCCP", "abc\0"), DATA, END}, 0, WORK_OK, STILL, ""},
    {"a profile packed otherwise", {HEAD, C("iCCP", "abc\0\1x"), DATA, END}, 0, WORK_OK, STILL, ""},
    {"a broken profile", {HEAD, BAD("iCCP", "abc\0\0x"), DATA, END}, 0, WORK_OK, STILL, ""},
    {"a profile that does not inflate", {HEAD, C("iCCP", "abc\0\0x"), DATA, END}, 0, WORK_OK, STILL, ""},
    {"a late key", {HEAD, DATA, C("tRNS", "\0\x0a"), END}, 0, WORK_OK, STILL, ""},
    {"two keys, one too long", {HEAD, C("tRNS", "\0\x0a\0"), C("tRNS", "\0\x0a"), C("tRNS", "\0\x14"), DATA, END}, 0, WORK_OK, STILL, ""},
    /* animations */
    {"two frames", {HEAD, TWO, WHOLE("\0"), DATA, WHOLE("\1"), MORE("\2"), END}, 2, WORK_OK, 2, ""},
    {"two frames and a key", {HEAD, TWO, C("tRNS", "\0\x0a"), WHOLE("\0"), DATA, WHOLE("\1"), MORE("\2"), END}, 2, WORK_OK, 2, ""},
    {"two frames behind a still picture", {HEAD, TWO, DATA, WHOLE("\0"), MORE("\1"), WHOLE("\2"), MORE("\3"), END}, 2, WORK_OK, 2, ""},
    {"no such frame", {HEAD, TWO, WHOLE("\0"), DATA, WHOLE("\1"), MORE("\2"), END}, 3, WORK_BAD_FRAME, 0, NULL},
    {"announced twice", {HEAD, TWO, TWO, WHOLE("\0"), DATA, WHOLE("\1"), MORE("\2"), END}, 0, WORK_OK, STILL, ""},
    {"announced late", {HEAD, DATA, TWO, WHOLE("\0"), MORE("\1"), WHOLE("\2"), MORE("\3"), END}, 0, WORK_OK, STILL, ""},
    {"announced in too few bytes", {HEAD, C("acTL", "\0\0\0\2"), WHOLE("\0"), DATA, WHOLE("\1"), MORE("\2"), END}, 0, WORK_OK, STILL, ""},
    {"announced with a wrong sum", {HEAD, BAD("acTL", "\0\0\0\2\0\0\0\0"), WHOLE("\0"), DATA, WHOLE("\1"), MORE("\2"), END}, 0, WORK_OK, STILL, ""},
    {"not announced", {HEAD, WHOLE("\0"), DATA, END}, 0, WORK_OK, STILL, ""},
    {"announced and not there", {HEAD, TWO, DATA, END}, 0, WORK_OK, STILL, ""},
    {"fewer than announced", {HEAD, TWO, WHOLE("\0"), DATA, END}, 0, WORK_OK, STILL, ""},
    {"a frame in too few bytes", {HEAD, TWO, C("fcTL", "\0\0\0\0"), DATA, WHOLE("\0"), MORE("\1"), END}, 0, WORK_OK, STILL, ""},
    {"a frame with a wrong number", {HEAD, TWO, WHOLE("\5"), DATA, WHOLE("\1"), MORE("\2"), END}, 0, WORK_OK, STILL, ""},
    {"a frame with a wrong sum", {HEAD, TWO, BAD("fcTL", "\0\0\0\0\0\0\0\2\0\0\0\1\0\0\0\0\0\0\0\0\0\1\0\0\0\0"), DATA, WHOLE("\1"), MORE("\2"), END}, 0, WORK_OK, STILL, ""},
    {"a frame without data", {HEAD, TWO, WHOLE("\0"), WHOLE("\1"), DATA, END}, 0, WORK_OK, STILL, ""},
    {"a last frame without data", {HEAD, TWO, WHOLE("\0"), DATA, WHOLE("\1"), END}, 0, WORK_OK, STILL, ""},
    {"data of no frame", {HEAD, TWO, DATA, MORE("\0"), WHOLE("\1"), MORE("\2"), END}, 0, WORK_OK, STILL, ""},
    {"data before the pixels", {HEAD, TWO, WHOLE("\0"), MORE("\1"), DATA, WHOLE("\2"), MORE("\3"), END}, 0, WORK_OK, STILL, ""},
    {"data in too few bytes", {HEAD, TWO, WHOLE("\0"), DATA, WHOLE("\1"), C("fdAT", "\0"), END}, 0, WORK_OK, STILL, ""},
    {"data with a wrong number", {HEAD, TWO, WHOLE("\0"), DATA, WHOLE("\1"), MORE("\7"), END}, 0, WORK_OK, STILL, ""},
#define SECOND(w, h, x, y, rest) {HEAD, TWO, WHOLE("\0"), DATA, FRAME("\1", w, h, x, y, rest), MORE("\2"), END}
    {"a frame of no width", SECOND("\0", "\1", "\0", "\0", "\0\1\0\0\0\0"), 2, WORK_MALFORMED, 0, "a frame's fcTL does not fit the picture"},
    {"a frame of no height", SECOND("\2", "\0", "\0", "\0", "\0\1\0\0\0\0"), 2, WORK_MALFORMED, 0, "a frame's fcTL does not fit the picture"},
    {"a frame right of all", SECOND("\1", "\1", "\3", "\0", "\0\1\0\0\0\0"), 2, WORK_MALFORMED, 0, "a frame's fcTL does not fit the picture"},
    {"a frame too wide", SECOND("\2", "\1", "\1", "\0", "\0\1\0\0\0\0"), 2, WORK_MALFORMED, 0, "a frame's fcTL does not fit the picture"},
    {"a frame below all", SECOND("\2", "\1", "\0", "\2", "\0\1\0\0\0\0"), 2, WORK_MALFORMED, 0, "a frame's fcTL does not fit the picture"},
    {"a frame too high", SECOND("\2", "\1", "\0", "\1", "\0\1\0\0\0\0"), 2, WORK_MALFORMED, 0, "a frame's fcTL does not fit the picture"},
    {"a frame disposed of otherwise", SECOND("\2", "\1", "\0", "\0", "\0\1\0\0\3\0"), 2, WORK_MALFORMED, 0, "a frame's fcTL does not fit the picture"},
    {"a frame blended otherwise", SECOND("\2", "\1", "\0", "\0", "\0\1\0\0\0\2"), 2, WORK_MALFORMED, 0, "a frame's fcTL does not fit the picture"},
    {"a frame with too little data", SECOND("\1", "\1", "\0", "\0", "\0\1\0\1\2\1"), 2, WORK_MALFORMED, 0, NULL},
    {"a frame that does not inflate", {HEAD, TWO, WHOLE("\0"), DATA, WHOLE("\1"), C("fdAT", "\0\0\0\2zzzzzzzz"), END}, 2, WORK_MALFORMED, 0, NULL},
};

static void add_number(struct buf *b, uint32_t n)
{
    (void)buf_add(b, (uint8_t[]){(uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n}, 4);
}

static void add_file(struct buf *b, const struct chunk chunks[MOST])
{
    (void)buf_add_str(b, "\x89PNG\r\n\x1a\n");
    for (size_t i = 0; i < MOST && chunks[i].type; i++) {
        size_t from = b->len + 4;
        add_number(b, (uint32_t)chunks[i].len);
        (void)buf_add_str(b, chunks[i].type);
        (void)buf_add(b, chunks[i].data, chunks[i].len);
        add_number(b, libdeflate_crc32(0, b->data + from, b->len - from) ^ chunks[i].bad_sum);
    }
}

static int make(const struct buf *file, size_t len, const struct work_request *q, struct work_reply *reply, struct output *out)
{
    return picture_make_with(&decode_png, &(struct source){.data = (const uint8_t *)file->data, .len = len, .request = q}, reply, out);
}

TEST(chunks_that_are_wrong_are_refused_or_passed_over)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_buf file = BUF_INIT(1 << 16);
        struct work_reply reply = {0};
        struct output out = {0};
        add_file(&file, rows[i].chunks);
        struct work_request q = {.magic = WORK_MAGIC, .media = MEDIA_PNG, .input_len = file.len, .frame = rows[i].frame,
                                 .limits = {.max_edge = 100, .max_bytes = 100000, .quality = 75, .resize = true}};
        int status = make(&file, file.len, &q, &reply, &out);
        CHECK_MSG((uint32_t)status == rows[i].status && (status || reply.frames == rows[i].frames) && (!rows[i].words || !strcmp(reply.detail, rows[i].words)),
                  "%s: %d, %u frames, %s", rows[i].what, status, reply.frames, reply.detail);
        output_done(&out);
    }
}

TEST(of_a_transparent_colour_those_bits_count_that_a_pixel_has)
{
    static const struct {
        struct chunk key;
        uint8_t alpha[2];
    } keys[] = {
        {C("tRNS", "\0\x0a"), {0, 255}},
        {C("tRNS", "\x10\x0a"), {0, 255}},
        {C("tRNS", "\xff\x14"), {255, 0}},
        {C("tRNS", "\x0a\xff"), {255, 255}},
    };
    for (size_t i = 0; i < COUNT(keys); i++) {
        auto_buf file = BUF_INIT(1 << 16);
        struct work_reply reply = {0};
        struct output out = {0};
        add_file(&file, (const struct chunk[MOST]){HEAD, keys[i].key, DATA, END});
        struct work_request q = {.magic = WORK_MAGIC, .media = MEDIA_PNG, .input_len = file.len, .flags = WORK_RGBA,
                                 .limits = {.max_edge = 100, .max_bytes = 100000, .quality = 75}};
        CHECK(make(&file, file.len, &q, &reply, &out) == WORK_OK && out.len == 8);
        CHECK_MSG(out.data[3] == keys[i].alpha[0] && out.data[7] == keys[i].alpha[1], "row %zu: %u and %u", i, out.data[3], out.data[7]);
        output_done(&out);
    }
}

TEST(a_file_that_is_cut_anywhere_is_refused)
{
    auto_buf file = BUF_INIT(1 << 16);
    add_file(&file, rows[0].chunks);
    for (size_t len = 0; len < file.len; len++) {
        struct work_reply reply = {0};
        struct output out = {0};
        struct work_request q = {.magic = WORK_MAGIC, .media = MEDIA_PNG, .input_len = len, .limits = {.max_edge = 100, .max_bytes = 100000, .quality = 75}};
        CHECK_MSG(make(&file, len, &q, &reply, &out) == WORK_MALFORMED, "%zu", len);
        output_done(&out);
    }
}
