/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a file is, by its first bytes: a table of signatures, else text, else nothing we know. Many signatures are
 * letters, and a text may start with any letters, so text from end to end is no picture. This runs on hostile
 * bytes in the process that holds everything, so it only compares and adds, each read is checked (sniff_priv.h), and
 * nothing is decoded. What is in a gzip file cannot be known without inflating it, so each counts as compressed SVG: the
 * program that draws those says if it is none.
 */
#include "source/sniff_priv.h"

static bool is_png(const struct head *h)
{
    return IS(h, 0, "\x89PNG\r\n\x1a\n");
}

static bool is_jpeg(const struct head *h)
{
    return IS(h, 0, "\xff\xd8\xff");
}

/* The sizes that follow are not letters, so one that reads as text is text, unless it was cut before them. */
static bool is_gif(const struct head *h)
{
    bool cut = h->len <= 7 && u8(h, 6) != '\n' && u8(h, 6) != '\r';
    return (IS(h, 0, "GIF87a") || IS(h, 0, "GIF89a")) && (!h->text || cut);
}

static bool is_webp(const struct head *h)
{
    return IS(h, 0, "RIFF") && IS(h, 8, "WEBP");
}

/* "BM" starts many texts; a header that says how long it is, in a way BMP knows, starts few. */
static bool is_bmp(const struct head *h)
{
    uint32_t size = le32(h, 14);
    return IS(h, 0, "BM") && (size == 12 || (size >= 16 && size <= 124)) && le32(h, 10) >= 14;
}

static bool is_ico(const struct head *h)
{
    uint32_t n = le16(h, 4);
    return (IS(h, 0, "\0\0\1\0") || IS(h, 0, "\0\0\2\0")) && n && n <= 256 && !u8(h, 9) && le32(h, 14) &&
           le32(h, 18) >= 6 + 16 * n;
}

static bool is_tiff(const struct head *h)
{
    return IS(h, 0, "II*\0") || IS(h, 0, "MM\0*") || IS(h, 0, "II+\0\x08\0\0\0") || IS(h, 0, "MM\0+\0\x08\0\0");
}

/* Other bytes may come first, as readers allow, but a text that speaks of it is no PDF: there only blanks may. */
static bool is_pdf(const struct head *h)
{
    size_t places = h->text ? sniff_text_start(h) + 1 : 1024;
    for (size_t i = 0; i < places && has(h, i, 5); i++)
        if (IS(h, i, "%PDF-"))
            return true;
    return false;
}

/* ISO base media: the brand says what is in it, the major one or any that it is compatible with. */
struct brand {
    char name[5];
    enum media media;
};
static const struct brand brands[] = {
    {"avif", MEDIA_AVIF}, {"avis", MEDIA_AVIF}, {"heic", MEDIA_HEIC}, {"heix", MEDIA_HEIC}, {"heim", MEDIA_HEIC},
    {"heis", MEDIA_HEIC}, {"hevc", MEDIA_HEIC}, {"hevx", MEDIA_HEIC}, {"mif1", MEDIA_HEIC}, {"msf1", MEDIA_HEIC},
    {"isom", MEDIA_MP4},  {"iso2", MEDIA_MP4},  {"iso4", MEDIA_MP4},  {"iso5", MEDIA_MP4},  {"iso6", MEDIA_MP4},
    {"mp41", MEDIA_MP4},  {"mp42", MEDIA_MP4},  {"avc1", MEDIA_MP4},  {"qt  ", MEDIA_MOV},  {"M4V ", MEDIA_MP4},
    {"3gp4", MEDIA_MP4},  {"3gp5", MEDIA_MP4},  {"3gp6", MEDIA_MP4},  {"3g2a", MEDIA_MP4},  {"dash", MEDIA_MP4},
    {"MSNV", MEDIA_MP4},  {"f4v ", MEDIA_MP4},
};

static enum media brand_at(const struct head *h, size_t offset)
{
    for (size_t i = 0; has(h, offset, 4) && i < COUNT(brands); i++)
        if (!memcmp(h->at + offset, brands[i].name, 4))
            return brands[i].media;
    return MEDIA_NONE;
}

