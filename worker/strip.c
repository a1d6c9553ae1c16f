/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metadata taken out without touching a pixel: each format is copied segment by segment, and only the kinds that
 * decoding needs are copied. What is not known is dropped, so that a new kind of metadata does not slip through, and so
 * are bytes behind the end of the picture. The caller has decoded the file: it is known to be sound.
 */
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "bytes.h"
#include "gif_blocks.h"
#include "jpeg_segments.h"
#include "png.h"
#include "webp_chunks.h"

enum { MORE = 64 }; /* bytes that rewriting may add */

struct source {
    const uint8_t *data;
    size_t len;
    struct complaint *c;
};

static int broken(const struct source *s)
{
    return complain(s->c, WORK_MALFORMED, "the structure of the file is damaged");
}

/* ---- PNG */

static bool png_keeps(const struct png_chunk *k)
{
    static const uint32_t kept[] = {
        PNG_TYPE('I', 'H', 'D', 'R'), PNG_TYPE('P', 'L', 'T', 'E'), PNG_TYPE('t', 'R', 'N', 'S'),
        PNG_TYPE('I', 'D', 'A', 'T'), PNG_TYPE('I', 'E', 'N', 'D'),
    };
    for (size_t i = 0; i < COUNT(kept); i++)
        if (kept[i] == k->type)
            return true;
    return k->type == PNG_TYPE('s', 'R', 'G', 'B') && k->len == 1;
}

static int strip_png(const struct source *s, struct buf *out)
{
    (void)buf_add(out, png_signature, PNG_SIGNATURE);
    for (size_t at = PNG_SIGNATURE;;) {
        struct png_chunk k;
        int status = png_chunk_at(s->data, s->len, at, &k, s->c);
        if (status)
            return status;
        if (k.type == PNG_TYPE('a', 'c', 'T', 'L'))
            return complain(s->c, WORK_UNSUPPORTED, "an animation");
        if (png_keeps(&k))
            (void)buf_add(out, s->data + at, k.next - at);
        if (k.type == PNG_TYPE('I', 'E', 'N', 'D'))
            return WORK_OK;
        at = k.next;
    }
}

/* ---- JPEG */

/* What comes of a segment: most are copied or dropped whole. */
static void copy_segment(const struct source *s, const struct jpeg_segment *k, struct buf *out)
{
    static const uint8_t jfif[] = {0xff, 0xe0, 0, 16, 'J', 'F', 'I', 'F', 0, 1, 1, 0, 0, 1, 0, 1, 0, 0};
    bool application = k->marker >= MARK_APP && k->marker <= MARK_APP + 15;
    if (k->marker == MARK_APP && k->len >= 14 && !memcmp(k->data, "JFIF", 5) && memcmp(k->data + 12, "\0", 2) != 0)
        (void)buf_add(out, jfif, sizeof(jfif)); /* it had a thumbnail */
    else if (k->marker == MARK_APP && k->len >= 14 && !memcmp(k->data, "JFIF", 5))
        (void)buf_add(out, k->len == 14 ? s->data + k->next - 18 : jfif, sizeof(jfif));
    else if (k->marker == MARK_ADOBE && k->len >= 12 && !memcmp(k->data, "Adobe", 5)) {
        (void)buf_add(out, "\xff\xee\0\x0e", 4);
        (void)buf_add(out, k->data, 12);
    } else if (!application && k->marker < 0xf0) { /* from 0xf0 on: extensions, 0xfe is the comment */
        (void)buf_add(out, "\xff", 1);
        (void)buf_add(out, &k->marker, 1);
        if (k->data)
            (void)buf_add(out, k->data - 2, k->len + 2);
    }
}

/* Offset of the marker that ends the coded data from an offset on. */
static size_t skip_scan(const struct source *s, size_t at)
{
    while (at + 1 < s->len) {
        const uint8_t *p = memchr(s->data + at, 0xff, s->len - at - 1);
        if (!p)
            break;
        at = (size_t)(p - s->data);
        bool coded = !p[1] || (p[1] >= 0xd0 && p[1] <= 0xd7);
        if (!coded && p[1] != 0xff)
            return at;
        at += coded ? 2 : 1;
    }
    return s->len;
}

static int strip_jpeg(const struct source *s, struct buf *out)
{
    struct jpeg_segment k = {0};
    for (size_t at = 0; k.marker != MARK_EOI;) {
        if (!jpeg_segment_at(s->data, s->len, at, &k))
            return broken(s);
        copy_segment(s, &k, out);
        at = k.next;
        if (k.marker != MARK_SOS)
            continue;
        at = skip_scan(s, k.next);
        (void)buf_add(out, s->data + k.next, at - k.next);
    }
    return WORK_OK;
}

/* ---- GIF */

