/* SPDX-License-Identifier: Apache-2.0 */
/* Animated PNG: frames found by their fcTL chunks and drawn on the shared canvas. The chunk walk has checked that the
 * numbering is sound and that each frame has data. */
#include "base/cleanup.h"
#include "bytes.h"
#include "png.h"

/* Offset of the next chunk of a type from an offset on; 0 when IEND comes first. */
static size_t find(const struct png_info *info, size_t at, uint32_t type)
{
    struct png_chunk k;
    while (png_chunk_at(info->data, info->len, at, &k, NULL) == WORK_OK && k.type != PNG_TYPE('I', 'E', 'N', 'D')) {
        if (k.type == type)
            return at;
        at = k.next;
    }
    return 0;
}

int png_frame_at(const struct png_info *info, size_t at, struct png_frame *ret, struct complaint *c)
{
    static const enum dispose disposes[] = {DISPOSE_KEEP, DISPOSE_CLEAR, DISPOSE_RESTORE};
    struct png_chunk k;
    int status = png_chunk_at(info->data, info->len, at, &k, c);
    if (status)
        return status;
    const uint8_t *d = k.data;
    struct rect box = {be32(d + 12), be32(d + 16), be32(d + 4), be32(d + 8)};
    if (!box.w || !box.h || box.x > info->width || box.w > info->width - box.x || box.y > info->height ||
        box.h > info->height - box.y || d[24] >= COUNT(disposes) || d[25] > 1)
        return complain(c, WORK_MALFORMED, "a frame's fcTL does not fit the picture");
    bool alpha = info->keyed || info->colour & 4;
    *ret = (struct png_frame){
        .frame = {box, disposes[d[24]], d[25] == 1, alpha},
        .next = find(info, k.next, PNG_TYPE('f', 'c', 'T', 'L')),
    };
    size_t own = find(info, k.next, PNG_TYPE('f', 'd', 'A', 'T'));
    bool still = at < info->idat && (!ret->next || ret->next > info->idat);
    ret->data = still ? info->idat : own;
    if (!ret->data)
        return complain(c, WORK_MALFORMED, "a frame has no data");
    return WORK_OK;
}

static int draw(const struct png_info *info, const struct png_frame *f, struct canvas *canvas, struct complaint *c)
{
    auto_free uint8_t *line = malloc((size_t)f->frame.box.w * 4);
    auto_free struct png_rows *rows = malloc(sizeof(*rows));
    if (!line || !rows)
        return complain(c, WORK_NO_MEMORY, "out of memory for a frame");
    int status = canvas_begin(canvas, &f->frame, c);
    if (!status)
        status = png_rows_open(rows, info, f->data, (struct size){f->frame.box.w, f->frame.box.h}, c);
    if (status)
        return status;
    for (uint32_t y = 0; y < f->frame.box.h && !status; y++) {
        status = png_rows_next(rows, line, c);
        if (!status)
            canvas_draw(canvas, y, line);
    }
    if (!status)
        status = png_rows_end(rows, c);
    png_rows_done(rows);
    return status;
}

/* Where drawing starts: *ret_at is that frame's fcTL. */
static int plan(const struct png_info *info, uint32_t want, size_t *ret_at, struct replay *ret, struct complaint *c)
{
    *ret = (struct replay){.size = {info->width, info->height}, .want = want};
    struct png_frame f;
    size_t at = info->first_frame;
    for (uint32_t i = 1; i <= want; i++, at = f.next) {
        int status = at ? png_frame_at(info, at, &f, c) : complain(c, WORK_MALFORMED, "frame %u is missing", i);
        if (status)
            return status;
        replay_add(ret, &f.frame);
        if (ret->first == i)
            *ret_at = at;
    }
    return check_pixels(info->width, info->height, ret->pixels, c);
}

int png_draw(const struct png_info *info, uint32_t want, struct canvas *ret, struct complaint *c)
{
    struct replay replay;
    size_t at = 0;
    int status = plan(info, want, &at, &replay, c);
    if (!status)
        status = canvas_init(ret, replay.size, c);
    if (status)
        return status;
    for (uint32_t i = replay.first; i <= want && !status; i++) {
        struct png_frame f;
        status = png_frame_at(info, at, &f, c);
        if (!status)
            status = draw(info, &f, ret, c);
        if (!status)
            at = f.next;
    }
    if (status)
        canvas_done(ret);
    return status;
}
