/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A disk that loses its power. It goes along the log: what was synced is kept, what was not is pending, in order. A state is what may
 * be found afterwards: the kept bytes, and of the pending operations any, each whole, in part by sectors, or not at all. A
 * name that was made or removed is pending until its folder is synced. A sector is either the old or the new one.
 */
#ifndef FOVEA_POWER_DISK_H
#define FOVEA_POWER_DISK_H

#include "power_log.h"

enum { DISK_NAMES = 16, DISK_PENDING = 1 << 14, DISK_FILE = 16 << 20 };

struct disk_node {
    bool folder;
    uint8_t *data; /* of a file: DISK_FILE bytes of room */
    size_t len;
    struct {
        char name[LOG_NAME];
        int node;
    } names[DISK_NAMES]; /* of a folder; "" is a free one */
};

/* What of the syncs is not done although the program asked for it, to see that it is missed. */
enum { LOSE_LOG = 1, LOSE_FILE = 2, LOSE_FOLDER = 4 };

struct disk {
    struct disk_node kept[LOG_NODES], built[LOG_NODES];
    size_t pending[DISK_PENDING]; /* numbers of operations */
    size_t n;
    unsigned lose;
};

/* What became of one pending operation. */
struct fate {
    enum { FATE_LOST, FATE_DONE, FATE_TORN } how;
    unsigned unit;   /* of a torn write: the sector */
    uint64_t random; /* which sectors: by chance; or, where it is 0, */
    unsigned first;  /* those from this one on, */
    unsigned count;  /* as many */
    bool grown;      /* a file that would have grown has, also where its bytes are not there */
};

static inline uint64_t disk_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* ---------------------------------------------------------------- one operation on one node */

static void node_grow(struct disk_node *n, size_t len)
{
    if (!n->data)
        n->data = calloc(1, DISK_FILE);
    if (!n->data || len > DISK_FILE)
        abort(); /* the lab is made too small */
    if (len > n->len)
        memset(n->data + n->len, 0, len - n->len);
    n->len = MAX(n->len, len);
}

static void node_write(struct disk_node *n, const uint8_t *data, size_t at, size_t len)
{
    node_grow(n, at + len);
    memcpy(n->data + at, data, len);
}

static void node_tear(struct disk_node *n, const struct op *op, const struct fate *f)
{
    size_t at = (size_t)op->at, end = at + op->len;
    uint64_t state = f->random;
    unsigned sector = 0;
    if (f->grown)
        node_grow(n, end);
    for (size_t to; at < end; at = to, sector++) {
        to = MIN(end, (at / f->unit + 1) * f->unit);
        bool there = f->random ? disk_random(&state) & 1 : sector - f->first < f->count;
        if (there)
            node_write(n, op->data + (at - (size_t)op->at), at, to - at);
    }
}

static void node_name(struct disk_node *n, const struct op *op)
{
    size_t i = 0;
    for (; i < DISK_NAMES && strcmp(n->names[i].name, op->name); i++)
        ;
    for (size_t k = 0; i == DISK_NAMES && op->kind == OP_LINK && k < DISK_NAMES; k++)
        i = n->names[k].name[0] ? i : k;
    if (i == DISK_NAMES)
        return;
    n->names[i].node = op->to;
    (void)snprintf(n->names[i].name, LOG_NAME, "%s", op->kind == OP_LINK ? op->name : "");
}

static void node_do(struct disk_node *nodes, const struct op *op, const struct fate *f)
{
    struct disk_node *n = &nodes[op->node];
    if (f->how == FATE_LOST)
        return;
    if (op->kind == OP_LINK || op->kind == OP_UNLINK)
        node_name(n, op);
    else if (op->kind == OP_WRITE && f->how == FATE_TORN)
        node_tear(n, op, f);
    else if (op->kind == OP_WRITE)
        node_write(n, op->data, (size_t)op->at, op->len);
    else if ((size_t)op->at > n->len)
        node_grow(n, (size_t)op->at);
    else
        n->len = (size_t)op->at;
}

/* ---------------------------------------------------------------- along the log */

static bool disk_is_lost(const struct disk *d, const struct op *sync)
{
    unsigned kind = sync->folder ? LOSE_FOLDER : !strcmp(power_log.nodes[sync->node].end, "-wal") ? LOSE_LOG : LOSE_FILE;
    return d->lose & kind;
}

