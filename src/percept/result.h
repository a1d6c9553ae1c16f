/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results: perception, text, answer, refusal or error. Made once, by the functions here, and never changed after. One
 * table holds the reasons of refusals, one the kinds of errors.
 */
#ifndef FOVEA_RESULT_H
#define FOVEA_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/media.h"
#include "base/sha256.h"
#include "fit/geometry.h"
#include "fit/plan.h"
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

/* A picture on a contact sheet. */
struct cell {
    struct rect box; /* in pixels as shown */
    uint32_t number; /* of the page or frame, from 1 */
    int64_t time_ms; /* below 0: it has none */
    bool numbered, timed; /* that is written beneath it */
};

enum { PANELS = 3 }; /* before, after, the difference */

/* How two pictures differ. */
struct difference {
    bool made;        /* they were compared */
    char *name;       /* of the earlier one */
    struct size size; /* of what was compared of it, in the pixels that were compared; 0x0: there was nothing of it */
    struct size own;  /* of the other one, likewise */
    bool region;      /* it was a view of a part, which was kept */
    bool named;       /* beneath each of the three pictures it is written which it is */
    bool rounded;     /* one of them has more bits than were compared */
    uint64_t changed; /* pixels; 0: they are equal, and there is no picture */
    struct area *boxes; /* of the changed ones, in the source's pixels or units */
    size_t n_boxes;
    struct rect panels[PANELS]; /* where the three pictures lie, in pixels as shown; of equal ones none do */
    double scale[2];            /* the source's pixels or units for one of theirs, along x and y */
    /* Of the earlier one: what it is and what part of it was compared, in its own pixels or units; */
    enum media media;
    bool css_pixels; /* as of a source */
    struct area part;
    char *ref;  /* what to compare with once more; NULL: nothing can be */
    char *path; /* where it lies; NULL: it has no file */
    bool stored; /* the session's record gets its bytes */
    uint8_t sha256[SHA256_LEN];
    uint8_t digest[SHA256_LEN]; /* of all that decides its pixels */
};
void difference_done(struct difference *d);

