/* SPDX-License-Identifier: Apache-2.0 */
/* The four wires, from the vendors' side: the events of a streamed answer and the bodies of errors. */
#include "base/json_text.h"
#include "host.h"

/* ---------------------------------------------------------------- anthropic */

static void a_start(struct buf *b, const char *model)
{
    (void)buf_add_str(b, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":"
                         "\"message\",\"role\":\"assistant\",\"model\":");
    (void)buf_add_json_str(b, model);
    (void)buf_add_format(b, ",\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":%d,"
                            "\"cache_creation_input_tokens\":%d,\"cache_read_input_tokens\":%d,\"output_tokens\":1}}}\n\n",
                         TOKENS_NEW, TOKENS_WRITTEN, TOKENS_READ);
    (void)buf_add_str(b, "event: ping\ndata: {\"type\":\"ping\"}\n\n"
                         "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
                         "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n");
}

static void a_text(struct buf *b, const char *model, const char *text)
{
    (void)model;
    (void)buf_add_str(b, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
                         "{\"type\":\"text_delta\",\"text\":");
    (void)buf_add_json_str(b, text);
    (void)buf_add_str(b, "}}\n\n");
}

static void a_end(struct buf *b, const char *model, enum stop stop, const char *text)
{
    static const char *const reasons[] = {"end_turn", "max_tokens", "refusal"};
    (void)model;
    (void)buf_add_str(b, "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n");
    (void)buf_add_format(b, "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"%s\","
                            "\"stop_sequence\":null", reasons[stop]);
    if (stop == STOP_REFUSAL) {
        (void)buf_add_str(b, ",\"stop_details\":{\"type\":\"refusal\",\"category\":\"general_harms\",\"explanation\":");
        (void)buf_add_json_str(b, text);
        (void)buf_add_str(b, "}");
    }
    (void)buf_add_format(b, "},\"usage\":{\"output_tokens\":%d}}\n\n"
                            "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", TOKENS_OUT);
}

static void a_failure(struct buf *b, const struct failure *f)
{
    if (!f->status)
        (void)buf_add_str(b, "event: error\ndata: ");
    (void)buf_add_str(b, "{\"type\":\"error\",\"error\":{\"type\":");
    (void)buf_add_json_str(b, f->kind);
    (void)buf_add_str(b, ",\"message\":");
    (void)buf_add_json_str(b, f->words);
    if (f->terminal)
        (void)buf_add_str(b, ",\"details\":{\"error_code\":\"enforced_spend_limit_reached\"}");
    (void)buf_add_str(b, "},\"request_id\":\"req_1\"}");
    if (!f->status)
        (void)buf_add_str(b, "\n\n");
}

/* ---------------------------------------------------------------- openai */

static void o_failure(struct buf *b, const struct failure *f, const char *before)
{
    (void)buf_add_str(b, before);
    (void)buf_add_str(b, "{\"error\":{\"message\":");
    (void)buf_add_json_str(b, f->words);
    (void)buf_add_str(b, ",\"type\":");
    (void)buf_add_json_str(b, f->terminal ? "insufficient_quota" : f->kind);
    (void)buf_add_format(b, ",\"param\":null,\"code\":%s}}%s", f->terminal ? "\"insufficient_quota\"" : "null",
                         f->status ? "" : "\n\n");
}

static void chat_failure(struct buf *b, const struct failure *f)
{
    o_failure(b, f, f->status ? "" : "data: ");
}

static void responses_failure(struct buf *b, const struct failure *f)
{
    if (f->status) {
        o_failure(b, f, "");
        return;
    }
    (void)buf_add_str(b, "event: error\ndata: {\"type\":\"error\",\"code\":\"server_error\",\"message\":");
    (void)buf_add_json_str(b, f->words);
    (void)buf_add_str(b, ",\"param\":null,\"sequence_number\":3}\n\n");
}

