/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HEIC and AVIF by libheif: HEVC through libde265, AV1 through dav1d. The primary image is page 1, other images that stand for
 * themselves are the pages behind it. libheif turns and mirrors what it gives, so rows are upright.
 */
#include <libheif/heif.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "heif_gap.h"
#include "pages.h"
#include "photo.h"
#include "pixels.h"

struct decoder {
    const struct source *source;
    struct heif_context *context;
    struct heif_image_handle *handle;
    struct heif_image *image;
    struct size size;
    bool alpha, premultiplied;
    uint8_t channels; /* of rows */
    const uint8_t *plane;
    size_t stride;
    uint32_t y;
    uint8_t *icc;
    size_t icc_len;
};

static void close_heif(struct decoder *d)
{
    if (!d)
        return;
    heif_image_release(d->image);
    heif_image_handle_release(d->handle);
    heif_context_free(d->context);
    free(d->icc);
    free(d);
}

static int refuse(struct heif_error e, struct complaint *c)
{
    if (e.subcode == heif_suberror_Security_limit_exceeded)
        return complain(c, WORK_TOO_LARGE, "a limit of libheif is exceeded");
    if (e.code == heif_error_Memory_allocation_error)
        return complain(c, WORK_NO_MEMORY, "out of memory");
    bool unknown = e.code == heif_error_Unsupported_feature || e.code == heif_error_Unsupported_filetype;
    const char *words = e.message ? e.message : "no reason given";
    return complain(c, unknown ? WORK_UNSUPPORTED : WORK_MALFORMED, "libheif: %.*s", (int)strcspn(words, "\n"), words);
}

/* The primary image first, then the others as they stand in the file. */
static int choose_image(struct decoder *d, uint32_t page, uint32_t *ret_pages, heif_item_id *ret, struct complaint *c)
{
    struct heif_error e = heif_context_get_primary_image_ID(d->context, ret);
    int n = heif_context_get_number_of_top_level_images(d->context);
    if (e.code)
        return refuse(e, c);
    if (n < 1 || n > LIMIT_HEIF_IMAGES)
        return complain(c, WORK_MALFORMED, "a file of %d images", n);
    *ret_pages = (uint32_t)n;
    if (n > 1 && page > (uint32_t)n)
        return complain(c, WORK_BAD_PAGE, "there are %d", n);
    if (n == 1 || page <= 1)
        return WORK_OK;
    heif_item_id ids[LIMIT_HEIF_IMAGES];
    n = heif_context_get_list_of_top_level_image_IDs(d->context, ids, n);
    uint32_t at = 1;
    for (int i = 0; i < n; i++)
        if (ids[i] != *ret && ++at == page) {
            *ret = ids[i];
            return WORK_OK;
        }
    return complain(c, WORK_MALFORMED, "image %u is not there", page);
}

static int read_profile(struct decoder *d, struct complaint *c)
{
    size_t len = heif_image_handle_get_raw_color_profile_size(d->handle);
    enum heif_color_profile_type type = heif_image_handle_get_color_profile_type(d->handle);
    if ((type != heif_color_profile_type_rICC && type != heif_color_profile_type_prof) || !len || len > LIMIT_ICC_BYTES)
        return WORK_OK;
    auto_free uint8_t *icc = malloc(len);
    if (!icc)
        return complain(c, WORK_NO_MEMORY, "no memory for the colour profile");
    if (heif_image_handle_get_raw_color_profile(d->handle, icc).code || profile_is_srgb(icc, len))
        return WORK_OK;
    d->icc = take(icc);
    d->icc_len = len;
    return WORK_OK;
}

static int open_image(struct decoder *d, const struct source *s, uint32_t *ret_pages, struct complaint *c)
{
    heif_item_id id;
    d->context = heif_context_alloc();
    if (!d->context)
        return complain(c, WORK_NO_MEMORY, "out of memory");
    heif_context_set_max_decoding_threads(d->context, 0);
    heif_context_set_maximum_image_size_limit(d->context, LIMIT_SIDE);
    struct heif_error e = heif_context_read_from_memory_without_copy(d->context, s->data, s->len, NULL);
    if (e.code)
        return refuse(e, c);
    if (heif_has_gap(s->data, s->len))
        return complain(c, WORK_MALFORMED, "zeros stand where the picture's data should");
    int status = choose_image(d, s->request ? s->request->page : 1, ret_pages, &id, c);
    if (status)
        return status;
    e = heif_context_get_image_handle(d->context, id, &d->handle);
    if (e.code)
        return refuse(e, c);
    int w = heif_image_handle_get_width(d->handle), h = heif_image_handle_get_height(d->handle);
    d->size = (struct size){(uint32_t)MAX(w, 0), (uint32_t)MAX(h, 0)};
    return check_sides(d->size.w, d->size.h, c);
}

