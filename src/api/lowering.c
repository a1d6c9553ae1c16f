/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering a session step by step: read what is new, decide, write what changed. The deciding and the writing are pure and live in
 * lower/; here are the record, the memory between calls, and nothing of any wire. */
#include "api/lowering.h"

#include <errno.h>
#include <string.h>

#include "base/fault.h"
#include "base/grow.h"
#include "base/json_text.h"
#include "base/limits.h"

int lowering_new(fovea *f, const char *session, const struct lowering_aim *aim, struct lowering **ret,
                 struct fovea_fault *fault)
{
    struct lowering *l = calloc(1, sizeof *l);
    if (!l)
        return fault_oom(fault);
    l->f = f;
    l->session = session;
    l->aim = *aim;
    l->looks_ms = LIMIT_LOOKS_MS;
    l->bodies = (struct bodies)BODIES_INIT(LIMIT_SESSION_BYTES);
    l->notes = (struct buf)BUF_INIT(LIMIT_REPORT_BYTES);
    l->preface = (struct buf)BUF_INIT(2 * LIMIT_ENTRY_BYTES);
    if (replay_new(&l->aim.target, &l->aim.policy, &l->replay) < 0) {
        lowering_free(l);
        return fault_oom(fault);
    }
    *ret = l;
    return 0;
}

void lowering_free(struct lowering *l)
{
    if (!l)
        return;
    replay_free(l->replay);
    bodies_done(&l->bodies);
    free(l->boundaries);
    free(l->repairs);
    free(l->fates);
    id_book_done(&l->ids);
    entry_room_done(&l->room);
    buf_done(&l->notes);
    buf_done(&l->preface);
    free(l->held);
    free(l);
}

/* ---------------------------------------------------------------- taking in */

struct taking {
    struct lowering *l;
    struct fovea_fault *fault;
};

static int note_repair(struct lowering *l, const struct entry *e)
{
    if (e->kind != ENTRY_REPAIR)
        return 0;
    int r = GROW(l->repairs, l->n_repairs, l->room_repairs, LIMIT_SESSION_ENTRIES);
    if (r == 0)
        l->repairs[l->n_repairs++] = (struct lowering_pair){e->target_entry, e->target_part};
    return r;
}

/* A repair holds for every lowering, also for one of an earlier turn: the provider will not take that picture then either. */
static int take_late_repair(struct taking *t, const struct entry *e)
{
    if (e->kind != ENTRY_REPAIR || e->target_entry > (int64_t)t->l->bodies.n || e->target_part < 0)
        return 0;
    int r = replay_bar(t->l->replay, e->target_entry, (size_t)e->target_part, span_is(span_inside(e->how), "stub"),
                       "the provider would not take it");
    return r == -ENOSPC ? 0 : r;
}

static int take_ids(struct lowering *l, const struct entry *e)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < e->n_parts; i++)
        if (e->parts[i].type == PART_TOOL_CALL)
            r = id_book_add(&l->ids, e->seq, span_inside(e->parts[i].id));
    return r;
}

static int take_entry(const struct record_entry *stored, void *arg)
{
    struct taking *t = arg;
    struct lowering *l = t->l;
    struct entry e;
    int r = l->past ? 0 : bodies_add(&l->bodies, stored->body, stored->len);
    if (r < 0)
        return bodies_fault(&l->bodies, r, l->session, t->fault);
    const char *body = l->past ? stored->body : l->bodies.list[l->bodies.n - 1].text;
    r = entry_read(body, stored->len, stored->point.seq, &l->room, &e);
    if (l->past && (r == -EBADMSG || r == -E2BIG))
        return 0;
    if (r == -EBADMSG || r == -E2BIG)
        return fault_set(t->fault, EPROTO, "entry %lld of session \"%s\" is none that this version understands",
                         (long long)stored->point.seq, l->session);
    if (r < 0 || (r = note_repair(l, &e)) < 0)
        return bodies_fault(&l->bodies, r, l->session, t->fault);
    if (!l->past && e.starts_turn && l->aim.at && l->turn == l->aim.at) {
        l->past = true;
        bodies_drop(&l->bodies);
    }
    if (l->past)
        return take_late_repair(t, &e) < 0 ? fault_oom(t->fault) : 0;
    l->turn += e.starts_turn;
    if (e.kind == ENTRY_REQUEST)
        l->request = e.seq;
    return take_ids(l, &e) < 0 || replay_feed(l->replay, &e) < 0 ? fault_oom(t->fault) : 0;
}

