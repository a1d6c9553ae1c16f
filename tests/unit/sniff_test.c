/* SPDX-License-Identifier: Apache-2.0 */
/* Sniffing: each type by its bytes, what its header tells, and no harm from any bytes at all. */
#include "source/sniff.h"

#include <jansson.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "test.h"

#define B(s) s, sizeof(s) - 1
#define OGG_PAGE(length) "OggS\0\2" "12345678" "1234" "1234" "1234" "\1" length
#define IHDR(w, h, colour) "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0" w "\0\0\0" h "\x08" colour "\0\0\0crc."
#define IDAT "\0\0\0\1IDAT.crc."
#define EXIF_II(o) "II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0" o "\0\0\0\0\0\0\0"
#define EXIF_MM(o) "MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0" o "\0\0\0\0\0\0"
#define SOF(w, h) "\xff\xc0\0\x0b\x08\0" h "\0" w "\1\1\x11\0"
#define APP1_II(o) "\xff\xe1\0\x22" "Exif\0\0" EXIF_II(o)
#define VP8X(flags) "RIFF....WEBPVP8X\x0a\0\0\0" flags "\0\0\0\x13\0\0\x09\0\0"
#define GIF_FRAME "\x2c\0\0\0\0\1\0\1\0\0\2\1\x44\0"

