/* SPDX-License-Identifier: Apache-2.0 */
/* Entries that a host appends: one, a list, or lines of them. What it does not say, the time and whether a tool call stands in the
 * message before it, is filled in here. */
#include <errno.h>
#include <string.h>

#include "api/arrival.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "percept/json.h"
#include "transcript/entry.h"

struct appending {
    struct arrival a;
    const char *key;
    size_t joining; /* the first that is said, where it joins what may be stored already; SIZE_MAX: it does not */
    bool *timeless; /* by entry: the host gave no time */
    int64_t after;
};

static void appending_done(struct appending *p)
{
    arrival_done(&p->a);
    free(p->timeless);
}

/* ---------------------------------------------------------------- taking them apart */

static int take_entry(struct appending *p, const json_t *entry, const char *where, size_t number, struct fovea_fault *fault)
{
    struct fovea_fault wrong = {0};
    int r = incoming_entry(&p->a.in, entry, &wrong);
    if (r < 0)
        return fault_set(fault, r, "%s %zu: %s", where, number, wrong.text);
    return json_array_size(p->a.in.entries) <= LIMIT_APPEND_ENTRIES
               ? 0
               : fault_set(fault, EFBIG, "more than the %d entries that are taken at once", LIMIT_APPEND_ENTRIES);
}

static int take_value(struct appending *p, const json_t *value, size_t line, struct fovea_fault *fault)
{
    size_t i;
    json_t *entry;
    int r = 0;
    if (!json_is_array(value))
        return take_entry(p, value, "line", line, fault);
    json_array_foreach(value, i, entry)
        if (r == 0)
            r = take_entry(p, entry, "entry", i + 1, fault);
    return r;
}

/* Values one after the other: a list of entries is one of them. */
static int take_text(struct appending *p, const char *json, size_t len, struct fovea_fault *fault)
{
    auto_arrival_text text = {0};
    int r = arrival_text(json, len, &text, fault);
    if (r < 0)
        return r;
    const char *at = text.at, *end = text.at + text.len;
    size_t line = 1;
    while (r == 0) {
        for (; at < end && strchr(" \t\r\n", *at) && *at; at++)
            line += *at == '\n';
        if (at == end)
            break;
        auto_json *value = NULL;
        size_t used = 0;
        r = arrival_value(at, (size_t)(end - at), text.at, &value, &used, fault);
        if (r == 0)
            r = take_value(p, value, line, fault);
        for (const char *from = at; r == 0 && at < from + used; at++)
            line += *at == '\n';
    }
    return r == 0 && !json_array_size(p->a.in.entries) ? fault_set(fault, EINVAL, "there is no entry to append") : r;
}

/* ---------------------------------------------------------------- what the host did not say */

/* Never before the one that stands before it in the same append. */
static int set_times(struct appending *p, struct fovea_fault *fault)
{
    int64_t last = 0, now = clock_wall_ms();
    size_t i;
    json_t *entry;
    p->timeless = calloc(json_array_size(p->a.in.entries), sizeof *p->timeless);
    if (!p->timeless)
        return fault_oom(fault);
    json_array_foreach(p->a.in.entries, i, entry) {
        const json_t *at = json_object_get(entry, "at");
        p->timeless[i] = !at;
        if (!at && json_object_set_new(entry, "at", json_integer(MAX(last, now))) < 0)
            return fault_oom(fault);
        last = json_integer_value(json_object_get(entry, "at"));
    }
    return 0;
}

/* Which entry joins what came before all of them. */
static void find_joining(struct appending *p)
{
    size_t i;
    json_t *entry;
    p->joining = SIZE_MAX;
    json_array_foreach(p->a.in.entries, i, entry) {
        if (!incoming_speaker(entry))
            continue;
        if (json_object_get(entry, "join"))
            p->joining = i;
        return;
    }
}

static int note_speaker(const struct record_entry *e, void *arg)
{
    struct entry_room room = {0};
    struct entry entry;
    int r = entry_read(e->body, e->len, e->point.seq, &room, &entry), speaker = r == 0 ? entry_speaker(entry.kind) : 0;
    if (speaker)
        *(int *)arg = speaker;
    entry_room_done(&room);
    return 0;
}

/* It stands in the message of who spoke last in the record, if that is its own speaker; which must be last still when it is appended. */
static int set_join(struct appending *p, struct fovea_fault *fault)
{
    const struct session_place *at = &p->a.place;
    struct record_point last;
    int speaker = 0;
    json_t *entry = json_array_get(p->a.in.entries, p->joining);
    p->after = -1;
    if (!entry)
        return 0;
    int r = record_last(at->record, at->name, &last, fault);
    if (r < 0)
        return r;
    p->after = last.seq;
    if (last.seq) {
        struct record_point before = {.seq = MAX(last.seq - LIMIT_JOIN_BACK, (int64_t)0)};
        r = record_read(at->record, at->name, &before, note_speaker, &speaker, fault);
    }
    bool joins = speaker == incoming_speaker(entry);
    if (r == 0 && joins && json_object_set_new(entry, "join", json_true()) < 0)
        return fault_oom(fault);
    if (r == 0 && !joins)
        (void)json_object_del(entry, "join");
    return r;
}

/* ---------------------------------------------------------------- the same key again */

struct replay {
    struct appending *p;
    size_t seen;
};

/* What was filled in the first time is filled in again, so that what the host said is all that is compared. */
static int take_stored(const struct record_entry *e, void *arg)
{
    struct replay *y = arg;
    struct appending *p = y->p;
    if (!y->seen && (!e->key || strcmp(e->key, p->key) != 0))
        return 0;
    if (y->seen == json_array_size(p->a.in.entries) || (y->seen && e->key))
        return 1;
    json_t *mine = json_array_get(p->a.in.entries, y->seen);
    auto_json *stored = json_read(e->body, e->len, JSON_ALLOW_NUL, NULL);
    if (!stored && errno == ENOMEM)
        return -ENOMEM;
    json_t *join = json_object_get(stored, "join");
    if (p->timeless[y->seen] && json_object_set(mine, "at", json_object_get(stored, "at")) < 0)
        return -ENOMEM;
    if (y->seen == p->joining && (join ? json_object_set(mine, "join", join) : json_object_del(mine, "join")) < 0 && join)
        return -ENOMEM;
    y->seen++;
    return 0;
}

static int append_again(struct appending *p, struct fovea_appended *ret, struct fovea_fault *fault)
{
    struct replay y = {.p = p};
    struct record_point at = {0};
    int r = record_read(p->a.place.record, p->a.place.name, &at, take_stored, &y, fault);
    if (r == -ENOMEM)
        return fault_oom(fault);
    return r < 0 ? r : arrival_append(&p->a, p->key, -1, ret, fault);
}

int fovea_session_append(fovea_session *s, const char *json, size_t len, const char *key, struct fovea_appended *ret,
                         struct fovea_fault *fault)
{
    cleanup(appending_done) struct appending p = {.key = key};
    int r = arrival_init(&p.a, s, fault);
    if (r == 0)
        r = take_text(&p, json, len, fault);
    if (r == 0)
        r = arrival_look(&p.a, fault);
    if (r == 0)
        r = set_times(&p, fault);
    find_joining(&p);
    for (int tries = 0; r == 0 && tries < LIMIT_APPEND_TRIES; tries++) {
        r = set_join(&p, fault);
        r = r < 0 ? r : arrival_append(&p.a, key, p.after, ret, fault);
        if (r != -ESTALE || tries == LIMIT_APPEND_TRIES - 1)
            break;
        r = 0;
    }
    return r == -EEXIST && key ? append_again(&p, ret, fault) : r;
}
