/* SPDX-License-Identifier: Apache-2.0 */
/* Reading: nothing is given out that was not checked against its hash. */
#include <errno.h>
#include <string.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/fault.h"
#include "base/limits.h"
#include "record/record_priv.h"

struct reading {
    struct record_chain chain;
    struct record *r;
    record_each *each;
    void *arg;
    bool stopped;
    int said;    /* by each, when it stopped */
    bool judged; /* the fault says already which entry it is */
};

static int read_row(const struct backend_row *row, void *arg)
{
    struct reading *g = arg;
    if (cancel_struck(g->r->wait.cancel))
        return fault_cancelled(g->chain.fault);
    int code = record_chain_next(&g->chain, row);
    g->judged = code < 0;
    if (code)
        return code == 1 ? 0 : code;
    struct record_entry e = {.point = *g->chain.at, .key = row->key, .body = row->body, .len = row->len};
    code = g->each(&e, g->arg);
    g->stopped = code != 0;
    g->said = code;
    return code;
}

/* The rows ended before the last entry. Either they are lost, or the whole session went meanwhile. */
static int read_short(struct reading *g, const struct backend_head *was)
{
    struct backend_head now;
    struct record_chain *c = &g->chain;
    int code = g->r->kind->head(g->r->backend, c->session, &now, c->fault);
    if (code < 0)
        return code;
    if (now.id != was->id)
        return fault_set(c->fault, ESTALE, "session \"%s\" was deleted and begun anew", c->session);
    return fault_set(c->fault, EBADMSG, "session \"%s\" is damaged: entry %lld is missing", c->session,
                     (long long)c->at->seq + 1);
}

static int read_once(struct reading *g)
{
    struct record *r = g->r;
    struct record_chain *c = &g->chain;
    struct backend_head head;
    int code = r->kind->head(r->backend, c->session, &head, c->fault);
    if (code < 0)
        return code;
    c->known = c->at->seq <= 0;
    if (c->at->seq > head.last.seq)
        return fault_set(c->fault, ESTALE, "session \"%s\" has no entry %lld any more", c->session, (long long)c->at->seq);
    code = r->kind->rows(r->backend, head.id, MAX(c->at->seq, 1), read_row, g, c->fault);
    if (code == 0 && !g->stopped && c->at->seq < head.last.seq)
        return read_short(g, &head);
    if (code == -EBADMSG && !g->stopped && !g->judged)
        return fault_set(c->fault, EBADMSG, "session \"%s\" is damaged: entry %lld cannot be read", c->session,
                         (long long)c->at->seq + 1);
    return code;
}

int record_read(struct record *r, const char *session, struct record_point *at, record_each *each, void *arg,
                struct fovea_fault *fault)
{
    struct reading g = {.chain = {session, at, false, fault}, .r = r, .each = each, .arg = arg};
    struct record_tries tries = {0};
    int code = record_check_name(session, fault);
    if (code < 0 || (code = record_enter(r, fault)) < 0)
        return code;
    if (at->seq <= 0)
        *at = (struct record_point){0};
    do {
        code = read_once(&g);
    } while (!g.stopped && record_again(r, &tries, code));
    record_leave(r);
    if (g.stopped)
        return MIN(g.said, 0); /* whatever came of leaving the store */
    return code == -ENOENT ? fault_set(fault, ENOENT, "no session \"%s\"", session) : record_end(code, fault);
}

/* ---------------------------------------------------------------- blobs and variants */

int record_blob(struct record *r, const uint8_t sha256_[static SHA256_LEN], void **ret, size_t *ret_len,
                struct fovea_fault *fault)
{
    struct record_tries tries = {0};
    uint8_t hash[SHA256_LEN];
    char hex[SHA256_HEX_LEN + 1];
    auto_free void *data = NULL;
    size_t len = 0;
    int code = record_enter(r, fault);
    if (code < 0)
        return code;
    do {
        code = r->kind->blob(r->backend, sha256_, &data, &len, fault);
    } while (record_again(r, &tries, code));
    record_leave(r);
    sha256_hex(sha256_, hex);
    if (code < 0)
        return code == -ENOENT ? fault_set(fault, ENOENT, "the bytes %.16s... are not in the record", hex) : record_end(code, fault);
    sha256(data, len, hash);
    if (memcmp(hash, sha256_, SHA256_LEN))
        return fault_set(fault, EBADMSG, "the record is damaged: the bytes %.16s... are not those that were written", hex);
    *ret = take(data);
    *ret_len = len;
    return 0;
}

