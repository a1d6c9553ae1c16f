/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One question under way: what inspect_image, vision_analyze and video_analyze share. Each tool is a list of steps in a
 * file of its own; a step returns 0 to go on, 1 when the result is settled, or a fault.
 */
#ifndef FOVEA_ASKING_H
#define FOVEA_ASKING_H

#include "api/choosing.h"
#include "api/view.h"
#include "ask/ask.h"

/* Why pictures are made of what is none: pages of a document, frames of a video. */
enum drawn {
    DRAWN_NOT,
    DRAWN_PART,   /* a page or a region was asked for */
    DRAWN_NEEDED, /* the model takes no such file */
    DRAWN_HOST,   /* the model does, but its host is not known to carry one */
    DRAWN_LARGE,  /* the file is larger than one request carries */
    DRAWN_KIND,   /* no model is known to take such a container */
};

struct asking {
    const char *tool;
    bool plain; /* errors are words alone: inspect_image */
    size_t most; /* characters of an answer */
    struct fovea_fault *fault;
    fovea_result *result;
    const struct call *call; /* as the host made it */
    const void *request;

    /* whom */
    struct choice choice;
    bool chosen, local; /* local: read on this machine */
    bool native;        /* the host's own model answers */
    char who[2 * LIMIT_MODEL_ID]; /* PROVIDER/MODEL */

    /* what */
    const char *model; /* as the request names it; NULL */
    const char *question, *instructions, *format;
    bool no_cache;
    json_t *schema_json;
    struct schema *schema;
    struct call own;  /* the call, as wide as the model asked: the host's own limits are not its */
    struct fovea_view_request look;
    struct view_job view;
    struct wire_part part; /* what is sent; or the first of it */
    void *map; /* of the snapshot, where its bytes are sent as they are */
    enum drawn drawn;
    struct fovea_pages page;     /* of a document that is drawn, as asked for */
    struct wire_part *parts;     /* where several are sent, n_parts of them; NULL: part alone */
    struct pool_output *outputs; /* that they show, LIMIT_ASK_PAGES */
    size_t n_parts;
    char *told; /* the instructions, with a sentence on what is shown */

    /* what came of it */
    uint8_t key[SHA256_LEN];
    bool counted; /* against vision.maxCallsPerImage */
    struct ask_answer answer;
    bool cached;
    char *shown;     /* what the model was given, in words that hold for every call of this kind; NULL nothing to say */
    struct buf note; /* what else the answer's reader should know */
    struct cost cost;
    int64_t began; /* clock_ms */
};

typedef int asking_step(struct asking *a);

/* Runs the steps (NULL ends them), tells telemetry and frees all but the result. */
int asking_run(struct asking *a, asking_step *const *steps, fovea_result **ret);

/* An error in these words. */
__attribute__((format(printf, 3, 4))) int asking_fail(struct asking *a, enum fail kind, const char *format, ...);

/* images.blockImages, before anything is looked at. */
int asking_allowed(struct asking *a);

/* need: MODEL_ bits. CHOOSE_OK fills in choice, local and who; any other verdict is the tool's to word. */
enum choose_verdict asking_choose(struct asking *a, unsigned need);

/* The error of a verdict that leaves nobody who sees. */
int asking_blind(struct asking *a, enum choose_verdict v);

/* Whether the config and the host let this be drawn: FOVEA_RENDER_PDF or FOVEA_RENDER_VIDEO. */
bool asking_may_draw(const struct asking *a, unsigned what);

/* The picture as the chosen model takes it: after view_open, what a view would do, but for that model. Refusals of the view
 * are left in view.result. */
void asking_look(struct asking *a);

/* The error that view.result's refusal is. */
int asking_refused(struct asking *a);

/* The error of a source that has more bytes than it may; advice follows the limit. */
int asking_too_large(struct asking *a, uint64_t size, uint64_t cap, const char *advice);

/* The error of a URL that gave no bytes. */
int asking_net(struct asking *a, enum net_reason reason, const char *words);

/* The bytes of a URL, fetched, are the source. 1 with the error that says why not. */
int asking_fetch(struct asking *a, const char *url);

/* The picture, fitted, becomes part. 1 with view.result where it cannot be shown. */
int asking_picture(struct asking *a);

/* A page of a picture that has none is a tile: as a region from here on. 1 with view.result where there is no such tile. */
int asking_tile(struct asking *a);

/* What the source is by its content, in words. */
const char *asking_kind(const struct asking *a);

/* Has the model told more than the instructions. */
__attribute__((format(printf, 2, 3))) int asking_tell(struct asking *a, const char *format, ...);

/* A video that is about to go as it is: has it pictures that can be read. *ret_facts: of enum work_facts, what is to be said of it.
 * 1 with the error. */
int asking_check_video(struct asking *a, uint32_t *ret_facts);

/* A PDF: planned, it goes as it is (in part then) or its pages are drawn; then these are made, in parts or read by
 * local/ocr. 1 with the error. */
int asking_plan_pdf(struct asking *a);
int asking_count_pages(struct asking *a); /* before it goes as it is: does it open, and has it no more pages than may go */
int asking_pages(struct asking *a);
int asking_read_pages(struct asking *a);

/* Whether the first page that was drawn is all there is to tell of: then its bad news are those of the whole question. Else it is one of
 * many, and how many there are it says even if it is damaged; unless there is no such page, or nothing is known. */
bool asking_page_alone(const struct asking *a, enum pool_end end, const struct work_reply *first);

/* The last page that was asked for, of so many. 1 with the error where there are fewer. */
int asking_last_page(struct asking *a, int64_t pages, int64_t *ret);

/* Calls work for 0 to n - 1, two at a time; the first that fails has the others left. Faults are those of the work. */
struct asking_each {
    int (*work)(void *arg, size_t k, struct fovea_fault *fault);
    void *arg;
    size_t n;
};
int asking_each(const struct asking_each *e, struct fovea_fault *fault);

/* Steps in the order they are taken: is the answer known; may more be spent; put the picture, or the bytes as they are,
 * into part; ask; and the result. */
int asking_recall(struct asking *a);
int asking_budget(struct asking *a);
int asking_map(struct asking *a);
int asking_ask(struct asking *a);
int asking_settle(struct asking *a);

/* For those steps: writes down what was spent; keeps an answer. */
void asking_book(struct asking *a);
void asking_keep(struct asking *a);

/* The question for local/ocr: its text is the answer. 1 with view.result where the picture cannot be read. */
int asking_read(struct asking *a);

/* Whoever makes errors of arguments: see tool_reject. */
fovea_result *ask_rejected(const char *words);

/* Appends to what the answer's note will say. */
__attribute__((format(printf, 2, 3))) void asking_note(struct asking *a, const char *format, ...);

struct cost cost_of(int64_t nano);

extern const char ask_instructions[];

#endif