int lowering_update(struct lowering *l, struct fovea_fault *fault)
{
    struct taking t = {.l = l, .fault = fault};
    int r = record_read(l->f->record, l->session, &l->point, take_entry, &t, fault);
    if (r < 0 && !(l->past && r == -EBADMSG)) /* what is damaged behind the turn that is wanted does not matter to it */
        return r;
    if (l->aim.at > l->turn)
        return fault_set(fault, EINVAL, "session \"%s\" has %lld turn%s; there is no turn %lld", l->session,
                         (long long)l->turn, l->turn == 1 ? "" : "s", (long long)l->aim.at);
    return replay_now(l->replay) < 0 ? fault_oom(fault) : 0;
}

int lowering_entry(struct lowering *l, int64_t seq, struct entry *ret, struct fovea_fault *fault)
{
    const struct body *b = &l->bodies.list[seq - 1];
    int r = entry_read(b->text, b->len, seq, &l->room, ret);
    return r == 0 ? 0 : fault_set(fault, -r, "entry %lld of session \"%s\" cannot be read", (long long)seq, l->session);
}

/* ---------------------------------------------------------------- writing */

/* The bytes that were shown, or the version that was made of them; its type goes into l->held_type. */
static int find_payload(struct lowering *l, const struct part *p, const struct decision *d, uint8_t ret[static SHA256_LEN],
                        struct fovea_fault *fault)
{
    struct span type = span_inside(p->media_type);
    struct record_variant v;
    char spec[REFIT_SPEC];
    if (!d || d->fate != FATE_REFIT) {
        (void)snprintf(l->held_type, sizeof l->held_type, "%.*s", (int)MIN(type.len, sizeof l->held_type - 1),
                       type.len ? type.at : "");
        memcpy(ret, p->sha256, SHA256_LEN);
        return 0;
    }
    refit_spec(&d->refit, spec);
    int r = record_variant(l->f->record, p->sha256, spec, &v, fault);
    if (r < 0 || !v.media_type[0])
        return r == -ENOENT || r == 0 ? -EBADMSG : r;
    memcpy(l->held_type, v.media_type, sizeof l->held_type);
    memcpy(ret, v.sha256, SHA256_LEN);
    return 0;
}

struct writing {
    struct lowering *l;
    const struct lowering_output *out;
    struct fovea_fault *fault;
    int error;
};

static int write_piece(void *arg, const char *piece, size_t len)
{
    struct writing *w = arg;
    int r = w->out->write ? w->out->write(w->out->arg, piece, len) : 0;
    return r < 0 ? fault_set(w->fault, r, "the output cannot be written: %s", strerror(-r)) : 0;
}

static int write_payload(void *arg, const struct part *p, const struct decision *d, struct payload *ret)
{
    struct writing *w = arg;
    struct lowering *l = w->l;
    uint8_t sha256[SHA256_LEN];
    size_t len;
    *ret = (struct payload){"image/png", "", 0};
    if (!p->stored)
        return -EBADMSG;
    int r = find_payload(l, p, d, sha256, w->fault);
    if (w->out->place)
        return r;
    free(take(l->held));
    r = r == 0 ? record_blob(l->f->record, sha256, &l->held, &len, w->fault) : r;
    if (r < 0 && w->out->as_is) /* what should come out as it went in must not come out as less */
        w->error = r == -ENOENT ? fault_set(w->fault, EBADMSG, "bytes that the session uses are not in the record") : r;
    if (r < 0)
        return r == -ENOENT ? -EBADMSG : r;
    *ret = (struct payload){l->held_type, l->held, len};
    return 0;
}

static void write_boundary(void *arg, int64_t seq, size_t message, size_t offset)
{
    struct writing *w = arg;
    struct lowering *l = w->l;
    int r = GROW(l->boundaries, l->n_boundaries, l->room_boundaries, LIMIT_SESSION_ENTRIES);
    if (r < 0)
        w->error = bodies_fault(&l->bodies, r, l->session, w->fault);
    else
        l->boundaries[l->n_boundaries++] = (struct lowering_boundary){seq, message, offset};
}

