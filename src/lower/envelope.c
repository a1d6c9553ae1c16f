/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole request around its messages. What an imported request of the same wire said stays as it was; from a request of
 * another wire come its instructions and tools, in this one's words. Keys and addresses are for whoever sends it.
 */
#include <stdio.h>
#include <string.h>

#include "base/json_text.h"
#include "lower/call_id.h"
#include "lower/write.h"

enum { MAX_TOKENS_UNKNOWN = 4096, MAX_TOKENS_MOST = 32000, BREAKPOINTS = 4 };

#define BINDING_BETA "thinking-binding-controls-2026-08-01"
#define BINDING "\"block_binding\":{\"prefix_mismatch_behavior\":\"drop_block\"}"

struct making {
    const struct target *t;
    const struct entry *request;
    const struct span *systems;
    size_t n_systems;
    struct span body; /* of a request of this wire; empty of any other */
    bool loose;
    size_t marks; /* for the cache, in what the body had */
    size_t members;
    struct buf *to;
    const struct envelope *e;
};

/* What one wire calls things. */
struct words {
    const char *list, *rules;
    const char *rules_open, *rules_close; /* around all texts */
    const char *tools_open, *tools_close;
    const char *tool_open, *tool_schema, *tool_close; /* around one: up to its name, the key of its schema, the end */
    const char *const *ours; /* members that are not taken from a body of this wire */
};
static const char *const anthropic_ours[] = {"model", "messages", "cache_control", NULL};
static const char *const chat_ours[] = {"model", "messages", NULL};
static const char *const responses_ours[] = {"model", "input", "previous_response_id", "conversation", NULL};
static const char *const gemini_ours[] = {"model", "contents", NULL};

static const struct words words[LOWER_WIRES] = {
    [LOWER_ANTHROPIC] = {"messages", "system", "[", "]", "[", "]", "{\"name\":", ",\"input_schema\":", "}", anthropic_ours},
    [LOWER_CHAT] = {"messages", NULL, NULL, NULL, "[", "]", "{\"type\":\"function\",\"function\":{\"name\":", ",\"parameters\":",
                    "}}", chat_ours},
    [LOWER_RESPONSES] = {"input", "instructions", "\"", "\"", "[", "]", "{\"type\":\"function\",\"name\":", ",\"parameters\":",
                         ",\"strict\":false}", responses_ours},
    [LOWER_GEMINI] = {"contents", "systemInstruction", "{\"parts\":[", "]}", "[{\"functionDeclarations\":[", "]}]",
                      "{\"name\":", ",\"parametersJsonSchema\":", "}", gemini_ours},
};

static void add_span(struct making *v, struct span s)
{
    (void)buf_add(v->to, s.at, s.len);
}

static void add_member(struct making *v, const char *key)
{
    (void)buf_add_format(v->to, "%s\"%s\":", v->members++ ? "," : "", key);
}

/* ---------------------------------------------------------------- instructions */

/* One text, in the list or string that is open. */
static void add_text(struct making *v, struct span text, size_t n)
{
    static const char *const opens[LOWER_WIRES] = {
        [LOWER_ANTHROPIC] = "{\"type\":\"text\",\"text\":\"", [LOWER_CHAT] = "", [LOWER_RESPONSES] = "", [LOWER_GEMINI] = "{\"text\":\""};
    bool string = v->t->wire == LOWER_CHAT || v->t->wire == LOWER_RESPONSES;
    if (n)
        (void)buf_add_str(v->to, string ? "\\n\\n" : ",");
    (void)buf_add_str(v->to, opens[v->t->wire]);
    add_span(v, span_inside(text));
    (void)buf_add_str(v->to, string ? "" : "\"}");
}

static size_t add_texts(struct making *v, struct span parts, size_t n)
{
    struct span_walk w = span_enter(parts);
    while (span_next(&w)) {
        struct span text = span_member(w.value, "text");
        if (span_is_string(text) && !is_blank(text))
            add_text(v, text, n++);
    }
    return n;
}

static size_t count_texts(struct span parts)
{
    size_t n = 0;
    struct span_walk w = span_enter(parts);
    while (span_next(&w)) {
        struct span text = span_member(w.value, "text");
        n += span_is_string(text) && !is_blank(text);
    }
    return n;
}

static struct span request_rules(const struct entry *request)
{
    return request ? request->instructions : (struct span){0};
}

static size_t system_texts(const struct making *v)
{
    size_t n = 0;
    for (size_t i = 0; i < v->n_systems; i++)
        n += count_texts(span_member(v->systems[i], "parts"));
    return n;
}

