/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of models and of the providers that serve them. The rows that ship (data/models.tsv) lie in the library;
 * what the user's files say lies over them. Ids are exact, and what is not known is no.
 *
 * A struct models is filled by one thread and then only read. Pointers that it gives are borrowed from it.
 */
#ifndef FOVEA_MODELS_H
#define FOVEA_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "model/money.h"

enum {
    MODEL_VISION = 1,
    MODEL_PDF = 2,
    MODEL_VIDEO = 4,
    MODEL_TOOL_IMAGE = 8,   /* pictures inside tool results */
    MODEL_TOOL_UNSAID = 16, /* nobody said whether it takes those */
};

struct model {
    const char *provider, *id;
    unsigned can;                /* MODEL_ bits */
    int64_t context, max_output; /* tokens; 0 not known, here and below */
    int64_t request_bytes;       /* of one whole request */
    int64_t images;              /* in one request */
    struct price price;
    struct price_tier tiers[MODEL_TIERS]; /* rising; above 0 ends them */
    const char *price_source, *limits_source, *modality_source;
};

/*
 * A host: who it is and where, and all that a config may say of it. What it makes of the wire's features is known to
 * provider/hosts.h. Strings are NULL when nobody set them.
 */
struct provider {
    const char *name;
    const char *wire; /* by its name (wire_find); NULL: on this machine, and asked over none */
    const char *base_url;
    const char *usual_env; /* the variable that holds its key on most machines */
    const char *preferred; /* the model taken when nobody names one */
    const char *auth;      /* how a key is sent: bearer, x-api-key, x-goog-api-key; NULL: as the wire's vendor wants it */
    bool auth_none;        /* asks for no key; one that is set is sent all the same */
    bool no_webp;          /* such pictures are not for it, whoever fits them */
    bool no_result_images; /* where it speaks Responses, not known to take pictures in results (llama.cpp refuses them) */
    bool plain_ids;        /* at its own address, no model has a slash in its id */
    /* what the user's file says */
    bool listed;  /* it has a word on this host */
    bool own_url; /* it names the base URL: a key found elsewhere must not go there */
    const char *said; /* where it names the host first ("config.yaml:3") */
    const char *api_key, *api_key_env;
};

struct models;

/* The rows that ship, the built-in providers, and nothing else. NULL when out of memory. */
struct models *models_new(void);
void models_free(struct models *m);

/* The wires that a provider may name, NULL-terminated. */
extern const char *const provider_wires[];

/* "gemini" → "google"; any other name is its own. */
const char *provider_name(const char *name, size_t len, size_t *ret_len);

const struct provider *models_provider(const struct models *m, const char *name);
const struct provider *models_provider_at(const struct models *m, size_t i); /* NULL past the last */

/* The row of exactly this id, the user's before ours; NULL when there is none. local/ocr has one. */
const struct model *models_find(const struct models *m, const char *provider, const char *id);
/* Every row once, the user's first; NULL past the last. */
const struct model *models_at(const struct models *m, size_t i);

/* Whether the model can do that as its provider is reached: chat completions carry no picture in a tool result of
 * OpenAI's own. m NULL or a model NULL: no. */
bool models_can(const struct models *m, const struct model *model, unsigned what);

/* "vision" → MODEL_VISION; 0 for a word that names nothing. */
unsigned model_capability(const char *name);

/* A model as someone wrote it. */
struct model_name {
    char provider[LIMIT_MODEL_ID]; /* "" when the words name none */
    char id[LIMIT_MODEL_ID];
    const char *effort; /* "low", "medium", "high"; NULL */
};

/*
 * Takes words apart. The text before the first slash is the provider if one of that name exists. Only a final :low,
 * :medium or :high is an effort: ids may hold slashes and colons. -EINVAL when it is empty or too long.
 */
int model_name_parse(const struct models *m, const char *words, struct model_name *ret);

/* ---------------------------------------------------------------- what the user's files say */

/*
 * One value of a host or a model, by the name of its key; "" only makes the row, of a host with where it was said as its
 * value. source: where it was said ("models.yaml:3"), for those who ask where a figure came from. Returns 0; -EDOM a name that is not *ret_must (words); -ENOENT no such key,
 * or a model of no host; -EINVAL a value that is not *ret_must; -ENOSPC too many; -ENOMEM.
 */
int models_set_provider(struct models *m, const char *name, const char *key, const char *value, const char **ret_must);
int models_set_model(struct models *m, const char *provider, const char *id, const char *key, const char *value,
                     const char *source, const char **ret_must);

/* The keys that may be set, NULL-terminated: for whoever looks for the nearest. */
extern const char *const provider_keys[], *const model_keys[];

#endif
