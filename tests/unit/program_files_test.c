/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are odd or hostile, given to the programs that read them: each is shown at the size it has, or refused with the reason. */
#include "test.h"

#include "base/media.h"
#include "program.h"

struct row {
    const char *what, *program;
    enum media media;
    const char *data;
    size_t len;
    uint32_t status;
    uint32_t w, h;     /* of the source, where it is shown */
    const char *words; /* NULL: not looked at */
    uint32_t edge;     /* 0: 100 */
    struct fit_box region;
};

static void check_row(const struct row *r)
{
    struct child w = start(r->program, NULL);
    struct work_reply reply = {0};
    struct work_request q = {.magic = WORK_MAGIC, .media = r->media, .input_len = r->len, .region = r->region,
                             .limits = {.max_edge = r->edge ? r->edge : 100, .max_bytes = 1000000, .quality = 75, .resize = true}};
    int fds[SERVE_FDS] = {file_of(r->data, r->len), file_of("", 0), -1};
    ask(&w, &q, sizeof q, fds);
    CHECK_MSG(recv(w.socket, &reply, sizeof reply, 0) == sizeof reply && reply.status == r->status, "%s: %u %s", r->what, reply.status, reply.detail);
    if (r->status == WORK_OK)
        CHECK_MSG(reply.source_w == r->w && reply.source_h == r->h, "%s: %ux%u", r->what, reply.source_w, reply.source_h);
    else
        CHECK_MSG(!r->words || !strcmp(reply.detail, r->words), "%s: %s", r->what, reply.detail);
    CHECK(end(&w) == 0);
    close_fd(fds[0]);
    close_fd(fds[1]);
}

/* ---------------------------------------------------------------- SVG */

#define NS "xmlns='http://www.w3.org/2000/svg' "
#define SVG(what_, text, status_, w_, h_, words_) {.what = what_, .program = "fovea-svg", .media = MEDIA_SVG, .data = text, .len = sizeof text - 1, .status = status_, .w = w_, .h = h_, .words = words_}
#define RECT "<rect width='20' height='10'/></svg>"
#define LAYERS "<g opacity='.5'><rect width='900' height='900'/></g></svg>"
#define PART(what, text) {what, "fovea-svg", MEDIA_SVG, text, sizeof text - 1, WORK_OK, 3000, 2000, NULL, 1000, {100, 100, 300, 200, FIT_SOURCE, 1}}

#define G16 "<g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g>"
#define G256 G16 G16 G16 G16 G16 G16 G16 G16 G16 G16 G16 G16 G16 G16 G16 G16
#define ENTITY(name, text) "<!ENTITY " name " '" text text text text text text text text text text "'>"

