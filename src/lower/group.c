/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grouping: see group.h. Providers want results right behind the message that made the calls, but a record has what happened
 * when it happened: a user who speaks while a tool still runs, a result that never came, one that came twice. So a step stays open
 * until all its calls are answered or the model speaks again, and what came in between is kept for after it.
 */
#include "lower/group.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"

void group_done(struct group *g)
{
    free(g->items);
    free(g->parts);
    free(g->calls);
    *g = (struct group){0};
}

void group_reset(struct group *g)
{
    g->kind = GROUP_NONE;
    g->n_items = g->n_parts = g->n_calls = g->answered = 0;
}

static int reserve(void **list, size_t *room, size_t need, size_t size, size_t most)
{
    if (need <= *room)
        return 0;
    if (need > most)
        return -E2BIG;
    size_t more = MIN(most, MAX(MAX((size_t)8, *room * 2), need));
    void *list_new = reallocarray(*list, more, size);
    if (!list_new)
        return -ENOMEM;
    *list = list_new;
    *room = more;
    return 0;
}

static bool is_result(const struct entry *e)
{
    return e->kind == ENTRY_TOOL_RESULT || e->kind == ENTRY_PERCEPTION;
}

static bool same(struct span a, struct span b)
{
    return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

ssize_t group_call(const struct group *g, struct span id)
{
    if (g->kind != GROUP_STEP || id.len == 0)
        return -1;
    for (size_t i = 0; i < g->n_calls; i++)
        if (g->calls[i].result == NO_RESULT && same(g->calls[i].id, id))
            return (ssize_t)i;
    return -1;
}

static bool waiting(const struct group *g)
{
    return g->kind == GROUP_STEP && g->answered < g->n_calls;
}

/* Whether nothing but the model's own words has come yet. */
static bool still_said(const struct group *g)
{
    return g->kind == GROUP_STEP && (g->n_items == 0 || g->items[g->n_items - 1].role == ITEM_SAID);
}

/* An implicit call joins the step before it as long as nobody else has spoken since. */
static bool implicit_joins(const struct group *g)
{
    enum item_role last = g->n_items ? g->items[g->n_items - 1].role : ITEM_SAID;
    return waiting(g) || (g->kind == GROUP_STEP && (last == ITEM_SAID || last == ITEM_RESULT));
}

enum group_turn group_turn(const struct group *g, const struct entry *e, bool exact)
{
    bool stays;
    if (g->kind == GROUP_NONE)
        stays = true;
    else if (exact || g->kind == GROUP_EXACT)
        stays = exact && g->kind == GROUP_EXACT && e->join;
    else if (e->kind == ENTRY_ASSISTANT)
        stays = still_said(g);
    else if (is_result(e))
        stays = e->call.len == 0 ? implicit_joins(g) : waiting(g);
    else if (g->kind == GROUP_STEP)
        stays = waiting(g) || (e->kind == ENTRY_USER && e->join && g->answered > 0);
    else
        stays = e->join && (g->kind == GROUP_SYSTEM) == (e->kind == ENTRY_SYSTEM);
    return stays ? GROUP_GOES_ON : GROUP_CLOSES;
}

/* ---------------------------------------------------------------- taking an entry */

static enum group_kind kind_for(const struct entry *e, bool exact)
{
    if (exact)
        return GROUP_EXACT;
    if (e->kind == ENTRY_SYSTEM)
        return GROUP_SYSTEM;
    return e->kind == ENTRY_ASSISTANT || (is_result(e) && e->call.len == 0) ? GROUP_STEP : GROUP_USER;
}

static enum item_role user_role(const struct group *g, const struct entry *e)
{
    if (g->kind != GROUP_STEP)
        return ITEM_SAID;
    enum item_role last = g->n_items ? g->items[g->n_items - 1].role : ITEM_SAID;
    bool joins = e->kind == ENTRY_USER && e->join && (last == ITEM_RESULT || last == ITEM_TAIL);
    return joins ? ITEM_TAIL : ITEM_AFTER;
}

static int add_call(struct group *g, struct call c)
{
    int r = reserve((void **)&g->calls, &g->calls_room, g->n_calls + 1, sizeof *g->calls, LIMIT_GROUP_ENTRIES);
    if (r < 0)
        return r;
    for (size_t i = 0; i < g->n_calls && !c.implicit; i++)
        c.nth += same(g->calls[i].id, c.id);
    g->calls[g->n_calls++] = c;
    return 0;
}

static int add_calls(struct group *g, const struct entry *e)
{
    int r = 0;
    for (size_t i = 0; i < e->n_parts && r == 0; i++) {
        const struct part *p = &e->parts[i];
        if (p->type == PART_TOOL_CALL)
            r = add_call(g, (struct call){.id = span_inside(p->id),
                                          .name = span_inside(p->name),
                                          .arguments = p->value,
                                          .arguments_text = p->value_text,
                                          .wire = e->wire,
                                          .seq = e->seq,
                                          .part = i,
                                          .result = NO_RESULT});
    }
    return r;
}

static int add_implicit(struct group *g, const struct entry *e)
{
    return add_call(g, (struct call){.name = span_inside(e->name),
                                     .arguments = e->arguments,
                                     .implicit = true,
                                     .seq = e->seq,
                                     .result = NO_RESULT});
}

/* Finds the call that a result answers, or makes it. */
static int place_result(struct group *g, const struct entry *e, struct item *item)
{
    ssize_t found = group_call(g, span_inside(e->call));
    if (e->call.len == 0) {
        int r = add_implicit(g, e);
        if (r < 0)
            return r;
        found = (ssize_t)g->n_calls - 1;
    }
    item->role = found < 0 ? ITEM_ORPHAN : ITEM_RESULT;
    if (found >= 0) {
        item->call = (size_t)found;
        g->calls[found].result = (ssize_t)g->n_items;
        g->answered++;
    }
    return 0;
}

static int add_parts(struct group *g, const struct entry *e)
{
    size_t most = (size_t)LIMIT_GROUP_ENTRIES * 16;
    int r = reserve((void **)&g->parts, &g->parts_room, g->n_parts + e->n_parts, sizeof *g->parts, most);
    if (r == 0 && e->n_parts)
        memcpy(g->parts + g->n_parts, e->parts, e->n_parts * sizeof *g->parts);
    return r;
}

int group_add(struct group *g, const struct entry *e, bool exact)
{
    struct item item = {.e = *e, .first = g->n_parts};
    int r = reserve((void **)&g->items, &g->items_room, g->n_items + 1, sizeof *g->items, LIMIT_GROUP_ENTRIES);
    r = r == 0 ? add_parts(g, e) : r;
    if (r < 0)
        return r;
    if (g->kind == GROUP_NONE)
        g->kind = kind_for(e, exact);
    if (g->kind == GROUP_EXACT)
        item.role = ITEM_SAID;
    else if (is_result(e))
        r = place_result(g, e, &item);
    else if (e->kind == ENTRY_ASSISTANT)
        r = add_calls(g, e);
    else
        item.role = user_role(g, e);
    if (r < 0)
        return r;
    g->items[g->n_items++] = item;
    g->n_parts += e->n_parts;
    return 0;
}

void group_seal(struct group *g)
{
    for (size_t i = 0; i < g->n_items; i++)
        g->items[i].e.parts = g->parts + g->items[i].first;
}
