/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grouping: see group.h. Providers want results right behind the message that made the calls, but a record has what happened
 * when it happened: a user who speaks while a tool still runs, a result that never came, one that came twice. So a step stays open
 * until all its calls are answered or the model speaks again, and what came in between is kept for after it.
 */
#include "lower/group.h"

#include <assert.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"

enum { FEW_SLOTS = 64 };

void group_done(struct group *g)
{
    free(g->items);
    free(g->parts);
    free(g->calls);
    free(g->slots);
    *g = (struct group){0};
}

void group_reset(struct group *g)
{
    g->kind = GROUP_NONE;
    if (g->n_slots > FEW_SLOTS) {
        free(take(g->slots));
        g->n_slots = 0;
    } else if (g->n_calls) {
        memset(g->slots, 0, g->n_slots * sizeof *g->slots);
    }
    g->n_items = g->n_parts = g->n_calls = g->answered = 0;
}

/* How much is ever asked for is group_turn's to bound. */
static int reserve(void **list, size_t *room, size_t need, size_t size)
{
    if (need <= *room)
        return 0;
    size_t more = MAX(MAX((size_t)8, *room * 2), need);
    void *list_new = reallocarray(*list, more, size);
    if (!list_new)
        return -ENOMEM;
    *list = list_new;
    *room = more;
    return 0;
}

static bool same(struct span a, struct span b)
{
    return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

/* The slot of an id: its own, or the empty one where it would stand. There is always one. */
static struct call_slot *slot_of(const struct group *g, struct span id)
{
    size_t i = span_hash(id) & (g->n_slots - 1);
    while (g->slots[i].last && !same(g->calls[g->slots[i].last - 1].id, id))
        i = (i + 1) & (g->n_slots - 1);
    return &g->slots[i];
}

ssize_t group_call(const struct group *g, struct span id)
{
    if (g->kind != GROUP_STEP || id.len == 0 || !g->n_slots)
        return -1;
    const struct call_slot *s = slot_of(g, id);
    return s->last ? s->waits : -1;
}

/* Puts a call behind the others with its id, those of which wait in order. */
static void slot_add(struct group *g, size_t i)
{
    struct call *c = &g->calls[i];
    struct call_slot *s = slot_of(g, c->id);
    if (s->last)
        g->calls[s->last - 1].next = (ssize_t)i;
    if (!s->last || s->waits < 0)
        s->waits = c->result == NO_RESULT ? (ssize_t)i : -1;
    s->last = i + 1;
}

/* Never more than half of the slots in use. */
static int slots_for(struct group *g, size_t calls)
{
    size_t n = g->n_slots ? g->n_slots : FEW_SLOTS;
    if (g->n_slots && 2 * calls <= g->n_slots)
        return 0;
    while (n < 2 * calls)
        n *= 2;
    struct call_slot *slots = calloc(n, sizeof *slots);
    if (!slots)
        return -ENOMEM;
    free(g->slots);
    g->slots = slots;
    g->n_slots = n;
    for (size_t i = 0; i < g->n_calls; i++)
        if (!g->calls[i].implicit)
            slot_add(g, i);
    return 0;
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

static bool is_full(const struct group *g, const struct entry *e)
{
    return g->n_items >= LIMIT_GROUP_ENTRIES || g->n_parts + e->n_parts > LIMIT_GROUP_PARTS;
}

enum group_turn group_turn(const struct group *g, const struct entry *e, bool exact)
{
    bool stays;
    if (g->kind == GROUP_NONE)
        stays = true;
    else if (is_full(g, e))
        stays = false;
    else if (exact || g->kind == GROUP_EXACT)
        stays = exact && g->kind == GROUP_EXACT && e->join;
    else if (e->kind == ENTRY_ASSISTANT)
        stays = still_said(g);
    else if (entry_is_result(e))
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
    return e->kind == ENTRY_ASSISTANT || (entry_is_result(e) && e->call.len == 0) ? GROUP_STEP : GROUP_USER;
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
    int r = reserve((void **)&g->calls, &g->calls_room, g->n_calls + 1, sizeof *g->calls);
    r = r == 0 ? slots_for(g, g->n_calls + 1) : r;
    if (r < 0)
        return r;
    assert(g->calls);
    c.next = -1;
    if (!c.implicit) {
        size_t last = slot_of(g, c.id)->last;
        const struct call *before = last ? &g->calls[last - 1] : NULL;
        c.nth = c.again = before ? before->again + 1 : 0;
    }
    g->calls[g->n_calls++] = c;
    if (!c.implicit)
        slot_add(g, g->n_calls - 1);
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
    if (found >= 0 && e->call.len)
        slot_of(g, span_inside(e->call))->waits = g->calls[found].next;
    if (found >= 0) {
        item->call = (size_t)found;
        g->calls[found].result = (ssize_t)g->n_items;
        g->answered++;
    }
    return 0;
}

static int add_parts(struct group *g, const struct entry *e)
{
    int r = reserve((void **)&g->parts, &g->parts_room, g->n_parts + e->n_parts, sizeof *g->parts);
    if (r == 0 && e->n_parts)
        memcpy(g->parts + g->n_parts, e->parts, e->n_parts * sizeof *g->parts);
    return r;
}

int group_add(struct group *g, const struct entry *e, bool exact)
{
    struct item item = {.e = *e, .first = g->n_parts};
    int r = reserve((void **)&g->items, &g->items_room, g->n_items + 1, sizeof *g->items);
    r = r == 0 ? add_parts(g, e) : r;
    if (r < 0)
        return r;
    if (g->kind == GROUP_NONE)
        g->kind = kind_for(e, exact);
    if (g->kind == GROUP_EXACT)
        item.role = ITEM_SAID;
    else if (entry_is_result(e))
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