static const struct row drawings[] = {
    SVG("sides and a box", "<svg " NS "width='40' height='30' viewBox='0 0 4 3'>" RECT, WORK_OK, 4, 3, ""),
    SVG("a width and a box", "<svg " NS "width='40' viewBox='0 0 4 3'>" RECT, WORK_OK, 4, 3, ""),
    SVG("a height and a box", "<svg " NS "height='30' viewBox='0 0 4 3'>" RECT, WORK_OK, 4, 3, ""),
    SVG("a width alone", "<svg " NS "width='40'>" RECT, WORK_OK, 40, 150, ""),
    SVG("a height alone", "<svg " NS "height='40'>" RECT, WORK_OK, 300, 40, ""),
    SVG("a width and a share", "<svg " NS "width='40' height='50%'>" RECT, WORK_OK, 40, 150, ""),
    SVG("no size", "<svg " NS ">" RECT, WORK_OK, 20, 10, ""),
    SVG("shares and no box", "<svg " NS "width='50%' height='50%'>" RECT, WORK_OK, 20, 10, ""),
    SVG("nothing", "<svg " NS "></svg>", WORK_MALFORMED, 0, 0, "it has no size, and draws nothing that has one"),
    SVG("all of it left of the origin", "<svg " NS "><rect x='-50' width='20' height='10'/></svg>", WORK_MALFORMED, 0, 0, "it has no size, and draws nothing that has one"),
    SVG("all of it above the origin", "<svg " NS "><rect y='-50' width='20' height='10'/></svg>", WORK_MALFORMED, 0, 0, "it has no size, and draws nothing that has one"),
    SVG("no width", "<svg " NS "width='0' height='10'>" RECT, WORK_MALFORMED, 0, 0, "its width or height is 0"),
    SVG("no height", "<svg " NS "width='10' height='0'>" RECT, WORK_MALFORMED, 0, 0, "its width or height is 0"),
    SVG("a box of no width", "<svg " NS "viewBox='0 0 0 10'>" RECT, WORK_OK, 20, 10, NULL),
    SVG("a box of no height", "<svg " NS "viewBox='0 0 10 0'>" RECT, WORK_OK, 20, 10, NULL),
    SVG("too wide", "<svg " NS "width='1e10' height='10'>" RECT, WORK_TOO_LARGE, 0, 0, NULL),
    SVG("too high", "<svg " NS "width='10' height='1e10'>" RECT, WORK_TOO_LARGE, 0, 0, NULL),
    SVG("units of their own", "<svg " NS "width='40' height='40' viewBox='0 0 4 8' preserveAspectRatio='none'>" RECT, WORK_OK, 4, 8, ""),
    SVG("units that are the same", "<svg " NS "width='40' height='80' viewBox='0 0 4 8' preserveAspectRatio='none'>" RECT, WORK_OK, 4, 8, ""),
    SVG("at the lower right", "<svg " NS "width='40' height='40' viewBox='0 0 4 8' preserveAspectRatio='xMaxYMax slice'>" RECT, WORK_OK, 4, 4, NULL),
    SVG("at the upper left", "<svg " NS "width='40' height='40' viewBox='0 0 4 8' preserveAspectRatio=\"xMinYMin meet\">" RECT, WORK_OK, 8, 8, NULL),
    SVG("in the middle", "<svg " NS "width='40' height='40' viewBox='0 0 4 8' preserveAspectRatio='xMidYMid'>" RECT, WORK_OK, 8, 8, NULL),
    SVG("after much", "<?xml version='1.0'?><!-- <svg> --><!DOCTYPE svg [ <!ENTITY a \"<svg>\"> ]><svg " NS "width='9' height='9' viewBox='0 0 3 3' preserveAspectRatio='none'>" RECT,
        WORK_OK, 3, 3, ""),
    SVG("with a prefix", "<s:svg xmlns:s='http://www.w3.org/2000/svg' width='9' height='9'><s:rect width='3' height='3'/></s:svg>", WORK_OK, 9, 9, ""),
    SVG("broken", "<svg " NS "width='9' height='9'><rect></svg>", WORK_MALFORMED, 0, 0, NULL),
    SVG("cut", "<svg " NS "width='9' height='9'", WORK_MALFORMED, 0, 0, NULL),
    SVG("an open comment", "<!-- <svg", WORK_MALFORMED, 0, 0, NULL),
    SVG("compressed, by its first bytes", "\x1f\x8b<svg", WORK_MALFORMED, 0, 0, NULL),
    SVG("nested", "<svg " NS "width='9' height='9'>" G256 G256, WORK_TOO_LARGE, 0, 0, "its elements are nested deeper than the parser goes"),
    SVG("of entities", "<!DOCTYPE svg [" ENTITY("a", "lollollol") ENTITY("b", "&a;") ENTITY("c", "&b;") ENTITY("d", "&c;")
                       ENTITY("e", "&d;") ENTITY("f", "&e;") ENTITY("g", "&f;") ENTITY("h", "&g;") "]><svg " NS ">&h;</svg>",
        WORK_TOO_LARGE, 0, 0, "its entities stand for more than the parser takes"),
    SVG("of something else", "<html>" RECT, WORK_MALFORMED, 0, 0, NULL),
    PART("a part of a large one", "<svg " NS "viewBox='0 0 3000 2000'>" LAYERS),
    PART("of one that is placed", "<svg " NS "x='1' width='3000' height='2000'>" LAYERS),
    PART("of one that is placed below", "<svg " NS "y = '1' width='3000' height='2000'>" LAYERS),
    PART("of one in shares", "<svg " NS "width='50%' height='50%' viewBox='0 0 3000 2000'>" LAYERS),
    PART("of one in other shares", "<svg " NS "width='100%' height='50%' viewBox='0 0 3000 2000'>" LAYERS),
    PART("of all of what is around it", "<svg " NS "width='100%' height='100%' viewBox='0 0 3000 2000'>" LAYERS),
    PART("without layers", "<svg " NS "viewBox='0 0 3000 2000'><rect width='900' height='900'/></svg>"),
};