static void disk_sync(struct disk *d, int node)
{
    static const struct fate done = {.how = FATE_DONE};
    size_t left = 0;
    for (size_t i = 0; i < d->n; i++) {
        const struct op *op = &power_log.ops[d->pending[i]];
        if (op->node == node)
            node_do(d->kept, op, &done);
        else
            d->pending[left++] = d->pending[i];
    }
    d->n = left;
}

/* The next operation of the log. */
static void disk_step(struct disk *d, size_t at)
{
    const struct op *op = &power_log.ops[at];
    if (op->kind == OP_LINK)
        d->kept[op->to].folder = d->built[op->to].folder = op->folder;
    if (op->kind == OP_SYNC && !disk_is_lost(d, op))
        disk_sync(d, op->node);
    else if (op->kind != OP_SYNC && op->kind != OP_MARK) {
        if (d->n == DISK_PENDING)
            abort();
        d->pending[d->n++] = at;
    }
}

static struct disk *disk_new(unsigned lose)
{
    struct disk *d = calloc(1, sizeof *d);
    if (d) {
        d->kept[0].folder = d->built[0].folder = true;
        d->lose = lose;
    }
    return d;
}

static void disk_free(struct disk *d)
{
    for (size_t i = 0; d && i < LOG_NODES; i++) {
        free(d->kept[i].data);
        free(d->built[i].data);
    }
    free(d);
}

/* ---------------------------------------------------------------- states */

/* fates: one for each that is pending. What is there then is in built. */
static void disk_build(struct disk *d, const struct fate *fates)
{
    for (int i = 0; i < power_log.n_nodes; i++) {
        const struct disk_node *k = &d->kept[i];
        struct disk_node *b = &d->built[i];
        memcpy(b->names, k->names, sizeof b->names);
        b->len = 0;
        if (k->len)
            node_write(b, k->data, 0, k->len);
    }
    for (size_t i = 0; i < d->n; i++)
        node_do(d->built, &power_log.ops[d->pending[i]], &fates[i]);
}

/* Each file and folder that can be found, with its path; parents first. */
typedef void disk_each(const char *path, const struct disk_node *n, void *arg);

static void disk_walk(const struct disk *d, int node, const char *path, disk_each *each, void *arg)
{
    const struct disk_node *n = &d->built[node];
    for (size_t i = 0; i < DISK_NAMES; i++) {
        char below[512];
        if (!n->names[i].name[0])
            continue;
        int to = n->names[i].node;
        (void)snprintf(below, sizeof below, "%s/%s", path, n->names[i].name);
        each(below, &d->built[to], arg);
        if (d->built[to].folder)
            disk_walk(d, to, below, each, arg);
    }
}

/* 128 bits of all that is there. Names are in the order in which they came to be, which is the same in all states of a run. */
struct print {
    uint64_t a, b;
};

static void print_words(uint64_t lanes[static 4], const uint8_t *at)
{
    uint64_t words[4];
    memcpy(words, at, sizeof words);
    for (int i = 0; i < 4; i++) {
        lanes[i] = (lanes[i] ^ words[i]) * 0x9e3779b97f4a7c15u;
        lanes[i] = lanes[i] << 29 | lanes[i] >> 35;
    }
}

static void print_add(struct print *p, const void *data, size_t len)
{
    const uint8_t *at = data;
    uint8_t rest[32] = {0};
    uint64_t lanes[4] = {p->a, p->b, len, ~len};
    for (; len >= sizeof rest; len -= sizeof rest, at += sizeof rest)
        print_words(lanes, at);
    if (len)
        memcpy(rest, at, len);
    print_words(lanes, rest);
    for (int i = 0; i < 4; i++) {
        p->a = disk_random(&(uint64_t){p->a ^ lanes[i]});
        p->b = disk_random(&(uint64_t){(p->b + lanes[i]) * 0xd6e8feb86659fd93u});
    }
}

static void print_file(const char *path, const struct disk_node *n, void *arg)
{
    print_add(arg, path, strlen(path) + 1);
    print_add(arg, n->data, n->folder ? 0 : n->len);
}

static struct print disk_print(const struct disk *d)
{
    struct print p = {1, 2};
    disk_walk(d, 0, "", print_file, &p);
    return p;
}

#endif
