/* SPDX-License-Identifier: Apache-2.0 */
/* A provider's rejection fed back: the picture that it names is found in the request that was lowered, and an entry says how it is
 * repaired from now on. Only that one; a picture that is refused again although it was made smaller is taken out. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "api/lowering.h"
#include "api/session.h"
#include "base/fault.h"
#include "base/json_text.h"
#include "base/limits.h"

struct spot {
    struct lower_place place;
    int64_t seq;
    size_t part;
    int64_t bytes;
};

struct spots {
    struct lowering *l;
    struct spot *all;
    size_t n, room;
    int error;
};

static void take_spot(void *arg, const struct lower_place *place, int64_t seq, size_t part)
{
    struct spots *s = arg;
    struct entry_room room = {0};
    struct entry e;
    if (s->n == s->room) {
        struct spot *more = reallocarray(s->all, s->room + 256, sizeof *more);
        if (!more) {
            s->error = -ENOMEM;
            return;
        }
        s->all = more;
        s->room += 256;
    }
    const struct lowering_body *b = &s->l->bodies[seq - 1];
    int64_t bytes = entry_read(b->text, b->len, seq, &room, &e) == 0 && part < e.n_parts ? e.parts[part].bytes : 0;
    entry_room_done(&room);
    s->all[s->n++] = (struct spot){*place, seq, part, bytes};
}

static bool stands_there(const struct spot *s, const struct lower_place *p)
{
    return s->place.message == p->message && (p->block == SIZE_MAX || s->place.block == p->block) &&
           (p->inner < 0 || s->place.inner == p->inner);
}

/* The one at the place that is named; else the largest where size is the trouble, and the newest where it is not: an older one was
 * accepted before. */
static const struct spot *find_spot(const struct spots *s, const struct rejection *why)
{
    const struct spot *found = NULL;
    for (size_t i = 0; i < s->n; i++) {
        const struct spot *at = &s->all[i];
        if (why->placed ? stands_there(at, &why->place)
                        : why->cause != REJECT_TOO_LARGE || !found || at->bytes >= found->bytes)
            found = at;
    }
    return found;
}

/* Whether it was made smaller for an earlier rejection. */
static bool repaired_before(struct lowering *l, const struct spot *spot)
{
    struct fovea_fault ignored;
    for (int64_t seq = spot->seq + 1; seq <= (int64_t)l->n_bodies; seq++) {
        struct entry e;
        if (lowering_entry(l, seq, &e, &ignored) == 0 && e.kind == ENTRY_REPAIR && e.target_entry == spot->seq &&
            e.target_part == (int64_t)spot->part)
            return true;
    }
    return false;
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
    const struct spot *spot = find_spot(spots, why);
    if (!spot)
        return fault_set(fault, ENOENT, "%s", why->placed ? "the error names a place where no picture or document stands in what "
                                                            "was lowered; give the same --model, --wire and --retain"
                                                          : "what was lowered holds no picture or document");
    bool before = repaired_before(l, spot);
    *ret = (struct fovea_repair){.entry = spot->seq, .part = (int64_t)spot->part, .again = before};
    ret->how = why->cause == REJECT_TOO_LARGE && !before ? "refit" : "stub";
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
    if (r < 0)
        return r;
    if (reject_read(aim.target.wire, error, len, &why) < 0)
        return fault_set(fault, ENOENT, "the error is not about a picture or document; nothing was repaired");
    r = lowering_new(session_context(s), name, &aim, &l, fault);
    r = r == 0 ? lowering_update(l, fault) : r;
    spots.l = l;
    r = r == 0 ? lowering_write(l, SIZE_MAX, &(struct lowering_output){.arg = &spots, .place = take_spot}, fault) : r;
    r = r == 0 && spots.error ? fault_oom(fault) : r;
    r = r == 0 ? repair_spot(l, &spots, &why, ret, fault) : r;
    free(spots.all);
    lowering_free(l);
    return r;
}
