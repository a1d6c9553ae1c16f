/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenAI Chat Completions, the tongue of most other hosts too: what they make of it is in the host's flags. A streamed
 * answer is unnamed chunks and a last "[DONE]", which some hosts leave out; usage comes in a chunk after the reason to stop.
 */
#include "provider/openai.h"

static int path(const struct wire_request *q, struct buf *to)
{
    (void)q;
    return buf_add_str(to, "/chat/completions");
}

static int add_text(const struct wire_request *q, const struct wire_part *p, struct buf *b)
{
    (void)q;
    (void)buf_add_str(b, "{\"type\":\"text\"");
    (void)wire_add_field(b, "text", p->text);
    return buf_add_str(b, "}");
}

static int add_image(const struct wire_request *q, const struct wire_part *p, struct buf *b)
{
    (void)buf_add_str(b, "{\"type\":\"image_url\",\"image_url\":{\"url\":");
    int r = wire_add_data_url(b, p);
    (void)wire_add_field(b, "detail", openai_detail(q));
    (void)buf_add_str(b, "}}");
    return r;
}

static int add_pdf(const struct wire_request *q, const struct wire_part *p, struct buf *b)
{
    if (!q->host->pdf)
        return -ENOTSUP;
    (void)buf_add_str(b, "{\"type\":\"file\",\"file\":{\"filename\":");
    (void)buf_add_json_str(b, p->name ? p->name : "document.pdf");
    (void)buf_add_str(b, ",\"file_data\":");
    int r = wire_add_data_url(b, p);
    (void)buf_add_str(b, "}}");
    return r;
}

static int add_video(const struct wire_request *q, const struct wire_part *p, struct buf *b)
{
    if (!q->host->video)
        return -ENOTSUP;
    (void)buf_add_str(b, "{\"type\":\"video_url\",\"video_url\":{\"url\":");
    int r = p->kind == WIRE_VIDEO ? wire_add_data_url(b, p) : buf_add_json_str(b, p->url);
    (void)buf_add_str(b, "}}");
    return r;
}

static wire_part_writer *const writers[WIRE_KINDS] = {[WIRE_TEXT] = add_text,
                                                      [WIRE_IMAGE] = add_image,
                                                      [WIRE_PDF] = add_pdf,
                                                      [WIRE_VIDEO] = add_video,
                                                      [WIRE_VIDEO_URL] = add_video};

static bool has_pdf(const struct wire_request *q)
{
    for (size_t i = 0; i < q->count; i++)
        for (size_t k = 0; k < q->turns[i].count; k++)
            if (q->turns[i].parts[k].kind == WIRE_PDF)
                return true;
    return false;
}

static int add_options(const struct wire_request *q, struct buf *b)
{
    const struct host *h = q->host;
    int r = 0;
    if (q->max_output)
        (void)buf_add_format(b, ",\"%s\":%lld", h->new_max_tokens ? "max_completion_tokens" : "max_tokens",
                             (long long)q->max_output);
    if (q->stream)
        (void)buf_add_str(b, ",\"stream\":true,\"stream_options\":{\"include_usage\":true}");
    if (q->effort)
        (void)wire_add_field(b, "reasoning_effort", wire_effort_name(q->effort));
    if (q->schema && h->structured) {
        (void)buf_add_str(b, ",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{");
        r = openai_add_schema(q, b);
        (void)buf_add_str(b, "}}");
        if (h->route_schema)
            (void)buf_add_str(b, ",\"provider\":{\"require_parameters\":true}");
    }
    if (h->pdf_plugin && has_pdf(q))
        (void)buf_add_str(b, ",\"plugins\":[{\"id\":\"file-parser\",\"pdf\":{\"engine\":\"native\"}}]");
    return r;
}

