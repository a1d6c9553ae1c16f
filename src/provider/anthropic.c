/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Anthropic Messages. Content is an array of blocks; a streamed answer is named events that open, fill and close blocks,
 * of which only text is the answer. No video. A refusal is a stop reason of a good answer.
 */
#include "provider/wire_priv.h"

#define ANTHROPIC_MAX_TOKENS 8192 /* the field is required; enough for any answer that we keep */

static int path(const struct wire_request *q, struct buf *to)
{
    (void)q;
    return buf_add_str(to, "/v1/messages");
}

static int add_text(const struct wire_request *q, const struct wire_part *p, struct buf *b)
{
    (void)q;
    (void)buf_add_str(b, "{\"type\":\"text\"");
    (void)wire_add_field(b, "text", p->text);
    return buf_add_str(b, "}");
}

static int add_source(const char *type, const struct wire_part *p, struct buf *b)
{
    (void)buf_add_format(b, "{\"type\":\"%s\",\"source\":{\"type\":\"base64\"", type);
    (void)wire_add_field(b, "media_type", p->media_type ? p->media_type : "");
    (void)buf_add_str(b, ",\"data\":");
    int r = wire_add_base64(b, p);
    (void)buf_add_str(b, "}");
    return r;
}

static int add_image(const struct wire_request *q, const struct wire_part *p, struct buf *b)
{
    (void)q;
    int r = add_source("image", p, b);
    (void)buf_add_str(b, "}");
    return r;
}

static int add_pdf(const struct wire_request *q, const struct wire_part *p, struct buf *b)
{
    if (!q->host->pdf)
        return -ENOTSUP;
    int r = add_source("document", p, b);
    if (p->name)
        (void)wire_add_field(b, "title", p->name);
    (void)buf_add_str(b, "}");
    return r;
}

static wire_part_writer *const writers[WIRE_KINDS] = {
    [WIRE_TEXT] = add_text, [WIRE_IMAGE] = add_image, [WIRE_PDF] = add_pdf};

static int add_output_config(const struct wire_request *q, struct buf *b)
{
    bool schema = q->schema && q->host->structured;
    const char *effort = wire_effort_name(q->effort);
    if (!schema && !effort)
        return 0;
    (void)buf_add_str(b, ",\"output_config\":{");
    if (schema) {
        (void)buf_add_str(b, "\"format\":{\"type\":\"json_schema\"");
        int r = wire_add_value(b, "schema", q->schema);
        if (r < 0)
            return r;
        (void)buf_add_str(b, effort ? "}," : "}");
    }
    if (effort)
        (void)buf_add_format(b, "\"effort\":\"%s\"", effort);
    return buf_add_str(b, "}");
}

static int body(const struct wire_request *q, struct buf *b)
{
    (void)buf_add_str(b, "{\"model\":");
    (void)buf_add_json_str(b, q->model);
    (void)buf_add_format(b, ",\"max_tokens\":%lld", (long long)(q->max_output ? q->max_output : ANTHROPIC_MAX_TOKENS));
    if (q->stream)
        (void)buf_add_str(b, ",\"stream\":true");
    if (q->instructions)
        (void)wire_add_field(b, "system", q->instructions);
    int r = add_output_config(q, b);
    (void)buf_add_str(b, ",\"messages\":[");
    for (size_t i = 0; i < q->count && r >= 0; i++) {
        (void)wire_comma(b, !i);
        (void)buf_add_format(b, "{\"role\":\"%s\",\"content\":[", q->turns[i].role == WIRE_USER ? "user" : "assistant");
        r = wire_add_parts(q, &q->turns[i], writers, b);
        (void)buf_add_str(b, "]}");
    }
    (void)buf_add_str(b, "]}");
    return r;
}

/* The last report counts: figures in a stream are sums so far, and a field may be left out of the later ones. The output
 * is known at the end only: a stream starts with a token or so of it. */
static void read_usage(struct wire_usage *u, const json_t *usage, bool end)
{
    struct wire_usage now = *u;
    const struct wire_count counts[] = {
        {"input_tokens", &now.input, !u->told},
        {"cache_read_input_tokens", &now.cache_read, false},
        {"cache_creation_input_tokens", &now.cache_write, false},
        {"output_tokens", &now.output, end},
    };
    const struct wire_count details[] = {{"thinking_tokens", &now.reasoning, false}};
    if (!wire_counts_at(usage, counts, COUNT(counts)) ||
        !wire_counts_at(wire_at(usage, "output_tokens_details"), details, COUNT(details)))
        return;
    now.told = true;
    now.whole = end;
    *u = now;
}

