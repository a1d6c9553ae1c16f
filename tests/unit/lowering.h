/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions for the tests of lowering: entries as lines of JSON, lowered into a buffer, with everything that the writer told. */
#ifndef FOVEA_TEST_LOWERING_H
#define FOVEA_TEST_LOWERING_H

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/limits.h"
#include "lower/id_book.h"
#include "lower/writer.h"
#include "transcript/transcript.h"

enum { MOST_MARKS = 4096, MOST_PLACES = 256 };

struct mark {
    int64_t seq;
    size_t message, offset;
};

/* Bodies of entries; sequence numbers are their index + 1. */
struct session {
    char **bodies;
    size_t *lens;
    size_t n, room;
    struct incoming *in; /* where bytes are, or NULL: made up from the hash */
};

struct run {
    struct buf out, reports;
    struct mark *marks;
    size_t n_marks, places, payloads;
    struct lower_place place[MOST_PLACES];
    const struct session *session;
    char type[128];
    uint8_t bytes[64];
    struct id_book ids;
};

__attribute__((unused)) static void session_add(struct session *s, char *body, size_t len)
{
    if (s->n == s->room) {
        s->room = s->room ? s->room * 2 : 64;
        s->bodies = reallocarray(s->bodies, s->room, sizeof *s->bodies);
        s->lens = reallocarray(s->lens, s->room, sizeof *s->lens);
    }
    s->bodies[s->n] = body;
    s->lens[s->n++] = len;
}

__attribute__((unused)) static void session_done(struct session *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->bodies[i]);
    free(s->bodies);
    free(s->lens);
    *s = (struct session){0};
}

__attribute__((unused)) static void run_done(struct run *r)
{
    buf_done(&r->out);
    buf_done(&r->reports);
    id_book_done(&r->ids);
    free(r->marks);
    *r = (struct run){0};
}

static int run_write(void *arg, const char *piece, size_t len)
{
    struct run *r = arg;
    return buf_add(&r->out, piece, len);
}

static int run_payload(void *arg, const struct part *p, const struct decision *d, struct payload *ret)
{
    struct run *r = arg;
    struct span type = span_inside(p->media_type);
    (void)d;
    r->payloads++;
    (void)snprintf(r->type, sizeof r->type, "%.*s", (int)type.len, type.len ? type.at : "");
    *ret = (struct payload){r->type, r->bytes, SHA256_LEN};
    memcpy(r->bytes, p->sha256, SHA256_LEN);
    if (!r->session->in)
        return p->sha256[0] == 0xbad % 256 ? -EBADMSG : 0;
    for (size_t i = 0; i < r->session->in->n_blobs; i++) {
        const struct incoming_blob *b = &r->session->in->blobs[i];
        if (memcmp(b->sha256, p->sha256, SHA256_LEN))
            continue;
        ret->data = b->data;
        ret->len = b->len;
        return 0;
    }
    return -EBADMSG;
}

static void run_boundary(void *arg, int64_t seq, size_t message, size_t offset)
{
    struct run *r = arg;
    if (!r->marks)
        r->marks = calloc(MOST_MARKS, sizeof *r->marks);
    if (r->n_marks < MOST_MARKS)
        r->marks[r->n_marks++] = (struct mark){seq, message, offset};
}

static void run_place(void *arg, const struct lower_place *place, int64_t seq, size_t part)
{
    struct run *r = arg;
    (void)seq;
    (void)part;
    if (r->places < MOST_PLACES)
        r->place[r->places++] = *place;
}

static void run_report(void *arg, int64_t seq, const char *words)
{
    struct run *r = arg;
    (void)seq;
    (void)buf_add_format(&r->reports, "%s\n", words);
}

static size_t run_ids(void *arg, int64_t seq, struct span id)
{
    return id_book_before(&((struct run *)arg)->ids, seq, id);
}

static int run_take_ids(struct run *r, const struct entry *e)
{
    int code = 0;
    for (size_t i = 0; i < e->n_parts && code == 0; i++)
        if (e->parts[i].type == PART_TOOL_CALL)
            code = id_book_add(&r->ids, e->seq, span_inside(e->parts[i].id));
    return code;
}

static bool lower_full; /* the envelope stands around what is lowered next */

/* Lowers the entries from number first_seq on, as a continuation of first messages and offset bytes. */
static int lower_from(const struct session *s, const struct target *t, const struct replay *replay, bool as_is, int64_t first_seq,
                      size_t first, size_t offset, struct run *r)
{
    struct lower_job job = {.target = t,
                            .replay = replay,
                            .as_is = as_is,
                            .full = lower_full,
                            .hooks = {.arg = r, .write = run_write, .payload = run_payload, .boundary = run_boundary,
                                      .place = run_place, .ids_before = as_is ? NULL : run_ids, .report = run_report}};
    struct writer *w = NULL;
    struct entry_room room = {0};
    *r = (struct run){.out = BUF_INIT(512 * MIB), .reports = BUF_INIT(8 * MIB), .session = s};
    int code = writer_new(&job, first, offset, &w);
    for (size_t i = 0; i < s->n && code == 0; i++) {
        struct entry e;
        code = entry_read(s->bodies[i], s->lens[i], (int64_t)i + 1, &room, &e);
        code = code == 0 ? run_take_ids(r, &e) : code;
        code = code == 0 && (int64_t)i + 1 >= first_seq ? writer_entry(w, &e) : code;
    }
    code = code == 0 ? writer_end(w) : code;
    writer_free(w);
    entry_room_done(&room);
    return code;
}

__attribute__((unused)) static int lower_all(const struct session *s, const struct target *t, const struct replay *replay, bool as_is, struct run *r)
{
    return lower_from(s, t, replay, as_is, 1, 0, 0, r);
}

/* Replays all entries under a policy. NULL when that fails. */
__attribute__((unused)) static struct replay *replay_all(const struct session *s, const struct target *t, const char *retain)
{
    struct policy policy;
    struct replay *r = NULL;
    struct entry_room room = {0};
    int code = policy_parse(retain, &policy);
    code = code == 0 ? replay_new(t, &policy, &r) : code;
    for (size_t i = 0; i < s->n && code == 0; i++) {
        struct entry e;
        code = entry_read(s->bodies[i], s->lens[i], (int64_t)i + 1, &room, &e);
        code = code == 0 ? replay_feed(r, &e) : code;
    }
    code = code == 0 ? replay_now(r) : code;
    entry_room_done(&room);
    if (code < 0) {
        replay_free(r);
        return NULL;
    }
    return r;
}

/* A target that takes everything. */
__attribute__((unused)) static struct target target_of(int wire)
{
    static const enum tool_image ways[LOWER_WIRES] = {TOOL_NATIVE, TOOL_REATTACH, TOOL_NATIVE, TOOL_NATIVE};
    return (struct target){.wire = (enum lower_wire)wire,
                           .provider = "test",
                           .model = "test",
                           .tool_image = ways[wire],
                           .vision = true,
                           .pdf = true,
                           .webp = true,
                           .gif = true};
}

#endif
