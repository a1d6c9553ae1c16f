/* SPDX-License-Identifier: Apache-2.0 */
/* A provider's rejection fed back: the picture that it names is found in the request that was lowered, and an entry says how it is
 * repaired from now on. Only that one; a picture that is refused again although it was made smaller is taken out. Which one it is
 * when no place is named, lower/reject_choose.c says. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "api/lowering.h"
#include "api/session.h"
#include "base/fault.h"
#include "base/grow.h"
#include "base/json_text.h"
#include "base/limits.h"

struct spots {
    struct lowering *l;
    struct reject_spot *all;
    size_t n, room;
    int error;
};

static bool repaired_before(const struct lowering *l, int64_t seq, size_t part)
{
    for (size_t i = 0; i < l->n_repairs; i++)
        if (l->repairs[i].seq == seq && l->repairs[i].part == (int64_t)part)
            return true;
    return false;
}

static struct reject_spot describe(const struct lowering *l, const struct entry *e, size_t part)
{
    const struct part *p = &e->parts[part];
    struct decision d = replay_fate(l->replay, e->seq, part);
    bool refit = d.fate == FATE_REFIT;
    struct size size = refit && d.planned.w ? d.planned : (struct size){p->width, p->height};
    struct reject_spot s = {.seq = e->seq,
                            .part = part,
                            .image = p->type == PART_IMAGE,
                            .in_result = e->kind == ENTRY_TOOL_RESULT || e->kind == ENTRY_PERCEPTION,
                            .stored = p->stored,
                            .repaired = repaired_before(l, e->seq, part),
                            .bytes = refit ? MIN(p->bytes, (int64_t)d.refit.max_bytes) : p->bytes,
                            .longest = MAX(size.w, size.h),
                            .shortest = MIN(size.w, size.h)};
    struct span type = span_inside(p->media_type);
    if (p->stored) /* it was just looked up */
        (void)snprintf(s.type, sizeof s.type, "%s", l->held_type);
    else
        (void)snprintf(s.type, sizeof s.type, "%.*s", (int)MIN(type.len, sizeof s.type - 1), type.len ? type.at : "");
    return s;
}

static void take_spot(void *arg, const struct lower_place *place, int64_t seq, size_t part)
{
    struct spots *s = arg;
    struct entry_room room = {0};
    struct entry e;
    s->error = s->error ? s->error : GROW(s->all, s->n, s->room, LIMIT_SESSION_ENTRIES);
    if (s->error)
        return;
    const struct body *b = &s->l->bodies.list[seq - 1];
    if (entry_read(b->text, b->len, seq, &room, &e) == 0 && part < e.n_parts) {
        s->all[s->n] = describe(s->l, &e, part);
        s->all[s->n++].place = *place;
    }
    entry_room_done(&room);
}

static int remember(fovea *f, const char *session, const struct fovea_repair *repair, struct fovea_fault *fault)
{
    struct timespec now;
    struct record_appended ignored;
    auto_buf b = BUF_INIT(8 * KIB);
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)buf_add_format(&b, "{\"kind\":\"repair\",\"at\":%lld,\"entry\":%lld,\"part\":%lld,\"how\":\"%s\",\"why\":",
                         (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000, (long long)repair->entry,
                         (long long)repair->part, repair->how);
    (void)buf_add_json_str(&b, repair->why);
    if (buf_add_str(&b, "}") < 0)
        return fault_oom(fault);
    struct record_new entry = {b.data, b.len};
    return record_append(f->record, &(struct record_append){.session = session, .entries = &entry, .count = 1, .after = -1},
                         &ignored, fault);
}

static int repair_spot(struct lowering *l, const struct spots *spots, const struct rejection *why, struct fovea_repair *ret,
                       struct fovea_fault *fault)
{
    const struct reject_spot *spot = reject_choose(why, spots->all, spots->n);
    if (!spot)
        return fault_set(fault, ENOENT, "%s",
                         why->placed ? "the error names a place where no picture or document stands in what was lowered; give the "
                                       "same --model, --wire and --retain"
                         : spots->n  ? "what was lowered holds no picture or document that the error can mean"
                                     : "what was lowered holds no picture or document");
    *ret = (struct fovea_repair){.entry = spot->seq, .part = (int64_t)spot->part, .again = spot->repaired};
    bool refit = why->cause == REJECT_TOO_LARGE && spot->image && spot->stored && !spot->repaired;
    ret->how = refit ? "refit" : "stub";
    memcpy(ret->why, why->words, sizeof ret->why);
    return remember(l->f, l->session, ret, fault);
}

int fovea_session_reject(fovea_session *s, const struct fovea_lower_request *request, const char *error, size_t len,
                         struct fovea_repair *ret, struct fovea_fault *fault)
{
    struct lowering_aim aim;
    struct rejection why;
    struct lowering *l = NULL;
    struct spots spots = {0};
    const char *name;
    int r = session_named(s, &name, fault);
    r = r == 0 ? lowering_aim(s, request, &aim, fault) : r;
    if (r)
        return r;
    if (reject_read(aim.target.wire, error, len, &why) < 0)
        return fault_set(fault, ENOENT, "the error is not about a picture or document; nothing was repaired");
    r = lowering_new(session_context(s), name, &aim, &l, fault);
    r = r == 0 ? lowering_update(l, fault) : r;
    r = r == 0 ? lowering_refit(l, fault) : r;
    spots.l = l;
    struct lowering_output out = {.arg = &spots, .place = take_spot, .full = request->full};
    r = r == 0 ? lowering_write(l, SIZE_MAX, &out, fault) : r;
    r = r == 0 && spots.error ? bodies_fault(&l->bodies, spots.error, name, fault) : r;
    r = r == 0 ? repair_spot(l, &spots, &why, ret, fault) : r;
    free(spots.all);
    lowering_free(l);
    return r;
}