static void chat_chunk(struct buf *b, const char *model, const char *field, const char *text, const char *reason)
{
    (void)buf_add_str(b, "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":");
    (void)buf_add_json_str(b, model);
    (void)buf_add_str(b, ",\"choices\":[{\"index\":0,\"delta\":{");
    if (field) {
        (void)buf_add_format(b, "\"%s\":", field);
        (void)buf_add_json_str(b, text);
    }
    (void)buf_add_format(b, "},\"finish_reason\":%s}]}\n\n", reason);
}

static void chat_start(struct buf *b, const char *model)
{
    (void)buf_add_str(b, ": processing\n\n");
    chat_chunk(b, model, "role", "assistant", "null");
}

static void chat_text(struct buf *b, const char *model, const char *text)
{
    chat_chunk(b, model, "content", text, "null");
}

static void chat_end(struct buf *b, const char *model, enum stop stop, const char *text)
{
    if (stop == STOP_REFUSAL)
        chat_chunk(b, model, "refusal", text, "null");
    chat_chunk(b, model, NULL, NULL, stop == STOP_LENGTH ? "\"length\"" : "\"stop\"");
    (void)buf_add_format(b, "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"choices\":[],\"usage\":{"
                            "\"prompt_tokens\":%d,\"completion_tokens\":%d,\"total_tokens\":%d,"
                            "\"prompt_tokens_details\":{\"cached_tokens\":%d,\"cache_write_tokens\":%d},"
                            "\"completion_tokens_details\":{\"reasoning_tokens\":%d}%s}}\n\n",
                         TOKENS_NEW + TOKENS_READ + TOKENS_WRITTEN, TOKENS_OUT,
                         TOKENS_NEW + TOKENS_READ + TOKENS_WRITTEN + TOKENS_OUT, TOKENS_READ, TOKENS_WRITTEN, TOKENS_THOUGHT,
                         strncmp(model, "reported", 8) ? "" : ",\"cost\":0.00342");
    (void)buf_add_str(b, "data: [DONE]\n\n");
}

static void responses_start(struct buf *b, const char *model)
{
    (void)buf_add_str(b, "event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":"
                         "{\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"in_progress\",\"model\":");
    (void)buf_add_json_str(b, model);
    (void)buf_add_str(b, ",\"output\":[]}}\n\n");
}

static void responses_text(struct buf *b, const char *model, const char *text)
{
    (void)model;
    (void)buf_add_str(b, "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\","
                         "\"sequence_number\":1,\"item_id\":\"m\",\"output_index\":0,\"content_index\":0,\"delta\":");
    (void)buf_add_json_str(b, text);
    (void)buf_add_str(b, "}\n\n");
}

static void responses_end(struct buf *b, const char *model, enum stop stop, const char *text)
{
    const char *status = stop == STOP_LENGTH ? "incomplete" : "completed";
    if (stop == STOP_REFUSAL) {
        (void)buf_add_str(b, "event: response.refusal.delta\ndata: {\"type\":\"response.refusal.delta\",\"delta\":");
        (void)buf_add_json_str(b, text);
        (void)buf_add_str(b, "}\n\n");
    }
    (void)buf_add_format(b, "event: response.%s\ndata: {\"type\":\"response.%s\",\"sequence_number\":9,\"response\":{\"id\":"
                            "\"resp_1\",\"object\":\"response\",\"status\":\"%s\",%s\"model\":", status, status, status,
                         stop == STOP_LENGTH ? "\"incomplete_details\":{\"reason\":\"max_output_tokens\"}," : "");
    (void)buf_add_json_str(b, model);
    (void)buf_add_format(b, ",\"output\":[],\"usage\":{\"input_tokens\":%d,\"input_tokens_details\":{\"cached_tokens\":%d,"
                            "\"cache_write_tokens\":%d},\"output_tokens\":%d,\"output_tokens_details\":"
                            "{\"reasoning_tokens\":%d}}}}\n\n",
                         TOKENS_NEW + TOKENS_READ + TOKENS_WRITTEN, TOKENS_READ, TOKENS_WRITTEN, TOKENS_OUT, TOKENS_THOUGHT);
}

/* ---------------------------------------------------------------- gemini */

static void g_start(struct buf *b, const char *model)
{
    (void)b;
    (void)model;
}

/* It reports no tokens that went into a cache. */
static void g_chunk(struct buf *b, const char *model, const char *text, const char *reason)
{
    (void)buf_add_str(b, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":");
    (void)buf_add_json_str(b, text);
    (void)buf_add_format(b, "}],\"role\":\"model\"}%s%s%s,\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":%d,"
                            "\"cachedContentTokenCount\":%d,\"candidatesTokenCount\":%d,\"thoughtsTokenCount\":%d},"
                            "\"modelVersion\":",
                         reason ? ",\"finishReason\":\"" : "", reason ? reason : "", reason ? "\"" : "",
                         TOKENS_NEW + TOKENS_READ, TOKENS_READ, TOKENS_OUT - TOKENS_THOUGHT, TOKENS_THOUGHT);
    (void)buf_add_json_str(b, model);
    (void)buf_add_str(b, "}\n\n");
}

static void g_text(struct buf *b, const char *model, const char *text)
{
    g_chunk(b, model, text, NULL);
}

static void g_end(struct buf *b, const char *model, enum stop stop, const char *text)
{
    (void)text;
    g_chunk(b, model, "", stop == STOP_END ? "STOP" : stop == STOP_LENGTH ? "MAX_TOKENS" : "SAFETY");
}

static void g_failure(struct buf *b, const struct failure *f)
{
    (void)buf_add_format(b, "%s{\"error\":{\"code\":%d,\"message\":", f->status ? "" : "data: ", f->status ? f->status : 503);
    (void)buf_add_json_str(b, f->words);
    (void)buf_add_format(b, ",\"status\":\"%s\"%s}}%s", f->status == 429 ? "RESOURCE_EXHAUSTED" : "UNAVAILABLE",
                         f->terminal ? ",\"details\":[{\"@type\":\"type.googleapis.com/google.rpc.QuotaFailure\",\"violations\":"
                                       "[{\"quotaId\":\"GenerateRequestsPerDayPerProjectPerModel-FreeTier\"}]}]" : "",
                         f->status ? "" : "\n\n");
}

/* ---------------------------------------------------------------- who speaks */

static const struct tongue tongues[] = {
    {"anthropic", "/v1/messages", a_start, a_text, a_end, a_failure,
     "messages.0.content.0.pdf.source.base64.data: A maximum of 100 PDF pages may be provided."},
    {"openai-responses", "/responses", responses_start, responses_text, responses_end, responses_failure,
     "The PDF has too many pages: the limit is 100 pages."},
    {"openai-chat", "/chat/completions", chat_start, chat_text, chat_end, chat_failure,
     "The PDF has too many pages: the limit is 100 pages."},
    {"gemini", ":streamGenerateContent?alt=sse", g_start, g_text, g_end, g_failure,
     "The document contains 1200 pages which exceeds the supported page limit of 1000."},
};

const struct tongue *tongue_of(const char *path)
{
    for (size_t i = 0; i < COUNT(tongues); i++)
        if (strstr(path, tongues[i].path))
            return &tongues[i];
    return NULL;
}
