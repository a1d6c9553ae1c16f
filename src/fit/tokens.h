/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an image costs a model, and the size that the provider would shrink it to. Pure arithmetic: the rules are those
 * that the vendors publish, the models are rows of a table.
 */
#ifndef FOVEA_TOKENS_H
#define FOVEA_TOKENS_H

#include <stdint.h>

#include "fit/geometry.h"

enum token_kind {
    TOKENS_UNKNOWN, /* no rule: nothing is known of cost or limits */
    TOKENS_CLAUDE,  /* patches of 28 px; edge and budget are ceilings */
    TOKENS_PATCH,   /* OpenAI: patches of 32 px, times mult/100, ceilings edge and budget */
    TOKENS_TILE,    /* OpenAI: base + per_tile for each 512-px tile, after fitting 2048 and a short side of 768 */
    TOKENS_GEMINI2, /* 258 for each tile */
    TOKENS_FIXED,   /* the same for every image: base */
};

struct token_rule {
    uint32_t kind;     /* enum token_kind */
    uint32_t edge;     /* longest side before the provider shrinks; 0 none */
    uint32_t budget;   /* patches before the provider shrinks; 0 none */
    uint32_t mult;     /* hundredths */
    uint32_t base, per_tile;
};

/* The size that the provider would work on: the same size when it does not shrink it. */
struct size tokens_resize(const struct token_rule *rule, struct size image);

/* Tokens that an image of this size costs (the provider's own shrinking counted in). 0 when unknown. */
uint32_t tokens_count(const struct token_rule *rule, struct size image);

/*
 * The rule of a model by its exact id, with or without "provider/" before it. `full` asks for the rule at the model's
 * own maximum (OpenAI detail "original"). NULL for a model that is not in the table. The rule is static data.
 */
const struct token_rule *tokens_rule(const char *model, int full);

/* Whether the host that a "provider/model" names takes WebP; llama.cpp, Ollama and LM Studio do not. NULL: yes. */
int tokens_host_takes_webp(const char *model);

#endif
