/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which model answers: the first that is set of the call's own, role vision, role default, the session's main model, and
 * the first available. Then the gate: can it do what is needed, and is there a key. A pure function of its inputs; no
 * file is read and nobody is called.
 */
#ifndef FOVEA_CHOOSE_H
#define FOVEA_CHOOSE_H

#include "model/models.h"

/* A model with what stands beside it in the config. All may be NULL. */
struct choose_setting {
    const char *provider, *model, *api_key, *api_key_env, *base_url;
};

struct choose_inputs {
    const struct models *models;             /* NULL: there is no registry */
    const struct model *found;               /* what hosts said of themselves; counts after the rows of models */
    size_t n_found;
    const char *call;                        /* the call's own model; NULL none, as below */
    const char *role_vision, *role_default;  /* modelRoles.* */
    struct choose_setting vision;            /* auxiliary.vision.* */
    struct choose_setting top;               /* provider, model, apiKey, ... */
    const char *main_provider, *main_model;  /* what the host runs now */
    bool ocr;                                /* local/ocr may be taken */
    bool usual_keys;                         /* no key is configured anywhere: the usual variables hold */
    const char *(*env)(const char *name, void *arg); /* getenv(3) or a table; NULL or "" not set */
    void *env_arg;
};

enum choose_from {
    FROM_CALL,
    FROM_ROLE_VISION,
    FROM_AUXILIARY,
    FROM_ROLE_DEFAULT,
    FROM_MODEL,
    FROM_MAIN,
    FROM_FIRST,
    FROM_COUNT,
};
extern const char *const choose_from_names[]; /* "the call", "modelRoles.vision", ... */

enum choose_verdict {
    CHOOSE_OK,
    CHOOSE_NO_REGISTRY,
    CHOOSE_NO_MODELS,  /* no host has a key, and OCR is off */
    CHOOSE_UNRESOLVED, /* what was set names no model of any host */
    CHOOSE_CANNOT,     /* it lacks what is needed, as far as is known */
    CHOOSE_NO_KEY,
};

/* Borrowed from the inputs and their models. */
struct choice {
    const struct provider *provider;
    char id[LIMIT_MODEL_ID];
    const struct model *model; /* NULL: in no table */
    const char *effort;        /* NULL: not said */
    enum choose_from from;
    const char *api_key; /* NULL where the host asks for none */
    const char *base_url;
};

/* need: MODEL_ bits. With CHOOSE_OK the choice is whole; with CANNOT and NO_KEY it says which model was meant; with any
 * other verdict it is not touched. */
enum choose_verdict choose(const struct choose_inputs *in, unsigned need, struct choice *ret);

/* Whether words stand for a role ("pi/vision:high"): the rung where it begins, and the effort or NULL. */
bool choose_names_role(const char *words, enum choose_from *ret_rung, const char **ret_effort);

/* Whether a host was chosen by name, for all questions or for those about pictures. */
bool choose_named(const struct choose_inputs *in, const struct provider *p);

/* A setting that can name nothing. */
struct choose_mistake {
    const char *key, *words;       /* "modelRoles.vision" and what it holds */
    const char *beside;            /* of a model: the provider that stands next to it; NULL: none */
    char nearest[2 * LIMIT_MODEL_ID]; /* what may have been meant; "": nothing is near */
};

/* Whether some setting names a provider that there is not. A model with a slash in its id is no mistake while any host that
 * may be asked could have it, whatever the environment holds today. */
bool choose_mistaken(const struct choose_inputs *in, struct choose_mistake *ret);

/* Whether a host can be asked: it has a key, or asks for none and the user's files name it. */
bool choose_available(const struct choose_inputs *in, const struct provider *p);

/* Hosts in the order in which one is picked when nobody chose, OCR left out; the user's own comes first, and once more in
 * its place. *ret is NULL where there is none; false past the last. */
bool choose_host_at(const struct choose_inputs *in, size_t i, const struct provider **ret);

/* Whether a model of that host would be taken when nobody named one: its usual one, or the first that is known to see. */
bool choose_knows(const struct choose_inputs *in, const struct provider *p);

/* The key and the address that a host would be asked with: those members of the choice, and the provider. */
void choose_reach(const struct choose_inputs *in, const struct provider *p, struct choice *ret);

#endif
