/* SPDX-License-Identifier: Apache-2.0 */
/* Media types as the rest of the house names them. A new one is a line here and a row in media.c. */
#ifndef FOVEA_MEDIA_H
#define FOVEA_MEDIA_H

#include <stdbool.h>

enum media {
    MEDIA_NONE, /* empty, or nothing we know: binary */
    MEDIA_PNG,
    MEDIA_JPEG,
    MEDIA_GIF,
    MEDIA_WEBP,
    MEDIA_BMP,
    MEDIA_ICO,
    MEDIA_TIFF,
    MEDIA_HEIC,
    MEDIA_AVIF,
    MEDIA_SVG,
    MEDIA_SVGZ,
    MEDIA_PDF,
    MEDIA_MP4,
    MEDIA_WEBM,
    MEDIA_AVI,
    MEDIA_TEXT,
    MEDIA_COUNT
};

enum media_class {
    CLASS_BINARY,
    CLASS_BITMAP,  /* a worker decodes it now */
    CLASS_PICTURE, /* a picture that this version cannot decode */
    CLASS_VECTOR,
    CLASS_DOCUMENT,
    CLASS_VIDEO,
    CLASS_TEXT,
};

struct media_row {
    const char *mime;
    const char *name; /* as people say it: "PNG" */
    enum media_class class;
};

/* The row of a type; MEDIA_NONE's for a number out of range. */
/* Our own copy of a type's name, which lives as long as the program; NULL for one that is not in the table. */
const char *media_mime(const char *name);

const struct media_row *media_row(enum media m);

#endif
