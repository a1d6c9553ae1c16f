/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gemini generateContent. The model is part of the path; a streamed answer is whole responses whose texts are appended.
 * A blocked question has no candidates at all; thoughts are parts marked as such; errors carry their wait in RetryInfo.
 */
#include <ctype.h>

#include "base/json_text.h"
#include "provider/wire_priv.h"

static int path(const struct wire_request *q, struct buf *to)
{
    bool tuned = !strncmp(q->model, "tunedModels/", 12);
    const char *model = tuned ? q->model + 12 : strncmp(q->model, "models/", 7) ? q->model : q->model + 7;
    (void)buf_add_str(to, tuned ? "/tunedModels/" : "/models/");
    for (; *model; model++)
        (void)buf_add_format(to, isalnum((unsigned char)*model) || strchr("-._~", *model) ? "%c" : "%%%02X",
                             (unsigned char)*model);
    return buf_add_str(to, q->stream ? ":streamGenerateContent?alt=sse" : ":generateContent");
}

static int add_text(const struct wire_request *q, const struct wire_part *p, struct buf *b)
{
    (void)q;
    (void)buf_add_str(b, "{\"text\":");
    (void)buf_add_json_str(b, p->text);
    return buf_add_str(b, "}");
}

static int add_data(const struct wire_request *q, const struct wire_part *p, struct buf *b)
{
    (void)q;
    (void)buf_add_str(b, "{\"inlineData\":{\"mimeType\":");
    (void)buf_add_json_str(b, p->media_type ? p->media_type : "");
    (void)buf_add_str(b, ",\"data\":");
    int r = wire_add_base64(b, p);
    (void)buf_add_str(b, "}}");
    return r;
}

static int add_video_url(const struct wire_request *q, const struct wire_part *p, struct buf *b)
{
    (void)q;
    (void)buf_add_str(b, "{\"fileData\":{\"fileUri\":");
    (void)buf_add_json_str(b, p->url);
    if (p->media_type)
        (void)wire_add_field(b, "mimeType", p->media_type);
    return buf_add_str(b, "}}");
}

static wire_part_writer *const writers[WIRE_KINDS] = {[WIRE_TEXT] = add_text,
                                                      [WIRE_IMAGE] = add_data,
                                                      [WIRE_PDF] = add_data,
                                                      [WIRE_VIDEO] = add_data,
                                                      [WIRE_VIDEO_URL] = add_video_url};

/* Version 2 knows a budget in tokens only, later ones a level. */
static int add_effort(const struct wire_request *q, struct buf *b)
{
    static const char *const levels[WIRE_EFFORTS] = {NULL, "LOW", "MEDIUM", "HIGH"};
    static const int budgets[WIRE_EFFORTS] = {0, 1024, 8192, 24576};
    if (strstr(q->model, "gemini-2"))
        return buf_add_format(b, ",\"thinkingConfig\":{\"thinkingBudget\":%d}", budgets[q->effort]);
    return buf_add_format(b, ",\"thinkingConfig\":{\"thinkingLevel\":\"%s\"}", levels[q->effort]);
}

static int add_config(const struct wire_request *q, struct buf *b)
{
    int r = 0;
    bool schema = q->schema && q->host->structured;
    (void)buf_add_format(b, "\"generationConfig\":{\"responseMimeType\":\"%s\"",
                         schema ? "application/json" : "text/plain");
    if (q->max_output)
        (void)buf_add_format(b, ",\"maxOutputTokens\":%lld", (long long)q->max_output);
    if (q->full_detail)
        (void)buf_add_str(b, ",\"mediaResolution\":\"MEDIA_RESOLUTION_HIGH\"");
    if (q->effort)
        (void)add_effort(q, b);
    if (schema)
        r = wire_add_value(b, "responseJsonSchema", q->schema);
    (void)buf_add_str(b, "}");
    return r;
}

static int body(const struct wire_request *q, struct buf *b)
{
    (void)buf_add_str(b, "{");
    int r = add_config(q, b);
    if (q->instructions) {
        (void)buf_add_str(b, ",\"systemInstruction\":{\"parts\":[{\"text\":");
        (void)buf_add_json_str(b, q->instructions);
        (void)buf_add_str(b, "}]}");
    }
    (void)buf_add_str(b, ",\"contents\":[");
    for (size_t i = 0; i < q->count && r >= 0; i++) {
        (void)wire_comma(b, !i);
        (void)buf_add_format(b, "{\"role\":\"%s\",\"parts\":[", q->turns[i].role == WIRE_USER ? "user" : "model");
        r = wire_add_parts(q, &q->turns[i], writers, b);
        (void)buf_add_str(b, "]}");
    }
    (void)buf_add_str(b, "]}");
    return r;
}

/* Every event has the sums so far; what is 0 is left out. */
static void read_usage(struct wire_reply *r, const json_t *usage)
{
    struct wire_usage *u = &r->usage;
    int64_t input, read = 0, thought = 0, said = -1;
    const struct wire_count counts[] = {
        {"promptTokenCount", &input, true},
        {"cachedContentTokenCount", &read, false},
        {"thoughtsTokenCount", &thought, false},
        {"candidatesTokenCount", &said, false},
    };
    if (!wire_counts_at(usage, counts, COUNT(counts)))
        return;
    u->told = true;
    u->whole = r->stop != WIRE_STOP_NONE && (said >= 0 || !r->text.len);
    u->cache_read = MIN(read, input);
    u->reasoning = thought;
    u->input = input - u->cache_read;
    u->output = MAX(said, 0) + thought;
}

