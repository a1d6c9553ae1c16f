/* SPDX-License-Identifier: Apache-2.0 */
/* What a struct models is made of, for the files of this room. */
#ifndef FOVEA_MODELS_PRIV_H
#define FOVEA_MODELS_PRIV_H

#include "model/models.h"
#include "model/table.h"

struct models {
    struct provider providers[LIMIT_PROVIDERS];
    size_t n_providers;
    struct model *extra; /* the user's rows */
    size_t n_extra;
    char **strings; /* what the rows point to; wiped at the end */
    size_t n_strings;
};

/* The host of that name, which need not end there; NULL when there is none. */
struct provider *models_provider_n(const struct models *m, const char *name, size_t len);

#endif