/* "mif1" alone says only "a picture": a codec named among the compatible brands says which. */
static enum media base_media(const struct head *h)
{
    uint32_t size = be32(h, 0);
    if (!IS(h, 4, "ftyp") || size < 16)
        return MEDIA_NONE;
    bool generic = IS(h, 8, "mif1") || IS(h, 8, "msf1");
    enum media found = brand_at(h, 8);
    for (size_t o = 16; o + 4 <= size && o < 256 && has(h, o, 4) && (generic || !found); o += 4) {
        enum media m = brand_at(h, o);
        if (m == MEDIA_AVIF || !found)
            found = m;
    }
    return found;
}

static bool is_avif(const struct head *h)
{
    return base_media(h) == MEDIA_AVIF;
}

static bool is_heic(const struct head *h)
{
    return base_media(h) == MEDIA_HEIC;
}

/* Old QuickTime files have no ftyp: a movie, its data or padding comes first, and fits in the file. 0: up to its end,
 * 1: the size is in 64 bits further on. */
static bool is_quicktime(const struct head *h)
{
    uint32_t size = be32(h, 0);
    if (IS(h, 4, "wide"))
        return size == 1 || size == 8;
    bool box = IS(h, 4, "moov") || IS(h, 4, "mdat") || IS(h, 4, "free") || IS(h, 4, "skip");
    return box && (size <= 1 || (size >= 8 && size <= h->file_len));
}

static bool is_mp4(const struct head *h)
{
    return base_media(h) == MEDIA_MP4;
}

static bool is_mov(const struct head *h)
{
    return base_media(h) == MEDIA_MOV || is_quicktime(h);
}

static bool is_mkv(const struct head *h)
{
    return IS(h, 0, "\x1a\x45\xdf\xa3");
}

/* A number of EBML: as many bytes more as zeros lead its first, whose leading one belongs to ids alone. False at the end. */
static bool ebml_number(const struct head *h, size_t *at, bool id, uint64_t *ret)
{
    if (*at >= h->len || !h->at[*at])
        return false;
    size_t more = (size_t)__builtin_clz(h->at[*at]) - 24;
    uint64_t v = id ? h->at[*at] : h->at[*at] & (0x7fu >> more);
    if (more >= h->len - *at)
        return false;
    for (size_t i = 1; i <= more; i++)
        v = v << 8 | h->at[*at + i];
    *at += more + 1;
    *ret = v;
    return true;
}

/* WebM is Matroska that says so in its head, a list of ids, lengths and so many bytes. */
static bool is_webm(const struct head *h)
{
    enum { DOC_TYPE = 0x4282, HEAD_ID = 4 };
    size_t at = HEAD_ID;
    uint64_t id, len, head;
    if (!is_mkv(h) || !ebml_number(h, &at, false, &head))
        return false;
    for (size_t end = at + (size_t)MIN(head, (uint64_t)(h->len - at)); at < end; at += (size_t)len) {
        if (!ebml_number(h, &at, true, &id) || !ebml_number(h, &at, false, &len) || at > end || len > end - at)
            return false;
        if (id == DOC_TYPE) /* zeros may follow */
            return len >= 4 && IS(h, at, "webm") && (len == 4 || !h->at[at + 4]);
    }
    return false;
}

static bool is_avi(const struct head *h)
{
    return IS(h, 0, "RIFF") && IS(h, 8, "AVI ");
}

/* A pack's head: marks of MPEG-2 or of MPEG-1 follow its start code. */
static bool is_mpeg(const struct head *h)
{
    return IS(h, 0, "\0\0\1\xba") && ((u8(h, 4) & 0xc4) == 0x44 || (u8(h, 4) & 0xf1) == 0x21);
}

/* Packets of 188 bytes, each with its mark, without an error, and with something in it. Recorders put a time of 4 bytes before each.
 * One mark is a "G": only many in a row are no accident. */
