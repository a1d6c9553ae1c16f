/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenAI Responses. Input and output are lists of items; a streamed answer is typed events, of which the last carries the
 * whole response again with its usage. Nothing is stored at the vendor. No video.
 */
#include "provider/openai.h"

static int path(const struct wire_request *q, struct buf *to)
{
    (void)q;
    return buf_add_str(to, "/responses");
}

static int add_input_text(const struct wire_request *q, const struct wire_part *p, struct buf *b)
{
    (void)q;
    (void)buf_add_str(b, "{\"type\":\"input_text\"");
    (void)wire_add_field(b, "text", p->text);
    return buf_add_str(b, "}");
}

static int add_image(const struct wire_request *q, const struct wire_part *p, struct buf *b)
{
    (void)buf_add_format(b, "{\"type\":\"input_image\",\"detail\":\"%s\",\"image_url\":", openai_detail(q));
    int r = wire_add_data_url(b, p);
    (void)buf_add_str(b, "}");
    return r;
}

static int add_pdf(const struct wire_request *q, const struct wire_part *p, struct buf *b)
{
    if (!q->host->pdf)
        return -ENOTSUP;
    (void)buf_add_str(b, "{\"type\":\"input_file\",\"filename\":");
    (void)buf_add_json_str(b, p->name ? p->name : "document.pdf");
    (void)buf_add_str(b, ",\"file_data\":");
    int r = wire_add_data_url(b, p);
    (void)buf_add_str(b, "}");
    return r;
}

static wire_part_writer *const writers[WIRE_KINDS] = {
    [WIRE_TEXT] = add_input_text, [WIRE_IMAGE] = add_image, [WIRE_PDF] = add_pdf};

/* What the assistant said goes in as one string: its parts would need the ids of the answer they came in. */
static int add_assistant(const struct wire_turn *t, struct buf *b)
{
    auto_buf said = BUF_INIT(LIMIT_ANSWER_BYTES);
    for (size_t i = 0; i < t->count; i++) {
        if (t->parts[i].kind != WIRE_TEXT)
            return -ENOTSUP;
        (void)buf_add_str(&said, t->parts[i].text);
    }
    if (said.error || !said.len)
        return said.error ? said.error : -EINVAL;
    (void)buf_add_str(b, "{\"role\":\"assistant\"");
    (void)wire_add_field(b, "content", said.data);
    return buf_add_str(b, "}");
}

static int add_options(const struct wire_request *q, struct buf *b)
{
    int r = 0;
    (void)buf_add_str(b, ",\"store\":false");
    if (q->max_output)
        (void)buf_add_format(b, ",\"max_output_tokens\":%lld", (long long)q->max_output);
    if (q->stream)
        (void)buf_add_str(b, ",\"stream\":true");
    if (q->effort)
        (void)buf_add_format(b, ",\"reasoning\":{\"effort\":\"%s\"}", wire_effort_name(q->effort));
    if (q->schema && q->host->structured) {
        (void)buf_add_str(b, ",\"text\":{\"format\":{\"type\":\"json_schema\",");
        r = openai_add_schema(q, b);
        (void)buf_add_str(b, "}}");
    }
    if (q->instructions)
        (void)wire_add_field(b, "instructions", q->instructions);
    return r;
}

static int body(const struct wire_request *q, struct buf *b)
{
    (void)buf_add_str(b, "{\"model\":");
    (void)buf_add_json_str(b, q->model);
    int r = add_options(q, b);
    (void)buf_add_str(b, ",\"input\":[");
    for (size_t i = 0; i < q->count && r >= 0; i++) {
        (void)wire_comma(b, !i);
        if (q->turns[i].role == WIRE_ASSISTANT) {
            r = add_assistant(&q->turns[i], b);
            continue;
        }
        (void)buf_add_str(b, "{\"role\":\"user\",\"content\":[");
        r = wire_add_parts(q, &q->turns[i], writers, b);
        (void)buf_add_str(b, "]}");
    }
    (void)buf_add_str(b, "]}");
    return r;
}

/* One part of an output message, in a whole answer. */
static int read_part(struct wire_reply *r, const json_t *part)
{
    const char *type = wire_text_at(part, "type");
    if (type && !strcmp(type, "output_text"))
        return wire_add_answer(r, wire_at(part, "text"));
    if (type && !strcmp(type, "refusal")) {
        r->stop = WIRE_STOP_REFUSAL;
        return wire_add_why(r, wire_text_at(part, "refusal"));
    }
    return 0;
}