static const struct row {
    const char *name, *bytes;
    size_t len;
    enum media media;
    uint32_t width, height, frames;
    bool alpha;
    uint8_t orientation;
} rows[] = {
    {"empty", B(""), MEDIA_NONE, 0, 0, 0, false, 1},
    {"PNG, colour", B(IHDR("\x14", "\x0a", "\2") IDAT), MEDIA_PNG, 20, 10, 1, false, 1},
    {"PNG, alpha", B(IHDR("\x14", "\x0a", "\6") IDAT), MEDIA_PNG, 20, 10, 1, true, 1},
    {"PNG, transparent palette", B(IHDR("\x14", "\x0a", "\3") "\0\0\0\1tRNS.crc." IDAT), MEDIA_PNG, 20, 10, 1, true, 1},
    {"PNG, animated", B(IHDR("\x14", "\x0a", "\2") "\0\0\0\x08" "acTL\0\0\0\7\0\0\0\0crc." IDAT), MEDIA_PNG, 20, 10, 7, false, 1},
    {"PNG, orientation behind its name", B(IHDR("\x14", "\x0a", "\2") "\0\0\0\x20" "eXIf" "Exif\0\0" EXIF_MM("\6") "crc." IDAT), MEDIA_PNG, 20, 10, 1, false, 6},
    {"PNG, orientation", B(IHDR("\x14", "\x0a", "\2") "\0\0\0\x1a" "eXIf" EXIF_MM("\6") "crc." IDAT), MEDIA_PNG, 20, 10, 1, false, 6},
    {"PNG, chunk that lies", B(IHDR("\x14", "\x0a", "\2") "\xff\xff\xff\xff" "tEXt."), MEDIA_PNG, 20, 10, 0, false, 1},
    {"PNG, spoilt by a text transfer", B("\x89PNG\n\x1a\n\0\0\0\rIHDR"), MEDIA_NONE, 0, 0, 0, false, 1},
    {"JPEG", B("\xff\xd8" SOF("\x14", "\x0a")), MEDIA_JPEG, 20, 10, 1, false, 1},
    {"JPEG, orientation", B("\xff\xd8" APP1_II("\x08") SOF("\x14", "\x0a")), MEDIA_JPEG, 20, 10, 1, false, 8},
    {"bug: JPEG, two orientations, the first counts as in the worker", B("\xff\xd8" APP1_II("\x08") APP1_II("\x03") SOF("\x14", "\x0a")), MEDIA_JPEG, 20, 10, 1, false, 8},
    {"bug: JPEG, an orientation behind an EXIF without one", B("\xff\xd8" APP1_II("\x09") APP1_II("\x03") SOF("\x14", "\x0a")), MEDIA_JPEG, 20, 10, 1, false, 1},
    {"bug: JPEG, an empty EXIF before one", B("\xff\xd8\xff\xe1\0\x08" "Exif\0\0" APP1_II("\x03") SOF("\x14", "\x0a")), MEDIA_JPEG, 20, 10, 1, false, 3},
    {"JPEG, orientation that is none", B("\xff\xd8" APP1_II("\x09") SOF("\x14", "\x0a")), MEDIA_JPEG, 20, 10, 1, false, 1},
    {"JPEG, fill bytes", B("\xff\xd8\xff\xff\xff" SOF("\x14", "\x0a")), MEDIA_JPEG, 20, 10, 1, false, 1},
    {"JPEG, tables are no frame", B("\xff\xd8\xff\xc4\0\4\1\1" SOF("\x14", "\x0a")), MEDIA_JPEG, 20, 10, 1, false, 1},
    {"JPEG, no frame", B("\xff\xd8\xff\xda\0\2" SOF("\x14", "\x0a")), MEDIA_JPEG, 0, 0, 1, false, 1},
    {"GIF", B("GIF89a\x14\0\x0a\0\0\0\0" GIF_FRAME ";"), MEDIA_GIF, 20, 10, 1, false, 1},
    {"GIF, three frames, transparent", B("GIF89a\x14\0\x0a\0\x80\0\0......" "\x21\xf9\4\1\0\0\0\0" GIF_FRAME GIF_FRAME GIF_FRAME ";"), MEDIA_GIF, 20, 10, 3, true, 1},
    {"WebP, lossy", B("RIFF....WEBPVP8 ....\0\0\0\x9d\x01\x2a\x14\0\x0a\0"), MEDIA_WEBP, 20, 10, 1, false, 1},
    {"WebP, lossless with alpha", B("RIFF....WEBPVP8L....\x2f\x13\x40\x02\x10"), MEDIA_WEBP, 20, 10, 1, true, 1},
    {"WebP, extended", B(VP8X("\x10")), MEDIA_WEBP, 20, 10, 1, true, 1},
    {"WebP, animated", B(VP8X("\2") "ANMF\0\0\0\0" "ANMF\1\0\0\0.\0" "ANMF\0\0\0\0"), MEDIA_WEBP, 20, 10, 3, false, 1},
    {"WebP, orientation", B(VP8X("\x08") "EXIF\x1a\0\0\0" EXIF_II("\3")), MEDIA_WEBP, 20, 10, 1, false, 3},
    {"BMP", B("BM....\0\0\0\0\x36\0\0\0\x28\0\0\0\x14\0\0\0\x0a\0\0\0\1\0\x18\0"), MEDIA_BMP, 20, 10, 1, false, 1},
    {"BMP, rows from the top", B("BM....\0\0\0\0\x36\0\0\0\x28\0\0\0\x14\0\0\0\xf6\xff\xff\xff\1\0\x20\0"), MEDIA_BMP, 20, 10, 1, true, 1},
    {"BMP, old", B("BM....\0\0\0\0\x1a\0\0\0\x0c\0\0\0\x14\0\x0a\0\1\0\x18\0"), MEDIA_BMP, 20, 10, 1, false, 1},
    {"text that starts like BMP", B("BMW is a make of cars, and of motorcycles"), MEDIA_TEXT, 0, 0, 0, false, 1},
    {"text that starts like GIF", B("GIF89a is a format, and an old one"), MEDIA_TEXT, 0, 0, 0, false, 1},
    {"text that starts like GIF, with a comma in its place", B("GIF89a      0,a b c d e f g\n"), MEDIA_TEXT, 0, 0, 0, false, 1},
    {"the name of GIF on a line", B("GIF89a\n"), MEDIA_TEXT, 0, 0, 0, false, 1},
    {"GIF, cut behind its name", B("GIF89a"), MEDIA_GIF, 0, 0, 0, false, 1},
    {"GIF, cut inside its size", B("GIF89a@"), MEDIA_GIF, 0, 0, 0, false, 1},
    {"GIF, cut inside its colours", B("GIF89a\x14\0\x0a\0\x80\0\0..."), MEDIA_GIF, 20, 10, 0, false, 1},
    {"text that starts like WebP", B("RIFFRAFFWEBP is a word"), MEDIA_TEXT, 0, 0, 0, false, 1},
    {"text that starts like AVI", B("RIFFRAFFAVI is a word"), MEDIA_TEXT, 0, 0, 0, false, 1},
    {"text that starts like TIFF", B("II* and MM* are no numbers"), MEDIA_TEXT, 0, 0, 0, false, 1},
    {"ICO", B("\0\0\1\0\2\0" "\x10\x10\0\0\1\0\x20\0\4\0\0\0\x26\0\0\0" "\0\0\0\0\1\0\x20\0\4\0\0\0\x2a\0\0\0"), MEDIA_ICO, 256, 256, 2, true, 1},
    {"TIFF", B("II*\0\x08\0\0\0\2\0" "\0\1\3\0\1\0\0\0\x14\0\0\0" "\1\1\4\0\1\0\0\0\x0a\0\0\0"), MEDIA_TIFF, 20, 10, 0, false, 1},
    {"CUR", B("\0\0\2\0\1\0" "\x20\x20\0\0\3\0\5\0\4\0\0\0\x16\0\0\0"), MEDIA_ICO, 32, 32, 1, true, 1},
    {"BMP of OS/2 2", B("BM....\0\0\0\0\x4e\0\0\0\x40\0\0\0\x14\0\0\0\x0a\0\0\0\1\0\x18\0"), MEDIA_BMP, 20, 10, 1, false, 1},
    {"BMP, version 5", B("BM....\0\0\0\0\x8a\0\0\0\x7c\0\0\0\x14\0\0\0\x0a\0\0\0\1\0\x18\0"), MEDIA_BMP, 20, 10, 1, false, 1},
    {"TIFF of Motorola", B("MM\0*\0\0\0\x08\0\2" "\1\0\0\3\0\0\0\1\0\x14\0\0" "\1\1\0\4\0\0\0\1\0\0\0\x0a"), MEDIA_TIFF, 20, 10, 0, false, 1},
    {"BigTIFF", B("II+\0\x08\0\0\0\x10\0\0\0\0\0\0\0"), MEDIA_TIFF, 0, 0, 0, false, 1},
    {"BigTIFF of Motorola", B("MM\0+\0\x08\0\0\0\0\0\0\0\0\0\x10"), MEDIA_TIFF, 0, 0, 0, false, 1},
    {"HEIC of ten bits", B("\0\0\0\x18" "ftypheix\0\0\0\0mif1heix"), MEDIA_HEIC, 0, 0, 0, false, 1},
    {"HEIC, a sequence", B("\0\0\0\x18" "ftypmsf1\0\0\0\0msf1hevc"), MEDIA_HEIC, 0, 0, 0, false, 1},
    {"HEIC, scalable", B("\0\0\0\x18" "ftypheis\0\0\0\0mif1heim"), MEDIA_HEIC, 0, 0, 0, false, 1},
    {"AVIF, a sequence", B("\0\0\0\x18" "ftypavis\0\0\0\0msf1miaf"), MEDIA_AVIF, 0, 0, 0, false, 1},
    {"HEIC", B("\0\0\0\x18" "ftypheic\0\0\0\0mif1heic"), MEDIA_HEIC, 0, 0, 0, false, 1},
    {"HEIF of no named kind", B("\0\0\0\x18" "ftypmif1\0\0\0\0mif1heic"), MEDIA_HEIC, 0, 0, 0, false, 1},
    {"AVIF", B("\0\0\0\x18" "ftypavif\0\0\0\0mif1miaf"), MEDIA_AVIF, 0, 0, 0, false, 1},
    {"AVIF by its compatible brand", B("\0\0\0\x18" "ftypmif1\0\0\0\0mif1avif"), MEDIA_AVIF, 0, 0, 0, false, 1},
    {"MP4", B("\0\0\0\x18" "ftypisom\0\0\2\0isomiso2"), MEDIA_MP4, 0, 0, 0, false, 1},
    {"QuickTime", B("\0\0\0\x14" "ftypqt  \0\0\2\0qt  "), MEDIA_MOV, 0, 0, 0, false, 1},
    {"QuickTime without a brand", B("\0\0\0\x08" "wide\0\0\0\0mdat"), MEDIA_MOV, 0, 0, 0, false, 1},
    {"QuickTime, data to the end", B("\0\0\0\0mdat\1\2\3"), MEDIA_MOV, 0, 0, 0, false, 1},
    {"QuickTime, padding first", B("\0\0\0\x0c" "free\0\0\0\0" "\0\0\0\x08moov"), MEDIA_MOV, 0, 0, 0, false, 1},
    {"prose with a wide road", B("The wide road\n"), MEDIA_TEXT, 0, 0, 0, false, 1},
    {"prose with a movie", B("The moov atom\n"), MEDIA_TEXT, 0, 0, 0, false, 1},
    {"prose that skips", B("Let skip be free\nThe free one, skip it"), MEDIA_TEXT, 0, 0, 0, false, 1},
    {"prose of another encoding", B("The wide caf\xe9\n"), MEDIA_NONE, 0, 0, 0, false, 1},
    {"prose with a brand", B("The ftypisom brand\n"), MEDIA_TEXT, 0, 0, 0, false, 1},
    {"a box larger than the file", B("\0\1\0\0moov\0\0"), MEDIA_NONE, 0, 0, 0, false, 1},
    {"WebM", B("\x1a\x45\xdf\xa3\x8b\x42\x86\x81\x01\x42\x82\x84webm"), MEDIA_WEBM, 0, 0, 0, false, 1},
    {"WebM with a length of 2 bytes", B("\x1a\x45\xdf\xa3\x88\x42\x82\x40\x04webm"), MEDIA_WEBM, 0, 0, 0, false, 1},
    {"WebM with lengths of 8 bytes and zeros behind the name",
     B("\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x14\x42\x82\x01\0\0\0\0\0\0\6webm\0\0zzzz"), MEDIA_WEBM, 0, 0, 0, false, 1},
    {"WebM behind padding", B("\x1a\x45\xdf\xa3\x93\xec\x8a" "0123456789" "\x42\x82\x84webm"), MEDIA_WEBM, 0, 0, 0, false, 1},
    {"Matroska with WebM's name in its padding", B("\x1a\x45\xdf\xa3\x94\xec\x87\x42\x82\x84webm\x42\x82\x88matroska"), MEDIA_MKV, 0, 0, 0, false, 1},
    {"Matroska whose name begins as WebM's", B("\x1a\x45\xdf\xa3\x88\x42\x82\x85webmx"), MEDIA_MKV, 0, 0, 0, false, 1},
    {"Matroska whose head ends before its name", B("\x1a\x45\xdf\xa3\x82\x42\x82\x84webm"), MEDIA_MKV, 0, 0, 0, false, 1},
    {"Matroska", B("\x1a\x45\xdf\xa3\x8f\x42\x86\x81\x01\x42\x82\x88matroska"), MEDIA_MKV, 0, 0, 0, false, 1},
    {"Matroska that does not say more", B("\x1a\x45\xdf\xa3\x01"), MEDIA_MKV, 0, 0, 0, false, 1},
    {"AVI", B("RIFF\x10\0\0\0AVI LIST"), MEDIA_AVI, 0, 0, 0, false, 1},
    {"MPEG-2 program stream", B("\0\0\1\xba\x44\0\4\0\4\1"), MEDIA_MPEG, 0, 0, 0, false, 1},
    {"MPEG-1 program stream", B("\0\0\1\xba\x21\0\1\0\1\x80"), MEDIA_MPEG, 0, 0, 0, false, 1},
    {"no MPEG: other marks", B("\0\0\1\xba\x01\0\1\0\1\x80"), MEDIA_NONE, 0, 0, 0, false, 1},
    {"Flash video", B("FLV\1\5\0\0\0\x09\0\0\0\0"), MEDIA_FLV, 0, 0, 0, false, 1},
    {"no Flash video: nothing in it", B("FLV\1\0\0\0\0\x09\0\0\0\0"), MEDIA_NONE, 0, 0, 0, false, 1},
    {"no Flash video: words", B("FLV is a container, FLV1 a codec"), MEDIA_TEXT, 0, 0, 0, false, 1},
    {"Windows Media", B("\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\0\xaa\0\x62\xce\x6c"), MEDIA_ASF, 0, 0, 0, false, 1},
    {"Windows Media, cut in its name", B("\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\0\xaa\0\x62\xce"), MEDIA_NONE, 0, 0, 0, false, 1},
    {"Ogg with pictures", B(OGG_PAGE("\x07") "\x80theora"), MEDIA_OGG, 0, 0, 0, false, 1},
    {"Ogg with pictures behind sound", B(OGG_PAGE("\x07") "\1vorbis" OGG_PAGE("\x07") "\x80theora"), MEDIA_OGG, 0, 0, 0, false, 1},
    {"Ogg with sound", B(OGG_PAGE("\x07") "\1vorbis"), MEDIA_NONE, 0, 0, 0, false, 1},
    {"Ogg whose page ends early", B("OggS\0\2" "12345678"), MEDIA_NONE, 0, 0, 0, false, 1},
    {"sound", B("RIFF\1\0\0\0WAVEfmt "), MEDIA_NONE, 0, 0, 0, false, 1},
    {"PDF", B("%PDF-1.7\n"), MEDIA_PDF, 0, 0, 0, false, 1},
    {"PDF behind other bytes", B("\0\1\2 junk\n%PDF-1.4"), MEDIA_PDF, 0, 0, 0, false, 1},
    {"PDF of letters behind blanks", B("\xef\xbb\xbf\n %PDF-1.4\n1 0 obj\n"), MEDIA_PDF, 0, 0, 0, false, 1},
    {"text about PDF", B("every file starts with %PDF-1.7\n"), MEDIA_TEXT, 0, 0, 0, false, 1},
    {"SVG", B("<svg xmlns='http://www.w3.org/2000/svg'/>"), MEDIA_SVG, 0, 0, 0, false, 1},
    {"SVG with all that may come first", B("\xef\xbb\xbf <?xml version='1.0'?>\n<!-- <html> -->\n<!DOCTYPE svg [<!ENTITY a '>'>]>\n<svg>"), MEDIA_SVG, 0, 0, 0, false, 1},
    {"SVG with quotes in its document type", B("<!DOCTYPE svg [<!ENTITY a \"]>\"><!-- isn't ]> --><!ENTITY b ']>\"'>]>\n<svg>"), MEDIA_SVG, 0, 0, 0, false, 1},
    {"no SVG: a quote without end", B("<!DOCTYPE svg [<!ENTITY a \"]>\n<svg>"), MEDIA_TEXT, 0, 0, 0, false, 1},
    {"SVG in an encoding that it names", B("<?xml version='1.0' encoding='ISO-8859-1'?>\n<svg id='\xe9'>"), MEDIA_SVG, 0, 0, 0, false, 1},
    {"no SVG: no encoding is named", B("<?xml version='1.0'?>\n<svg id='\xe9' encoding='x'>"), MEDIA_NONE, 0, 0, 0, false, 1},
    {"no SVG: another element in an encoding", B("<?xml version='1.0' encoding='ISO-8859-1'?>\n<html>\xe9"), MEDIA_NONE, 0, 0, 0, false, 1},
    {"SVG in UTF-16 without its mark", B("<\0?\0x\0m\0l\0?\0>\0<\0s\0v\0g\0>\0"), MEDIA_SVG, 0, 0, 0, false, 1},
    {"the same, high byte first", B("\0<\0?\0x\0m\0l\0?\0>\0<\0s\0v\0g\0>"), MEDIA_SVG, 0, 0, 0, false, 1},
    {"no SVG in UTF-16", B("<\0?\0x\0m\0l\0?\0>\0<\0h\0>\0"), MEDIA_NONE, 0, 0, 0, false, 1},
    {"SVG with a prefix", B("<s:svg xmlns:s='x'>"), MEDIA_SVG, 0, 0, 0, false, 1},
    {"no SVG: another element", B("<svgx>"), MEDIA_TEXT, 0, 0, 0, false, 1},
    {"no SVG: inside HTML", B("<!DOCTYPE html><html><svg></svg></html>"), MEDIA_TEXT, 0, 0, 0, false, 1},
    {"no SVG: a comment without end", B("<!-- <svg>"), MEDIA_TEXT, 0, 0, 0, false, 1},
    {"gzip that names an SVG", B("\x1f\x8b\x08\x08....\0\3picture.svg\0...."), MEDIA_SVGZ, 0, 0, 0, false, 1},
    {"any other gzip: nothing says what is in it", B("\x1f\x8b\x08\0....\0\3...."), MEDIA_SVGZ, 0, 0, 0, false, 1},
    {"another compression", B("\x1f\x8b\x07\0....\0\3...."), MEDIA_NONE, 0, 0, 0, false, 1},
    {"text", B("hello\r\n\tworld \xc3\xa9\n"), MEDIA_TEXT, 0, 0, 0, false, 1},
    {"text with colours of a terminal", B("\x1b[31mred\x1b[0m\n"), MEDIA_TEXT, 0, 0, 0, false, 1},
    {"UTF-16", B("\xff\xfeh\0i\0"), MEDIA_TEXT, 0, 0, 0, false, 1},
    {"control bytes", B("hello\1"), MEDIA_NONE, 0, 0, 0, false, 1},
    {"NUL", B("hello\0"), MEDIA_NONE, 0, 0, 0, false, 1},
    {"no UTF-8", B("hello \xff"), MEDIA_NONE, 0, 0, 0, false, 1},
    {"a program", B("\x7f" "ELF\2\1\1"), MEDIA_NONE, 0, 0, 0, false, 1},
};

