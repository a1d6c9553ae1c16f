/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metadata taken out without touching a pixel: each format is copied segment by segment, and only the kinds that
 * decoding needs are copied, no longer than decoding needs them. What is not known is dropped, so that a new kind of
 * metadata does not slip through, and so are bytes behind the end of the picture. The bytes may be anything: nothing was
 * decoded yet. What a decoder would refuse may pass here, since it decodes before the answer leaves.
 */
#include <string.h>

#include "base/cleanup.h"
#include "bytes.h"
#include "gif_blocks.h"
#include "jpeg_segments.h"
#include "png.h"
#include "webp_chunks.h"

struct stripped {
    const uint8_t *data;
    size_t len;
    const struct header *header;
    struct complaint *c;
};

/* Where the file goes: first only measured and compared, then, if it is not the source itself, written. */
struct sink {
    const struct stripped *s;
    uint8_t *to; /* NULL at first */
    size_t room;
    size_t len;
    size_t most; /* len may go back: what it was at most */
    bool same; /* so far it is what the source begins with */
};

static void add(struct sink *k, const void *data, size_t len)
{
    const struct stripped *s = k->s;
    if (k->to && len > k->room - k->len)
        return; /* it was measured: cannot be, unless the bytes changed under us */
    if (k->to)
        memcpy(k->to + k->len, data, len);
    else if (k->same)
        k->same = k->len <= s->len && len <= s->len - k->len &&
                  (data == s->data + k->len || !memcmp(data, s->data + k->len, len));
    k->len += len;
    k->most = MAX(k->most, k->len);
}

static int broken(const struct stripped *s)
{
    return complain(s->c, WORK_MALFORMED, "the structure of the file is damaged");
}

/* ---- PNG */

static bool png_keeps(const struct png_info *info, const struct png_chunk *k, size_t at)
{
    return k->type == PNG_TYPE('I', 'H', 'D', 'R') || k->type == PNG_TYPE('I', 'D', 'A', 'T') || at == info->plte ||
           at == info->trns || at == info->srgb;
}

static int strip_png(const struct stripped *s, struct sink *out)
{
    static const uint8_t end[PNG_FRAMING] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};
    struct png_info info;
    int status = png_read_info(s->data, s->len, &info, s->c);
    if (status)
        return status;
    add(out, png_signature, PNG_SIGNATURE);
    for (size_t at = PNG_SIGNATURE;;) {
        struct png_chunk k;
        status = png_chunk_at(s->data, s->len, at, &k, s->c);
        if (status)
            return status;
        if (k.type == PNG_TYPE('a', 'c', 'T', 'L'))
            return complain(s->c, WORK_UNSUPPORTED, "an animation");
        if (png_keeps(&info, &k, at))
            add(out, s->data + at, k.next - at);
        if (k.type == PNG_TYPE('I', 'E', 'N', 'D')) {
            add(out, end, sizeof(end));
            return WORK_OK;
        }
        at = k.next;
    }
}

/* ---- JPEG */

/* Tables, frames, scans, restart intervals, start and end: what a decoder reads. */
static bool jpeg_keeps(uint8_t marker)
{
    return (marker >= MARK_SOF && marker < MARK_SOF + 16 && marker != MARK_JPG) || marker == MARK_SOI ||
           marker == MARK_EOI || marker == MARK_SOS || marker == MARK_DQT || marker == MARK_DRI;
}

/* Of the application's own segments, two say what the colours are; one of each is enough. */
struct jpeg_kept {
    bool jfif, adobe;
};

static int copy_segment(const struct stripped *s, const struct jpeg_segment *k, struct jpeg_kept *kept, struct sink *out)
{
    if (k->marker == MARK_APP && k->len >= 14 && !memcmp(k->data, "JFIF", 5) && !kept->jfif) {
        kept->jfif = true;
        add(out, "\xff\xe0\0\x10", 4);
        add(out, k->data, 12);
        add(out, "\0", 2); /* no thumbnail */
    } else if (k->marker == MARK_ADOBE && k->len >= 12 && !memcmp(k->data, "Adobe", 5)) {
        if (kept->adobe)
            return complain(s->c, WORK_UNSUPPORTED, "two Adobe segments");
        kept->adobe = true;
        add(out, "\xff\xee\0\x0e", 4);
        add(out, k->data, 12);
    } else if (jpeg_keeps(k->marker)) {
        add(out, (uint8_t[2]){0xff, k->marker}, 2);
        if (k->data)
            add(out, k->data - 2, k->len + 2);
    }
    return WORK_OK;
}

static int strip_jpeg(const struct stripped *s, struct sink *out)
{
    struct jpeg_segment k = {0};
    struct jpeg_kept kept = {0};
    size_t scanned = 0; /* of the output: tables behind the last scan serve nobody */
    for (size_t at = 0; k.marker != MARK_EOI;) {
        if (!jpeg_segment_at(s->data, s->len, at, &k))
            return broken(s);
        if (k.marker == MARK_EOI && scanned)
            out->len = scanned;
        int status = copy_segment(s, &k, &kept, out);
        if (status)
            return status;
        at = k.next;
        if (k.marker != MARK_SOS)
            continue;
        add(out, s->data + k.next, jpeg_scan_at(s->data, s->len, k.next, &at));
        scanned = out->len;
    }
    return WORK_OK;
}

