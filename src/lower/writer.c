/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer: takes entries, and when a group is complete has it written by its wire. Groups are all it holds, so that a
 * conversation of any length needs the memory of its longest step.
 */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "lower/write.h"

static const struct wire_form *const forms[LOWER_WIRES] = {
    [LOWER_ANTHROPIC] = &form_anthropic,
    [LOWER_CHAT] = &form_chat,
    [LOWER_RESPONSES] = &form_responses,
    [LOWER_GEMINI] = &form_gemini,
};

/* ---------------------------------------------------------------- messages and blocks */

void message_next(struct writer *w)
{
    sink_add(&w->sink, w->sink.total == 0 ? "[" : ",", 1);
    w->messages++;
}

void bridge_before(struct writer *w, const char *role)
{
    bool owed = w->owes_bridge && strcmp(role, "assistant") != 0;
    w->owes_bridge = false;
    if (w->messages == 0 && w->form->opening && !w->job.as_is && strcmp(role, "user") != 0) {
        message_next(w);
        sink_str(&w->sink, w->form->opening);
    }
    if (!owed)
        return;
    message_next(w);
    put(w, "{\"role\":\"assistant\",\"content\":\"I have processed the tool results.\"}");
}

/* As much of a name as is told. */
static int told_len(struct span name)
{
    return (int)utf8_valid_prefix(name.at, MIN(name.len, 40u));
}

/* OpenAI refuses members that others who speak Chat Completions have added, such as reasoning_content. */
static bool refused(struct writer *w, const struct entry *e, struct span key)
{
    static const char *const known[] = {"role", "content", "name", "refusal", "audio", "function_call", "tool_calls", "tool_call_id", NULL};
    bool named = span_is(key, "name") && entry_is_result(e); /* which OpenAI's tool messages are not */
    bool legacy = span_is(key, "function_call") && w->group.n_calls > 0; /* which only stands where there are no tool_calls */
    if (w->wire != LOWER_CHAT || (!legacy && (strcmp(w->job.target->provider, "openai") != 0 || (span_is_any(key, known) && !named))))
        return false;
    tell(w, e->seq, "entry %jd: its member %.*s", (intmax_t)e->seq, told_len(key), key.at);
    return true;
}

void put_extra(struct writer *w, const struct entry *e, const char *const *without, size_t n)
{
    struct span_walk walk = span_enter(e->raw);
    while (span_next(&walk))
        if (!span_is_any(walk.key, without) && !refused(w, e, walk.key))
            n = put_member(w, &walk, n);
}

void put_head(struct writer *w, const struct entry *first, const char *role)
{
    static const char *const said[] = {"role", "content", "parts", "tool_calls", "output", NULL};
    bool own = first && first->raw.len && is_own(w, first);
    put(w, "{");
    if (own && w->group.kind == GROUP_EXACT) {
        (void)put_members(w, first->raw, NULL, 0);
        return;
    }
    put(w, "\"role\":");
    sink_quoted(&w->sink, role, strlen(role));
    if (own)
        put_extra(w, first, said, 1);
}

void message_lazy(struct writer *w, const struct entry *first, const char *role, const char *open)
{
    w->now = (struct message){.first = first, .role = role, .open = open};
}

void block_next(struct writer *w)
{
    if (w->now.begun) {
        if (w->now.blocks > 0)
            put(w, ",");
    } else {
        bridge_before(w, w->now.role);
        message_next(w);
        put_head(w, w->now.first, w->now.role);
        sink_str(&w->sink, w->now.open);
        w->now.begun = true;
    }
    w->now.blocks++;
}

void message_end(struct writer *w)
{
    if (w->now.begun)
        put(w, "]}");
    w->now = (struct message){0};
}

/* ---------------------------------------------------------------- reports */

bool is_own(const struct writer *w, const struct entry *e)
{
    return span_is(span_inside(e->wire), lower_wire_names[w->wire]);
}

static bool openai(const char *name, size_t len)
{
    return len >= 7 && memcmp(name, "openai-", 7) == 0;
}

bool is_family(const struct writer *w, const struct entry *e)
{
    struct span wire = span_inside(e->wire);
    const char *mine = lower_wire_names[w->wire];
    return wire.len == 0 || span_is(wire, mine) || (openai(wire.at, wire.len) && openai(mine, strlen(mine)));
}

