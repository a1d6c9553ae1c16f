/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results: perception, text or refusal. Made once, by the functions here, and never changed after. One table holds the
 * reasons of refusals.
 */
#ifndef FOVEA_RESULT_H
#define FOVEA_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/media.h"
#include "base/sha256.h"
#include "fit/geometry.h"
#include "fovea.h"

enum reason {
    REASON_ABSENT, /* also: out of reach */
    REASON_UNPERCEIVABLE_TYPE,
    REASON_UNREADABLE_TYPE,
    REASON_TOO_LARGE,
    REASON_MALFORMED,
    REASON_INVALID_INPUT,
    REASON_BLOCKED,
    REASON_RENDER_NOT_ALLOWED,
    REASON_TIMED_OUT,
    REASON_COUNT
};

/* "view:" and the first 12 hex digits of a digest. */
enum { VIEW_ID_LEN = 5 + 12 };

struct perception {
    char id[VIEW_ID_LEN + 1];
    char *ref;  /* as given, fit to be shown */
    char *path; /* absolute; NULL for bytes that came without a file */
    struct {
        enum media media;
        struct size size; /* upright */
        uint64_t bytes;
        uint8_t sha256[SHA256_LEN];
        uint32_t frames;
    } source;
    enum media media;
    struct size size;
    struct rect crop;   /* what part is shown, in upright source pixels */
    bool region;        /* a part was asked for */
    uint32_t frame;     /* from 1; 0 when none was asked for */
    bool over_budget;
    char *model;        /* whose tokens; NULL none */
    uint32_t tokens;    /* 0 unknown */
    char *note;
    const uint8_t *data; /* the picture, then the preview; mapped, unmapped with the result */
    size_t len, map_len;
    struct size preview;
};

struct text {
    char *path;
    char *text;
    size_t len;
    uint64_t first, last, total, cut;
    char sha256[SHA256_HEX_LEN + 1];
};

struct refusal {
    enum reason reason;
    char *message;
};

struct fovea_result {
    enum fovea_kind kind;
    union {
        struct perception perception;
        struct text text;
        struct refusal refusal;
    };
};

/* Takes over everything that *p (or *t) owns, also on failure. NULL when out of memory. */
fovea_result *result_of_perception(struct perception *p);
fovea_result *result_of_text(struct text *t);

void perception_done(struct perception *p);
void text_done(struct text *t);

__attribute__((format(printf, 2, 3))) fovea_result *result_refused(enum reason reason, const char *format, ...);

const char *reason_name(enum reason r);

/* Source pixels per shown pixel, along x and y. */
void perception_scale(const struct perception *p, double ret_scale[2]);

#endif