static bool outside(const struct making *v)
{
    return v->t->wire == LOWER_ANTHROPIC || v->t->wire == LOWER_GEMINI;
}

/* Whether instructions are put together anew, or stay in the body as they were. */
static bool makes_rules(const struct making *v)
{
    size_t more = outside(v) ? system_texts(v) : 0;
    if (!words[v->t->wire].rules)
        return false;
    return more > 0 || (!v->body.len && count_texts(request_rules(v->request)) > 0);
}

static void add_rules(struct making *v)
{
    const struct words *s = &words[v->t->wire];
    if (!makes_rules(v))
        return;
    add_member(v, s->rules);
    (void)buf_add_str(v->to, s->rules_open);
    size_t n = add_texts(v, request_rules(v->request), 0);
    for (size_t i = 0; i < v->n_systems && outside(v); i++)
        n = add_texts(v, span_member(v->systems[i], "parts"), n);
    (void)buf_add_str(v->to, s->rules_close);
}

/* ---------------------------------------------------------------- tools */

static void add_tool(struct making *v, struct span tool)
{
    const struct words *s = &words[v->t->wire];
    struct span about = span_member(tool, "description"), schema = span_member(tool, "parameters");
    char name[CALL_ID_ROOM];
    tool_name(span_inside(span_member(tool, "name")), name);
    (void)buf_add_str(v->to, s->tool_open);
    (void)buf_add_json_str(v->to, name);
    if (span_is_string(about)) {
        (void)buf_add_str(v->to, ",\"description\":");
        add_span(v, about);
    }
    (void)buf_add_str(v->to, s->tool_schema);
    if (schema.len && schema.at[0] == '{')
        add_span(v, schema);
    else
        (void)buf_add_str(v->to, "{\"type\":\"object\",\"properties\":{}}");
    (void)buf_add_str(v->to, s->tool_close);
}

static void add_tools(struct making *v)
{
    struct span_walk w = span_enter(v->request ? v->request->tools : (struct span){0});
    size_t n = 0;
    if (v->body.len)
        return;
    while (span_next(&w)) {
        if (n == 0) {
            add_member(v, "tools");
            (void)buf_add_str(v->to, words[v->t->wire].tools_open);
        }
        if (n++)
            (void)buf_add_str(v->to, ",");
        add_tool(v, w.value);
    }
    if (n)
        (void)buf_add_str(v->to, words[v->t->wire].tools_close);
}

/* ---------------------------------------------------------------- the rest of the body */

static void tell_change(const struct making *v, struct span key, const char *what)
{
    char said[200];
    if (!v->e->report)
        return;
    (void)snprintf(said, sizeof said, "%.*s of the request: %s", (int)MIN(key.len, 60u), key.at, what);
    v->e->report(v->e->arg, v->request->seq, said);
}

/* The models of Anthropic refuse these, or all of them but one at a time. */
static bool is_sampling(const struct making *v, struct span key)
{
    static const char *const names[] = {"temperature", "top_p", "top_k", NULL};
    if (v->t->wire != LOWER_ANTHROPIC || !span_is_any(key, names))
        return false;
    tell_change(v, key, "left out");
    return true;
}

/* Whether thinking is put together anew: see add_thinking. */
static bool makes_thinking(const struct making *v)
{
    struct span had = span_member(v->body, "thinking");
    return v->loose || (v->t->adaptive_thinking && span_is(span_member(had, "type"), "\"enabled\""));
}

static size_t count_word(struct span s, const char *word)
{
    size_t n = 0, len = strlen(word);
    const char *at = s.at, *end = s.at + s.len;
    while (s.len && (at = memmem(at, (size_t)(end - at), word, len))) {
        at += len;
        n++;
    }
    return n;
}

static void add_body(struct making *v)
{
    const struct words *s = &words[v->t->wire];
    bool rules = makes_rules(v), thinking = makes_thinking(v);
    struct span_walk w = span_enter(v->body);
    while (span_next(&w)) {
        bool snake = span_is(w.key, "system_instruction");
        if (span_is_any(w.key, s->ours) || (rules && (span_is(w.key, s->rules) || snake)) ||
            (thinking && span_is(w.key, "thinking")) || is_sampling(v, w.key))
            continue;
        v->marks += count_word(w.value, "\"cache_control\"");
        (void)buf_add_str(v->to, v->members++ ? ",\"" : "\"");
        add_span(v, w.key);
        (void)buf_add_str(v->to, "\":");
        add_span(v, w.value);
    }
}

