/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list from the newest use to the oldest, see cache.h. It is short, so it is searched in order: a request differs in
 * its first bytes, the source's length among them. Copies are made outside of the lock; an entry that is being copied
 * from is held by a count and goes when the last one lets go of it.
 */
#include "api/cache.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/limits.h"

/* Requests are compared as bytes, so there must be none between the members. */
_Static_assert(sizeof(struct fit_box) == 4 * sizeof(double) + 2 * sizeof(uint32_t), "padding in a box");
_Static_assert(sizeof(struct fit_limits) == 12 * sizeof(uint32_t), "padding in limits");
_Static_assert(sizeof(struct work_request) ==
                   3 * sizeof(uint64_t) + 14 * sizeof(uint32_t) + sizeof(struct fit_box) + 2 * sizeof(struct fit_limits),
               "padding in a request");

struct entry {
    struct entry *newer, *older;
    unsigned holders; /* the list is one */
    uint8_t sha256[SHA256_LEN];
    struct work_request request;
    struct work_reply reply;
    size_t len;
    uint8_t data[];
};

struct cache {
    pthread_mutex_t lock;
    struct entry *newest, *oldest;
    size_t n, bytes;
};

struct cache *cache_new(void)
{
    struct cache *c = calloc(1, sizeof *c);
    if (c)
        (void)pthread_mutex_init(&c->lock, NULL);
    return c;
}

/* With the lock held, as all that follows until the public functions. */
static void let_go(struct entry *e)
{
    if (!--e->holders)
        free(e);
}

static void unlink_entry(struct cache *c, struct entry *e)
{
    *(e->newer ? &e->newer->older : &c->newest) = e->older;
    *(e->older ? &e->older->newer : &c->oldest) = e->newer;
    c->n--;
    c->bytes -= e->len;
}

static void link_newest(struct cache *c, struct entry *e)
{
    e->newer = NULL;
    e->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = e;
    c->newest = e;
    c->n++;
    c->bytes += e->len;
}

/* sha256 NULL: of any source. */
static struct entry *find(const struct cache *c, const uint8_t *sha256, const struct work_request *request)
{
    struct entry *e = c->newest;
    /* Requests begin as zeroes; bytes that differ where values do not would cost a second look, never a wrong one. */
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c): see above */
    while (e && (memcmp(&e->request, request, sizeof *request) != 0 ||
                 (sha256 && memcmp(e->sha256, sha256, SHA256_LEN) != 0)))
        e = e->older;
    return e;
}

static void make_room(struct cache *c, size_t len)
{
    while (c->oldest && (c->n >= LIMIT_CACHE_ENTRIES || len > LIMIT_CACHE_BYTES - c->bytes)) {
        struct entry *e = c->oldest;
        unlink_entry(c, e);
        let_go(e);
    }
}

void cache_free(struct cache *c)
{
    if (!c)
        return;
    while (c->oldest) {
        struct entry *e = c->oldest;
        unlink_entry(c, e);
        let_go(e);
    }
    (void)pthread_mutex_destroy(&c->lock);
    free(c);
}

bool cache_expects(struct cache *c, const struct work_request *request)
{
    if (!c)
        return false;
    (void)pthread_mutex_lock(&c->lock);
    bool found = find(c, NULL, request);
    (void)pthread_mutex_unlock(&c->lock);
    return found;
}

/* In pages of its own, as a worker's output is. */
static bool copy_out(const struct entry *e, struct pool_output *ret)
{
    void *data = mmap(NULL, e->len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (data == MAP_FAILED)
        return false;
    memcpy(data, e->data, e->len);
    *ret = (struct pool_output){.reply = e->reply, .data = data, .len = e->len};
    return true;
}

bool cache_find(struct cache *c, const uint8_t sha256[SHA256_LEN], const struct work_request *request,
                struct pool_output *ret)
{
    if (!c)
        return false;
    (void)pthread_mutex_lock(&c->lock);
    struct entry *e = find(c, sha256, request);
    if (e) {
        unlink_entry(c, e);
        link_newest(c, e);
        e->holders++;
    }
    (void)pthread_mutex_unlock(&c->lock);
    if (!e)
        return false;
    bool copied = copy_out(e, ret);
    (void)pthread_mutex_lock(&c->lock);
    let_go(e);
    (void)pthread_mutex_unlock(&c->lock);
    return copied;
}

void cache_keep(struct cache *c, const uint8_t sha256[SHA256_LEN], const struct work_request *request,
                const struct pool_output *output)
{
    if (!c || output->reply.status != WORK_OK || !output->data || output->len > LIMIT_CACHE_BYTES)
        return;
    auto_free struct entry *made = malloc(sizeof *made + output->len);
    if (!made)
        return;
    *made = (struct entry){.holders = 1, .request = *request, .reply = output->reply, .len = output->len};
    memcpy(made->sha256, sha256, SHA256_LEN);
    memcpy(made->data, output->data, output->len);
    (void)pthread_mutex_lock(&c->lock);
    if (!find(c, sha256, request)) {
        make_room(c, made->len);
        link_newest(c, take(made));
    }
    (void)pthread_mutex_unlock(&c->lock);
}
