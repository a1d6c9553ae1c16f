/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is made of entries: gathered from derive, compared with what is stored, and made anew. A session may have millions of
 * entries: they are compared by a print of the whole set, and made in batches, since a callback of the backend must not write.
 */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fault.h"
#include "base/limits.h"
#include "record/record_priv.h"

enum kind { MARK, USE };

struct item {
    enum kind kind;
    uint32_t len;
    int64_t seq;
};

struct gathering {
    struct record_index index;
    struct buf items; /* struct item and its bytes, again and again */
    int64_t seq;
};

static int gather(struct gathering *g, enum kind kind, const void *data, size_t len)
{
    struct item item = {.kind = kind, .len = (uint32_t)len, .seq = g->seq};
    if (len > LIMIT_MARK_BYTES)
        return -EINVAL;
    (void)buf_add(&g->items, &item, sizeof item);
    return buf_add(&g->items, data, len);
}

static int gather_mark(struct record_index *i, const char *name, size_t len)
{
    return gather((struct gathering *)i, MARK, name, len);
}

static int gather_use(struct record_index *i, const uint8_t sha256[static SHA256_LEN])
{
    return gather((struct gathering *)i, USE, sha256, SHA256_LEN);
}

/* One after the other; false past the last. */
static bool next_item(const struct buf *items, size_t *at, struct item *ret, const char **ret_data)
{
    if (*at + sizeof *ret > items->len)
        return false;
    memcpy(ret, items->data + *at, sizeof *ret);
    *ret_data = items->data + *at + sizeof *ret;
    *at += sizeof *ret + ret->len;
    return true;
}

/* ---------------------------------------------------------------- prints */

static void print_item(enum kind kind, int64_t seq, const void *data, size_t len, struct record_print *ret)
{
    struct sha256_state s;
    uint8_t hash[SHA256_LEN];
    int64_t head[] = {kind, seq};
    sha256_init(&s);
    sha256_add(&s, head, sizeof head);
    sha256_add(&s, data, len);
    sha256_end(&s, hash);
    memcpy(ret->words, hash, sizeof ret->words);
}

static void add_print(struct record_print *to, const struct record_print *p)
{
    for (size_t i = 0; i < COUNT(to->words); i++)
        to->words[i] += p->words[i];
}

void record_print_mark(struct record_print *p, int64_t seq, const char *name, size_t len)
{
    struct record_print one;
    print_item(MARK, seq, name, len, &one);
    add_print(p, &one);
}

void record_print_use(struct record_print *p, int64_t seq, const uint8_t *sha256)
{
    struct record_print one;
    print_item(USE, seq, sha256, SHA256_LEN, &one);
    add_print(p, &one);
}

static int compare_prints(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct record_print));
}

int record_print_entry(struct record *r, const struct backend_row *row, struct record_print *p)
{
    struct gathering g = {{gather_mark, gather_use}, BUF_INIT(LIMIT_RECORD_INDEX), row->seq};
    auto_buf prints = BUF_INIT(LIMIT_RECORD_INDEX);
    struct record_print one;
    struct item item;
    const char *data;
    int code = r->derive(row->body, row->len, &g.index);
    for (size_t at = 0; code == 0 && next_item(&g.items, &at, &item, &data);) {
        print_item(item.kind, item.seq, data, item.len, &one);
        code = buf_add(&prints, &one, sizeof one);
    }
    buf_done(&g.items);
    size_t n = prints.len / sizeof one;
    const struct record_print *all = (const struct record_print *)prints.data;
    if (code < 0 || !n)
        return code;
    qsort(prints.data, n, sizeof one, compare_prints);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || compare_prints(&all[i - 1], &all[i]))
            add_print(p, &all[i]);
    return 0;
}

/* ---------------------------------------------------------------- making anew */

struct rebuilding {
    struct record *r;
    struct record_chain chain;
    struct gathering g;
    bool more;
};

static int rebuild_row(const struct backend_row *row, void *arg)
{
    struct rebuilding *m = arg;
    int code = record_chain_next(&m->chain, row);
    if (code)
        return code == 1 ? 0 : code;
    m->g.seq = row->seq;
    code = m->r->derive(row->body, row->len, &m->g.index);
    if (code < 0)
        return fault_set(m->chain.fault, code, "entry %lld of session \"%s\" cannot be indexed: %s", (long long)row->seq,
                         m->chain.session, strerror(-code));
    m->more = m->g.items.len > LIMIT_RECORD_INDEX / 2;
    return m->more;
}

static int write_items(struct rebuilding *m, int64_t id)
{
    const struct backend_kind *kind = m->r->kind;
    struct item item;
    const char *data;
    int code = 0;
    for (size_t at = 0; code == 0 && next_item(&m->g.items, &at, &item, &data);) {
        code = item.kind == MARK ? kind->mark(m->r->backend, id, item.seq, data, item.len, m->chain.fault)
                                 : kind->use(m->r->backend, id, item.seq, (const uint8_t *)data, m->chain.fault);
        if (code == -ENOENT)
            code = 0; /* its bytes are lost; that it uses them is not */
    }
    m->g.items.len = 0;
    return code;
}

static int make_anew(struct rebuilding *m, int64_t id)
{
    const struct backend_kind *kind = m->r->kind;
    int code = kind->drop_made(m->r->backend, id, m->chain.fault);
    do {
        m->more = false;
        m->chain.known = m->chain.at->seq == 0;
        if (code == 0)
            code = kind->rows(m->r->backend, id, MAX(m->chain.at->seq, 1), rebuild_row, m, m->chain.fault);
        if (code == 0)
            code = write_items(m, id);
    } while (code == 0 && m->more);
    return code == 0 ? kind->set_head(m->r->backend, id, m->chain.at, m->chain.fault) : code;
}

static int rebuild_within(struct record *r, int64_t id, const char *session, struct fovea_fault *fault)
{
    struct record_point at = {0};
    struct rebuilding m = {.r = r,
                           .chain = {.session = session, .at = &at, .fault = fault},
                           .g = {{gather_mark, gather_use}, BUF_INIT(LIMIT_RECORD_INDEX), 0}};
    int code = make_anew(&m, id);
    buf_done(&m.g.items);
    return code;
}

int record_rebuild(struct record *r, const char *session, struct fovea_fault *fault)
{
    struct backend_head head = {0};
    int code = r->kind->begin(r->backend, session, false, &head, fault);
    if (code < 0)
        return code;
    return r->kind->end(r->backend, head.id ? rebuild_within(r, head.id, session, fault) : -ENOENT, fault);
}

/* ---------------------------------------------------------------- before bytes go */

static int note_name(int64_t id, const char *name, void *arg)
{
    (void)buf_add(arg, &id, sizeof id);
    return buf_add(arg, name, strlen(name) + 1);
}

int record_settle_uses(struct record *r, int64_t id, struct fovea_fault *fault)
{
    auto_buf names = BUF_INIT(LIMIT_RECORD_NAMES);
    int code = r->kind->doubtful(r->backend, id, note_name, &names, fault);
    for (size_t at = 0; code == 0 && at < names.len;) {
        int64_t other;
        memcpy(&other, names.data + at, sizeof other);
        const char *name = names.data + at + sizeof other;
        code = rebuild_within(r, other, name, fault);
        if (code == -EBADMSG || code == -EINVAL)
            return fault_set(fault, EBADMSG, "session \"%s\" is damaged, and nobody knows what it uses: delete it first, or mend it",
                             record_check_name(name, NULL) == 0 ? name : "?");
        at += sizeof other + strlen(name) + 1;
    }
    return code;
}