void tell(struct writer *w, int64_t seq, const char *format, ...)
{
    char words[300];
    va_list args;
    if (!w->job.hooks.report || w->looking)
        return;
    va_start(args, format);
    (void)vsnprintf(words, sizeof words, format, args);
    va_end(args);
    w->job.hooks.report(w->job.hooks.arg, seq, words);
}

/* Google's blocks have no type: their first member says what they are. */
static struct span type_of(const struct part *p)
{
    struct span type = span_inside(span_member(p->value, "type"));
    struct span_walk walk = span_enter(p->value);
    if (!type.len && span_next(&walk) && span_is_object(&walk))
        type = walk.key;
    return type;
}

void tell_block(struct writer *w, int64_t seq, size_t part, const char *what, const struct part *p)
{
    struct span wire = span_inside(p->wire), type = {0};
    if (!p->thinking)
        type = type_of(p);
    tell(w, seq, "part %zu of entry %jd: %s of %.*s%s%.*s", part, (intmax_t)seq, what, told_len(wire), wire.len ? wire.at : "",
         type.len ? ": " : "", told_len(type), type.len ? type.at : "");
}

void tell_place(struct writer *w, const struct lower_place *place, int64_t seq, size_t part)
{
    if (w->job.hooks.place)
        w->job.hooks.place(w->job.hooks.arg, place, seq, part);
}

/* ---------------------------------------------------------------- groups */

/* One message for an item and those after it that join it. */
static size_t run_end(const struct group *g, size_t from, enum item_role role)
{
    size_t to = from + 1;
    while (to < g->n_items && g->items[to].role == role && g->items[to].e.join &&
           (g->items[to].e.kind == ENTRY_SYSTEM) == (g->items[from].e.kind == ENTRY_SYSTEM))
        to++;
    return to;
}

static void write_speaker(struct writer *w, size_t from, size_t to)
{
    if (w->group.items[from].e.kind == ENTRY_SYSTEM)
        w->form->rules(w, from, to);
    else
        w->form->user(w, from, to);
}

/* What came while results were missing, each in a message of its own. */
static void write_after(struct writer *w)
{
    const struct group *g = &w->group;
    for (size_t i = 0; i < g->n_items;) {
        enum item_role role = g->items[i].role;
        if (role == ITEM_AFTER || role == ITEM_ORPHAN) {
            size_t to = run_end(g, i, role);
            write_speaker(w, i, to);
            i = to;
        } else {
            i++;
        }
    }
}

/* Whether the model's own message comes of it for certain. */
static bool surely_said(const struct group *g)
{
    for (size_t i = 0; i < g->n_items; i++) {
        const struct entry *e = &g->items[i].e;
        for (size_t k = 0; k < e->n_parts && g->items[i].role == ITEM_SAID; k++)
            if (e->parts[k].type == PART_TEXT && !is_blank(e->parts[k].text))
                return g->kind == GROUP_STEP;
    }
    return g->kind == GROUP_STEP && g->n_calls > 0;
}

/* A place to write on from must not depend on what was written before it. As long as no message stands, whether a system entry is
 * the first thing said does; and so does whether a bridge comes first. */
static bool is_settled(const struct writer *w)
{
    return (w->messages > 0 || !w->begun) && (!w->owes_bridge || surely_said(&w->group));
}

static void tell_orphans(struct writer *w)
{
    for (size_t i = 0; i < w->group.n_items; i++)
        if (w->group.items[i].role == ITEM_ORPHAN)
            tell(w, w->group.items[i].e.seq, "entry %jd: a result without its call, told as text",
                 (intmax_t)w->group.items[i].e.seq);
}

static void write_group(struct writer *w)
{
    struct group *g = &w->group;
    bool outside = g->kind == GROUP_SYSTEM && !w->begun && w->form->system_outside;
    if (outside)
        return;
    if (w->job.hooks.boundary && is_settled(w))
        w->job.hooks.boundary(w->job.hooks.arg, g->items[0].e.seq, w->messages, w->sink.total);
    w->begun = w->begun || g->kind != GROUP_SYSTEM;
    tell_orphans(w);
    if (g->kind == GROUP_EXACT) {
        w->form->exact(w);
    } else if (g->kind == GROUP_STEP) {
        find_last_said(w);
        w->form->step(w);
        write_after(w);
    } else {
        write_speaker(w, 0, g->n_items);
    }
}

