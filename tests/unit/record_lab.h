/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record for a test: a SQLite file in a folder of its own, or the store that FOVEA_TEST_STORE names, which other tests use too.
 * Names of sessions are made so that no two tests meet. What an entry means is told by its words: "mark:NAME" is a mark,
 * "use:HEX" a blob that it needs, "bad" cannot be understood.
 */
#ifndef FOVEA_RECORD_LAB_H
#define FOVEA_RECORD_LAB_H

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/limits.h"
#include "record/record.h"
#include "tree.h"

struct lab {
    struct tree tree;
    char folder[96]; /* of the usual file; not made yet */
    char file[128];
    char prefix[40];
    char names[32][65];
    unsigned named;
    struct record *r;
    struct fovea_fault fault;
};

static inline int lab_hex(const char *s, size_t len, uint8_t ret[SHA256_LEN])
{
    char pair[3] = {0};
    if (len != SHA256_HEX_LEN)
        return -EINVAL;
    for (size_t i = 0; i < SHA256_LEN; i++) {
        memcpy(pair, s + 2 * i, 2);
        ret[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return 0;
}

static inline int lab_derive(const char *body, size_t len, struct record_index *to)
{
    int r = 0;
    for (const char *at = body, *end = body + len; r == 0 && at < end;) {
        const char *space = memchr(at, ' ', (size_t)(end - at));
        size_t n = (size_t)((space ? space : end) - at);
        uint8_t hash[SHA256_LEN];
        if (n > 5 && !memcmp(at, "mark:", 5))
            r = to->mark(to, at + 5, n - 5);
        else if (n > 4 && !memcmp(at, "use:", 4))
            r = lab_hex(at + 4, n - 4, hash) < 0 ? -EINVAL : to->use(to, hash);
        else if (n == 3 && !memcmp(at, "bad", 3))
            r = -EINVAL;
        at += n + 1;
    }
    return r;
}

static inline const char *lab_store(void)
{
    const char *store = getenv("FOVEA_TEST_STORE");
    return store && *store ? store : "sqlite:";
}

static inline bool lab_is_sqlite(void)
{
    return !strcmp(lab_store(), "sqlite:");
}

static inline struct record *lab_open_as(struct lab *l, const char *where, int wait_ms)
{
    struct record *r = NULL;
    struct record_options o = {.where = where, .folder = l->folder, .derive = lab_derive, .wait_ms = wait_ms};
    (void)record_open(&o, &r, &l->fault);
    return r;
}

static inline struct record *lab_open(struct lab *l)
{
    return lab_open_as(l, lab_store(), 0);
}

static inline void lab_init(struct lab *l)
{
    static int count;
    struct timespec now;
    *l = (struct lab){0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)tree_init(&l->tree, "-");
    (void)snprintf(l->folder, sizeof l->folder, "%sstate/fovea", l->tree.top);
    (void)snprintf(l->file, sizeof l->file, "%s/record.db", l->folder);
    (void)snprintf(l->prefix, sizeof l->prefix, "t%d-%x-%d-", getpid(), (unsigned)now.tv_nsec, count++);
    l->r = lab_open(l);
}

static inline void lab_reopen(struct lab *l)
{
    record_close(l->r);
    l->r = lab_open(l);
}

static inline void lab_done(struct lab *l)
{
    record_close(l->r);
    tree_done(&l->tree);
}
#define auto_lab cleanup(lab_done) struct lab

/* The name of a session of this test; it lives as long as the lab. */
static inline const char *lab_name(struct lab *l, const char *name)
{
    char *to = l->names[l->named++ % COUNT(l->names)];
    (void)snprintf(to, sizeof l->names[0], "%s%s", l->prefix, name);
    return to;
}

/* One entry, whatever is last. Its number, or a negative errno. */
static inline int64_t lab_say(struct record *r, const char *session, const char *key, const char *body)
{
    struct record_new e = {body, strlen(body)};
    struct record_append a = {.session = session, .key = key, .entries = &e, .count = 1, .after = -1};
    struct record_appended done;
    int code = record_append(r, &a, &done, NULL);
    return code < 0 ? code : done.last;
}

/* One entry that uses a blob: "use:HEX" of data. */
static inline int64_t lab_show(struct record *r, const char *session, const void *data, size_t len)
{
    struct record_blob b = {.data = data, .len = len};
    char hex[SHA256_HEX_LEN + 1], body[128];
    sha256(data, len, b.sha256);
    sha256_hex(b.sha256, hex);
    (void)snprintf(body, sizeof body, "picture use:%s", hex);
    struct record_new e = {body, strlen(body)};
    struct record_append a = {.session = session, .entries = &e, .count = 1, .blobs = &b, .n_blobs = 1, .after = -1};
    struct record_appended done;
    int code = record_append(r, &a, &done, NULL);
    return code < 0 ? code : done.last;
}

/* All bodies after *at, one a line; the caller frees. */
static inline int lab_add_line(const struct record_entry *e, void *arg)
{
    (void)buf_add(arg, e->body, e->len);
    return buf_add_str(arg, "\n");
}

static inline int lab_read(struct record *r, const char *session, struct record_point *at, char **ret, struct fovea_fault *fault)
{
    struct buf b = BUF_INIT(64 * MIB);
    int code = record_read(r, session, at, lab_add_line, &b, fault);
    *ret = buf_take(&b);
    return code;
}

struct lab_problems {
    int count, repaired;
    char session[65]; /* of the last that was not repaired */
    int64_t seq;
    char what[256];
};

static inline void lab_note(const struct record_problem *p, void *arg)
{
    struct lab_problems *to = arg;
    if (p->repaired) {
        to->repaired++;
        return;
    }
    if (to->count++ && to->seq)
        return;
    (void)snprintf(to->session, sizeof to->session, "%s", p->session);
    (void)snprintf(to->what, sizeof to->what, "%s", p->what);
    to->seq = p->seq;
}

/* The first problem that names an entry, else the last. */
static inline struct lab_problems lab_check(struct lab *l, const char *session, bool repair)
{
    struct lab_problems found = {0};
    struct record_checked done;
    int code = record_check(l->r, session, repair, lab_note, &found, &done, &l->fault);
    if (code < 0)
        found.count = code;
    return found;
}

#endif
