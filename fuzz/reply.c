/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a worker answers, as hostile as it likes: what the parent believes is in range, was asked for and is true to the bytes. A
 * request and a reply are made of the input, most of the reply as an honest worker would say it, so that lies come one at a time.
 * about: src/sandbox/check.c src/sandbox/check_text.c
 */
#include "fuzz.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/text.h"
#include "sandbox/check.h"
#include "source/sniff.h"

/* A PNG as far as the parent looks. */
static const uint8_t png[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x40\0\0\0\x30\x08\x02\0\0\0\0\0\0\0\0\0\0\0IDAT";

static struct work_request request_of(struct feed *f)
{
    static const enum media kinds[] = {MEDIA_PNG, MEDIA_SVG, MEDIA_PDF, MEDIA_TEXT, MEDIA_MP4, MEDIA_GIF};
    struct work_request q = {.magic = WORK_MAGIC, .media = kinds[feed_u8(f) % COUNT(kinds)], .input_len = 1000, .frame = feed_u8(f) & 3,
                             .flags = feed_u32(f) & 0x3ff, .page = feed_u8(f) & 7, .last_page = feed_u8(f) & 7};
    q.preview_w = q.preview_h = feed_u8(f) & 63;
    q.raw_w = 64, q.raw_h = 48, q.other_w = feed_u8(f), q.other_h = feed_u8(f);
    q.drawn_w = q.other_w & 63, q.drawn_h = q.other_h & 63;
    q.limits = (struct fit_limits){.max_edge = feed_size(f) % 4096, .min_edge = feed_u8(f), .max_patches = feed_u8(f) & 1 ? 100 : 0,
                                   .max_bytes = 1 << 20, .quality = 75, .resize = feed_u8(f) & 1};
    q.region = (struct fit_box){feed_u8(f), feed_u8(f), feed_u8(f), feed_u8(f), feed_u8(f) & 1, feed_u8(f) & 1};
    return q;
}

static struct work_reply honest(const struct work_request *q)
{
    struct work_reply r = {.magic = WORK_MAGIC, .source_w = 64, .source_h = 48, .extent_w = 64, .extent_h = 48, .unit_w = 1, .unit_h = 1, .frames = 1, .pages = 8,
                           .orientation = 1, .media = MEDIA_PNG, .width = 64, .height = 48, .crop = {0, 0, 64, 48},
                           .time_ms = -1, .duration_ms = -1, .image_len = sizeof png - 1};
    struct rect c;
    if (fit_crop(&q->region, (struct size){64, 48}, &c)) {
        struct size t = fit_target(&q->limits, (struct size){c.w, c.h});
        r.crop = (struct area){c.x, c.y, c.w, c.h};
        r.width = t.w, r.height = t.h;
    }
    if (work_sized(q) && media_drawn((enum media)q->media))
        r.width = q->drawn_w, r.height = q->drawn_h;
    if (q->flags & (WORK_RAW | WORK_RGBA)) {
        r.media = MEDIA_NONE;
        r.image_len = (uint64_t)r.width * r.height * (q->flags & WORK_RGBA ? 4 : 1);
    }
    return r;
}

/* Some bytes of it become others. */
static void lie(struct feed *f, void *what, size_t size)
{
    for (unsigned n = feed_u8(f) & 7; n; n--) {
        uint32_t at = feed_u32(f) % (uint32_t)size;
        unsigned bytes = 1 + feed_u8(f) % 8;
        feed_take(f, (uint8_t *)what + at, MIN((size_t)bytes, size - at));
    }
}

static void claim_picture(const struct work_request *q, const struct work_reply *r, const uint8_t *data)
{
    uint32_t most = q->media == MEDIA_SVG ? LIMIT_DRAWING : LIMIT_SIDE;
    CLAIM(r->source_w >= 1 && r->source_w <= most && r->source_h >= 1 && r->source_h <= most);
    CLAIM(r->width >= 1 && r->height >= 1 && r->width <= LIMIT_SIDE && r->height <= LIMIT_SIDE);
    CLAIM(isfinite(r->crop.x) && isfinite(r->crop.y) && r->crop.w > 0 && r->crop.h > 0);
    CLAIM(isfinite(r->origin_x) && isfinite(r->origin_y) && isfinite(r->line_top) && isfinite(r->line_height));
    CLAIM(r->orientation >= 1 && r->orientation <= 8 && r->frames >= 1 && r->frames <= LIMIT_FRAMES && r->pages >= 1 && r->pages <= LIMIT_PAGES);
    CLAIM(r->time_ms >= -1 && r->duration_ms >= -1);
    CLAIM(q->media == MEDIA_TEXT || (!r->first_line && !r->last_line && !r->total_lines && !r->part_first && !r->part_last));
    CLAIM(!r->part_last || (r->part_first >= 1 && r->part_first >= r->first_line && r->part_first <= r->part_last && r->part_last <= r->last_line));
    CLAIM(!(r->facts & WORK_PARTIAL) || (q->media == MEDIA_MP4 && q->flags & WORK_SHEET && r->cells));
    CLAIM(!(r->facts & WORK_DAMAGED) || q->media == MEDIA_MP4);
    CLAIM(!(r->facts & WORK_ROUNDED) || (!r->cells && (q->media == MEDIA_PNG || q->media == MEDIA_GIF || q->media == MEDIA_MP4)));
    CLAIM(!(r->facts & WORK_CSS_PIXELS) || q->media == MEDIA_SVG);
    CLAIM(!(r->facts & WORK_CSS_PIXELS) || (r->unit_w == 1 && r->unit_h == 1 && r->origin_x == 0 && r->origin_y == 0));
    CLAIM((r->unit_w == 1 && r->unit_h == 1) ||
          (q->media == MEDIA_SVG && r->unit_w > 0 && r->unit_h > 0 && isfinite(r->unit_h / r->unit_w)));
    CLAIM(!work_sized(q) || !media_drawn((enum media)q->media) || r->cells || (r->width == q->drawn_w && r->height == q->drawn_h));
    if (q->flags & (WORK_RAW | WORK_RGBA))
        return;
    struct sniff s;
    sniff(data, (size_t)r->image_len, r->image_len, &s);
    CLAIM(s.media == r->media && s.width == r->width && s.height == r->height);
    CLAIM(q->flags & WORK_WEBP_OK || s.media != MEDIA_WEBP);
    CLAIM(!(q->flags & WORK_NO_GIF) || s.media != MEDIA_GIF);
}

static void claim_cells(const struct work_request *q, const struct work_reply *r, const uint8_t *cells)
{
    bool diff = q->flags & WORK_DIFF;
    uint32_t labels = 0;
    CLAIM(!r->cells || q->flags & (WORK_SHEET | WORK_DIFF));
    for (uint32_t i = 0; i < r->cells; i++) {
        struct work_cell c;
        memcpy(&c, cells + i * sizeof c, sizeof c);
        CLAIM(c.w && c.h && c.number >= 1 && c.labels <= (WORK_LABEL_NUMBER | WORK_LABEL_TIME));
        CLAIM(!(c.labels & WORK_LABEL_TIME) || (!diff && c.time_ms >= 0));
        CLAIM(!diff || !i || c.labels == labels);
        labels = c.labels;
        CLAIM((double)c.x + c.w <= (diff ? MAX(q->raw_w, q->other_w) : r->crop.w));
        CLAIM((double)c.y + c.h <= (diff ? MAX(q->raw_h, q->other_h) : r->crop.h));
    }
}

static void claim_text(const uint8_t *data, size_t len)
{
    struct work_text t;
    memcpy(&t, data, sizeof t);
    const char *text = (const char *)data + len - t.text_len;
    CLAIM(t.text_len <= len && t.text_len <= LIMIT_OCR_TEXT && t.lines <= LIMIT_OCR_LINES && utf8_valid(text, t.text_len));
    for (size_t i = 0; i < t.text_len; i++)
        CLAIM(text[i] == '\n' || ((unsigned char)text[i] >= ' ' && text[i] != 0x7f));
    for (size_t i = 0; i < t.lines; i++) {
        struct work_line l;
        memcpy(&l, data + sizeof t + i * sizeof l, sizeof l);
        CLAIM(l.len && (uint64_t)l.at + l.len <= t.text_len);
    }
}

static void check(const struct work_request *q, const struct work_reply *r, struct feed *f)
{
    size_t len = 0;
    struct work_reply copy = *r;
    if (!check_length(q, r, &len))
        return;
    CLAIM(len <= LIMIT_RAW_OUTPUT + LIMIT_SHEET_CELLS * sizeof(struct work_cell) + LIMIT_DIFF_BOXES * sizeof(struct work_cell));
    if (len > 1 << 20)
        return;
    auto_free uint8_t *data = calloc(1, len ? len : 1);
    CLAIM(data);
    memcpy(data, png, MIN(len, sizeof png - 1));
    if (q->flags & WORK_TEXT || feed_u8(f) & 1)
        feed_take(f, data, MIN(len, f->left));
    if (!check_reply(q, r, data))
        return;
    CLAIM(!memcmp(&copy, r, sizeof copy) && memchr(r->detail, 0, sizeof r->detail) && r->status < WORK_STATUS_COUNT);
    if (r->status != WORK_OK)
        return;
    if (q->flags & WORK_TEXT) {
        claim_text(data, (size_t)r->image_len);
        return;
    }
    if (q->flags & WORK_REFS)
        return;
    claim_cells(q, r, data + len - r->cells * sizeof(struct work_cell));
    if (!(q->flags & WORK_DIFF))
        claim_picture(q, r, data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    struct work_hello hello = {.magic = WORK_MAGIC};
    struct work_request q = request_of(&f);
    struct work_reply r = honest(&q);
    if (q.flags & WORK_TEXT)
        r.image_len = f.left > 1 ? f.left - 1 : 0;
    lie(&f, &r, sizeof r);
    check(&q, &r, &f);
    lie(&f, &hello, sizeof hello);
    if (check_hello(&hello))
        CLAIM(memchr(hello.layer, 0, sizeof hello.layer) && memchr(hello.codecs, 0, sizeof hello.codecs));
    return 0;
}
