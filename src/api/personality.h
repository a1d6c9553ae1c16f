/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A personality: a folder personalities/ID/ beside the config file. Its toolset.yaml lists the tools that there are, its
 * config.yaml is laid over the other one. Both may be missing; the folder may not.
 */
#ifndef FOVEA_PERSONALITY_H
#define FOVEA_PERSONALITY_H

#include "api/config_value.h"

struct personality_options {
    const char *id;     /* [A-Za-z0-9._-]{1,64}, not "." or ".." */
    const char *beside; /* where personalities/ is, absolute */
    const char *cwd, *home;
};

/* Lays its config over c and says which tools are left (by bit: their place in fovea_tools()). -EINVAL, with the file,
 * the line and what would be right; -ENOENT no such folder; or as config_load. */
int personality_load(const struct personality_options *options, struct config *c, uint32_t *ret_tools,
                     struct fovea_fault *fault);

/* The tools that a toolset.yaml names: a list of names, or a mapping whose key tools holds one. */
int toolset_parse(struct config_place *at, const char *text, size_t len, uint32_t *ret_tools);

#endif