static int strip_gif(const struct source *s, struct buf *out)
{
    struct gif_screen screen;
    int status = gif_read_screen(s->data, s->len, &screen, s->c);
    if (status || screen.first > s->len)
        return status ? status : broken(s);
    (void)buf_add(out, s->data, screen.first);
    struct gif_block control = {0};
    for (size_t at = screen.first;;) {
        struct gif_block b = {0};
        status = gif_block_at(s->data, s->len, at, &b, s->c);
        if (status)
            return status;
        at = b.next;
        if (b.kind == GIF_CONTROL)
            control = b;
        if (b.kind == GIF_IMAGE) {
            (void)buf_add(out, s->data + control.at, control.next - control.at);
            (void)buf_add(out, s->data + b.at, b.next - b.at);
        }
        if (b.kind == GIF_END) {
            (void)buf_add(out, s->data + b.at, 1);
            return WORK_OK;
        }
    }
}

/* ---- WebP */

/* The chunks of the picture: bitstream, and ALPH when there is one; what it needs of VP8X. */
struct webp_parts {
    struct webp_chunk extended, alpha, picture;
};

static int find_parts(const struct source *s, const struct webp_info *info, struct webp_parts *ret)
{
    bool found = true;
    for (size_t at = WEBP_HEAD; found;) {
        struct webp_chunk k = {0};
        int status = webp_chunk_at(info, at, &k, &found, s->c);
        if (status)
            return status;
        at = k.next;
        if (k.type == WEBP_TYPE('V', 'P', '8', 'X'))
            ret->extended = k;
        else if (k.type == WEBP_TYPE('A', 'L', 'P', 'H') && !ret->picture.data)
            ret->alpha = k;
        else if ((k.type == WEBP_TYPE('V', 'P', '8', ' ') || k.type == WEBP_TYPE('V', 'P', '8', 'L')) &&
                 !ret->picture.data)
            ret->picture = k;
    }
    return ret->picture.data ? WORK_OK : broken(s);
}

static void add_chunk(struct buf *out, const struct webp_chunk *k)
{
    (void)buf_add(out, k->data - 8, k->len + 8);
    if (k->len & 1)
        (void)buf_add(out, "\0", 1);
}

static int strip_webp(const struct source *s, struct buf *out)
{
    struct webp_info info;
    struct webp_parts parts = {0};
    int status = webp_read_info(s->data, s->len, &info, s->c);
    if (!status)
        status = find_parts(s, &info, &parts);
    if (status)
        return status;
    (void)buf_add(out, s->data, WEBP_HEAD);
    /* A lossless bitstream holds its own alpha; only a lossy one with ALPH needs the extended form. */
    if (parts.extended.data && parts.alpha.data && parts.picture.type == WEBP_TYPE('V', 'P', '8', ' ')) {
        uint8_t flags[4] = {WEBP_ALPHA};
        (void)buf_add(out, "VP8X\x0a\0\0", 8);
        (void)buf_add(out, flags, 4);
        (void)buf_add(out, parts.extended.data + 4, 6);
        add_chunk(out, &parts.alpha);
    }
    add_chunk(out, &parts.picture);
    if (!out->error) {
        uint32_t n = (uint32_t)(out->len - 8);
        memcpy(out->data + 4, (uint8_t[4]){(uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24)}, 4);
    }
    return WORK_OK;
}

/* ---- all */

static const struct {
    enum media media;
    int (*strip)(const struct source *s, struct buf *out);
} strippers[] = {
    {MEDIA_PNG, strip_png},
    {MEDIA_JPEG, strip_jpeg},
    {MEDIA_GIF, strip_gif},
    {MEDIA_WEBP, strip_webp},
};

/* Whether the pixels would look different without what is taken out. */
static int check_free(enum media media, const uint8_t *data, const struct header *h, struct complaint *c)
{
    if (h->frames > 1)
        return complain(c, WORK_UNSUPPORTED, "an animation");
    if (h->orientation != 1)
        return complain(c, WORK_UNSUPPORTED, "orientation %u", h->orientation);
    if (h->icc)
        return complain(c, WORK_UNSUPPORTED, "a colour profile that is not sRGB");
    if (media == MEDIA_GIF && (h->width != le16(data + 6) || h->height != le16(data + 8)))
        return complain(c, WORK_UNSUPPORTED, "an image that reaches past its screen");
    return WORK_OK;
}

int strip(enum media media, const uint8_t *data, size_t len, const struct header *header, const uint8_t **ret_data,
          size_t *ret_len, uint8_t **ret_copy, struct complaint *c)
{
    size_t i = 0;
    while (i < COUNT(strippers) && strippers[i].media != media)
        i++;
    if (i == COUNT(strippers))
        return complain(c, WORK_UNSUPPORTED, "a type that is not stripped");
    int status = check_free(media, data, header, c);
    if (status)
        return status;
    struct source s = {data, len, c};
    auto_buf out = BUF_INIT(len + MORE);
    status = strippers[i].strip(&s, &out);
    if (status)
        return status;
    if (out.error)
        return complain(c, WORK_NO_MEMORY, "out of memory for a copy of %zu bytes", len);
    *ret_len = out.len;
    *ret_copy = NULL;
    if (out.len == len && !memcmp(out.data, data, len)) {
        *ret_data = data;
        return WORK_OK;
    }
    *ret_copy = (uint8_t *)buf_take(&out);
    *ret_data = *ret_copy;
    return WORK_OK;
}