static int read_output(struct wire_reply *r, const json_t *output)
{
    int code = 0;
    r->begun |= json_array_size(output) > 0;
    for (size_t i = 0; i < json_array_size(output); i++) {
        const json_t *item = json_array_get(output, i), *content = wire_at(item, "content");
        const char *type = wire_text_at(item, "type");
        if (!type || strcmp(type, "message"))
            continue;
        for (size_t k = 0; k < json_array_size(content) && code >= 0; k++)
            code = read_part(r, json_array_get(content, k));
    }
    return code;
}

static int read_status(struct wire_reply *r, const json_t *response)
{
    static const struct wire_reason reasons[] = {
        {"max_output_tokens", WIRE_STOP_LENGTH}, {"content_filter", WIRE_STOP_BLOCKED}, {"completed", WIRE_STOP_END}};
    const char *status = wire_text_at(response, "status");
    const char *reason = wire_text_at(wire_at(response, "incomplete_details"), "reason");
    if (!status)
        return -EBADMSG;
    if (!strcmp(status, "failed") || json_is_object(wire_at(response, "error")))
        return wire_fail(&wire_openai_responses, r, response);
    if (!strcmp(status, "in_progress") || !strcmp(status, "queued"))
        return -EBADMSG;
    if (r->stop == WIRE_STOP_REFUSAL)
        return 1;
    int code = wire_set_stop(r, reasons, COUNT(reasons), reason ? reason : status);
    return code < 0 ? code : 1;
}

/* The end of an answer, streamed or whole; its text has been read. */
static int read_end(struct wire_reply *r, const json_t *response)
{
    static const struct openai_usage_names names = {"input_tokens", "input_tokens_details", "output_tokens",
                                                    "output_tokens_details"};
    r->usage.whole = openai_read_usage(&r->usage, wire_at(response, "usage"), &names);
    int code = wire_set_model(r, wire_text_at(response, "model"));
    return code < 0 ? code : read_status(r, response);
}

/* Before the first item of the output. */
static bool is_before(const char *type)
{
    static const char *const types[] = {"response.created", "response.queued", "response.in_progress"};
    for (size_t i = 0; i < COUNT(types); i++)
        if (!strcmp(types[i], type))
            return true;
    return strncmp(type, "response.", 9) != 0;
}

static int on_text(struct wire_reply *r, const json_t *root)
{
    return wire_add_answer(r, wire_at(root, "delta"));
}

static int on_refusal(struct wire_reply *r, const json_t *root)
{
    r->begun = true;
    r->stop = WIRE_STOP_REFUSAL;
    return wire_add_why(r, wire_text_at(root, "delta"));
}

static int on_end(struct wire_reply *r, const json_t *root)
{
    const json_t *response = wire_at(root, "response");
    /* A host may send no deltas at all. */
    int code = r->text.len || r->why ? 0 : read_output(r, wire_at(response, "output"));
    return code < 0 ? code : read_end(r, response);
}

static int on_error(struct wire_reply *r, const json_t *root)
{
    return wire_fail(&wire_openai_responses, r, root);
}

static int event(struct wire_reply *r, const char *name, const char *data, size_t len)
{
    static const struct {
        const char *type;
        int (*on)(struct wire_reply *r, const json_t *root);
    } events[] = {
        {"response.output_text.delta", on_text}, {"response.refusal.delta", on_refusal},
        {"response.completed", on_end},          {"response.incomplete", on_end},
        {"response.failed", on_end},             {"response.cancelled", on_end},
        {"error", on_error},
    };
    (void)name;
    /* Never part of this wire, but hosts that speak both end both alike. */
    if (len == 6 && !memcmp(data, "[DONE]", 6))
        return 0;
    auto_json *root = wire_parse(data, len);
    const char *type = wire_text_at(root, "type");
    if (!type)
        return json_is_object(wire_at(root, "error")) ? on_error(r, root) : wire_unread(root);
    for (size_t i = 0; i < COUNT(events); i++)
        if (!strcmp(events[i].type, type))
            return events[i].on(r, root);
    r->begun |= !is_before(type);
    return 0;
}

static int whole(struct wire_reply *r, const char *data, size_t len)
{
    auto_json *root = wire_parse(data, len);
    if (!wire_text_at(root, "status"))
        return json_is_object(wire_at(root, "error")) ? on_error(r, root) : wire_unread(root);
    int code = read_output(r, wire_at(root, "output"));
    return code < 0 ? code : read_end(r, root);
}

/* The event "error" has its fields at the top, and its own type is no kind of error. */
static void error(struct wire_error *e, const json_t *root)
{
    openai_error(e, root);
    if (!strcmp(e->kind, "error"))
        e->kind[0] = '\0';
}

const struct wire wire_openai_responses = {
    .name = "openai-responses",
    .path = path,
    .body = body,
    .event = event,
    .whole = whole,
    .error = error,
};