/* The one that holds, whose seal is whole. */
static int variant_once(struct record *r, const uint8_t *of, const char *spec, struct record_variant *ret,
                        struct fovea_fault *fault)
{
    struct backend_variant got;
    uint8_t seal[SHA256_LEN];
    int code = r->kind->variant(r->backend, of, spec, &got, fault);
    if (code < 0)
        return code;
    record_seal(of, spec, &got.v, seal);
    if (memcmp(seal, got.seal, SHA256_LEN))
        return fault_set(fault, EBADMSG, "the record is damaged: what it says of a smaller version is not what was written");
    *ret = got.v;
    return 0;
}

int record_variant(struct record *r, const uint8_t of[static SHA256_LEN], const char *spec, struct record_variant *ret,
                   struct fovea_fault *fault)
{
    struct record_tries tries = {0};
    int code = record_enter(r, fault);
    if (code < 0)
        return code;
    do {
        code = variant_once(r, of, spec, ret, fault);
    } while (record_again(r, &tries, code));
    record_leave(r);
    return code == -ENOENT ? fault_set(fault, ENOENT, "no such version is kept yet") : record_end(code, fault);
}

/* The row, and its bytes, as they were written; -ENOENT otherwise, so that it is made anew. */
static int whole_once(struct record *r, const uint8_t *of, const char *spec, struct record_variant *ret,
                      struct fovea_fault *fault)
{
    auto_free void *data = NULL;
    uint8_t hash[SHA256_LEN];
    size_t len = 0;
    int code = variant_once(r, of, spec, ret, fault);
    if (code == 0)
        code = r->kind->blob(r->backend, ret->sha256, &data, &len, fault);
    if (code < 0)
        return code == -EBADMSG ? -ENOENT : code;
    sha256(data, len, hash);
    return memcmp(hash, ret->sha256, SHA256_LEN) ? -ENOENT : 0;
}

static int put_anew(struct record *r, const uint8_t *of, const char *spec, const struct backend_variant *v,
                    const struct record_blob *blob, struct fovea_fault *fault)
{
    int code = r->kind->drop_variant(r->backend, of, spec, v, fault);
    if (code == 0 || code == -ENOENT)
        code = r->kind->put_blob(r->backend, blob, fault);
    return code < 0 ? code : r->kind->put_variant(r->backend, of, spec, v, fault);
}

static int keep_once(struct record *r, const uint8_t *of, const char *spec, const struct backend_variant *v, const void *data,
                     struct record_variant *ret, struct fovea_fault *fault)
{
    struct record_blob blob = {.data = data, .len = (size_t)v->v.bytes};
    struct record_variant there;
    int code = r->kind->begin(r->backend, NULL, true, NULL, fault);
    if (code < 0)
        return code;
    memcpy(blob.sha256, v->v.sha256, SHA256_LEN);
    code = whole_once(r, of, spec, &there, fault);
    if (code == -ENOENT) {
        code = put_anew(r, of, spec, v, &blob, fault);
        if (code == 0)
            code = variant_once(r, of, spec, &there, fault);
        if (code == -ENOENT)
            code = fault_set(fault, EBADMSG, "the record is damaged: it does not keep what it is given");
    }
    code = r->kind->end(r->backend, code, fault);
    if (code == 0)
        *ret = there;
    return code;
}

int record_variant_keep(struct record *r, const uint8_t of[static SHA256_LEN], const char *spec,
                        const struct record_variant *v, const void *data, struct record_variant *ret,
                        struct fovea_fault *fault)
{
    struct record_tries tries = {0};
    struct backend_variant sealed = {.v = *v};
    if (v->bytes < 0 || v->bytes > (int64_t)LIMIT_BLOB_BYTES)
        return fault_set(fault, EFBIG, "a version is larger than %llu bytes", (unsigned long long)LIMIT_BLOB_BYTES);
    int code = record_enter(r, fault);
    if (code < 0)
        return code;
    record_seal(of, spec, v, sealed.seal);
    do {
        code = keep_once(r, of, spec, &sealed, data, ret, fault);
    } while (record_again(r, &tries, code));
    record_leave(r);
    return record_end(code, fault);
}
