/* SPDX-License-Identifier: Apache-2.0 */
/* The table of media types. */
#include "base/media.h"

#include <string.h>

static const struct media_row rows[MEDIA_COUNT] = {
    [MEDIA_NONE] = {"application/octet-stream", "binary", CLASS_BINARY, PROGRAM_NONE},
    [MEDIA_PNG] = {"image/png", "PNG", CLASS_BITMAP, PROGRAM_WORKER},
    [MEDIA_JPEG] = {"image/jpeg", "JPEG", CLASS_BITMAP, PROGRAM_WORKER},
    [MEDIA_GIF] = {"image/gif", "GIF", CLASS_BITMAP, PROGRAM_WORKER},
    [MEDIA_WEBP] = {"image/webp", "WebP", CLASS_BITMAP, PROGRAM_WORKER},
    [MEDIA_BMP] = {"image/bmp", "BMP", CLASS_PICTURE, PROGRAM_PHOTO},
    [MEDIA_ICO] = {"image/vnd.microsoft.icon", "ICO", CLASS_PICTURE, PROGRAM_PHOTO},
    [MEDIA_TIFF] = {"image/tiff", "TIFF", CLASS_PICTURE, PROGRAM_PHOTO},
    [MEDIA_HEIC] = {"image/heic", "HEIC", CLASS_PICTURE, PROGRAM_PHOTO},
    [MEDIA_AVIF] = {"image/avif", "AVIF", CLASS_PICTURE, PROGRAM_PHOTO},
    [MEDIA_SVG] = {"image/svg+xml", "SVG", CLASS_VECTOR, PROGRAM_SVG},
    [MEDIA_SVGZ] = {"image/svg+xml", "compressed SVG", CLASS_VECTOR, PROGRAM_SVG},
    [MEDIA_PDF] = {"application/pdf", "PDF", CLASS_DOCUMENT, PROGRAM_PDF},
    [MEDIA_MP4] = {"video/mp4", "MP4 video", CLASS_VIDEO, PROGRAM_VIDEO},
    [MEDIA_MOV] = {"video/quicktime", "QuickTime video", CLASS_VIDEO, PROGRAM_VIDEO},
    [MEDIA_WEBM] = {"video/webm", "WebM video", CLASS_VIDEO, PROGRAM_VIDEO},
    [MEDIA_MKV] = {"video/x-matroska", "Matroska video", CLASS_VIDEO, PROGRAM_VIDEO},
    [MEDIA_AVI] = {"video/x-msvideo", "AVI video", CLASS_VIDEO, PROGRAM_VIDEO},
    [MEDIA_MPEG] = {"video/mpeg", "MPEG video", CLASS_VIDEO, PROGRAM_VIDEO},
    [MEDIA_TS] = {"video/mp2t", "MPEG-TS video", CLASS_VIDEO, PROGRAM_VIDEO},
    [MEDIA_FLV] = {"video/x-flv", "Flash video", CLASS_VIDEO, PROGRAM_VIDEO},
    [MEDIA_ASF] = {"video/x-ms-wmv", "Windows Media video", CLASS_VIDEO, PROGRAM_VIDEO},
    [MEDIA_OGG] = {"video/ogg", "Ogg video", CLASS_VIDEO, PROGRAM_VIDEO},
    [MEDIA_TEXT] = {"text/plain", "text", CLASS_TEXT, PROGRAM_TEXT},
    [MEDIA_MARKDOWN] = {"text/markdown", "Markdown", CLASS_TEXT, PROGRAM_TEXT},
};

const struct media_row *media_row(enum media m)
{
    return &rows[m >= 0 && m < MEDIA_COUNT ? m : MEDIA_NONE];
}

const char *media_sent_as(enum media m)
{
    enum media known = m == MEDIA_MOV ? MEDIA_MP4 : m == MEDIA_MKV ? MEDIA_WEBM : m == MEDIA_TS ? MEDIA_MPEG : m;
    return m == MEDIA_ASF ? "video/wmv" : rows[known].mime;
}

bool media_drawn(enum media m)
{
    enum media_class class = media_row(m)->class;
    return class == CLASS_VECTOR || class == CLASS_DOCUMENT || class == CLASS_TEXT;
}

const char *program_name(enum program_id p)
{
    static const char *const names[PROGRAM_COUNT] = {"fovea-worker", "fovea-photo", "fovea-svg",
                                                     "fovea-text",   "fovea-pdf",   "fovea-video"};
    return names[p];
}

const char *media_mime(const char *name)
{
    for (size_t i = 0; name && i < MEDIA_COUNT; i++)
        if (!strcmp(rows[i].mime, name))
            return rows[i].mime;
    return NULL;
}
