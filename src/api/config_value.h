/* SPDX-License-Identifier: Apache-2.0 */
/* Putting values from a file into struct config, by the row of their key. */
#ifndef FOVEA_CONFIG_VALUE_H
#define FOVEA_CONFIG_VALUE_H

#include "api/config.h"
#include "api/config_keys.h"

/* Where in which file we are: what every fault begins with. */
struct config_place {
    const char *file; /* its name without folders */
    size_t line;      /* from 1 */
    const char *cwd, *home;
    bool overlay;     /* it is laid over another file */
    struct fovea_fault *fault;
};

/* The fault "config.yaml:7: ..."; returns -EINVAL. */
__attribute__((format(printf, 2, 3))) int config_wrong(const struct config_place *at, const char *format, ...);

/* A value as the file has it: plain is false for quoted words, which are never a number or null. */
struct config_scalar {
    const char *text;
    size_t len;
    bool plain;
};

/* Nothing, ~ or null, not quoted. */
bool config_is_null(const struct config_scalar *value);

/* Sets one member from a scalar; not of CONFIG_ANY. */
int config_set(const struct config_place *at, const struct config_key *key, const struct config_scalar *value,
               struct config *c);

/* A copy of a string that is fit to be one: not empty, not too long, no NUL in it. The caller frees. */
int config_copy_string(const struct config_place *at, const struct config_key *key, const struct config_scalar *value,
                       char **ret);

/* Empties a list; adds one entry to it. */
int config_list_clear(const struct config_place *at, const struct config_key *key, struct config *c);
int config_list_add(const struct config_place *at, const struct config_key *key, const struct config_scalar *value,
                    struct config *c);
void config_list_free(char **list);

/* Appends who set a key: "config.yaml:7", "personalities/ID/config.yaml:2", "default". */
int config_origin_add(const struct config *c, const struct config_key *key, struct buf *ret);

/* The fault 'config.yaml:7: KEY "value" WHY', of a key that a file set; returns -EINVAL. */
int config_mistaken(const struct config *c, const char *key, const char *value, const char *why, struct fovea_fault *fault);

#endif
