/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WebP by libwebp. A still picture is fed to the incremental decoder a slice at a time, so that rows come out while the
 * rest is not decoded yet; frames of an animation are decoded whole and drawn on the canvas. The library wants room for
 * all rows, but the pages of those handed out go back at once, so that only a few are ever held.
 */
#include <string.h>
#include <sys/mman.h>
#include <webp/decode.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "frames.h"
#include "webp_chunks.h"

enum {
    SLICE = 32 * 1024,
    STILL_LOSSY = 1, /* what WebPBitstreamFeatures calls format */
    STILL_LOSSLESS = 2,
    GIVEN_BACK = 1 << 20, /* at once; a whole number of pages */
};

struct decoder {
    struct webp_info info;
    WebPBitstreamFeatures still; /* of a picture that is not animated */
    struct canvas canvas;        /* of one that is */
    struct webp_frame frame;     /* read last */
    WebPDecoderConfig config;
    WebPIDecoder *incremental;
    size_t fed; /* bytes that the library may see */
    uint8_t *pixels; /* where it writes */
    size_t room, given_back;
    struct size size;
    uint32_t next_row, ready; /* rows handed out, rows decoded */
};

static int refuse(VP8StatusCode code, struct complaint *c)
{
    static const struct {
        enum work_status status;
        const char *words;
    } rows[] = {
        [VP8_STATUS_OUT_OF_MEMORY] = {WORK_NO_MEMORY, "out of memory for a WebP"},
        [VP8_STATUS_INVALID_PARAM] = {WORK_MALFORMED, "the bitstream does not fit its frame"},
        [VP8_STATUS_BITSTREAM_ERROR] = {WORK_MALFORMED, "the bitstream is damaged"},
        [VP8_STATUS_UNSUPPORTED_FEATURE] = {WORK_UNSUPPORTED, "a WebP feature that libwebp does not know"},
        [VP8_STATUS_SUSPENDED] = {WORK_MALFORMED, "the bitstream ends early"},
        [VP8_STATUS_USER_ABORT] = {WORK_MALFORMED, "the bitstream is damaged"},
        [VP8_STATUS_NOT_ENOUGH_DATA] = {WORK_MALFORMED, "the bitstream ends early"},
    };
    size_t i = (size_t)code < COUNT(rows) && rows[code].words ? (size_t)code : VP8_STATUS_BITSTREAM_ERROR;
    return complain(c, rows[i].status, "%s", rows[i].words);
}

static void close_webp(struct decoder *d)
{
    if (!d)
        return;
    if (d->incremental)
        WebPIDelete(d->incremental);
    if (d->pixels)
        (void)munmap(d->pixels, d->room);
    canvas_done(&d->canvas);
    free(d);
}

static struct header header_of(const struct decoder *d)
{
    const struct webp_info *info = &d->info;
    struct header h = {
        .width = info->frames ? info->canvas.w : (uint32_t)d->still.width,
        .height = info->frames ? info->canvas.h : (uint32_t)d->still.height,
        .frames = MAX(info->frames, 1u),
        .orientation = 1,
        .alpha = info->frames || d->still.has_alpha,
        .exact = true,
        .lossy = !info->frames && d->still.format == STILL_LOSSY,
        .channels = 4,
        .colour = COLOUR_RGBA,
    };
    if (info->flags & WEBP_EXIF && info->exif.data)
        h.orientation = exif_orientation(info->exif.data, info->exif.len);
    if (info->flags & WEBP_ICC && info->icc.data && info->icc.len <= LIMIT_ICC_BYTES &&
        !profile_is_srgb(info->icc.data, info->icc.len)) {
        h.icc = info->icc.data;
        h.icc_len = info->icc.len;
    }
    return h;
}

static int open_webp(const struct source *s, struct decoder **ret, struct header *ret_header, struct complaint *c)
{
    const uint8_t *data = s->data;
    size_t len = s->len;
    struct decoder *d = calloc(1, sizeof(*d));
    if (!d)
        return complain(c, WORK_NO_MEMORY, "out of memory");
    int status = webp_read_info(data, len, &d->info, c);
    if (!status && !d->info.frames) {
        VP8StatusCode code = WebPGetFeatures(data, d->info.len, &d->still);
        status = code ? refuse(code, c) : WORK_OK;
    }
    struct header h = {0};
    if (!status) {
        h = header_of(d);
        status = check_sides(h.width, h.height, c);
    }
    if (status) {
        close_webp(d);
        return status;
    }
    *ret_header = h;
    *ret = d;
    return WORK_OK;
}