static void write_place(void *arg, const struct lower_place *place, int64_t seq, size_t part)
{
    const struct writing *w = arg;
    if (w->out->place)
        w->out->place(w->out->arg, place, seq, part);
}

static size_t ids_before(void *arg, int64_t seq, struct span id)
{
    return id_book_before(&((const struct writing *)arg)->l->ids, seq, id);
}

static void write_fate(void *arg, int64_t seq, size_t part, enum fate fate)
{
    struct writing *w = arg;
    struct lowering *l = w->l;
    int r = GROW(l->fates, l->n_fates, l->room_fates, LIMIT_SESSION_ENTRIES);
    if (r < 0)
        w->error = bodies_fault(&l->bodies, r, l->session, w->fault);
    else
        l->fates[l->n_fates++] = (struct lowering_fate){seq, (int64_t)part, fate};
}

static void write_note(void *arg, int64_t seq, const char *words)
{
    lowering_note(((struct writing *)arg)->l, seq, words);
}

void lowering_note(struct lowering *l, int64_t seq, const char *words)
{
    if (l->notes.len + strlen(words) > LIMIT_REPORT_BYTES / 2)
        return; /* enough said */
    (void)buf_add_format(&l->notes, "%s{\"entry\":%lld,\"what\":", l->n_notes++ ? "," : "", (long long)seq);
    (void)buf_add_json_str(&l->notes, words);
    (void)buf_add_str(&l->notes, "}");
}

/* Chat completions have the instructions in their array; the other wires beside it. */
static int write_preface(struct lowering *l, struct writer *to, struct fovea_fault *fault)
{
    struct entry e;
    if (!l->request || l->aim.target.wire != LOWER_CHAT)
        return 0;
    int r = lowering_entry(l, l->request, &e, fault);
    if (r < 0 || !e.instructions.len || span_is(span_inside(e.wire), lower_wire_names[LOWER_CHAT]))
        return r;
    buf_done(&l->preface);
    l->preface = (struct buf)BUF_INIT(2 * LIMIT_ENTRY_BYTES);
    (void)buf_add_str(&l->preface, "{\"kind\":\"system\",\"role\":\"system\",\"parts\":");
    (void)buf_add(&l->preface, e.instructions.at, e.instructions.len);
    if (buf_add_str(&l->preface, "}") < 0)
        return -ENOMEM;
    r = entry_read(l->preface.data, l->preface.len, 0, &l->room, &e);
    return r == 0 ? writer_entry(to, &e) : r;
}

/* Entries from one on, each with parts of its own: the writer holds a group until it is complete. */
static int write_entries(struct lowering *l, struct writer *to, int64_t from, struct fovea_fault *fault)
{
    struct entry e;
    int r = from == 1 ? write_preface(l, to, fault) : 0;
    for (int64_t seq = from; r == 0 && seq <= (int64_t)l->bodies.n; seq++) {
        r = lowering_entry(l, seq, &e, fault);
        r = r == 0 ? writer_entry(to, &e) : r;
    }
    return r == 0 ? writer_end(to) : r;
}

static void writer_free_p(struct writer **w)
{
    writer_free(*w);
}

int lowering_write(struct lowering *l, size_t from, const struct lowering_output *out, struct fovea_fault *fault)
{
    struct lowering_boundary at = {.seq = 1};
    struct writing w = {.l = l, .out = out, .fault = fault};
    struct lower_job job = {.target = &l->aim.target,
                            .replay = out->as_is ? NULL : l->replay,
                            .as_is = out->as_is,
                            .full = out->full,
                            .hooks = {&w, write_piece, write_payload, write_boundary, write_place,
                                      out->as_is ? NULL : ids_before, write_note, write_fate}};
    cleanup(writer_free_p) struct writer *to = NULL;
    if (from != SIZE_MAX)
        at = l->boundaries[from];
    l->n_boundaries = from == SIZE_MAX ? 0 : from;
    while (l->n_fates && l->fates[l->n_fates - 1].seq >= at.seq)
        l->n_fates--;
    l->written = false;
    int r = writer_new(&job, at.message, at.offset, &to);
    r = r == 0 ? write_entries(l, to, at.seq, fault) : r;
    free(take(l->held));
    r = r == 0 ? w.error : r;
    l->written = r == 0;
    l->request_written = l->request;
    return r == -ENOMEM ? fault_oom(fault) : r;
}