TEST(each_type_and_its_outline)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *r = &rows[i];
        struct sniff s;
        sniff(r->bytes, r->len, r->len, &s);
        CHECK_MSG(s.media == r->media, "%s: %s", r->name, media_row(s.media)->name);
        CHECK_MSG(s.width == r->width && s.height == r->height, "%s: %ux%u", r->name, s.width, s.height);
        CHECK_MSG(s.frames == r->frames, "%s: %u frames", r->name, s.frames);
        CHECK_MSG(s.alpha == r->alpha && s.orientation == r->orientation, "%s: %d %d", r->name, s.alpha, s.orientation);
    }
}

/* Bytes in a block of exactly their size, so that a read past them is seen by the sanitizer. */
static struct sniff sniff_exactly(const void *bytes, size_t len, uint64_t file_len)
{
    struct sniff s;
    auto_free void *copy = malloc(len ? len : 1);
    CHECK(copy);
    if (copy && len)
        memcpy(copy, bytes, len);
    sniff(copy, len, file_len, &s);
    return s;
}

TEST(every_prefix_is_harmless)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t n = 0; n <= rows[i].len; n++) {
            struct sniff s = sniff_exactly(rows[i].bytes, n, rows[i].len);
            CHECK(s.media < MEDIA_COUNT && s.orientation >= 1 && s.orientation <= 8);
        }
}