static int body(const struct wire_request *q, struct buf *b)
{
    (void)buf_add_str(b, "{\"model\":");
    (void)buf_add_json_str(b, q->model);
    int r = add_options(q, b);
    (void)buf_add_str(b, ",\"messages\":[");
    if (q->instructions) {
        (void)buf_add_str(b, "{\"role\":\"system\"");
        (void)wire_add_field(b, "content", q->instructions);
        (void)buf_add_str(b, "}");
    }
    for (size_t i = 0; i < q->count && r >= 0; i++) {
        (void)wire_comma(b, !i && !q->instructions);
        (void)buf_add_format(b, "{\"role\":\"%s\",\"content\":[", q->turns[i].role == WIRE_USER ? "user" : "assistant");
        r = wire_add_parts(q, &q->turns[i], writers, b);
        (void)buf_add_str(b, "]}");
    }
    (void)buf_add_str(b, "]}");
    return r;
}

/* Content is a string; a host may send an array of parts instead. */
static int read_content(struct wire_reply *r, const json_t *content)
{
    int code = wire_add_answer(r, content);
    for (size_t i = 0; i < json_array_size(content) && code >= 0; i++)
        code = wire_add_answer(r, wire_at(json_array_get(content, i), "text"));
    return code;
}

/* Hosts name what the model thinks as they like; the role alone, and what is empty, is nothing yet. */
static bool says_anything(const json_t *said)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)said, key, value)
        if (strcmp(key, "role") != 0 && (json_string_length(value) || json_array_size(value) || json_object_size(value)))
            return true;
    return false;
}

/* said: the message of a whole answer or the delta of a chunk. */
static int read_choice(struct wire_reply *r, const json_t *choice, const json_t *said)
{
    static const struct wire_reason reasons[] = {
        {"stop", WIRE_STOP_END}, {"length", WIRE_STOP_LENGTH}, {"content_filter", WIRE_STOP_BLOCKED}};
    int code = read_content(r, wire_at(said, "content"));
    r->begun |= says_anything(said);
    const char *refusal = wire_text_at(said, "refusal");
    if (code >= 0 && refusal && *refusal) {
        code = wire_add_why(r, refusal);
        r->stop = WIRE_STOP_REFUSAL;
    }
    /* The model that refused has stopped too, for no better reason. */
    if (code >= 0 && r->stop != WIRE_STOP_REFUSAL)
        code = wire_set_stop(r, reasons, COUNT(reasons), wire_text_at(choice, "finish_reason"));
    return code;
}

static int read_said(struct wire_reply *r, const json_t *root, const char *said)
{
    const json_t *error = wire_at(root, "error");
    if (json_is_object(error) || json_is_string(error))
        return wire_fail(&wire_openai_chat, r, root);
    const json_t *choices = wire_at(root, "choices"), *choice = json_array_get(choices, 0);
    if (!json_is_array(choices))
        return -EBADMSG;
    int code = wire_set_model(r, wire_text_at(root, "model"));
    return code < 0 || !choice ? code : read_choice(r, choice, wire_at(choice, said));
}

/* Some hosts say in every chunk what it was so far. */
static int read_chunk(struct wire_reply *r, const json_t *root, const char *said)
{
    static const struct openai_usage_names names = {"prompt_tokens", "prompt_tokens_details", "completion_tokens",
                                                    "completion_tokens_details"};
    int code = read_said(r, root, said);
    if (openai_read_usage(&r->usage, wire_at(root, "usage"), &names))
        r->usage.whole = r->stop != WIRE_STOP_NONE;
    return code;
}

static int event(struct wire_reply *r, const char *name, const char *data, size_t len)
{
    (void)name;
    if (len == 6 && !memcmp(data, "[DONE]", 6))
        return r->stop == WIRE_STOP_NONE ? -EBADMSG : 1;
    auto_json *root = wire_parse(data, len);
    return root ? read_chunk(r, root, "delta") : wire_unread(root);
}

static int whole(struct wire_reply *r, const char *data, size_t len)
{
    auto_json *root = wire_parse(data, len);
    int code = root ? read_chunk(r, root, "message") : wire_unread(root);
    return code ? code : r->stop == WIRE_STOP_NONE ? -EBADMSG : 1;
}

const struct wire wire_openai_chat = {
    .name = "openai-chat",
    .path = path,
    .body = body,
    .event = event,
    .whole = whole,
    .error = openai_error,
};
