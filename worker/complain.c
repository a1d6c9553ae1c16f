/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all decoders share: how a complaint is written, and the two ceilings on size. Nothing of the input may reach a
 * complaint but numbers and letters that were checked, since the phrase crosses to the parent.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/limits.h"
#include "decode.h"

#undef complain /* what the analyzer is told it returns */

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