/* A file cut anywhere behind its signature is a damaged picture and no text. */
TEST(a_cut_gif_is_still_a_gif)
{
    for (int side = 1; side < 512; side++) {
        char gif[] = "GIF89a..\x0a\0\0\0\0" GIF_FRAME ";";
        gif[6] = (char)(side & 0xff);
        gif[7] = (char)(side >> 8);
        for (size_t n = 6; n < sizeof gif; n++) {
            bool line = n == 7 && (gif[6] == '\n' || gif[6] == '\r');
            CHECK_MSG(line || sniff_exactly(gif, n, n).media == MEDIA_GIF, "%d wide, %zu bytes", side, n);
        }
    }
}

TEST(every_mutation_is_harmless)
{
    uint32_t x = 1;
    for (size_t i = 0; i < 200000; i++) {
        const struct row *r = &rows[i % COUNT(rows)];
        uint8_t bytes[256];
        size_t len = MIN(r->len, sizeof bytes);
        memcpy(bytes, r->bytes, len);
        for (int k = 0; len && k < 3; k++) {
            x = x * 1664525u + 1013904223u;
            bytes[(x >> 8) % len] = (uint8_t)(x >> 24);
        }
        struct sniff s = sniff_exactly(bytes, len, x & 1 ? len : len + 1000);
        CHECK(s.media < MEDIA_COUNT && s.orientation >= 1 && s.orientation <= 8);
    }
}