/* message: what says how it ended, whole or as the delta of a stream. */
static int read_stop(struct wire_reply *r, const json_t *message)
{
    static const struct wire_reason reasons[] = {
        {"end_turn", WIRE_STOP_END},       {"stop_sequence", WIRE_STOP_END}, {"max_tokens", WIRE_STOP_LENGTH},
        {"refusal", WIRE_STOP_REFUSAL},    {"model_context_window_exceeded", WIRE_STOP_LENGTH},
    };
    const json_t *details = wire_at(message, "stop_details");
    const char *why = wire_text_at(details, "explanation");
    if (wire_set_why(r, why ? why : wire_text_at(details, "category")) < 0)
        return -ENOMEM;
    return wire_set_stop(r, reasons, COUNT(reasons), wire_text_at(message, "stop_reason"));
}

static void error(struct wire_error *e, const json_t *root)
{
    static const char *const again[] = {"rate_limit_error", "api_error", "timeout_error", "overloaded_error"};
    const json_t *err = wire_error_common(e, root);
    wire_error_word(e, e->code, wire_text_at(wire_at(err, "details"), "error_code"));
    for (size_t i = 0; !e->status && i < COUNT(again); i++)
        e->retry |= !strcmp(e->kind, again[i]);
    if (!strcmp(e->code, "enforced_spend_limit_reached"))
        e->retry = false;
}

static int on_start(struct wire_reply *r, const json_t *root)
{
    const json_t *message = wire_at(root, "message");
    read_usage(&r->usage, wire_at(message, "usage"), false);
    return wire_set_model(r, wire_text_at(message, "model"));
}

static int on_block(struct wire_reply *r, const json_t *root)
{
    const json_t *block = wire_at(root, "content_block");
    const char *type = wire_text_at(block, "type");
    r->begun = true;
    return type && !strcmp(type, "text") ? wire_add_answer(r, wire_at(block, "text")) : 0;
}

static int on_delta(struct wire_reply *r, const json_t *root)
{
    const json_t *delta = wire_at(root, "delta");
    const char *type = wire_text_at(delta, "type");
    r->begun = true;
    return type && !strcmp(type, "text_delta") ? wire_add_answer(r, wire_at(delta, "text")) : 0;
}

static int on_message_delta(struct wire_reply *r, const json_t *root)
{
    read_usage(&r->usage, wire_at(root, "usage"), true);
    return read_stop(r, wire_at(root, "delta"));
}

static int on_stop(struct wire_reply *r, const json_t *root)
{
    (void)root;
    return r->stop == WIRE_STOP_NONE ? -EBADMSG : 1;
}

static int on_error(struct wire_reply *r, const json_t *root)
{
    return wire_fail(&wire_anthropic, r, root);
}

/* The type in the data is the event's name again, so a host that sends no names is understood too. */
static int event(struct wire_reply *r, const char *name, const char *data, size_t len)
{
    static const struct {
        const char *type;
        int (*on)(struct wire_reply *r, const json_t *root);
    } events[] = {
        {"message_start", on_start}, {"content_block_start", on_block}, {"content_block_delta", on_delta},
        {"message_delta", on_message_delta}, {"message_stop", on_stop}, {"error", on_error},
    };
    (void)name;
    auto_json *root = wire_parse(data, len);
    const char *type = wire_text_at(root, "type");
    if (!type)
        return wire_unread(root);
    for (size_t i = 0; i < COUNT(events); i++)
        if (!strcmp(events[i].type, type))
            return events[i].on(r, root);
    return 0;
}

static int whole(struct wire_reply *r, const char *data, size_t len)
{
    auto_json *root = wire_parse(data, len);
    const json_t *content = wire_at(root, "content");
    if (wire_at(root, "error"))
        return on_error(r, root);
    if (!json_is_array(content) || !wire_text_at(root, "stop_reason"))
        return wire_unread(root);
    read_usage(&r->usage, wire_at(root, "usage"), true);
    int code = wire_set_model(r, wire_text_at(root, "model"));
    for (size_t i = 0; i < json_array_size(content) && code >= 0; i++) {
        const char *type = wire_text_at(json_array_get(content, i), "type");
        if (type && !strcmp(type, "text"))
            code = wire_add_answer(r, wire_at(json_array_get(content, i), "text"));
    }
    if (code >= 0)
        code = read_stop(r, root);
    return code < 0 ? code : 1;
}

const struct wire wire_anthropic = {
    .name = "anthropic",
    .headers = "anthropic-version: 2023-06-01\n",
    .path = path,
    .body = body,
    .event = event,
    .whole = whole,
    .error = error,
};