TEST(drawings_have_the_size_that_they_say_or_are_refused)
{
    for (size_t i = 0; i < COUNT(drawings); i++)
        check_row(&drawings[i]);
}

/* ---------------------------------------------------------------- BMP and ICO */

#define PICTURE(what_, media_, text, status_, words_) {.what = what_, .program = "fovea-photo", .media = media_, .data = text, .len = sizeof text - 1, .status = status_, .w = 2, .h = 2, .words = words_}
#define BMP(what, text, status, words) PICTURE(what, MEDIA_BMP, text, status, words)
#define ICO(what, text, status, words) PICTURE(what, MEDIA_ICO, text, status, words)
/* The file's head up to where pixels begin, the header's length; then sides, planes and bits, packing, and what is left of 40. */
#define FILE_HEAD(pixels, header) "BM\0\0\0\0\0\0\0\0" pixels "\0\0\0" header "\0\0\0"
#define SIDES(bits) "\2\0\0\0\2\0\0\0\1\0" bits "\0"
#define REST "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define HEAD(bits, packing) FILE_HEAD("\x36", "\x28") SIDES(bits) packing "\0\0\0" REST
#define ROWS24 "\1\2\3\4\5\6\0\0\1\2\3\4\5\6\0\0"
#define PALETTE8 "\0\0\0\0\xff\xff\xff\0"
#define RLE(codes) FILE_HEAD("\x3e", "\x28") SIDES("\x08") "\1\0\0\0" "\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0" PALETTE8 codes
#define ENTRY_AT(len) "\0\0\1\0\1\0" "\2\2\0\0\1\0\x18\0" len "\0\0\0" "\x16\0\0\0"
#define ICON(bits, packing) "\x28\0\0\0" "\2\0\0\0\4\0\0\0\1\0" bits "\0" packing "\0\0\0" REST