TEST(a_character_cut_by_the_end_of_the_head_is_still_text)
{
    CHECK(sniff_exactly("abc\xe2\x82", 5, 6).media == MEDIA_TEXT);
    CHECK(sniff_exactly("abc\xe2\x82", 5, 5).media == MEDIA_NONE);
}

/* One mark is the letter G, and text has many; only packets in a row, all of them sound, are a transport stream. */
TEST(a_transport_stream_is_many_packets_in_a_row)
{
    enum { PACKET = 188, N = 10 };
    uint8_t b[N * 192] = {0}, letters[N * PACKET];
    for (size_t step = PACKET; step <= 192; step += 4) {
        size_t first = step - PACKET;
        memset(b, 0xff, sizeof b);
        for (size_t i = 0; i < N; i++)
            memcpy(b + first + i * step, (uint8_t[]){0x47, 0x40, 0x11, 0x10}, 4);
        CHECK(sniff_exactly(b, N * step, N * step).media == MEDIA_TS);
        CHECK(sniff_exactly(b, 4 * step, 4 * step).media == MEDIA_TS && sniff_exactly(b, 3 * step, 3 * step).media == MEDIA_NONE);
        b[first + 2 * step] = 0x48;
        CHECK(sniff_exactly(b, N * step, N * step).media == MEDIA_NONE);
        b[first + 2 * step] = 0x47;
        b[first + 2 * step + 1] = 0x80; /* an error, it says */
        CHECK(sniff_exactly(b, N * step, N * step).media == MEDIA_NONE);
    }
    memset(letters, 'G', sizeof letters);
    CHECK(sniff_exactly(letters, sizeof letters, sizeof letters).media == MEDIA_TEXT);
    letters[5] = 0;
    CHECK(sniff_exactly(letters, sizeof letters, sizeof letters).media == MEDIA_NONE);
}

