/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does a bitstream reach to the end of its chunk? Neither kind of WebP says where its data ends; only decoding finds out.
 * So the picture is decoded without its last bytes, which must not be enough. That costs less than showing it does, for
 * only its last pixels are made, unfiltered, and far less than encoding it anew.
 */
#include <string.h>
#include <webp/decode.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "webp_chunks.h"

enum {
    TAIL = 8,      /* bytes held back: more than encoders pad with */
    ALPHA_RAW = 0, /* methods of ALPH */
    ALPHA_LOSSLESS = 1,
    LOSSLESS_HEAD = 5,
};

/* True unless the picture is complete without the last bytes of the file. */
static bool needs_tail(const uint8_t *file, size_t len)
{
    WebPDecoderConfig config;
    if (len <= TAIL || !WebPInitDecoderConfig(&config) || WebPGetFeatures(file, len, &config.input))
        return false;
    config.output.colorspace = MODE_RGBA;
    config.options.bypass_filtering = config.options.no_fancy_upsampling = config.options.use_threads = 1;
    config.options.use_cropping = 1;
    config.options.crop_top = (config.input.height - 1) & ~1;
    config.options.crop_width = 1;
    config.options.crop_height = config.input.height - config.options.crop_top;
    WebPIDecoder *d = WebPIDecode(NULL, 0, &config);
    bool needs = d && WebPIUpdate(d, file, len - TAIL) != VP8_STATUS_OK;
    if (d)
        WebPIDelete(d);
    WebPFreeDecBuffer(&config.output);
    return needs;
}

static void put_le(uint8_t *to, uint32_t v)
{
    memcpy(to, (uint8_t[4]){(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)}, 4);
}

/* Compressed alpha is a lossless bitstream without its header: with one, and in a file, it can be decoded alone. */
static bool alpha_needs_tail(const struct webp_chunk *alpha, struct size size)
{
    enum { HEAD = WEBP_HEAD + 8 + LOSSLESS_HEAD };
    size_t coded = alpha->len - 1, len = HEAD + coded;
    auto_free uint8_t *file = malloc(len);
    if (!file || len > UINT32_MAX)
        return false;
    memcpy(file, "RIFF....WEBPVP8L....\x2f", WEBP_HEAD + 9);
    put_le(file + 4, (uint32_t)len - 8);
    put_le(file + WEBP_HEAD + 4, (uint32_t)(LOSSLESS_HEAD + coded));
    put_le(file + WEBP_HEAD + 9, (size.w - 1) | (size.h - 1) << 14);
    memcpy(file + HEAD, alpha->data + 1, coded);
    return needs_tail(file, len);
}

bool webp_is_full(const struct webp_info *info, const struct webp_chunk *picture, const struct webp_chunk *alpha,
                  struct size size)
{
    if ((uint64_t)size.w * size.h > LIMIT_PIXELS || !size.w || !size.h)
        return false;
    if (alpha && alpha->data) {
        size_t raw = (size_t)size.w * size.h + 1;
        unsigned method = alpha->len ? alpha->data[0] & 3 : ALPHA_RAW;
        if (method > ALPHA_LOSSLESS || (method == ALPHA_RAW ? alpha->len != raw : !alpha_needs_tail(alpha, size)))
            return false;
    }
    return needs_tail(info->data, (size_t)(picture->data - info->data) + picture->len);
}
