/* SPDX-License-Identifier: Apache-2.0 */
/* Which image-token rule each model follows: the data behind tokens_rule. */
#ifndef FOVEA_MODELS_TABLE_H
#define FOVEA_MODELS_TABLE_H

#include <stddef.h>

#include "fit/tokens.h"

/* One published rule, and where and when it was read. */
struct image_rule {
    struct token_rule usual; /* as we send images by default (OpenAI detail "high") */
    struct token_rule full;  /* the most that the model takes (OpenAI detail "original") */
    const char *source;
};

struct image_model {
    const char *id; /* the vendor's own; with "vendor/" in front where only OpenRouter spells it so */
    const struct image_rule *rule;
};

extern const struct image_model image_models[];
extern const size_t image_models_count;

#endif
