/* SPDX-License-Identifier: Apache-2.0 */
/* Inside sniff: a view of the first bytes whose every read is checked, and one reader for each family of formats. */
#ifndef FOVEA_SNIFF_PRIV_H
#define FOVEA_SNIFF_PRIV_H

#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "source/sniff.h"

struct head {
    const uint8_t *at;
    size_t len;
    uint64_t file_len;
    bool whole; /* the file has no more bytes than these */
    bool text;  /* text from end to end */
};

/* n bytes at offset are there. */
static inline bool has(const struct head *h, size_t offset, size_t n)
{
    return offset <= h->len && n <= h->len - offset;
}

/* Numbers at an offset; 0 beyond the end. */
static inline uint32_t u8(const struct head *h, size_t o)
{
    return has(h, o, 1) ? h->at[o] : 0;
}
static inline uint32_t be16(const struct head *h, size_t o)
{
    return has(h, o, 2) ? (uint32_t)h->at[o] << 8 | h->at[o + 1] : 0;
}
static inline uint32_t le16(const struct head *h, size_t o)
{
    return has(h, o, 2) ? (uint32_t)h->at[o + 1] << 8 | h->at[o] : 0;
}
static inline uint32_t be32(const struct head *h, size_t o)
{
    return has(h, o, 4) ? be16(h, o) << 16 | be16(h, o + 2) : 0;
}
static inline uint32_t le32(const struct head *h, size_t o)
{
    return has(h, o, 4) ? le16(h, o + 2) << 16 | le16(h, o) : 0;
}
static inline uint32_t le24(const struct head *h, size_t o)
{
    return has(h, o, 3) ? le16(h, o) | (uint32_t)h->at[o + 2] << 16 : 0;
}

/* The bytes at an offset are these (a string literal). */
#define IS(h, o, literal) (has(h, o, sizeof(literal) - 1) && !memcmp((h)->at + (o), literal, sizeof(literal) - 1))

/* Each fills in what its header tells; media is set already and may be refined. */
void sniff_png(const struct head *h, struct sniff *s);
void sniff_jpeg(const struct head *h, struct sniff *s);
void sniff_gif(const struct head *h, struct sniff *s);
void sniff_webp(const struct head *h, struct sniff *s);
void sniff_bmp(const struct head *h, struct sniff *s);
void sniff_ico(const struct head *h, struct sniff *s);
void sniff_tiff(const struct head *h, struct sniff *s);

/* The orientation in a TIFF structure that starts at base, or behind the name of EXIF there; 0 none. */
uint8_t sniff_tiff_orientation(const struct head *h, size_t base);

/* Is it text; and which. Where it begins, behind a mark and blanks. */
bool sniff_is_text(const struct head *h);
enum media sniff_text(const struct head *h);
size_t sniff_text_start(const struct head *h);

/* SVG in an encoding that it names, other than UTF-8, or in UTF-16 without its mark. */
bool sniff_is_foreign_svg(const struct head *h);

#endif
