/* SPDX-License-Identifier: Apache-2.0 */
/* Each hash has one place, which the next one of that place takes: see seen.h. */
#include "api/seen.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 1024 };

struct seen {
    pthread_mutex_t lock;
    bool used[PLACES];
    uint8_t sha256[PLACES][SHA256_LEN];
};

struct seen *seen_new(void)
{
    struct seen *s = calloc(1, sizeof *s);
    if (s)
        (void)pthread_mutex_init(&s->lock, NULL);
    return s;
}

void seen_free(struct seen *s)
{
    if (!s)
        return;
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}

static size_t place_of(const uint8_t sha256[static SHA256_LEN])
{
    return ((size_t)sha256[0] << 8 | sha256[1]) % PLACES;
}

bool seen_find(struct seen *s, const uint8_t sha256[static SHA256_LEN])
{
    size_t i = place_of(sha256);
    (void)pthread_mutex_lock(&s->lock);
    bool found = s->used[i] && !memcmp(s->sha256[i], sha256, SHA256_LEN);
    (void)pthread_mutex_unlock(&s->lock);
    return found;
}

void seen_add(struct seen *s, const uint8_t sha256[static SHA256_LEN])
{
    size_t i = place_of(sha256);
    (void)pthread_mutex_lock(&s->lock);
    s->used[i] = true;
    memcpy(s->sha256[i], sha256, SHA256_LEN);
    (void)pthread_mutex_unlock(&s->lock);
}