/* ---- GIF */

/* The image, its coded data no longer than its pixels need. */
static int copy_image(const struct stripped *s, const struct gif_frame *f, struct sink *out)
{
    struct gif_extent x;
    if (!gif_measure(s->data, s->len, f->codes, f->frame.box.w * f->frame.box.h, &x))
        return broken(s);
    size_t whole = x.last ? x.last : x.end;
    add(out, s->data + f->at, whole - f->at);
    if (x.last) {
        uint8_t n = (uint8_t)(x.end - x.last - 1);
        add(out, &n, 1);
        add(out, s->data + x.last + 1, n);
    }
    add(out, "", 1);
    return WORK_OK;
}

static int strip_gif(const struct stripped *s, struct sink *out)
{
    struct gif_screen screen = {0};
    struct gif_frame f = {0};
    bool found = false;
    int status = gif_read_screen(s->data, s->len, &screen, s->c);
    size_t at = screen.first;
    if (!status)
        status = gif_next_frame(s->data, s->len, &at, &f, &found, s->c);
    if (status || !found)
        return status ? status : broken(s);
    add(out, s->data, screen.first);
    if (f.control) {
        add(out, s->data + f.control, GIF_CONTROL_BYTES - 1);
        add(out, "", 1);
    }
    status = copy_image(s, &f, out);
    add(out, ";", 1);
    return status;
}

/* ---- WebP */

/* The chunks of the picture: bitstream, and ALPH when there is one; what it needs of VP8X. */
struct webp_parts {
    struct webp_chunk extended, alpha, picture;
};

static int find_parts(const struct stripped *s, const struct webp_info *info, struct webp_parts *ret)
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

static void add_chunk(struct sink *out, const struct webp_chunk *k)
{
    add(out, k->data - 8, k->len + 8);
    if (k->len & 1)
        add(out, "", 1);
}

static size_t chunk_bytes(const struct webp_chunk *k)
{
    return 8 + k->len + (k->len & 1);
}

static int read_parts(const struct stripped *s, struct webp_info *ret_info, struct webp_parts *ret)
{
    int status = webp_read_info(s->data, s->len, ret_info, s->c);
    if (!status)
        status = find_parts(s, ret_info, ret);
    /* A lossless bitstream holds its own alpha; only a lossy one with ALPH needs the extended form. */
    if (!ret->extended.data || ret->picture.type != WEBP_TYPE('V', 'P', '8', ' '))
        ret->alpha = (struct webp_chunk){0};
    return status;
}

static int strip_webp(const struct stripped *s, struct sink *out)
{
    struct webp_info info;
    struct webp_parts parts = {0};
    int status = read_parts(s, &info, &parts);
    if (status)
        return status;
    struct size size = {s->header->width, s->header->height};
    if (!out->to && !webp_is_full(&info, &parts.picture, &parts.alpha, size))
        return complain(s->c, WORK_UNSUPPORTED, "bytes behind the end of the picture");
    bool extended = parts.alpha.data;
    size_t n = 4 + chunk_bytes(&parts.picture) + (extended ? 18 + chunk_bytes(&parts.alpha) : 0);
    add(out, "RIFF", 4);
    add(out, (uint8_t[4]){(uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24)}, 4);
    add(out, "WEBP", 4);
    if (extended) {
        add(out, "VP8X\x0a\0\0", 8);
        add(out, (uint8_t[4]){WEBP_ALPHA}, 4);
        add(out, parts.extended.data + 4, 6);
        add_chunk(out, &parts.alpha);
    }
    add_chunk(out, &parts.picture);
    return WORK_OK;
}

/* ---- all */

typedef int stripper(const struct stripped *s, struct sink *out);

static const struct {
    enum media media;
    stripper *strip;
} strippers[] = {
    {MEDIA_PNG, strip_png},
    {MEDIA_JPEG, strip_jpeg},
    {MEDIA_GIF, strip_gif},
    {MEDIA_WEBP, strip_webp},
};

static stripper *stripper_of(enum media media)
{
    for (size_t i = 0; i < COUNT(strippers); i++)
        if (strippers[i].media == media)
            return strippers[i].strip;
    return NULL;
}

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
    stripper *by = stripper_of(media);
    if (!by)
        return complain(c, WORK_UNSUPPORTED, "a type that is not stripped");
    struct stripped s = {data, len, header, c};
    struct sink out = {.s = &s, .same = true};
    int status = check_free(media, data, header, c);
    if (!status)
        status = by(&s, &out);
    if (status)
        return status;
    *ret_copy = NULL;
    *ret_data = data;
    *ret_len = out.len;
    if (out.same && out.len == len)
        return WORK_OK;
    auto_free uint8_t *copy = malloc(out.most);
    if (!copy)
        return complain(c, WORK_NO_MEMORY, "out of memory for a copy of %zu bytes", out.len);
    out = (struct sink){.s = &s, .to = copy, .room = out.most};
    status = by(&s, &out);
    if (!status)
        *ret_data = *ret_copy = take(copy);
    return status;
}
