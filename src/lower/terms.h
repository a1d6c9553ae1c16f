/* SPDX-License-Identifier: Apache-2.0 */
/* What hosts and model families take and charge, as data: the rows behind target_make. */
#ifndef FOVEA_TERMS_H
#define FOVEA_TERMS_H

#include "lower/target.h"

/* Limits of a host on one wire. */
struct terms_host {
    const char *provider; /* NULL: any on that wire; such a row ends the search */
    enum lower_wire wire;
    bool any_wire;        /* the row holds on every wire of that provider */
    bool gif;
    struct target_limits limits; /* request_bytes and images of the model's row win where they are smaller */
    const char *source;
};
const struct terms_host *terms_host_find(const char *provider, enum lower_wire wire);

/* A family of models: how its cache behaves and how it binds thoughts. */
struct terms_family {
    const char *prefix; /* of the id, after "vendor/", with '-' for '.' */
    int64_t least, ttl_ms;
    bool bound_thinking;
    bool adaptive; /* thinking is "adaptive" or none: a budget is refused */
    const char *source;
};
/* Never NULL: the last row is for all others. */
const struct terms_family *terms_family_find(const char *model);

/* 3 of "gemini-3.8-flash"; 0 when it is no Gemini. */
int terms_gemini_version(const char *model);

#endif
