/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all decoders share: the list of them, how a complaint is written, and the two ceilings on size. Nothing of the
 * input may reach a complaint but numbers and letters that were checked, since the phrase crosses to the parent.
 */
#include "decode.h"

#include <stdarg.h>
#include <stdio.h>
#include <webp/decode.h>

#include "base/cleanup.h"
#include "base/limits.h"

static const struct {
    const struct decoder_ops *ops;
    int (*version)(void); /* of the library that runs: 0xMMmmrr; NULL when ops->library says it */
} decoders[] = {
    {&decode_png, NULL},
    {&decode_jpeg, NULL},
    {&decode_gif, NULL},
    {&decode_webp, WebPGetDecoderVersion},
};

const struct decoder_ops *decoder_of(enum media media)
{
    for (size_t i = 0; i < COUNT(decoders); i++)
        if (decoders[i].ops->media == media)
            return decoders[i].ops;
    return NULL;
}

const struct decoder_ops *decoder_at(size_t i)
{
    return i < COUNT(decoders) ? decoders[i].ops : NULL;
}

void decoder_name(size_t i, char *out, size_t room)
{
    unsigned v = decoders[i].version ? (unsigned)decoders[i].version() : 0;
    if (v)
        (void)snprintf(out, room, "%s %u.%u.%u", decoders[i].ops->library, v >> 16 & 0xff, v >> 8 & 0xff, v & 0xff);
    else
        (void)snprintf(out, room, "%s", decoders[i].ops->library);
}

int complain(struct complaint *c, enum work_status status, const char *format, ...)
{
    if (!c)
        return (int)status;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(c->detail, sizeof(c->detail), format, args);
    va_end(args);
    for (char *p = c->detail; *p; p++)
        if (*p < 0x20 || *p > 0x7e)
            *p = '?';
    return (int)status;
}

int check_sides(uint32_t width, uint32_t height, struct complaint *c)
{
    if (!width || !height)
        return complain(c, WORK_MALFORMED, "the picture is %ux%u pixels: it has no area", width, height);
    if (width > LIMIT_SIDE || height > LIMIT_SIDE)
        return complain(c, WORK_TOO_LARGE, "the picture is %ux%u pixels; the limit is %u on a side", width, height,
                        LIMIT_SIDE);
    return WORK_OK;
}

int check_pixels(uint32_t width, uint32_t height, uint64_t total, struct complaint *c)
{
    if (total <= LIMIT_PIXELS)
        return WORK_OK;
    if (total == (uint64_t)width * height)
        return complain(c, WORK_TOO_LARGE, "the picture is %ux%u, %.1f megapixels; the limit is %.0f", width, height,
                        (double)total / 1e6, (double)LIMIT_PIXELS / 1e6);
    return complain(c, WORK_TOO_LARGE, "showing this frame of %ux%u takes %.1f megapixels in all; the limit is %.0f",
                    width, height, (double)total / 1e6, (double)LIMIT_PIXELS / 1e6);
}