/* Bytes enough that it must be a photo: drawn pictures stay below half a bit for each pixel. */
static bool is_photo(const struct decoder *d, uint64_t pixels)
{
    return !d->still.has_alpha && d->info.len * 8 > pixels * 6 / 10;
}

/* Photos are scaled by the library while it decodes: softer than the caller's scaling, but in a third of the memory, and
 * what other tools give. Drawn pictures, where letters count, come at full size. Beyond LIMIT_PIXELS the library has to
 * scale. Lossless pictures and alpha planes are whole in memory first. */
static int choose_size(struct decoder *d, struct size least, struct complaint *c)
{
    uint32_t w = (uint32_t)d->still.width, h = (uint32_t)d->still.height;
    uint64_t state = (uint64_t)w * h * (d->still.format == STILL_LOSSLESS ? 4 : d->still.has_alpha ? 1 : 0);
    if ((uint64_t)w * h > LIMIT_PIXELS && state > LIMIT_CODEC_STATE)
        return check_pixels(w, h, (uint64_t)w * h, c);
    uint32_t by = 1;
    while ((uint64_t)((w + by - 1) / by) * ((h + by - 1) / by) > LIMIT_PIXELS)
        by++;
    d->size = (struct size){(w + by - 1) / by, (h + by - 1) / by};
    if (least.w && least.h && least.w < d->size.w && least.h < d->size.h && is_photo(d, (uint64_t)w * h))
        d->size = least;
    d->config.options.use_scaling = d->size.w != w || d->size.h != h;
    d->config.options.scaled_width = (int)d->size.w;
    d->config.options.scaled_height = (int)d->size.h;
    return WORK_OK;
}

static int make_room(struct decoder *d, struct complaint *c)
{
    size_t stride = (size_t)d->size.w * 4, bytes = stride * d->size.h; /* LIMIT_PIXELS was checked */
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return complain(c, WORK_NO_MEMORY, "out of memory for a WebP of %ux%u", d->size.w, d->size.h);
    d->pixels = p;
    d->room = bytes;
    d->config.output.colorspace = MODE_RGBA;
    d->config.output.is_external_memory = 1;
    d->config.output.u.RGBA = (WebPRGBABuffer){p, (int)stride, bytes};
    return WORK_OK;
}

static int start_still(struct decoder *d, struct size least, struct complaint *c)
{
    if (!WebPInitDecoderConfig(&d->config))
        return complain(c, WORK_UNSUPPORTED, "libwebp is not the version that fovea was built with");
    int status = choose_size(d, least, c);
    if (!status)
        status = make_room(d, c);
    if (status)
        return status;
    d->config.options.use_threads = 1; /* the loop filter runs beside; a quarter faster on large lossy ones */
    d->incremental = WebPIDecode(NULL, 0, &d->config);
    return d->incremental ? WORK_OK : complain(c, WORK_NO_MEMORY, "out of memory");
}

/* A lossless bitstream can hold alpha that its header denies: nobody shows it. */
static void set_opaque(uint8_t *rgba, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++)
        rgba[i * 4 + 3] = 255;
}

static int next_frame(void *of, size_t *at, struct frame *ret, struct complaint *c)
{
    struct decoder *d = of;
    struct webp_frame *f = &d->frame;
    int status = webp_next_frame(&d->info, at, f, c);
    if (status)
        return status;
    WebPBitstreamFeatures features;
    VP8StatusCode code = WebPGetFeatures(f->data, f->len, &features);
    if (code)
        return refuse(code, c);
    if ((uint32_t)features.width != f->frame.box.w || (uint32_t)features.height != f->frame.box.h)
        return complain(c, WORK_MALFORMED, "a frame's bitstream is not of the frame's size");
    f->frame.transparent = features.has_alpha;
    *ret = f->frame;
    return WORK_OK;
}