static int open_heif(const struct source *s, struct decoder **ret, struct header *ret_header, struct complaint *c)
{
    uint32_t pages = 1;
    struct decoder *d = calloc(1, sizeof *d);
    if (!d)
        return complain(c, WORK_NO_MEMORY, "out of memory");
    int status = open_image(d, s, &pages, c);
    if (!status)
        status = read_profile(d, c);
    if (status) {
        *ret_header = (struct header){.pages = pages, .frames = 1};
        close_heif(d);
        return status;
    }
    d->alpha = heif_image_handle_has_alpha_channel(d->handle);
    d->premultiplied = d->alpha && heif_image_handle_is_premultiplied_alpha(d->handle);
    *ret_header = (struct header){
        .width = d->size.w,
        .height = d->size.h,
        .has_pages = pages > 1,
        .pages = pages,
        .frames = 1,
        .orientation = 1,
        .alpha = d->alpha,
        .exact = heif_image_handle_get_luma_bits_per_pixel(d->handle) <= 8,
        .lossy = true,
        .channels = d->alpha ? 4 : 3,
        .colour = COLOUR_RGBA,
        .icc = d->icc,
        .icc_len = d->icc_len,
    };
    d->source = s;
    *ret = d;
    return WORK_OK;
}

static int decode(struct decoder *d, struct complaint *c)
{
    struct heif_decoding_options *options = heif_decoding_options_alloc();
    if (!options)
        return complain(c, WORK_NO_MEMORY, "out of memory");
    options->strict_decoding = 1;
    options->convert_hdr_to_8bit = 1;
    struct heif_error e = heif_decode_image(d->handle, &d->image, heif_colorspace_RGB,
                                            d->channels == 4 ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB,
                                            options);
    heif_decoding_options_free(options);
    if (e.code)
        return refuse(e, c);
    int stride = 0;
    d->plane = heif_image_get_plane_readonly(d->image, heif_channel_interleaved, &stride);
    bool same = heif_image_get_width(d->image, heif_channel_interleaved) == (int)d->size.w &&
                heif_image_get_height(d->image, heif_channel_interleaved) == (int)d->size.h;
    if (!d->plane || !same || stride < 0 || (size_t)stride < (size_t)d->size.w * d->channels)
        return complain(c, WORK_MALFORMED, "the picture is not of the size that its header tells");
    d->stride = (size_t)stride;
    return WORK_OK;
}

static int sheet_heif(const struct decoder_ops **ops, struct decoder **d, struct header *h, const struct fit_limits *limits,
                      struct complaint *c)
{
    return pages_sheet((*d)->source, ops, d, h, limits, c);
}

static int start_heif(struct decoder *d, const struct want *want, struct size *ret_size, struct complaint *c)
{
    int status = check_pixels(d->size.w, d->size.h, (uint64_t)d->size.w * d->size.h, c);
    d->channels = want->channels == 3 ? 3 : 4;
    if (!status)
        status = decode(d, c);
    if (!status)
        *ret_size = d->size;
    return status;
}

static int row_heif(struct decoder *d, uint8_t *out, struct complaint *c)
{
    (void)c;
    memcpy(out, d->plane + d->y++ * d->stride, (size_t)d->size.w * d->channels);
    if (d->premultiplied)
        unpremultiply(out, d->size.w);
    return WORK_OK;
}

/* Strict decoding has seen to it. */
static int finish_heif(struct decoder *d, struct complaint *c)
{
    (void)d;
    (void)c;
    return WORK_OK;
}

#define HEIF_OPS(type, what)      \
    {                             \
        .media = (type),          \
        .library = (what),        \
        .open = open_heif,        \
        .start = start_heif,      \
        .row = row_heif,          \
        .finish = finish_heif,    \
        .close = close_heif,      \
        .sheet = sheet_heif,      \
    }

const struct decoder_ops decode_heic = HEIF_OPS(MEDIA_HEIC, "libheif, libde265");
const struct decoder_ops decode_avif = HEIF_OPS(MEDIA_AVIF, "libheif, dav1d");