/* A budget becomes "adaptive" where budgets are refused; and where thoughts are bound to what was changed, the server is told that
 * it may drop them. */
static void add_thinking(struct making *v)
{
    static const char *const replaced[] = {"type", "budget_tokens", "block_binding", NULL};
    struct span had = span_member(v->body, "thinking"), type = span_member(had, "type");
    bool budget = v->t->adaptive_thinking && span_is(type, "\"enabled\"");
    if (!makes_thinking(v))
        return;
    if (budget)
        tell_change(v, (struct span){"thinking", 8}, "adaptive, since the model takes no budget");
    bool disabled = span_is(type, "\"disabled\""), adaptive = !type.len || budget || disabled;
    if (disabled)
        had = (struct span){0};
    if (adaptive)
        type = (struct span){"\"adaptive\"", 10};
    struct span_walk w = span_enter(had);
    add_member(v, "thinking");
    (void)buf_add_str(v->to, "{\"type\":");
    add_span(v, type);
    while (span_next(&w)) {
        bool keeps = span_is(w.key, "budget_tokens") && !adaptive;
        if (keeps || !span_is_any(w.key, replaced))
            (void)buf_add_format(v->to, ",\"%.*s\":%.*s", (int)w.key.len, w.key.at, (int)w.value.len, w.value.at);
    }
    (void)buf_add_str(v->to, v->loose ? "," BINDING "}" : "}");
}

static void add_anthropic(struct making *v)
{
    int64_t most = v->t->row ? v->t->row->max_output : 0;
    if (!span_member(v->body, "max_tokens").len) {
        add_member(v, "max_tokens");
        (void)buf_add_format(v->to, "%jd", (intmax_t)(most > 0 ? MIN(most, (int64_t)MAX_TOKENS_MOST) : MAX_TOKENS_UNKNOWN));
    }
    if (v->t->cache.known && v->marks < BREAKPOINTS) {
        add_member(v, "cache_control");
        (void)buf_add_str(v->to, "{\"type\":\"ephemeral\"}");
    }
    add_thinking(v);
}

static void add_headers(struct making *v)
{
    (void)buf_add_str(v->to, ",\"headers\":{\"content-type\":\"application/json\"");
    if (v->t->wire == LOWER_ANTHROPIC)
        (void)buf_add_str(v->to, ",\"anthropic-version\":\"2023-06-01\"");
    if (v->loose)
        (void)buf_add_str(v->to, ",\"anthropic-beta\":\"" BINDING_BETA "\"");
    (void)buf_add_str(v->to, "}");
}

/* ---------------------------------------------------------------- all of it */

static bool of_this_wire(const struct target *t, const struct entry *request)
{
    return request && span_is(span_inside(request->wire), lower_wire_names[t->wire]);
}

/* As it was imported: nothing is put in, and nothing left out but the list itself. */
static void add_as_it_was(struct making *v)
{
    struct span_walk w = span_enter(v->body);
    while (span_next(&w)) {
        if (span_is(w.key, words[v->t->wire].list))
            continue;
        (void)buf_add_str(v->to, v->members++ ? ",\"" : "\"");
        add_span(v, w.key);
        (void)buf_add_str(v->to, "\":");
        add_span(v, w.value);
    }
}

static void add_made(struct making *v)
{
    if (v->t->wire != LOWER_GEMINI) { /* which has it in its address */
        add_member(v, "model");
        (void)buf_add_json_str(v->to, v->t->model);
    }
    add_body(v);
    add_rules(v);
    add_tools(v);
    if (v->t->wire == LOWER_ANTHROPIC)
        add_anthropic(v);
    if (v->t->wire == LOWER_RESPONSES && !span_member(v->body, "store").len) {
        add_member(v, "store");
        (void)buf_add_str(v->to, "false");
    }
}

int envelope_head(const struct envelope *e, struct buf *to)
{
    const struct target *t = e->target;
    struct making v = {.t = t, .request = e->request, .systems = e->systems, .n_systems = e->n_systems, .to = to, .e = e};
    if (of_this_wire(t, e->request))
        v.body = e->request->body;
    v.loose = e->replay && t->wire == LOWER_ANTHROPIC && replay_thinking(e->replay).loose;
    (void)buf_add_format(to, "{\"wire\":\"%s\"", lower_wire_names[t->wire]);
    add_headers(&v);
    (void)buf_add_str(to, ",\"body\":{");
    (e->as_is && v.body.len ? add_as_it_was : add_made)(&v);
    add_member(&v, words[t->wire].list);
    return to->error;
}

int envelope_tail(struct buf *to)
{
    return buf_add_str(to, "}}");
}
