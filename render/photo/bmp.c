/* SPDX-License-Identifier: Apache-2.0 */
/* BMP: a bitmap behind fourteen bytes that say where its pixels are. */
#include "base/cleanup.h"
#include "bytes.h"
#include "dib.h"
#include "photo.h"

enum { FILE_HEADER = 14, PIXELS_AT = 10 };

struct decoder {
    struct dib dib;
    struct dib_rows rows;
};

static void close_bmp(struct decoder *d)
{
    if (!d)
        return;
    dib_rows_done(&d->rows);
    free(d);
}

static int open_bmp(const struct source *s, struct decoder **ret, struct header *ret_header, struct complaint *c)
{
    if (s->len < FILE_HEADER + 4)
        return complain(c, WORK_MALFORMED, "the header is cut");
    size_t pixels = le32(s->data + PIXELS_AT);
    if (pixels <= FILE_HEADER || pixels >= s->len)
        return complain(c, WORK_MALFORMED, "the pixels are said to begin at %zu of %zu bytes", pixels, s->len);
    auto_free struct decoder *d = calloc(1, sizeof *d);
    if (!d)
        return complain(c, WORK_NO_MEMORY, "out of memory");
    int status = dib_read(s->data + FILE_HEADER, s->len - FILE_HEADER, pixels - FILE_HEADER, false, &d->dib, c);
    if (status)
        return status;
    dib_header(&d->dib, ret_header);
    *ret = take(d);
    return WORK_OK;
}

static int start_bmp(struct decoder *d, const struct want *want, struct size *ret_size, struct complaint *c)
{
    int status = dib_rows_open(&d->rows, &d->dib, want->channels, c);
    if (!status)
        *ret_size = (struct size){d->dib.width, d->dib.height};
    return status;
}

static int row_bmp(struct decoder *d, uint8_t *out, struct complaint *c)
{
    (void)c;
    dib_rows_next(&d->rows, out);
    return WORK_OK;
}

/* That all rows are there was seen at the start. */
static int finish_bmp(struct decoder *d, struct complaint *c)
{
    (void)d;
    (void)c;
    return WORK_OK;
}

const struct decoder_ops decode_bmp = {
    .media = MEDIA_BMP,
    .library = "BMP built in",
    .open = open_bmp,
    .start = start_bmp,
    .row = row_bmp,
    .finish = finish_bmp,
    .close = close_bmp,
};
