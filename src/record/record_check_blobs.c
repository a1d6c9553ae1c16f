/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking the bytes. They are read once, whoever uses them; of those that are damaged each session that uses them is told, by its
 * first entry that does. Where the store cannot go through all of them, each is read alone. A smaller version that is damaged
 * is no loss: it can be made again, so that repairing takes it out.
 */
#include <errno.h>
#include <string.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/fault.h"
#include "base/limits.h"
#include "record/record_check.h"

struct bytes {
    struct checking *c;
    bool whole;      /* all of them were gone through */
    struct buf seen; /* hashes, sorted */
    struct buf bad;  /* of those that are not what was written, or cannot be read; sorted */
    struct buf told; /* of the bad ones, who uses them */
};

/* ---------------------------------------------------------------- sets of hashes */

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, SHA256_LEN);
}

static void sort(struct buf *set)
{
    if (set->len)
        qsort(set->data, set->len / SHA256_LEN, SHA256_LEN, compare);
}

static bool has(const struct buf *set, const uint8_t *sha256)
{
    return set->len && bsearch(sha256, set->data, set->len / SHA256_LEN, SHA256_LEN, compare);
}

/* ---------------------------------------------------------------- the bytes */

static int look_bytes(struct bytes *s, const uint8_t *sha256_, const void *data, size_t len)
{
    uint8_t hash[SHA256_LEN];
    s->c->done.blobs++;
    s->c->done.bytes += (int64_t)len;
    sha256(data, len, hash);
    int code = buf_add(&s->seen, sha256_, SHA256_LEN);
    if (code == 0 && memcmp(hash, sha256_, SHA256_LEN))
        code = buf_add(&s->bad, sha256_, SHA256_LEN);
    return code;
}

static int look_blob(const struct record_blob *blob, void *arg)
{
    struct bytes *s = arg;
    if (cancel_struck(s->c->r->wait.cancel))
        return fault_cancelled(s->c->fault);
    return look_bytes(s, blob->sha256, blob->data, blob->len);
}

/* By its name, when it was not gone by. */
static int look_alone(struct bytes *s, const uint8_t *sha256)
{
    struct record *r = s->c->r;
    auto_free void *data = NULL;
    size_t len = 0;
    if (cancel_struck(r->wait.cancel))
        return fault_cancelled(s->c->fault);
    if (has(&s->seen, sha256))
        return 0;
    int code = r->kind->blob(r->backend, sha256, &data, &len, s->c->fault);
    if (code == 0)
        code = look_bytes(s, sha256, data, len);
    else if (code == -EBADMSG || code == -EIO)
        code = buf_add(&s->bad, sha256, SHA256_LEN);
    if (code == 0) {
        sort(&s->seen);
        sort(&s->bad);
    }
    return code == -ENOENT ? 0 : code; /* that it is not there is told elsewhere */
}

/* ---------------------------------------------------------------- who uses them */

struct use {
    uint8_t sha256[SHA256_LEN];
    int64_t seq;
};

struct gathering {
    struct bytes *s;
    struct buf uses; /* struct use: of what is bad, or was not seen */
};

static int gather_use(const struct backend_made *m, void *arg)
{
    struct gathering *g = arg;
    struct use use = {.seq = m->seq};
    if (m->mark || !m->there || (g->s->whole && !has(&g->s->bad, m->use)))
        return 0;
    memcpy(use.sha256, m->use, SHA256_LEN);
    return buf_add(&g->uses, &use, sizeof use);
}

static int compare_uses(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    int order = memcmp(x->sha256, y->sha256, SHA256_LEN);
    return order ? order : (x->seq > y->seq) - (x->seq < y->seq);
}

static int tell_uses(struct gathering *g, const char *session)
{
    struct bytes *s = g->s;
    struct use *uses = (struct use *)g->uses.data;
    size_t n = g->uses.len / sizeof *uses;
    int code = 0;
    if (n)
        qsort(uses, n, sizeof *uses, compare_uses);
    for (size_t i = 0; code == 0 && i < n; i++) {
        if (i && !memcmp(uses[i].sha256, uses[i - 1].sha256, SHA256_LEN))
            continue;
        code = look_alone(s, uses[i].sha256);
        if (code < 0 || !has(&s->bad, uses[i].sha256))
            continue;
        check_problem(s->c, session, uses[i].seq, "the bytes that it uses are not those that were written", false);
        code = buf_add(&s->told, uses[i].sha256, SHA256_LEN);
    }
    return code;
}

static int tell_users(struct bytes *s)
{
    struct record *r = s->c->r;
    const char *name;
    int64_t id;
    int code = 0;
    for (size_t at = 0; code == 0 && check_next_name(s->c, &at, &id, &name);) {
        struct gathering g = {.s = s, .uses = BUF_INIT(LIMIT_RECORD_NAMES)};
        code = r->kind->made(r->backend, id, gather_use, &g, s->c->fault);
        if (code == 0)
            code = tell_uses(&g, name);
        buf_done(&g.uses);
        code = check_passed(s->c, name, "what it uses cannot be read", code);
    }
    return code;
}

static void tell_unused(struct bytes *s)
{
    sort(&s->told);
    for (size_t at = 0; at < s->bad.len; at += SHA256_LEN)
        if (!has(&s->told, (const uint8_t *)s->bad.data + at))
            check_problem(s->c, "", 0, "bytes that no entry uses are not those that were written", false);
}

