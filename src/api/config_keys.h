/* SPDX-License-Identifier: Apache-2.0 */
/* The table of settings, and finding a row by its name. */
#ifndef FOVEA_CONFIG_KEYS_H
#define FOVEA_CONFIG_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

enum config_type {
    CONFIG_BOOL,
    CONFIG_INT,     /* min..max */
    CONFIG_USD,     /* a number with at most nine decimals; kept as nano-dollars */
    CONFIG_STRING,  /* null is allowed and means not set */
    CONFIG_HOSTS,   /* a list of at most max hosts, as source/host.h reads them */
    CONFIG_FOLDERS, /* a list of absolute folders; ${cwd}, ${home} and ~/ expand */
    CONFIG_ANY,     /* names that the user makes up lie under it: read by hosts_yaml.c */
};

struct config_key {
    const char *path;
    enum config_type type;
    size_t offset; /* of the member in struct config; unused for CONFIG_ANY */
    int64_t min, max;
    int64_t number;           /* default of a bool, an int or USD */
    const char *text;         /* default of a string; the one entry of a list by default */
    const char *help;         /* one line; NULL while no command obeys it */
    const char *const *forms; /* of a string, NULL-terminated: exact, or ending in * (anything) or # (a whole number) */
};

extern const struct config_key config_keys[];
extern const size_t config_keys_count;

/* The row of exactly this path, or the CONFIG_ANY row that it lies under; NULL when there is none. */
const struct config_key *config_key_find(const char *path);

/* Whether keys lie under this path. */
bool config_key_is_section(const char *path);

/* The known key or section that is spelled most like this one. */
void config_key_nearest(const char *path, char ret[static LIMIT_CONFIG_KEY]);

#endif