static int draw_frame(void *of, struct canvas *v, struct complaint *c)
{
    const struct webp_frame *f = &((struct decoder *)of)->frame;
    size_t stride = (size_t)f->frame.box.w * 4, bytes = stride * f->frame.box.h;
    auto_free uint8_t *pixels = malloc(bytes);
    if (!pixels)
        return complain(c, WORK_NO_MEMORY, "out of memory for a frame of %ux%u", f->frame.box.w, f->frame.box.h);
    if (!WebPDecodeRGBAInto(f->data, f->len, pixels, bytes, (int)stride))
        return complain(c, WORK_MALFORMED, "a frame's bitstream is damaged or ends early");
    if (!f->frame.transparent)
        set_opaque(pixels, bytes / 4);
    for (uint32_t y = 0; y < f->frame.box.h; y++)
        canvas_draw(v, y, pixels + y * stride);
    return WORK_OK;
}

static struct animation animation_of(struct decoder *d)
{
    return (struct animation){d, d->info.canvas, d->info.first_frame, next_frame, draw_frame};
}

static int sheet_webp(const struct decoder_ops **ops, struct decoder **d, struct header *h, const struct fit_limits *limits,
                      struct complaint *c)
{
    struct animation a = animation_of(*d);
    return frames_sheet(&a, ops, d, h, limits, c);
}

static int start_frames(struct decoder *d, uint32_t want, struct complaint *c)
{
    struct animation a = animation_of(d);
    d->size = d->info.canvas;
    return canvas_play(&d->canvas, &a, want, c);
}

static int start_webp(struct decoder *d, const struct want *want, struct size *ret_size, struct complaint *c)
{
    uint32_t frames = MAX(d->info.frames, 1u);
    if (!want->frame || want->frame > frames)
        return complain(c, WORK_BAD_FRAME, "frame %u of %u", want->frame, frames);
    int status = d->info.frames ? start_frames(d, want->frame, c) : start_still(d, want->least, c);
    if (!status)
        *ret_size = d->size;
    return status;
}

/* Decodes another slice. */
static int feed(struct decoder *d, struct complaint *c)
{
    if (d->fed == d->info.len)
        return refuse(VP8_STATUS_SUSPENDED, c);
    d->fed += MIN((size_t)SLICE, d->info.len - d->fed);
    VP8StatusCode code = WebPIUpdate(d->incremental, d->info.data, d->fed);
    if (code != VP8_STATUS_OK && code != VP8_STATUS_SUSPENDED)
        return refuse(code, c);
    int rows = 0;
    if (WebPIDecGetRGB(d->incremental, &rows, NULL, NULL, NULL))
        d->ready = (uint32_t)MAX(rows, 0);
    if (code == VP8_STATUS_OK)
        d->fed = d->info.len;
    return WORK_OK;
}

/* The pages of rows before an offset: nobody reads them again. */
static void give_back(struct decoder *d, size_t before)
{
    if (before - d->given_back < GIVEN_BACK)
        return;
    (void)madvise(d->pixels + d->given_back, GIVEN_BACK, MADV_DONTNEED);
    d->given_back += GIVEN_BACK;
}

static int row_webp(struct decoder *d, uint8_t *out, struct complaint *c)
{
    if (d->info.frames) {
        canvas_row(&d->canvas, out);
        return WORK_OK;
    }
    while (d->next_row >= d->ready) {
        int status = feed(d, c);
        if (status)
            return status;
    }
    size_t stride = (size_t)d->size.w * 4;
    memcpy(out, d->pixels + d->next_row++ * stride, stride);
    give_back(d, d->next_row * stride);
    if (!d->still.has_alpha)
        set_opaque(out, d->size.w);
    return WORK_OK;
}

/* All rows are there; the rest of the data must be, too. */
static int finish_webp(struct decoder *d, struct complaint *c)
{
    while (!d->info.frames && d->fed < d->info.len) {
        int status = feed(d, c);
        if (status)
            return status;
    }
    return WORK_OK;
}

const struct decoder_ops decode_webp = {
    .media = MEDIA_WEBP,
    .library = "libwebp",
    .open = open_webp,
    .start = start_webp,
    .row = row_webp,
    .finish = finish_webp,
    .close = close_webp,
    .sheet = sheet_webp,
    .strip = strip,
};