static const struct row bitmaps[] = {
    BMP("as it should be", HEAD("\x18", "\0") ROWS24, WORK_OK, ""),
    BMP("next to nothing", "BM", WORK_MALFORMED, "the header is cut"),
    BMP("pixels in the head", FILE_HEAD("\x0e", "\x28") SIDES("\x18") "\0\0\0\0" REST ROWS24, WORK_MALFORMED, NULL),
    BMP("pixels behind the end", FILE_HEAD("\xff", "\x28") SIDES("\x18") "\0\0\0\0" REST ROWS24, WORK_MALFORMED, NULL),
    BMP("pixels in the header", FILE_HEAD("\x20", "\x28") SIDES("\x18") "\0\0\0\0" REST ROWS24, WORK_MALFORMED, "the pixels are said to begin inside of the header"),
    BMP("a header of no length", FILE_HEAD("\x36", "\5") SIDES("\x18") "\0\0\0\0" REST ROWS24, WORK_MALFORMED, "a BMP header of 5 bytes"),
    BMP("a header too long", FILE_HEAD("\x36", "\xff") SIDES("\x18") "\0\0\0\0" REST ROWS24, WORK_MALFORMED, "the header is cut"),
    BMP("a header of an odd length", FILE_HEAD("\x36", "\x7d") SIDES("\x18") "\0\0\0\0" REST ROWS24 REST REST REST REST, WORK_MALFORMED, "a BMP header of 125 bytes"),
    BMP("a width below 0", FILE_HEAD("\x36", "\x28") "\2\0\0\x80\2\0\0\0\1\0\x18\0\0\0\0\0" REST ROWS24, WORK_MALFORMED, "the width is negative"),
    BMP("33 bits", HEAD("\x21", "\0") ROWS24, WORK_MALFORMED, "a BMP of 33 bits per pixel in packing 0"),
    BMP("64 bits", HEAD("\x40", "\0") ROWS24, WORK_MALFORMED, "a BMP of 64 bits per pixel in packing 0"),
    BMP("8 bits packed for 4", HEAD("\x08", "\2") ROWS24, WORK_MALFORMED, "a BMP of 8 bits per pixel in packing 2"),
    BMP("a JPEG in it", HEAD("\x18", "\4") ROWS24, WORK_UNSUPPORTED, "a BMP in packing 4"),
    BMP("packing unknown", HEAD("\x18", "\x63") ROWS24, WORK_MALFORMED, "a BMP in packing 99"),
    BMP("masks behind the end", FILE_HEAD("\x36", "\x28") SIDES("\x20") "\3\0\0\0" REST "\1", WORK_MALFORMED, "the header is cut"),
    BMP("cut within its pixels", HEAD("\x18", "\0") "\1\2\3", WORK_MALFORMED, "the file ends within its pixels"),
    BMP("run lengths", RLE("\2\1\0\0\2\0\0\1"), WORK_OK, ""),
    BMP("run lengths without their last word", RLE("\2\1\0\0\2\0"), WORK_OK, ""),
    BMP("run lengths that end early", RLE("\2\1"), WORK_MALFORMED, "the run lengths end in row 1 of 2"),
    BMP("a run without its colour", RLE("\1\1\0\0\1"), WORK_MALFORMED, "the run lengths end in row 2 of 2"),
    BMP("letters that are not there", RLE("\0\7\1"), WORK_MALFORMED, "the run lengths end in row 1 of 2"),
    BMP("half a move", RLE("\0\2\1"), WORK_MALFORMED, "the run lengths end in row 1 of 2"),
    BMP("a move past the end, and a run", RLE("\0\2\x09\x09\2\1"), WORK_MALFORMED, "the run lengths go on past the last of 2 rows"),
    BMP("more lines than rows", RLE("\0\0\0\0\0\0\0\0\0\0"), WORK_MALFORMED, "the run lengths go on past the last of 2 rows"),
    ICO("as it should be", ENTRY_AT("\x40") ICON("\x18", "\0") ROWS24 "\0\0\0\0\0\0\0\0", WORK_OK, ""),
    ICO("next to nothing", "\0\0\1\0", WORK_MALFORMED, "an icon of 0 images"),
    ICO("of no images", "\0\0\1\0\0\0", WORK_MALFORMED, "an icon of 0 images"),
    ICO("of very many", "\0\0\1\0\xff\xff", WORK_MALFORMED, "an icon of 65535 images"),
    ICO("of one that is not listed", "\0\0\1\0\1\0\2\2", WORK_MALFORMED, "an icon of 1 images"),
    ICO("of one behind the end", ENTRY_AT("\xff") ICON("\x18", "\0") ROWS24, WORK_MALFORMED, "image 1 of 1 is not in the file"),
    ICO("of packed pixels", ENTRY_AT("\x40") ICON("\x08", "\1") ROWS24 "\0\0\0\0\0\0\0\0", WORK_MALFORMED, NULL),
    ICO("without its mask", ENTRY_AT("\x38") ICON("\x18", "\0") ROWS24, WORK_MALFORMED, "the mask of the icon is cut"),
    ICO("of very few bytes", ENTRY_AT("\4") "\x28\0\0\0", WORK_MALFORMED, "the header is cut"),
};

