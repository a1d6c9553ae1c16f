/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures that were made before. What a worker gives is a function of the source's bytes and the request, and agents
 * look at the same picture again and again. Keyed by the source's hash and the whole request; nothing of a path or of
 * permission is in it: whoever asks has opened, judged and hashed the source afresh. At most LIMIT_CACHE_BYTES and
 * LIMIT_CACHE_ENTRIES, the least recently used out first. Thread-safe; NULL is a cache that never has anything.
 */
#ifndef FOVEA_CACHE_H
#define FOVEA_CACHE_H

#include <stdbool.h>

#include "base/sha256.h"
#include "sandbox/pool.h"

struct cache;

/* NULL when out of memory. */
struct cache *cache_new(void);
void cache_free(struct cache *c);

/* Whether some source of this length was asked for just so: then its hash is worth knowing before the work. */
bool cache_expects(struct cache *c, const struct work_request *request);

/* True with an output of the caller's own (pool_output_done) when this source was seen by the same request. */
bool cache_find(struct cache *c, const uint8_t sha256[SHA256_LEN], const struct work_request *request,
                struct pool_output *ret);

/* Keeps a copy of what came out, if it was a picture. Out of memory forgets, which costs no more than time. */
void cache_keep(struct cache *c, const uint8_t sha256[SHA256_LEN], const struct work_request *request,
                const struct pool_output *output);

#endif