/* ---------------------------------------------------------------- smaller versions */

enum trouble { NO_SEAL, NO_BYTES, BAD_BYTES };

struct version {
    uint8_t of[SHA256_LEN];
    struct backend_variant v;
    enum trouble trouble;
    size_t spec_len; /* which follows, with its NUL */
};

struct versions {
    struct bytes *s;
    struct buf list; /* struct version: those of which there is something to say, or to look at */
};

static int look_variant(const uint8_t *of, const char *spec, const struct backend_variant *v, bool there, void *arg)
{
    struct versions *k = arg;
    struct version one = {.v = *v, .trouble = BAD_BYTES, .spec_len = strlen(spec) + 1};
    uint8_t seal[SHA256_LEN];
    record_seal(of, spec, &v->v, seal);
    if (memcmp(seal, v->seal, SHA256_LEN))
        one.trouble = NO_SEAL;
    else if (!there)
        one.trouble = NO_BYTES;
    else if (k->s->whole && !has(&k->s->bad, v->v.sha256))
        return 0;
    memcpy(one.of, of, SHA256_LEN);
    (void)buf_add(&k->list, &one, sizeof one);
    return buf_add(&k->list, spec, one.spec_len);
}

/* Its bytes go too where it is sure that nobody else uses them. */
static int drop_within(struct checking *c, const struct version *one, const char *spec)
{
    const struct backend_kind *kind = c->r->kind;
    int sure = record_settle_uses(c->r, 0, c->fault);
    if (sure < 0 && sure != -EBADMSG)
        return sure;
    int code = kind->drop_variant(c->r->backend, one->of, spec, &one->v, c->fault);
    return code == 0 && sure == 0 ? kind->drop_unused(c->r->backend, one->v.v.sha256, c->fault) : code;
}

static int drop_version(struct checking *c, const struct version *one, const char *spec)
{
    const struct backend_kind *kind = c->r->kind;
    int code = kind->begin(c->r->backend, NULL, false, NULL, c->fault);
    return code < 0 ? code : kind->end(c->r->backend, drop_within(c, one, spec), c->fault);
}

static int tell_version(struct bytes *s, const struct version *one, const char *spec)
{
    static const char *const words[][2] = {
        [NO_SEAL] = {"what is said", "is not what was written"},
        [NO_BYTES] = {"the bytes", "are not there"},
        [BAD_BYTES] = {"the bytes", "are not those that were written"},
    };
    struct checking *c = s->c;
    char hex[SHA256_HEX_LEN + 1];
    char what[160];
    sha256_hex(one->of, hex);
    int code = c->repair ? drop_version(c, one, spec) : 0;
    if (code < 0 && code != -EBADMSG && code != -EIO && code != -ENOENT)
        return code;
    (void)snprintf(what, sizeof what, "%s of a smaller version of %.16s... %s", words[one->trouble][0], hex,
                   words[one->trouble][1]);
    check_problem(c, "", 0, what, c->repair && code == 0);
    return 0;
}

static int tell_versions(struct versions *k)
{
    struct bytes *s = k->s;
    struct version one;
    int code = 0;
    for (size_t at = 0; code == 0 && at + sizeof one <= k->list.len; at += sizeof one + one.spec_len) {
        memcpy(&one, k->list.data + at, sizeof one);
        if (one.trouble == BAD_BYTES)
            code = look_alone(s, one.v.v.sha256);
        if (code == 0 && one.trouble == BAD_BYTES && !has(&s->bad, one.v.v.sha256))
            continue;
        if (code == 0 && one.trouble == BAD_BYTES)
            code = buf_add(&s->told, one.v.v.sha256, SHA256_LEN);
        if (code == 0)
            code = tell_version(s, &one, k->list.data + at + sizeof one);
    }
    return code;
}

/* ---------------------------------------------------------------- all of them */

static int check_bytes(struct bytes *s, int64_t id)
{
    struct checking *c = s->c;
    const struct backend_kind *kind = c->r->kind;
    struct versions k = {.s = s, .list = BUF_INIT(LIMIT_RECORD_NAMES)};
    int code = kind->blobs(c->r->backend, id, look_blob, s, c->fault);
    s->whole = code == 0;
    sort(&s->seen);
    sort(&s->bad);
    code = check_passed(c, "", "not all bytes can be gone through", code);
    if (code == 0 && (!s->whole || s->bad.len))
        code = tell_users(s);
    if (code == 0)
        code = check_passed(c, "", "not all smaller versions can be read",
                            kind->variants(c->r->backend, id, look_variant, &k, c->fault));
    if (code == 0)
        code = tell_versions(&k);
    buf_done(&k.list);
    return code;
}

int check_blobs(struct checking *c, int64_t id)
{
    struct bytes s = {.c = c, .seen = BUF_INIT(LIMIT_RECORD_NAMES), .bad = BUF_INIT(LIMIT_RECORD_NAMES),
                      .told = BUF_INIT(LIMIT_RECORD_NAMES)};
    int code = check_bytes(&s, id);
    if (code == 0)
        tell_unused(&s);
    buf_done(&s.seen);
    buf_done(&s.bad);
    buf_done(&s.told);
    return code;
}
