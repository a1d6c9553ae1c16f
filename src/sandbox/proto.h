/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What parent and worker say to each other, over one SOCK_SEQPACKET socket (descriptor WORK_SOCKET in the worker):
 *
 *   worker → parent   struct work_hello   once, when the jail is complete (or which layer failed)
 *   parent → worker   struct work_request + descriptors: the input (read-only), the output (an empty memfd), and perhaps
 *                     another input
 *   worker → parent   struct work_reply   once; then the worker exits
 *
 * There are programs whose input is a file that may be hostile (fovea-worker and the renderers: see base/media.h), and
 * fovea-ocr, whose input is what one of these made of it. What the output is, the request's flags say.
 *
 * The picture is written to the output memfd from its start, the preview's raw RGBA rows behind it, then the cells; it is
 * as long as all of them together. A worker that mapped it for writing unmaps it before it replies: one that cannot be sealed then is
 * taken for hostile. The parent seals the memfd, maps it read-only and believes nothing: sizes, types and dimensions
 * are checked against the bytes and against the plan. Both programs come from one build, so the structs cross as they
 * are; fixed-width members only.
 */
#ifndef FOVEA_PROTO_H
#define FOVEA_PROTO_H

#include <stdint.h>

#include "fit/plan.h"

enum {
    WORK_SOCKET = 3,
    WORK_MAGIC = 0x666f7637, /* "fov7"; a new number whenever a struct changes */
    WORK_DETAIL = 160,
    WORK_NO_FRAME = INT32_MAX, /* a frame that no video has: its frames are listed, and none is decoded */
};

/* The worker's one argument, when it is started ahead of work and has time to warm up. */
#define WORK_AHEAD "ahead"

struct work_hello {
    uint32_t magic;
    int32_t error;         /* 0, or the errno of the layer that failed */
    char layer[16];        /* which one: "landlock", "seccomp", "rlimit", ...; "" when all stand */
    uint32_t landlock_abi;
    char codecs[256];      /* what the worker decodes with, for doctor: "libjpeg-turbo 2.1.5, ..." */
};

enum work_flags {
    WORK_WEBP_OK = 1, /* the result may be WebP */
    WORK_RAW = 2,     /* the result is no file but rows of 8-bit grey, at the planned size, laid on one ground */
    WORK_TEXT = 4,    /* fovea-ocr: the input is such rows, the result a struct work_text and what follows it */
    WORK_NO_GIF = 8,  /* the result may not be GIF, although the source is */
    WORK_RGBA = 16,   /* the result is no file but rows of RGBA, not premultiplied, at the planned size */
    WORK_SHEET = 32,  /* several frames in one contact sheet; of a document: pages `page` to `last_page` */
    WORK_DIFF = 64,   /* fovea-worker: the inputs are two pictures of WORK_RGBA, the result shows how they differ */
    WORK_REFS = 128,  /* fovea-text: the result is no picture but the names of the images in the Markdown, each with a NUL
                         behind it, as they are written there and in their order, none twice; perhaps none */
    WORK_TIME = 256,  /* the frame that is shown at time_ms */
    WORK_FLAT = 512,  /* WORK_DIFF: both are compared as they look on one ground: white if one is opaque */
};

/* One of the pictures that a Markdown shows, in the other input: a table of these, in the order of WORK_REFS, then their
 * rows of RGBA at their offsets. */
struct work_inset {
    uint32_t w, h; /* 0x0: it cannot be shown */
    uint64_t at;   /* from the start of the other input */
    uint32_t natural_w, natural_h; /* of the source, whose rows may be fewer */
};

struct work_request {
    uint32_t magic;
    uint32_t media; /* enum media, from the sniff */
    uint64_t input_len;
    uint32_t frame; /* from 1; 0: not said */
    uint32_t flags;
    uint32_t page, last_page; /* from 1; 0: not said. Of a picture without pages, its tiles */
    int64_t time_ms;          /* of a video, with WORK_TIME */
    uint32_t preview_w, preview_h; /* raw RGBA within this box too; 0 none */
    uint32_t raw_w, raw_h;         /* of the input, for WORK_TEXT and WORK_DIFF; 0x0 of the latter: there is nothing of it */
    uint32_t other_w, other_h;     /* of the other input, for WORK_DIFF */
    uint64_t other_len;            /* bytes of the other input; 0: there is none */
    uint32_t drawn_w, drawn_h;     /* WORK_RGBA of what is drawn: just this size, each axis by its own factor; 0x0: the plan's */
    struct fit_box region;         /* in upright source pixels, or the units of what is drawn */
    struct fit_limits limits;
    struct fit_limits layout;      /* of text that was seen before, by which its pages were made; max_bytes 0: by limits */
};

/* What the pages of text are laid out by. */
static inline const struct fit_limits *work_layout(const struct work_request *r)
{
    return r->layout.max_bytes ? &r->layout : &r->limits;
}

/* Whether rows are drawn at a size that the request names, whatever the limits say. */
static inline bool work_sized(const struct work_request *r)
{
    return r->flags & WORK_RGBA && r->drawn_w && r->drawn_h;
}

