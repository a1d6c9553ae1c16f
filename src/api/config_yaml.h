/* SPDX-License-Identifier: Apache-2.0 */
/* The YAML of a config file. */
#ifndef FOVEA_CONFIG_YAML_H
#define FOVEA_CONFIG_YAML_H

#include "api/config_value.h"

/* Puts what the text says over what is in c. *ret_secret: whether it holds an API key (also true on some faults). */
int config_parse(struct config_place *at, const char *text, size_t len, struct config *c, bool *ret_secret);

#endif
