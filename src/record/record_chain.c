/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hashes of the record: an entry's covers the one before it, so that nothing can be changed, left out or moved unseen.
 * What has no length of its own is written with its length before it; numbers are 8 bytes, the lowest first.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "base/fault.h"
#include "record/record_priv.h"

static void add_number(struct sha256_state *s, int64_t n)
{
    uint64_t bytes = htole64((uint64_t)n);
    sha256_add(s, &bytes, sizeof bytes);
}

/* NULL is another thing than "". */
static void add_text(struct sha256_state *s, const char *text)
{
    add_number(s, text ? (int64_t)strlen(text) : -1);
    if (text)
        sha256_add(s, text, strlen(text));
}

void record_hash(const uint8_t before[static SHA256_LEN], const char *session, const struct backend_row *row,
                 uint8_t ret[static SHA256_LEN])
{
    struct sha256_state s;
    sha256_init(&s);
    sha256_add(&s, before, SHA256_LEN);
    add_text(&s, session);
    add_number(&s, row->seq);
    add_number(&s, row->at_ms);
    add_text(&s, row->key);
    sha256_add(&s, row->body, row->len);
    sha256_end(&s, ret);
}

void record_seal(const uint8_t *of, const char *spec, const struct record_variant *v, uint8_t ret[static SHA256_LEN])
{
    struct sha256_state s;
    sha256_init(&s);
    sha256_add(&s, of, SHA256_LEN);
    add_text(&s, spec);
    sha256_add(&s, v->sha256, SHA256_LEN);
    add_text(&s, v->media_type);
    add_number(&s, v->width);
    add_number(&s, v->height);
    add_number(&s, v->bytes);
    sha256_end(&s, ret);
}

static int first_seen(struct record_chain *c, const struct backend_row *row)
{
    static const uint8_t none[SHA256_LEN];
    c->known = true;
    if (row->seq != c->at->seq)
        return fault_set(c->fault, ESTALE, "session \"%s\" has no entry %lld any more", c->session, (long long)c->at->seq);
    if (!memcmp(c->at->hash, none, SHA256_LEN))
        memcpy(c->at->hash, row->hash, SHA256_LEN);
    else if (memcmp(c->at->hash, row->hash, SHA256_LEN))
        return fault_set(c->fault, ESTALE, "entry %lld of session \"%s\" is not the one it was", (long long)row->seq, c->session);
    return 1;
}

int record_chain_next(struct record_chain *c, const struct backend_row *row)
{
    uint8_t hash[SHA256_LEN];
    if (!c->known)
        return first_seen(c, row);
    if (row->seq != c->at->seq + 1)
        return fault_set(c->fault, EBADMSG, "session \"%s\" is damaged: entry %lld is missing", c->session,
                         (long long)c->at->seq + 1);
    record_hash(c->at->hash, c->session, row, hash);
    if (memcmp(hash, row->hash, SHA256_LEN))
        return fault_set(c->fault, EBADMSG, "session \"%s\" is damaged: entry %lld is not what was written", c->session,
                         (long long)row->seq);
    if (record_has_nul(row->body, row->len))
        return fault_set(c->fault, EBADMSG, "session \"%s\" is damaged: entry %lld holds a NUL byte", c->session, (long long)row->seq);
    *c->at = (struct record_point){.seq = row->seq};
    memcpy(c->at->hash, hash, SHA256_LEN);
    return 0;
}