static int close_group(struct writer *w)
{
    if (w->group.kind == GROUP_NONE)
        return 0;
    group_seal(&w->group);
    write_group(w);
    group_reset(&w->group);
    if (w->error == 0)
        w->error = w->words.error ? w->words.error : w->aside.error;
    return w->error ? w->error : w->sink.error;
}

/* Export keeps what the same wire said as it was; a result that stands alone, or belongs to a step that is written for this wire,
 * is written like any other. */
static bool goes_exact(const struct writer *w, const struct entry *e)
{
    if (!w->job.as_is)
        return false;
    return is_own(w, e) || (entry_is_result(e) && e->call.len > 0 && group_call(&w->group, span_inside(e->call)) < 0);
}

/* A chat message that refuses has its words beside its content. Its own wire gets it back as it was; any other as a text. */
static struct span refusal_of(const struct writer *w, const struct entry *e)
{
    bool chat = span_is(span_inside(e->wire), lower_wire_names[LOWER_CHAT]);
    struct span_walk walk = span_enter(e->kind == ENTRY_ASSISTANT && chat && w->wire != LOWER_CHAT ? e->raw : (struct span){0});
    while (span_next(&walk))
        if (span_is(walk.key, "refusal") && span_is_string(walk.value) && !is_blank(walk.value))
            return walk.value;
    return (struct span){0};
}

static int add_entry(struct writer *w, const struct entry *e, bool exact)
{
    struct span refusal = refusal_of(w, e);
    if (!refusal.len)
        return group_add(&w->group, e, exact);
    struct entry more = *e;
    auto_free struct part *parts = more.parts = calloc(e->n_parts + 1, sizeof *parts);
    if (!parts)
        return -ENOMEM;
    if (e->n_parts)
        memcpy(parts, e->parts, e->n_parts * sizeof *parts);
    parts[more.n_parts++] = (struct part){.type = PART_TEXT, .text = refusal};
    return group_add(&w->group, &more, exact);
}

int writer_entry(struct writer *w, const struct entry *e)
{
    if (!entry_is_said(e) || w->error)
        return w->error;
    bool exact = goes_exact(w, e);
    if (group_turn(&w->group, e, exact) == GROUP_CLOSES) {
        int r = close_group(w);
        if (r < 0)
            return w->error = r;
    }
    size_t known = w->group.n_calls;
    w->error = add_entry(w, e, exact);
    for (size_t i = known; w->job.hooks.ids_before && i < w->group.n_calls; i++)
        if (!w->group.calls[i].implicit)
            w->group.calls[i].nth += w->job.hooks.ids_before(w->job.hooks.arg, w->group.items[0].e.seq, w->group.calls[i].id);
    return w->error;
}

int writer_end(struct writer *w)
{
    int r = w->error ? w->error : close_group(w);
    if (r < 0)
        return w->error = r;
    if (w->sink.total == 0)
        put(w, "[");
    put(w, "]");
    return w->error = sink_flush(&w->sink);
}

int writer_new(const struct lower_job *job, size_t first, size_t offset, struct writer **ret)
{
    struct writer *w = malloc(sizeof *w);
    if (!w)
        return -ENOMEM;
    memset(w, 0, offsetof(struct writer, sink));
    w->job = *job;
    w->wire = job->target->wire;
    w->form = forms[w->wire];
    w->messages = first;
    w->begun = first > 0;
    w->words = (struct buf)BUF_INIT(LIMIT_STUB_BYTES);
    w->aside = (struct buf)BUF_INIT(LIMIT_ENTRY_BYTES);
    if (job->replay)
        w->thinking = replay_thinking(job->replay);
    if (!job->full)
        w->thinking.before = w->thinking.alone;
    if (job->full || !job->replay)
        w->thinking.behind = INT64_MAX;
    w->sink.write = job->hooks.write;
    w->sink.arg = job->hooks.arg;
    w->sink.total = offset;
    w->sink.len = 0;
    w->sink.error = 0;
    *ret = w;
    return 0;
}

void writer_free(struct writer *w)
{
    if (!w)
        return;
    group_done(&w->group);
    buf_done(&w->words);
    buf_done(&w->aside);
    free(w);
}
