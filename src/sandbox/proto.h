/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What parent and worker say to each other, over one SOCK_SEQPACKET socket (descriptor WORK_SOCKET in the worker):
 *
 *   worker → parent   struct work_hello   once, when the jail is complete (or which layer failed)
 *   parent → worker   struct work_request + two descriptors: the input (read-only), the output (an empty memfd)
 *   worker → parent   struct work_reply   once; then the worker exits
 *
 * There are two programs: fovea-worker, whose input is a file that may be hostile, and fovea-ocr, whose input is what
 * the first made of one. What the output is, the request's flags say.
 *
 * The picture is written to the output memfd from its start, the preview's raw RGBA rows behind it, and it is as long
 * as both together. A worker that mapped it for writing unmaps it before it replies: one that cannot be sealed then is
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
    WORK_MAGIC = 0x666f7632, /* "fov2"; a new number whenever a struct changes */
    WORK_DETAIL = 160,
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
    WORK_NO_GIF = 8,  /* the result may not be GIF, although the source is */
    WORK_TEXT = 4,    /* fovea-ocr: the input is such rows, the result a struct work_text and what follows it */
};

struct work_request {
    uint32_t magic;
    uint32_t media; /* enum media, from the sniff */
    uint64_t input_len;
    uint32_t frame; /* from 1; 0 is the first */
    uint32_t flags;
    uint32_t preview_w, preview_h; /* raw RGBA within this box too; 0 none */
    uint32_t raw_w, raw_h;         /* of the input, for WORK_TEXT */
    struct fit_box region;         /* in upright source pixels */
    struct fit_limits limits;
};

enum work_status {
    WORK_OK,
    WORK_MALFORMED,   /* does not decode in full */
    WORK_TOO_LARGE,   /* more pixels than LIMIT_PIXELS, or a side over LIMIT_SIDE */
    WORK_BAD_REGION,  /* nothing left after clamping; source size is filled in */
    WORK_BAD_FRAME,   /* past the end; frames is filled in */
    WORK_UNSUPPORTED, /* a variety that no decoder here reads */
    WORK_NO_MEMORY,
    WORK_STATUS_COUNT
};

enum work_facts {
    WORK_AS_IS = 1,       /* the source's own encoding (perhaps less its metadata) */
    WORK_OVER_BUDGET = 2, /* no step of the ladder met max_bytes: the smallest made */
    WORK_ON_WHITE = 4,    /* transparency composited on white */
    WORK_ON_GREY = 8,     /* ... on mid-grey, because the content is light */
    WORK_HAS_ALPHA = 16,  /* the source has pixels that are not opaque */
    WORK_LOSSLESS = 32,   /* pixel-exact encoding */
};

struct work_reply {
    uint32_t magic;
    uint32_t status;          /* enum work_status */
    char detail[WORK_DETAIL]; /* one phrase on what is wrong, printable ASCII: "IDAT CRC does not match" */
    uint32_t source_w, source_h; /* upright */
    uint32_t frames;
    uint32_t orientation; /* EXIF 1..8 */
    uint32_t facts;
    uint32_t media; /* enum media of the picture */
    uint32_t width, height;
    struct rect crop; /* upright source pixels */
    uint64_t image_len;
    uint32_t preview_w, preview_h; /* rows of preview_w * 4 bytes right behind the picture */
};

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
