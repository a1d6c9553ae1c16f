/* SPDX-License-Identifier: Apache-2.0 */
/* TIFF by libtiff, page by page. */
#include "tiff.h"

#include "base/cleanup.h"
#include "base/limits.h"
#include "pages.h"
#include "photo.h"

struct decoder {
    const struct source *source;
    struct tiff_file file;
    struct tiff_info info;
    struct tiff_rows rows;
};

static void close_tiff(struct decoder *d)
{
    if (!d)
        return;
    tiff_rows_done(&d->rows);
    tiff_info_done(&d->info);
    tiff_file_close(&d->file);
    free(d);
}

static bool is_lossy(uint16_t compression)
{
    return compression == COMPRESSION_JPEG || compression == COMPRESSION_OJPEG || compression == COMPRESSION_WEBP ||
           compression == COMPRESSION_LERC;
}

static void fill_header(const struct decoder *d, uint32_t pages, struct header *ret)
{
    static const uint8_t fewest[] = {[TIFF_GRAY] = 1, [TIFF_PALETTE] = 3, [TIFF_RGB] = 3, [TIFF_INKS] = 4, [TIFF_BY_LIBRARY] = 3};
    const struct tiff_info *i = &d->info;
    uint16_t orientation = 1;
    uint32_t len = 0;
    void *icc = NULL;
    (void)TIFFGetFieldDefaulted(d->file.tiff, TIFFTAG_ORIENTATION, &orientation);
    /* What libtiff converts has left its profile's colours. */
    bool profile = i->kind != TIFF_BY_LIBRARY && TIFFGetField(d->file.tiff, TIFFTAG_ICCPROFILE, &len, &icc) && icc && len &&
                   len <= LIMIT_ICC_BYTES && !profile_is_srgb(icc, len);
    *ret = (struct header){
        .width = i->width,
        .height = i->height,
        .has_pages = pages > 1,
        .pages = pages,
        .frames = 1,
        .orientation = orientation >= 1 && orientation <= 8 ? (uint8_t)orientation : 1,
        .alpha = i->alpha,
        .exact = i->bits <= 8 && i->kind != TIFF_BY_LIBRARY,
        .lossy = is_lossy(i->compression),
        .channels = i->alpha ? 4 : fewest[i->kind],
        .colour = i->kind == TIFF_GRAY ? COLOUR_GRAY : i->kind == TIFF_INKS ? COLOUR_CMYK : COLOUR_RGBA,
        .icc = profile ? icc : NULL,
        .icc_len = profile ? len : 0,
    };
}

static int open_page(const struct source *s, struct decoder *d, uint32_t *ret_pages, struct complaint *c)
{
    uint32_t page = s->request && s->request->page ? s->request->page : 1;
    uint64_t at;
    int status = tiff_find_page(s->data, s->len, page, &at, ret_pages, c);
    if (!status)
        status = tiff_file_open(&d->file, s->data, s->len, c);
    if (!status && !TIFFSetSubDirectory(d->file.tiff, at))
        status = tiff_file_refuse(&d->file, "its directory is damaged", c);
    return status ? status : tiff_read_info(&d->file, &d->info, c);
}

static int open_tiff(const struct source *s, struct decoder **ret, struct header *ret_header, struct complaint *c)
{
    uint32_t pages = 1;
    struct decoder *d = calloc(1, sizeof *d);
    if (!d)
        return complain(c, WORK_NO_MEMORY, "out of memory");
    int status = open_page(s, d, &pages, c);
    if (status) {
        *ret_header = (struct header){.pages = pages, .frames = 1};
        close_tiff(d);
        return status;
    }
    fill_header(d, pages, ret_header);
    d->source = s;
    *ret = d;
    return WORK_OK;
}

static int sheet_tiff(const struct decoder_ops **ops, struct decoder **d, struct header *h, const struct fit_limits *limits,
                      struct complaint *c)
{
    return pages_sheet((*d)->source, ops, d, h, limits, c);
}

static int start_tiff(struct decoder *d, const struct want *want, struct size *ret_size, struct complaint *c)
{
    int status = tiff_rows_open(&d->rows, &d->file, &d->info, want->channels, c);
    if (!status)
        *ret_size = (struct size){d->info.width, d->info.height};
    return status;
}

static int row_tiff(struct decoder *d, uint8_t *out, struct complaint *c)
{
    return tiff_rows_next(&d->rows, out, c);
}

/* Every strip and tile was decoded to its end. */
static int finish_tiff(struct decoder *d, struct complaint *c)
{
    return d->file.damaged ? tiff_file_refuse(&d->file, "its pixels are damaged", c) : WORK_OK;
}

const struct decoder_ops decode_tiff = {
    .media = MEDIA_TIFF,
    .library = "libtiff",
    .open = open_tiff,
    .start = start_tiff,
    .row = row_tiff,
    .finish = finish_tiff,
    .close = close_tiff,
    .sheet = sheet_tiff,
};