TEST(bitmaps_that_are_wrong_are_refused_with_the_reason)
{
    for (size_t i = 0; i < COUNT(bitmaps); i++)
        check_row(&bitmaps[i]);
}

/* ---------------------------------------------------------------- TIFF */

enum tag { WIDTH = 256, HEIGHT, BITS, PACKING, PHOTOMETRIC = 262, STRIPS = 273, SAMPLES = 277, ROWS = 278, BYTES = 279, PLANES = 284, MAP = 320, INKS = 332, EXTRA = 338, FORMAT };
enum { MISSING = 1 << 20, PIXELS_AT = 1024, MAP_AT = 2048, TIFF_BYTES = 8192 };

/* Two by two pixels of grey in 8 bits, but for these tags. */
static const struct tiff {
    const char *what;
    struct {
        uint16_t tag;
        uint32_t value;
    } tags[6];
    uint32_t status;
    const char *words;
} tiffs[] = {
    {"as it should be", {{0}}, WORK_OK, ""},
    {"no width", {{WIDTH, MISSING}}, WORK_MALFORMED, NULL},
    {"no height", {{HEIGHT, MISSING}}, WORK_MALFORMED, NULL},
    {"1 bit", {{BITS, 1}}, WORK_OK, ""},
    {"2 bits", {{BITS, 2}}, WORK_OK, ""},
    {"4 bits", {{BITS, 4}}, WORK_OK, ""},
    {"3 bits", {{BITS, 3}}, WORK_UNSUPPORTED, NULL},
    {"white is 0", {{PHOTOMETRIC, 0}}, WORK_OK, ""},
    {"white is 0, in 4 bits", {{PHOTOMETRIC, 0}, {BITS, 4}}, WORK_OK, ""},
    {"signed numbers", {{FORMAT, 2}}, WORK_UNSUPPORTED, "a TIFF of signed numbers"},
    {"floating-point numbers", {{FORMAT, 3}}, WORK_UNSUPPORTED, "a TIFF of floating-point numbers"},
    {"complex numbers", {{FORMAT, 6}}, WORK_UNSUPPORTED, NULL},
    {"numbers of no kind", {{FORMAT, 4}}, WORK_OK, ""},
    {"grey and alpha", {{SAMPLES, 2}, {EXTRA, 2}}, WORK_OK, ""},
    {"grey and alpha that it was multiplied with", {{SAMPLES, 2}, {EXTRA, 1}}, WORK_OK, ""},
    {"grey and something", {{SAMPLES, 2}, {EXTRA, 0}}, WORK_OK, ""},
    {"grey and something in 4 bits", {{SAMPLES, 2}, {BITS, 4}}, WORK_UNSUPPORTED, NULL},
    {"RGB", {{PHOTOMETRIC, 2}, {SAMPLES, 3}}, WORK_OK, ""},
    {"RGB and alpha", {{PHOTOMETRIC, 2}, {SAMPLES, 4}, {EXTRA, 2}}, WORK_OK, ""},
    {"RGB and alpha that is not there", {{PHOTOMETRIC, 2}, {SAMPLES, 3}, {EXTRA, 2}}, WORK_OK, ""},
    {"RGB of one sample", {{PHOTOMETRIC, 2}}, WORK_UNSUPPORTED, NULL},
    {"a palette", {{PHOTOMETRIC, 3}, {MAP, 0}}, WORK_OK, ""},
    {"a palette of 4 bits", {{PHOTOMETRIC, 3}, {MAP, 0}, {BITS, 4}}, WORK_OK, ""},
    {"a palette that is not there, which libtiff takes for grey", {{PHOTOMETRIC, 3}}, WORK_OK, ""},
    {"a palette of two samples", {{PHOTOMETRIC, 3}, {MAP, 0}, {SAMPLES, 2}}, WORK_OK, ""},
    {"inks", {{PHOTOMETRIC, 5}, {SAMPLES, 4}}, WORK_OK, ""},
    {"other inks", {{PHOTOMETRIC, 5}, {SAMPLES, 4}, {INKS, 2}}, WORK_UNSUPPORTED, NULL},
    {"three inks", {{PHOTOMETRIC, 5}, {SAMPLES, 3}}, WORK_UNSUPPORTED, NULL},
    {"inks of 4 bits", {{PHOTOMETRIC, 5}, {SAMPLES, 4}, {BITS, 4}}, WORK_UNSUPPORTED, NULL},
    {"planes of one sample", {{PLANES, 2}}, WORK_OK, ""},
    {"no samples", {{SAMPLES, 0}}, WORK_MALFORMED, NULL},
    {"very many samples", {{SAMPLES, 60000}}, WORK_UNSUPPORTED, "a TIFF of 60000 samples a pixel"},
    {"an unknown packing", {{PACKING, 12345}}, WORK_UNSUPPORTED, NULL},
};