static bool is_ts(const struct head *h)
{
    static const struct {
        size_t first, step;
    } forms[] = {{0, 188}, {4, 192}};
    enum { PACKETS = 8, LEAST = 4 };
    for (size_t i = 0; i < COUNT(forms); i++) {
        size_t at = forms[i].first, n = 0;
        while (n < PACKETS && u8(h, at) == 0x47 && !(u8(h, at + 1) & 0x80) && u8(h, at + 3) & 0x30) {
            at += forms[i].step;
            n++;
        }
        if (n == PACKETS || (n >= LEAST && h->whole && at - forms[i].first == h->len - h->len % forms[i].step))
            return true;
    }
    return false;
}

/* Version 1, sound or pictures or both, a head of 9 bytes. */
static bool is_flv(const struct head *h)
{
    uint32_t has_what = u8(h, 4);
    return IS(h, 0, "FLV\1") && has_what && !(has_what & 0xfa) && be32(h, 5) == 9;
}

static bool is_asf(const struct head *h)
{
    return IS(h, 0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\0\xaa\0\x62\xce\x6c");
}

/* Mostly it is sound: the first pages name what streams there are, each begins one. */
static bool is_ogg(const struct head *h)
{
    enum { HEAD = 27, BEGINS = 2 };
    size_t at = 0;
    for (int n = 0; n < 16 && IS(h, at, "OggS\0") && u8(h, at + 5) & BEGINS && has(h, at, HEAD); n++) {
        size_t pieces = u8(h, at + 26), body = at + HEAD + pieces, len = 0;
        for (size_t i = 0; i < pieces; i++)
            len += u8(h, at + HEAD + i);
        if (IS(h, body, "\x80theora") || IS(h, body, "OVP80\1"))
            return true;
        at = body + len;
    }
    return false;
}

static bool is_gzip(const struct head *h)
{
    return IS(h, 0, "\x1f\x8b\x08");
}

static const struct signature {
    enum media media;
    bool (*is)(const struct head *h);
    void (*outline)(const struct head *h, struct sniff *s);
    bool in_text; /* text may be this after all */
} signatures[] = {
    {MEDIA_PNG, is_png, sniff_png, false},    {MEDIA_JPEG, is_jpeg, sniff_jpeg, false},
    {MEDIA_GIF, is_gif, sniff_gif, true},     {MEDIA_WEBP, is_webp, sniff_webp, false},
    {MEDIA_TIFF, is_tiff, sniff_tiff, false}, {MEDIA_BMP, is_bmp, sniff_bmp, false},
    {MEDIA_ICO, is_ico, sniff_ico, false},    {MEDIA_AVIF, is_avif, NULL, false},
    {MEDIA_HEIC, is_heic, NULL, false},       {MEDIA_MP4, is_mp4, NULL, false},
    {MEDIA_MOV, is_mov, NULL, false},         {MEDIA_WEBM, is_webm, NULL, false},
    {MEDIA_MKV, is_mkv, NULL, false},         {MEDIA_AVI, is_avi, NULL, false},
    {MEDIA_MPEG, is_mpeg, NULL, false},       {MEDIA_FLV, is_flv, NULL, false},
    {MEDIA_ASF, is_asf, NULL, false},         {MEDIA_OGG, is_ogg, NULL, false},
    {MEDIA_TS, is_ts, NULL, false},
    {MEDIA_SVGZ, is_gzip, NULL, false},       {MEDIA_PDF, is_pdf, NULL, true},
    {MEDIA_SVG, sniff_is_foreign_svg, NULL, false},
};

void sniff(const void *data, size_t len, uint64_t file_len, struct sniff *ret)
{
    struct head h = {.at = data, .len = MIN(len, LIMIT_SNIFF_BYTES), .file_len = file_len};
    h.whole = file_len <= h.len;
    h.text = sniff_is_text(&h);
    *ret = (struct sniff){.orientation = 1};
    for (size_t i = 0; i < COUNT(signatures); i++)
        if ((!h.text || signatures[i].in_text) && signatures[i].is(&h)) {
            ret->media = signatures[i].media;
            if (signatures[i].outline)
                signatures[i].outline(&h, ret);
            return;
        }
    ret->media = h.text ? sniff_text(&h) : MEDIA_NONE;
}
