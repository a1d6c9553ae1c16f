/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whom a transcript is lowered for: what that wire and model take, and what they charge. Made once from the tables; everything
 * in lower/ is a pure function of a target, a policy and the entries.
 */
#ifndef FOVEA_TARGET_H
#define FOVEA_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "fit/tokens.h"
#include "fovea.h"
#include "model/models.h"

enum lower_wire { LOWER_ANTHROPIC, LOWER_CHAT, LOWER_RESPONSES, LOWER_GEMINI, LOWER_WIRES };

/* How a picture of a tool result reaches the model. */
enum tool_image {
    TOOL_NATIVE,   /* inside the result */
    TOOL_SIBLING,  /* beside the results, in the same message */
    TOOL_REATTACH, /* in a user message after all results */
};

/* Limits of one request; 0 none that we know. */
struct target_limits {
    int64_t request_bytes; /* of the whole JSON */
    int64_t images;
    int64_t image_bytes;   /* of one, in base64 */
    uint32_t side;         /* of one, in pixels */
    int64_t many_images;   /* with more than so many ... */
    uint32_t many_side;    /* ... each side must be within this */
    uint32_t least_side;   /* smaller pictures are refused */
    int64_t pdf_bytes, pdf_pages;
    bool pages_said;       /* pdf_pages is its vendor's own figure and no careful guess */
    int64_t context;       /* tokens of input */
};

/* Prompt cache. Prices are multiples of the input price in thousandths. */
struct target_cache {
    bool known;         /* the provider caches prefixes */
    int32_t read, write; /* 100, 1250 */
    int64_t least;      /* tokens that a prefix must have */
    int64_t ttl_ms;     /* after the last use */
};

struct target {
    enum lower_wire wire;
    char provider[LIMIT_MODEL_ID], model[LIMIT_MODEL_ID];
    const struct model *row;       /* NULL: not known */
    const struct token_rule *rule; /* NULL: not known */
    enum tool_image tool_image;
    bool vision, pdf;      /* not known counts as yes for vision where the caller says nothing else: see target_make */
    bool webp, gif;
    bool bridge;           /* an assistant message must stand between tool results and a user message */
    bool bound_thinking;   /* thinking blocks are bound to everything before them */
    bool adaptive_thinking; /* no budgets for thoughts: "adaptive" or none */
    bool thought_signatures; /* Gemini 3: the first functionCall of a step needs one */
    struct target_limits limits;
    struct target_cache cache;
};

struct target_ask {
    const char *provider, *model; /* the model's id without "provider/" */
    const char *wire;             /* NULL: the provider's usual one */
    bool bridge;
    bool no_webp;
};
/* -EINVAL: no such wire, or a provider that is not known and no wire named (words in fault). A model without a row is lowered
 * for all the same: with vision, its tool images as find_tool_image has them for that wire (reattached on Chat, and on
 * Responses for hosts with no_result_images), with the limits of its host, or the careful ones of an unknown
 * host on that wire. */
int target_make(const struct models *m, const struct target_ask *ask, struct target *ret, struct fovea_fault *fault);

extern const char *const lower_wire_names[LOWER_WIRES];
/* -1 for no wire. */
int lower_wire_find(const char *name);

#endif
