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
    MEDIA_MOV,
    MEDIA_WEBM,
    MEDIA_MKV,
    MEDIA_AVI,
    MEDIA_MPEG, /* a program stream */
    MEDIA_TS,   /* MPEG transport stream */
    MEDIA_FLV,
    MEDIA_ASF,  /* Windows Media */
    MEDIA_OGG,  /* with pictures */
    MEDIA_TEXT,
    MEDIA_MARKDOWN, /* text that its name says is Markdown: bytes do not tell */
    MEDIA_COUNT
};

enum media_class {
    CLASS_BINARY,
    CLASS_BITMAP,  /* pixels that models take as they are */
    CLASS_PICTURE, /* pixels that are converted first */
    CLASS_VECTOR,
    CLASS_DOCUMENT,
    CLASS_VIDEO,
    CLASS_TEXT,
};

/* The worker programs that make pixels. */
enum program_id {
    PROGRAM_WORKER, /* the bitmaps, and whatever is made of pixels alone */
    PROGRAM_PHOTO,
    PROGRAM_SVG,
    PROGRAM_TEXT,
    PROGRAM_PDF,
    PROGRAM_VIDEO,
    PROGRAM_COUNT,
    PROGRAM_NONE = PROGRAM_COUNT
};

struct media_row {
    const char *mime;
    const char *name; /* as people say it: "PNG" */
    enum media_class class;
    enum program_id program; /* who makes pixels of it */
};

/* Our own copy of a type's name, which lives as long as the program; NULL for one that is not in the table. */
const char *media_mime(const char *name);

/* The row of a type; MEDIA_NONE's for a number out of range. */
const struct media_row *media_row(enum media m);

/* By what type vendors know it: to them QuickTime is MP4, Matroska WebM, and any stream of MPEG's just that. */
const char *media_sent_as(enum media m);

/* It has no pixels of its own: it is drawn at the size that is shown, and measured in units (points, user units). */
bool media_drawn(enum media m);

/* "fovea-worker". */
const char *program_name(enum program_id p);

#endif
