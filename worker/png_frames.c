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
    uint32_t parts = be16(d + 22), delay = be16(d + 20) * 1000u / (parts ? parts : 100);
    *ret = (struct png_frame){
        .frame = {box, disposes[d[24]], d[25] == 1, alpha, delay},
        .next = find(info, k.next, PNG_TYPE('f', 'c', 'T', 'L')),
    };
    size_t own = find(info, k.next, PNG_TYPE('f', 'd', 'A', 'T'));
    bool still = at < info->idat && (!ret->next || ret->next > info->idat);
    ret->data = still ? info->idat : own;
    if (!ret->data)
        return complain(c, WORK_MALFORMED, "a frame has no data");
    return WORK_OK;
}

static int next_frame(void *of, size_t *at, struct frame *ret, struct complaint *c)
{
    struct png_player *p = of;
    int status = *at ? png_frame_at(p->info, *at, &p->frame, c) : complain(c, WORK_MALFORMED, "a frame is missing");
    if (status)
        return status;
    *at = p->frame.next;
    *ret = p->frame.frame;
    return WORK_OK;
}

static int draw_frame(void *of, struct canvas *v, struct complaint *c)
{
    const struct png_player *p = of;
    const struct rect *box = &p->frame.frame.box;
    auto_free uint8_t *line = malloc((size_t)box->w * 4);
    auto_free struct png_rows *rows = malloc(sizeof(*rows));
    if (!line || !rows)
        return complain(c, WORK_NO_MEMORY, "out of memory for a frame");
    int status = png_rows_open(rows, p->info, p->frame.data, (struct size){box->w, box->h}, 4, c);
    if (status)
        return status;
    for (uint32_t y = 0; y < box->h && !status; y++) {
        status = png_rows_next(rows, line, c);
        if (!status)
            canvas_draw(v, y, line);
    }
    if (!status)
        status = png_rows_end(rows, c);
    png_rows_done(rows);
    return status;
}

struct animation png_animation(struct png_player *p, const struct png_info *info)
{
    *p = (struct png_player){.info = info};
    return (struct animation){p, {info->width, info->height}, info->first_frame, next_frame, draw_frame};
}
