/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which call a tool answers, where its host does not say: the newest of that name and with equal arguments that has no answer yet.
 * Mostly it stands in the last few entries, so those are read first. A call of an earlier turn is not waited for any more.
 */
#include <errno.h>
#include <string.h>

#include "api/recording.h"
#include "api/tools.h"
#include "base/fault.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "percept/json.h"
#include "transcript/entry.h"

enum { FIRST_LOOK = 8, MOST_OPEN = 64 };

struct search {
    const struct recording *g;
    json_t *wanted; /* the call's arguments, as alike() has them */
    struct entry_room room;
    char *open[MOST_OPEN]; /* ids of equal calls without an answer, the newest last; owned */
    size_t n;
    bool turn; /* one began among what was read */
    int64_t last;
};

static void forget(struct search *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->open[i]);
    s->n = 0;
}

static void search_done(struct search *s)
{
    json_decref(s->wanted);
    forget(s);
    entry_room_done(&s->room);
}

/* Arguments as the tool takes them: "page":"2" is "page":2. Those that it does not take stay as they are. NULL when out of
 * memory. */
static json_t *alike_new(const char *tool, json_t *arguments)
{
    tool_run *run;
    fovea_result *refusal = NULL;
    const struct fovea_tool *t = tool_find(tool, &run);
    auto_json *copy = t ? json_deep_copy_whole(arguments) : NULL;
    auto_free void *request = t ? calloc(1, t->request_size) : NULL;
    bool taken = copy && request && tool_arguments(t, copy, request, &refusal, NULL) == 0 && !refusal;
    fovea_result_free(refusal);
    return taken ? tool_arguments_new(tool, request) : json_incref(arguments);
}

static bool is_equal(const struct search *s, const struct part *p)
{
    auto_free char *name = span_text_new(p->name);
    if (!name || strcmp(name, s->g->tool) != 0 || !p->value.len)
        return false;
    auto_json *arguments = json_read(p->value.at, p->value.len, JSON_ALLOW_NUL, NULL);
    auto_json *alike = json_is_object(arguments) ? alike_new(s->g->tool, arguments) : NULL;
    return alike && json_equal(alike, s->wanted);
}

static int take_call(struct search *s, const struct part *p)
{
    if (p->type != PART_TOOL_CALL || s->n == MOST_OPEN || !is_equal(s, p))
        return 0;
    char *id = span_text_new(p->id);
    if (!id)
        return -ENOMEM;
    s->open[s->n++] = id;
    return 0;
}

static void take_answer(struct search *s, struct span call)
{
    auto_free char *id = call.len ? span_text_new(call) : NULL;
    for (size_t i = 0; id && i < s->n; i++) {
        if (strcmp(s->open[i], id) != 0)
            continue;
        free(s->open[i]);
        memmove(&s->open[i], &s->open[i + 1], (--s->n - i) * sizeof s->open[0]);
        return;
    }
}

static int look(const struct record_entry *e, void *arg)
{
    struct search *s = arg;
    struct entry entry;
    int r = entry_read(e->body, e->len, e->point.seq, &s->room, &entry);
    if (r < 0)
        return r == -ENOMEM ? r : 0; /* no call that we could answer */
    if (entry.starts_turn) {
        s->turn = true;
        forget(s);
    }
    take_answer(s, entry.call);
    for (size_t i = 0; r == 0 && i < entry.n_parts; i++)
        r = take_call(s, &entry.parts[i]);
    s->last = e->point.seq;
    return r;
}

/* The entries after that number. */
static int look_after(struct search *s, int64_t seq, struct fovea_fault *fault)
{
    const struct call *c = s->g->call;
    struct record_point at = {.seq = seq};
    s->turn = false;
    forget(s);
    int r = record_read(c->f->record, c->session, &at, look, s, fault);
    return r == -ENOMEM ? fault_oom(fault) : r == -ENOENT ? 0 : r;
}

int open_call(const struct recording *g, char **ret_id, int64_t *ret_last, struct fovea_fault *fault)
{
    cleanup(search_done) struct search s = {.g = g, .wanted = g->arguments ? alike_new(g->tool, g->arguments) : NULL};
    struct record_point end;
    *ret_id = NULL;
    int r = g->arguments ? record_last(g->call->f->record, g->call->session, &end, fault) : 0;
    if (r < 0 || !g->arguments || !end.seq)
        return r;
    r = look_after(&s, MAX(end.seq - FIRST_LOOK, 0), fault);
    if (r == 0 && !s.n && !s.turn && end.seq > FIRST_LOOK)
        r = look_after(&s, MAX(end.seq - LIMIT_CALLS_BACK, 0), fault);
    if (r < 0 || !s.n)
        return r;
    *ret_id = take(s.open[s.n - 1]);
    s.n--;
    *ret_last = s.last;
    return 0;
}
