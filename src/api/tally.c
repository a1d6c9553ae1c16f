/* SPDX-License-Identifier: Apache-2.0 */
/* Counting for a session: see tally.h. Pictures are a ring: a session that has seen LIMIT_ASK_PICTURES others since then
 * may ask about an old one again. */
#include "api/tally.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

struct picture {
    uint8_t sha256[SHA256_LEN];
    int64_t calls;
};

struct tally {
    pthread_mutex_t lock;
    unsigned refs;
    int64_t nano;
    struct picture *pictures; /* made with the first that is counted */
    size_t used, next;
};

struct tally *tally_new(void)
{
    struct tally *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    (void)pthread_mutex_init(&t->lock, NULL);
    t->refs = 1;
    return t;
}

struct tally *tally_ref(struct tally *t)
{
    (void)pthread_mutex_lock(&t->lock);
    t->refs++;
    (void)pthread_mutex_unlock(&t->lock);
    return t;
}

void tally_unref(struct tally *t)
{
    if (!t)
        return;
    (void)pthread_mutex_lock(&t->lock);
    bool last = !--t->refs;
    (void)pthread_mutex_unlock(&t->lock);
    if (!last)
        return;
    (void)pthread_mutex_destroy(&t->lock);
    free(t->pictures);
    free(t);
}

void tally_spend(struct tally *t, int64_t nano)
{
    (void)pthread_mutex_lock(&t->lock);
    if (nano > 0 && __builtin_add_overflow(t->nano, nano, &t->nano))
        t->nano = INT64_MAX;
    (void)pthread_mutex_unlock(&t->lock);
}

int64_t tally_spent(struct tally *t)
{
    (void)pthread_mutex_lock(&t->lock);
    int64_t nano = t->nano;
    (void)pthread_mutex_unlock(&t->lock);
    return nano;
}

static struct picture *find(struct tally *t, const uint8_t sha256[SHA256_LEN])
{
    for (size_t i = 0; i < t->used; i++)
        if (!memcmp(t->pictures[i].sha256, sha256, SHA256_LEN))
            return &t->pictures[i];
    return NULL;
}

/* NULL when out of memory: then it is not counted. */
static struct picture *add(struct tally *t, const uint8_t sha256[SHA256_LEN])
{
    if (!t->pictures && !(t->pictures = calloc(LIMIT_ASK_PICTURES, sizeof *t->pictures)))
        return NULL;
    struct picture *p = &t->pictures[t->next];
    t->next = (t->next + 1) % LIMIT_ASK_PICTURES;
    t->used += t->used < LIMIT_ASK_PICTURES;
    memcpy(p->sha256, sha256, SHA256_LEN);
    p->calls = 0;
    return p;
}

bool tally_picture(struct tally *t, const uint8_t sha256[SHA256_LEN], int64_t most)
{
    bool may = true;
    if (!most)
        return true;
    (void)pthread_mutex_lock(&t->lock);
    struct picture *p = find(t, sha256);
    if (p && p->calls >= most)
        may = false;
    else if (p || (p = add(t, sha256)))
        p->calls++;
    (void)pthread_mutex_unlock(&t->lock);
    return may;
}

void tally_give_back(struct tally *t, const uint8_t sha256[SHA256_LEN])
{
    (void)pthread_mutex_lock(&t->lock);
    struct picture *p = find(t, sha256);
    if (p && p->calls)
        p->calls--;
    (void)pthread_mutex_unlock(&t->lock);
}