TEST(frames_are_not_guessed_when_the_file_goes_on)
{
    CHECK(sniff_exactly(B("GIF89a\x14\0\x0a\0\0\0\0" GIF_FRAME), 1000).frames == 0);
    CHECK(sniff_exactly(B(VP8X("\2") "ANMF\0\0\0\0"), 1000).frames == 0);
}

/* ---------------------------------------------------------------- the shared corpus */

static const struct {
    const char *magic;
    enum media media;
} magics[] = {
    {"png", MEDIA_PNG}, {"jpeg", MEDIA_JPEG}, {"gif", MEDIA_GIF}, {"webp", MEDIA_WEBP},
    {"bmp", MEDIA_BMP}, {"tiff", MEDIA_TIFF}, {"svg", MEDIA_SVG}, {"pdf", MEDIA_PDF},
};

static enum media media_of(const char *magic)
{
    for (size_t i = 0; magic && i < COUNT(magics); i++)
        if (!strcmp(magic, magics[i].magic))
            return magics[i].media;
    return MEDIA_NONE;
}

static bool has_size(enum media m)
{
    return m == MEDIA_PNG || m == MEDIA_JPEG || m == MEDIA_GIF || m == MEDIA_WEBP || m == MEDIA_TIFF;
}

/* The manifest's decoder enlarges a GIF's screen to hold a frame that sticks out; the header says the screen's own size. */
static const char *const enlarged[] = {
    "gif-pygif/image-outside-bg.gif",
    "gif-pygif/image-overlap-bg.gif",
    "image-rs/images/gif/anim/oob.gif",
    "image-rs/images/gif/simple/issue_1455_oversized.gif",
};