static int read_parts(struct wire_reply *r, const json_t *parts)
{
    int code = 0;
    r->begun |= json_array_size(parts) > 0;
    for (size_t i = 0; i < json_array_size(parts) && code >= 0; i++) {
        const json_t *part = json_array_get(parts, i);
        if (!json_is_true(wire_at(part, "thought")))
            code = wire_add_answer(r, wire_at(part, "text"));
    }
    return code;
}

static int read_candidate(struct wire_reply *r, const json_t *candidate)
{
    static const struct wire_reason reasons[] = {
        {"STOP", WIRE_STOP_END},           {"MAX_TOKENS", WIRE_STOP_LENGTH},
        {"SAFETY", WIRE_STOP_BLOCKED},     {"RECITATION", WIRE_STOP_BLOCKED},
        {"BLOCKLIST", WIRE_STOP_BLOCKED},  {"PROHIBITED_CONTENT", WIRE_STOP_BLOCKED},
        {"SPII", WIRE_STOP_BLOCKED},       {"IMAGE_SAFETY", WIRE_STOP_BLOCKED},
        {"LANGUAGE", WIRE_STOP_BLOCKED},   {"IMAGE_PROHIBITED_CONTENT", WIRE_STOP_BLOCKED},
        {"IMAGE_RECITATION", WIRE_STOP_BLOCKED},
    };
    int code = read_parts(r, wire_at(wire_at(candidate, "content"), "parts"));
    const char *reason = wire_text_at(candidate, "finishReason");
    if (code < 0 || !reason)
        return code;
    code = wire_set_stop(r, reasons, COUNT(reasons), reason);
    if (code < 0 || r->stop != WIRE_STOP_BLOCKED)
        return code;
    const char *words = wire_text_at(candidate, "finishMessage");
    return wire_set_why(r, words ? words : reason);
}

static int read_said(struct wire_reply *r, const json_t *root)
{
    const json_t *candidate = json_array_get(wire_at(root, "candidates"), 0);
    const json_t *feedback = wire_at(root, "promptFeedback");
    const char *block = wire_text_at(feedback, "blockReason");
    if (!root || (!candidate && !feedback && !wire_at(root, "usageMetadata")))
        return wire_unread(root);
    int code = wire_set_model(r, wire_text_at(root, "modelVersion"));
    if (code >= 0 && block) {
        const char *words = wire_text_at(feedback, "blockReasonMessage");
        r->stop = WIRE_STOP_BLOCKED;
        code = wire_set_why(r, words ? words : block);
    }
    return code < 0 || !candidate ? code : read_candidate(r, candidate);
}

static int read_response(struct wire_reply *r, const json_t *root)
{
    if (json_is_object(wire_at(root, "error")))
        return wire_fail(&wire_gemini, r, root);
    int code = read_said(r, root);
    read_usage(r, wire_at(root, "usageMetadata"));
    return code;
}

/* There is no last event: usage may follow the reason to stop, so the end of the stream is the end. */
static int event(struct wire_reply *r, const char *name, const char *data, size_t len)
{
    (void)name;
    auto_json *root = wire_parse(data, len);
    return read_response(r, root);
}

static int whole(struct wire_reply *r, const char *data, size_t len)
{
    auto_json *root = wire_parse(data, len);
    int code = read_response(r, root);
    return code ? code : r->stop == WIRE_STOP_NONE ? -EBADMSG : 1;
}

static bool is_type(const json_t *detail, const char *name)
{
    const char *type = wire_text_at(detail, "@type"), *last = type ? strrchr(type, '.') : NULL;
    return last && !strcmp(last + 1, name);
}

/* "37s" or "0.5s"; anything else leaves what is known. */
static void read_delay(struct wire_error *e, const char *delay)
{
    char *end;
    if (!delay || !isdigit((unsigned char)*delay))
        return;
    double seconds = real_read(delay, &end);
    if (!strcmp(end, "s") && seconds < 1e9)
        e->retry_after_ms = (int64_t)(seconds * 1000);
}

static void read_detail(struct wire_error *e, const json_t *detail)
{
    if (is_type(detail, "RetryInfo"))
        read_delay(e, wire_text_at(detail, "retryDelay"));
    if (is_type(detail, "ErrorInfo"))
        wire_error_word(e, e->code, wire_text_at(detail, "reason"));
    if (!is_type(detail, "QuotaFailure"))
        return;
    const json_t *violations = wire_at(detail, "violations");
    for (size_t i = 0; i < json_array_size(violations); i++) {
        const char *id = wire_text_at(json_array_get(violations, i), "quotaId");
        if (id && strstr(id, "PerDay"))
            e->retry = false;
    }
}

static void error(struct wire_error *e, const json_t *root)
{
    const json_t *err = wire_error_common(e, root), *details = wire_at(err, "details");
    int64_t status = wire_int_at(err, "code");
    wire_error_word(e, e->kind, wire_text_at(err, "status"));
    if (!e->status)
        e->retry = status == 429 || status >= 500;
    for (size_t i = 0; i < json_array_size(details); i++)
        read_detail(e, json_array_get(details, i));
}

const struct wire wire_gemini = {
    .name = "gemini",
    .path = path,
    .body = body,
    .event = event,
    .whole = whole,
    .error = error,
};