enum work_status {
    WORK_OK,
    WORK_MALFORMED,   /* does not decode in full */
    WORK_TOO_LARGE,   /* more pixels than LIMIT_PIXELS, or a side over LIMIT_SIDE */
    WORK_BAD_REGION,  /* nothing left after clamping; source size is filled in */
    WORK_BAD_FRAME,   /* past the end; frames is filled in */
    WORK_BAD_PAGE,    /* past the end; pages is filled in */
    WORK_BAD_TIME,    /* past the end; duration_ms is filled in */
    WORK_LOCKED,      /* encrypted, and there is no password */
    WORK_UNSUPPORTED, /* a variety that no decoder here reads */
    WORK_NO_MEMORY,
    WORK_TIMED_OUT,   /* the program gave up in time to say so */
    WORK_STATUS_COUNT
};

enum work_facts {
    WORK_AS_IS = 1,       /* the source's own encoding (perhaps less its metadata) */
    WORK_OVER_BUDGET = 2, /* no step of the ladder met max_bytes: the smallest made */
    WORK_ON_WHITE = 4,    /* transparency composited on white */
    WORK_ON_GREY = 8,     /* ... on mid-grey, because the content is light */
    WORK_HAS_ALPHA = 16,  /* the source has pixels that are not opaque */
    WORK_LOSSLESS = 32,   /* pixel-exact encoding */
    WORK_TILED = 64,      /* it is long: its pages are tiles */
    WORK_APPROXIMATE = 128, /* frames is what the container says, or an estimate; nobody counted */
    WORK_CUT = 256,         /* of a video: the file ends before its end */
    WORK_PARTIAL = 512,     /* of a sheet of a video: not all of it was looked at */
    WORK_ROUNDED = 1024,    /* the stored pixels have more than 8 bits a channel, or may have */
    WORK_DAMAGED = 2048,    /* of a video: frames are missing or do not decode */
    WORK_CSS_PIXELS = 4096, /* of a drawing: it is measured in these, because its own units are past all measure */
    WORK_SOURCE = 8192,     /* of a Markdown: it is too large to be laid out, and shown as its source */
};

/* What is written beneath a picture on a contact sheet; WORK_DIFF: the number stands for the names beneath the three. */
enum work_label { WORK_LABEL_NUMBER = 1, WORK_LABEL_TIME = 2 };

/* A picture on a contact sheet, or (WORK_DIFF) a box of changed pixels in source pixels. */
struct work_cell {
    uint32_t x, y, w, h; /* in pixels of the sheet as it was laid out: crop's size */
    uint32_t number;     /* of the page or frame, from 1 */
    uint32_t labels;     /* enum work_label */
    int64_t time_ms;     /* below 0: not known */
};

struct work_reply {
    uint32_t magic;
    uint32_t status;          /* enum work_status */
    char detail[WORK_DETAIL]; /* one phrase on what is wrong, printable ASCII: "IDAT CRC does not match" */
    uint32_t source_w, source_h; /* upright; of what is drawn, in whole units, rounded */
    double extent_w, extent_h;   /* the same, exact. Of a sheet: one of its pictures */
    double origin_x, origin_y;   /* of what is drawn: what its upper left is called in its units; 0, 0 mostly */
    double unit_w, unit_h;       /* how large one of its units is at its natural size, in pixels; 1, 1 mostly */
    uint32_t frames;
    uint32_t pages; /* of a document, or tiles; 1 when there is but one */
    uint32_t cells; /* of struct work_cell behind the preview */
    uint32_t orientation; /* EXIF 1..8 */
    uint32_t facts;
    uint32_t media; /* enum media of the picture */
    uint32_t width, height;
    struct area crop; /* what is shown: whole upright source pixels, or units of what is drawn. Of a sheet: 0, 0 and the size
                         at which it was laid out */
    uint32_t first_line, last_line, total_lines; /* of a page of text; 0 otherwise */
    uint32_t part_first, part_last;              /* of these, what the part that is shown has; 0, 0: none */
    float line_top, line_height; /* of text in equal rows: where in the page's units the first begins; 0, 0 otherwise */
    uint32_t rows;               /* and how many; more than lines where some are wrapped */
    uint32_t missing;            /* characters of the page that no font here has; at most LIMIT_GLYPHS */
    int64_t time_ms, duration_ms; /* of a video; below 0: not known */
    uint64_t changed;             /* WORK_DIFF: pixels */
    uint64_t image_len;
    uint32_t preview_w, preview_h; /* rows of preview_w * 4 bytes right behind the picture */
};

/* The source, where it is drawn; a bitmap's units are its pixels. */
static inline struct fit_drawing work_drawing(const struct work_reply *r)
{
    return (struct fit_drawing){{r->origin_x, r->origin_y, r->extent_w, r->extent_h}, r->unit_w, r->unit_h};
}

/* What WORK_TEXT writes: this, the lines, then all of the text without a NUL. */
struct work_text {
    uint32_t magic;
    uint32_t lines, words;
    uint32_t confidence; /* mean of the words', in hundredths of a percent; 0 without words */
    uint32_t text_len;   /* UTF-8; lines end with '\n' but for the last; an empty line stands between paragraphs */
    uint32_t cut;        /* 1: there was more than LIMIT_OCR_TEXT or LIMIT_OCR_LINES */
};

/* A line of it, from the top of the reading order: where it lies in the text, without its end. */
struct work_line {
    uint32_t at, len;
    uint32_t words, confidence;
};

#endif