static bool is_enlarged(const char *name)
{
    for (size_t i = 0; i < COUNT(enlarged); i++)
        if (!strcmp(name, enlarged[i]))
            return true;
    return false;
}

static void check_entry(json_t *e)
{
    static char head[LIMIT_SNIFF_BYTES], path[4096];
    const char *name = json_string_value(json_object_get(e, "path"));
    (void)snprintf(path, sizeof path, "../shared/corpora/%s", name);
    FILE *f = fopen(path, "rbe");
    if (!f)
        return;
    size_t len = fread(head, 1, sizeof head, f);
    (void)fclose(f);
    struct sniff s;
    sniff(head, len, (uint64_t)json_integer_value(json_object_get(e, "bytes")), &s);
    enum media want = media_of(json_string_value(json_object_get(e, "magic")));
    CHECK_MSG(s.media == want, "%s: %s", name, media_row(s.media)->name);
    json_t *dim = json_object_get(e, "dim"), *orientation = json_object_get(e, "orientation");
    if (dim && has_size(want) && !is_enlarged(name)) {
        json_int_t w = json_integer_value(json_object_get(dim, "w")), h = json_integer_value(json_object_get(dim, "h"));
        CHECK_MSG(s.width == w && s.height == h, "%s: %ux%u, not %dx%d", name, s.width, s.height, (int)w, (int)h);
    }
    if (orientation && has_size(want))
        CHECK_MSG(s.orientation == json_integer_value(orientation), "%s: orientation %d", name, s.orientation);
}

TEST(type_size_and_orientation_agree_with_the_shared_corpus)
{
    FILE *f = fopen("../shared/corpora/MANIFEST.jsonl", "re");
    auto_free char *line = NULL;
    size_t room = 0;
    if (!f)
        SKIP("no shared corpus");
    while (getline(&line, &room, f) > 0) {
        json_t *e = json_loads(line, 0, NULL);
        CHECK(e);
        check_entry(e);
        json_decref(e);
    }
    (void)fclose(f);
}
