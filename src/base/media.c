/* SPDX-License-Identifier: Apache-2.0 */
/* The table of media types. */
#include "base/media.h"

#include <string.h>

static const struct media_row rows[MEDIA_COUNT] = {
    [MEDIA_NONE] = {"application/octet-stream", "binary", CLASS_BINARY},
    [MEDIA_PNG] = {"image/png", "PNG", CLASS_BITMAP},
    [MEDIA_JPEG] = {"image/jpeg", "JPEG", CLASS_BITMAP},
    [MEDIA_GIF] = {"image/gif", "GIF", CLASS_BITMAP},
    [MEDIA_WEBP] = {"image/webp", "WebP", CLASS_BITMAP},
    [MEDIA_BMP] = {"image/bmp", "BMP", CLASS_PICTURE},
    [MEDIA_ICO] = {"image/vnd.microsoft.icon", "ICO", CLASS_PICTURE},
    [MEDIA_TIFF] = {"image/tiff", "TIFF", CLASS_PICTURE},
    [MEDIA_HEIC] = {"image/heic", "HEIC", CLASS_PICTURE},
    [MEDIA_AVIF] = {"image/avif", "AVIF", CLASS_PICTURE},
    [MEDIA_SVG] = {"image/svg+xml", "SVG", CLASS_VECTOR},
    [MEDIA_SVGZ] = {"image/svg+xml", "compressed SVG", CLASS_VECTOR},
    [MEDIA_PDF] = {"application/pdf", "PDF", CLASS_DOCUMENT},
    [MEDIA_MP4] = {"video/mp4", "MP4 video", CLASS_VIDEO},
    [MEDIA_WEBM] = {"video/webm", "WebM video", CLASS_VIDEO},
    [MEDIA_AVI] = {"video/x-msvideo", "AVI video", CLASS_VIDEO},
    [MEDIA_TEXT] = {"text/plain", "text", CLASS_TEXT},
};

const struct media_row *media_row(enum media m)
{
    return &rows[m >= 0 && m < MEDIA_COUNT ? m : MEDIA_NONE];
}

const char *media_mime(const char *name)
{
    for (size_t i = 0; name && i < MEDIA_COUNT; i++)
        if (!strcmp(rows[i].mime, name))
            return rows[i].mime;
    return NULL;
}
