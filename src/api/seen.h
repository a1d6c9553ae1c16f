/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes that were met lately; it may forget any of them. Any thread. */
#ifndef FOVEA_SEEN_H
#define FOVEA_SEEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sha256.h"

struct seen;

/* NULL when out of memory. */
struct seen *seen_new(void);
void seen_free(struct seen *s);

bool seen_find(struct seen *s, const uint8_t sha256[static SHA256_LEN]);
void seen_add(struct seen *s, const uint8_t sha256[static SHA256_LEN]);

#endif