static void put_number(uint8_t *to, uint32_t n, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)(n >> (8 * i));
}

static void make_tiff(const struct tiff *t, uint8_t file[TIFF_BYTES])
{
    static const uint16_t tags[] = {WIDTH, HEIGHT, BITS, PACKING, PHOTOMETRIC, STRIPS, SAMPLES, ROWS, BYTES, PLANES, MAP, INKS, EXTRA, FORMAT};
    uint32_t values[] = {2, 2, 8, 1, 1, PIXELS_AT, 1, 2, 64, 1, MISSING, MISSING, MISSING, MISSING};
    uint32_t n = 0, samples = 1;
    for (size_t i = 0; i < COUNT(t->tags) && t->tags[i].tag; i++)
        for (size_t k = 0; k < COUNT(tags); k++)
            if (tags[k] == t->tags[i].tag)
                values[k] = t->tags[i].value;
    samples = values[6];
    memcpy(file, "II*\0\x08\0\0\0", 8);
    for (size_t k = 0; k < COUNT(tags); k++) {
        uint8_t *entry = file + 10 + 12 * n;
        if (values[k] == MISSING)
            continue;
        bool each = (tags[k] == BITS || tags[k] == FORMAT) && samples > 1 && samples <= 8;
        put_number(entry, tags[k], 2);
        put_number(entry + 2, 3, 2);
        put_number(entry + 4, tags[k] == MAP ? 3u << values[2] : each ? samples : 1, 4);
        put_number(entry + 8, tags[k] == MAP ? MAP_AT : each && samples > 2 ? 512u : values[k], each && samples > 2 ? 4 : 2);
        if (each && samples == 2)
            put_number(entry + 10, values[k], 2);
        for (size_t i = 0; each && samples > 2 && i < samples; i++)
            put_number(file + 512 + 2 * i, values[k], 2);
        n++;
    }
    put_number(file + 8, n, 2);
    for (size_t i = 0; i < 64; i++)
        file[PIXELS_AT + i] = (uint8_t)(i & 7);
    for (size_t i = 0; i < 3 * 256; i++)
        put_number(file + MAP_AT + 2 * i, (uint32_t)(i & 255), 2);
}

TEST(kinds_of_tiff_are_shown_or_refused)
{
    for (size_t i = 0; i < COUNT(tiffs); i++) {
        uint8_t file[TIFF_BYTES] = {0};
        make_tiff(&tiffs[i], file);
        check_row(&(struct row){.what = tiffs[i].what, .program = "fovea-photo", .media = MEDIA_TIFF, .data = (const char *)file, .len = sizeof file,
                                .status = tiffs[i].status, .w = 2, .h = 2, .words = tiffs[i].words});
    }
}
