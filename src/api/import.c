/* SPDX-License-Identifier: Apache-2.0 */
/* A request that a host sends to a provider, taken into the record: what follows what is stored already. */
#include <errno.h>
#include <string.h>

#include "api/arrival.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/limits.h"
#include "percept/json.h"

static int compare(const struct record_entry *e, void *arg)
{
    return prefix_entry(arg, e->body, e->len);
}

static int they_part(const struct arrival *a, const struct prefix *p, int64_t seq, struct fovea_fault *fault)
{
    return fault_set(fault, EEXIST, "session \"%s\" holds another conversation: they part at its entry %lld, entry %zu of this one",
                     a->place.name, (long long)seq, p->at + 1);
}

/* Leaves in a what is new; *ret_last is the number of the last stored entry. */
static int drop_known(struct arrival *a, int64_t *ret_last, struct fovea_fault *fault)
{
    cleanup(prefix_done) struct prefix p = {.in = &a->in};
    struct record_point at = {0};
    int r = record_read(a->place.record, a->place.name, &at, compare, &p, fault);
    if (r == -EEXIST)
        return they_part(a, &p, at.seq, fault);
    if (p.unread)
        return fault_set(fault, EBADMSG, "session \"%s\": its entry %lld cannot be read", a->place.name, (long long)at.seq);
    if (r < 0 && r != -ENOENT)
        return r == -ENOMEM ? fault_oom(fault) : r;
    *ret_last = at.seq;
    return prefix_end(&p) < 0 ? fault_oom(fault) : 0;
}

/* All of it came at one time. */
static int set_time(json_t *entries, struct fovea_fault *fault)
{
    int64_t now = clock_wall_ms();
    size_t i;
    json_t *entry;
    json_array_foreach(entries, i, entry)
        if (json_object_set_new(entry, "at", json_integer(now)) < 0)
            return fault_oom(fault);
    return 0;
}

static int import_once(const fovea_session *s, const char *wire, const json_t *root, struct fovea_appended *ret,
                       struct fovea_fault *fault)
{
    auto_arrival a;
    int64_t last = 0;
    int r = arrival_init(&a, s, fault);
    if (r == 0)
        r = incoming_request(&a.in, wire, root, fault);
    if (r == 0)
        r = drop_known(&a, &last, fault);
    if (r == 0)
        r = arrival_look(&a, fault);
    if (r == 0)
        r = set_time(a.in.entries, fault);
    return r < 0 ? r : arrival_append(&a, NULL, last, ret, fault);
}

int fovea_session_import(fovea_session *s, const char *wire, const char *json, size_t len, struct fovea_appended *ret,
                         struct fovea_fault *fault)
{
    auto_json *root = NULL;
    auto_arrival_text text = {0};
    size_t end = 0;
    int r = arrival_text(json, len, &text, fault);
    if (r == 0)
        r = arrival_value(text.at, text.len, text.at, &root, &end, fault);
    for (; r == 0 && end < text.len; end++)
        if (!text.at[end] || !strchr(" \t\r\n", text.at[end]))
            return fault_set(fault, EINVAL, "line %zu: there is more behind the request", arrival_line(text.at, text.at + end));
    for (int tries = 1; r == 0; tries++) {
        r = import_once(s, wire, root, ret, fault);
        if (r != -ESTALE || tries == LIMIT_APPEND_TRIES)
            break;
        r = 0;
    }
    return r;
}
