/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WebP by libwebp: lossy in three ways, and lossless. Method 2 takes 0.4 of the time of method 4 and loses 0.4 dB at the
 * same quality for 6 % more bytes. Less noise shaping makes up for most of it: on drawn pictures all, within 1.08 of the
 * bytes; on photos at 5 points less quality all but 0.4 dB, at the same bytes (24 photos). Where that is not good
 * enough the ladder asks for method 4.
 * An opaque picture's colours are converted here, in a tenth of the time that libwebp's own import takes.
 */
#include <errno.h>
#include <webp/encode.h>

#include "encode.h"
#include "yuv.h"

#define LOSSY_SHARES {66, 75, 83, 93, 100, 122, 207, 300, 467}

static void picture_free(WebPPicture *p)
{
    WebPPictureFree(p);
}

/* Opaque: own conversion into the planes. Otherwise libwebp's, which weighs colours by their coverage. */
static int import_lossy(WebPPicture *p, const struct image *m)
{
    p->use_argb = 0;
    if (!m->opaque)
        return WebPPictureImportRGBA(p, m->px, (int)image_stride(m)) ? 0 : -ENOMEM;
    p->colorspace = WEBP_YUV420;
    if (!WebPPictureAlloc(p))
        return -ENOMEM;
    struct yuv planes = {p->y, p->u, p->v, (size_t)p->y_stride, (size_t)p->uv_stride};
    yuv_of(m, &planes);
    return 0;
}

static int import_lossless(WebPPicture *p, const struct image *m)
{
    p->use_argb = 1;
    int ok = m->opaque ? WebPPictureImportRGBX(p, m->px, (int)image_stride(m))
                       : WebPPictureImportRGBA(p, m->px, (int)image_stride(m));
    return ok ? 0 : -ENOMEM;
}

static int error_of(WebPEncodingError e)
{
    return e == VP8_ENC_ERROR_PARTITION0_OVERFLOW || e == VP8_ENC_ERROR_PARTITION_OVERFLOW ? -EFBIG : -ENOMEM;
}

static int encode_as(const struct image *m, const WebPConfig *config, const struct encoder *by, struct encoded *ret)
{
    if (m->size.w > WEBP_MAX_DIMENSION || m->size.h > WEBP_MAX_DIMENSION)
        return -EFBIG;
    cleanup(picture_free) WebPPicture p = {0}; /* freed also when the next call fails */
    WebPMemoryWriter out;
    if (!WebPPictureInit(&p))
        return -ENOSYS;
    WebPMemoryWriterInit(&out);
    p.width = (int)m->size.w;
    p.height = (int)m->size.h;
    p.writer = WebPMemoryWrite;
    p.custom_ptr = &out;
    int e = config->lossless ? import_lossless(&p, m) : import_lossy(&p, m);
    if (!e && !WebPEncode(config, &p))
        e = error_of(p.error_code);
    if (e) {
        WebPMemoryWriterClear(&out);
        return e;
    }
    *ret = (struct encoded){out.mem, out.size, by, m->size};
    return 0;
}

struct lossy {
    int method, shaping;
    unsigned less; /* quality points taken off */
};

static int encode_lossy(const struct image *m, unsigned quality, const struct lossy *how, const struct encoder *by,
                        struct encoded *ret)
{
    WebPConfig config;
    if (!WebPConfigInit(&config))
        return -ENOSYS;
    config.quality = (float)(quality > how->less ? quality - how->less : quality);
    config.method = how->method;
    config.sns_strength = how->shaping;
    config.alpha_filtering = 0; /* up to a third faster than the usual guess, and no larger */
    config.thread_level = 1;
    return encode_as(m, &config, by, ret);
}

static int encode_drawn(const struct image *m, unsigned quality, struct encoded *ret)
{
    return encode_lossy(m, quality, &(struct lossy){2, 37, 0}, &encode_webp, ret);
}

static int encode_photo(const struct image *m, unsigned quality, struct encoded *ret)
{
    return encode_lossy(m, quality, &(struct lossy){2, 30, 5}, &encode_webp_photo, ret);
}

static int encode_thorough(const struct image *m, unsigned quality, struct encoded *ret)
{
    return encode_lossy(m, quality, &(struct lossy){4, 50, 0}, &encode_webp_thorough, ret);
}

static int encode_lossless(const struct image *m, unsigned quality, struct encoded *ret)
{
    (void)quality;
    WebPConfig config;
    if (!WebPConfigInit(&config))
        return -ENOSYS;
    config.lossless = 1;
    config.quality = 75;
    config.method = 1; /* on screenshots a tenth faster than 4 and no larger */
    config.thread_level = 1;
    return encode_as(m, &config, &encode_webp_lossless, ret);
}

const struct encoder encode_webp = {
    .media = MEDIA_WEBP,
    .alpha = true,
    .max_side = WEBP_MAX_DIMENSION,
    .shares = LOSSY_SHARES,
    .encode = encode_drawn,
};
const struct encoder encode_webp_photo = {
    .media = MEDIA_WEBP,
    .alpha = true,
    .max_side = WEBP_MAX_DIMENSION,
    .shares = LOSSY_SHARES,
    .encode = encode_photo,
};
const struct encoder encode_webp_thorough = {
    .media = MEDIA_WEBP,
    .alpha = true,
    .max_side = WEBP_MAX_DIMENSION,
    .shares = LOSSY_SHARES,
    .encode = encode_thorough,
};
const struct encoder encode_webp_lossless = {
    .media = MEDIA_WEBP,
    .lossless = true,
    .alpha = true,
    .max_side = WEBP_MAX_DIMENSION,
    .encode = encode_lossless,
};
