/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts and models as files say them: `providers` of config.yaml, and models.yaml beside it. */
#ifndef FOVEA_HOSTS_YAML_H
#define FOVEA_HOSTS_YAML_H

#include "api/yaml_reader.h"
#include "model/models.h"

struct hosts_reader {
    struct yaml_reader *yaml;
    struct models *models;
    struct buf seen;   /* what this file has set, to find what it sets twice */
    const char *above; /* what the keys lie under, for faults: "providers." or "" */
    bool secret;       /* an apiKey was among them */
    size_t line;       /* of the key that was read last */
};

/* word: a key of `providers`, dotted or not, without "providers."; first: its value. */
int hosts_entry(struct hosts_reader *r, const char *word, const yaml_event_t *first);
/* The whole mapping, whose start was read. */
int hosts_mapping(struct hosts_reader *r);

/* The text of models.yaml: "PROVIDER/ID: {vision: true, input: 2.50}". */
int models_parse(struct config_place *at, const char *text, size_t len, struct models *m);

/* Reads models.yaml in that folder, if there is one. *ret_file: its path, the caller's; NULL when there is none. */
int models_load(const char *folder, struct models *m, char **ret_file, struct fovea_fault *fault);

#endif