struct perception {
    char id[VIEW_ID_LEN + 1];
    char *ref;  /* as given, fit to be shown */
    char *path; /* absolute; NULL for bytes that came without a file */
    struct {
        enum media media;
        struct size size; /* upright; of what is drawn, in whole units */
        double extent_w, extent_h; /* the same, exact */
        bool css_pixels;           /* of a drawing: its units are these */
        bool as_source;            /* of a Markdown: it is too large to be laid out */
        uint64_t bytes;
        uint8_t sha256[SHA256_LEN];
        uint32_t frames;
        bool approximate;  /* nobody counted the frames */
        bool cut;          /* the file of a video ends before its end */
        bool partial;      /* of a sheet of a video: not all of it was looked at */
        bool damaged;      /* frames of a video are missing or do not decode */
        uint32_t pages;    /* 0: it has none */
        struct {
            double w, h;
        } tile;            /* its pages are tiles, which are so large in its units; 0x0: they are not */
        int64_t duration_ms; /* of a video; 0 or below: not known */
    } source;
    enum media media;   /* MEDIA_NONE: there is no picture */
    struct size size;
    struct area crop;   /* what part is shown, in upright source pixels or the source's units */
    bool region;        /* a part was asked for */
    uint32_t page;      /* from 1; 0: there are none, or the whole of a long picture is shown */
    uint32_t last_page; /* of a sheet of pages; 0: one page */
    uint32_t frame;     /* from 1; 0 when none was asked for */
    int64_t time_ms;    /* of a video's frame; below 0: not known */
    int64_t asked_ms;   /* the moment of it that was named; 0 when none was */
    struct fit_limits laid; /* what text was laid out by, or tiles were cut by */
    struct {
        uint32_t max_edge; /* 0: none */
        bool full, model;  /* the latter: it was named for this call, and is no session's */
    } asked;
    bool sheet;         /* several pages or frames, in these cells: crop is its own size, and nothing maps back */
    struct cell *cells;
    size_t n_cells;
    uint32_t first_line, last_line, total_lines; /* of text; 0 otherwise */
    uint32_t missing;   /* characters that no font here has */
    double line_top, line_height; /* of text in equal rows, one for each line, in pixels as shown; 0, 0 otherwise */
    struct difference difference;
    bool over_budget;
    bool again;         /* its id can be named to see it once more */
    char *model;        /* whose tokens; NULL none */
    uint32_t tokens;    /* 0 unknown */
    char *note;
    char *question;      /* for the host's own model, which answers it from the picture; NULL none */
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

/* What an ask tool can end with; the prefix of its words, but for inspect_image, which has words alone. */
enum fail {
    FAIL_INVALID_INPUT,
    FAIL_FILE_NOT_FOUND, /* also: out of reach */
    FAIL_URL_BLOCKED,
    FAIL_FILE_TOO_LARGE,
    FAIL_UNSUPPORTED_FILE_TYPE,
    FAIL_FILE_MALFORMED,
    FAIL_IMAGES_BLOCKED,
    FAIL_VISION_NOT_SUPPORTED,
    FAIL_PDF_NOT_SUPPORTED,
    FAIL_VIDEO_NOT_SUPPORTED,
    FAIL_BUDGET_REACHED,
    FAIL_TOO_MANY_CALLS, /* about one picture */
    FAIL_PDF_TOO_MANY_PAGES,
    FAIL_RESPONSE_NOT_JSON,
    FAIL_LLM_ERROR,
    FAIL_COUNT
};

/* In nano-dollars; below 0 not known. */
struct cost {
    int64_t nano;
    char words[32]; /* "0.0034"; "null" */
};

struct answer {
    bool inspected; /* by inspect_image */
    char *text;
    json_t *parsed; /* NULL: no format was asked for */
    char *parsed_text; /* the same, as JSON */
    char *provider, *model;
    struct cost cost;
    int64_t input_tokens, output_tokens; /* below 0 not known */
    bool cached;
    char *note;            /* NULL none */
    char *path;            /* of the source; NULL: no file */
    const char *mime;      /* of what was sent; NULL: nothing was. Static */
};

struct failure {
    bool plain; /* words alone */
    bool quoted; /* they are a provider's or a model's */
    enum fail kind;
    char *message; /* with its prefix, where it has one */
    struct cost cost;
};

struct fovea_result {
    enum fovea_kind kind;
    union {
        struct perception perception;
        struct text text;
        struct refusal refusal;
        struct answer answer;
        struct failure failure;
    };
};

/* Takes over everything that *p (or *t) owns, also on failure. NULL when out of memory. */
fovea_result *result_of_perception(struct perception *p);
fovea_result *result_of_text(struct text *t);
fovea_result *result_of_answer(struct answer *a);

void perception_done(struct perception *p);
void text_done(struct text *t);
void answer_done(struct answer *a);

__attribute__((format(printf, 2, 3))) fovea_result *result_refused(enum reason reason, const char *format, ...);

const char *reason_name(enum reason r);

/* An error: "PREFIX: words", or (plain) the words alone. Takes nothing over. NULL when out of memory. */
fovea_result *result_failed(enum fail kind, const char *words, const struct cost *cost);
fovea_result *result_failed_plain(const char *words);

const char *fail_prefix(enum fail f); /* "LLM_ERROR" */
const char *fail_code(enum fail f);   /* "execution_failed" */

/* Whether there is a picture: of two equal ones that were compared, there is none. */
static inline bool perception_seen(const struct perception *p)
{
    return p->media != MEDIA_NONE;
}

/* Whether a point of the picture is one of the source: not of a contact sheet, of a comparison, or of no picture. */
bool perception_maps(const struct perception *p);

/* Source pixels (or units) per shown pixel, along x and y; 1, 1 where nothing maps. */
void perception_scale(const struct perception *p, double ret_scale[2]);

/* Whether what is shown has fewer pixels than what is stored, or more: itself, or its pictures on a sheet or in a comparison. What is
 * drawn has no pixels of its own. */
bool perception_resized(const struct perception *p);

/* The same as it is told: 1 with the factor for both, where that is as good as two, else 2. */
unsigned perception_factors(const struct perception *p, double ret[2]);

/* What names one of the pictures on a contact sheet: "page". */
const char *perception_single(const struct perception *p);

/* Places behind the point that a scale is given with: four, and more of a small one, so that far corners stay within a pixel. */
int scale_places(double scale);

/* Places that a coordinate of the source needs, so that it stays within a tenth of a pixel that is shown, or was compared. */
int perception_places(const struct perception *p);

#endif
