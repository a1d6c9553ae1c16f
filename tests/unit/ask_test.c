/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking over real connections: requests to the byte, every end, the schema in each form, the repair, and what was billed.
 * The server puts the key into every error; it must be in none of the words.
 */
#include "test.h"

#include <errno.h>

#include "ask/ask_priv.h"
#include "base/clock.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "model/table.h"
#include "server.h"

#define KEY "canary-0123456789-key"

/* ---------------------------------------------------------------- answers of each wire */

#define JSON_HEAD(status) "HTTP/1.1 " status " x\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n"

/* before and after the text; usage is 1000 tokens in, 100 of them from a cache where the wire says so, and 50 out. */
static const struct form {
    const char *wire, *before, *end, *length;
} forms[] = {
    {"anthropic", "{\"model\":\"m\",\"content\":[{\"type\":\"text\",\"text\":",
     "}],\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":900,\"cache_read_input_tokens\":100,\"output_tokens\":50}}",
     "}],\"stop_reason\":\"max_tokens\",\"usage\":{\"input_tokens\":900,\"cache_read_input_tokens\":100,\"output_tokens\":50}}"},
    {"openai-chat", "{\"choices\":[{\"message\":{\"content\":",
     "},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":50,"
     "\"prompt_tokens_details\":{\"cached_tokens\":100}}}",
     "},\"finish_reason\":\"length\"}],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":50,"
     "\"prompt_tokens_details\":{\"cached_tokens\":100}}}"},
    {"openai-responses", "{\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":",
     "}]}],\"usage\":{\"input_tokens\":1000,\"output_tokens\":50,\"input_tokens_details\":{\"cached_tokens\":100}}}",
     "}]}],\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"},\"usage\":{\"input_tokens\":1000,"
     "\"output_tokens\":50,\"input_tokens_details\":{\"cached_tokens\":100}}}"},
    {"gemini", "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":",
     "}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":1000,\"cachedContentTokenCount\":100,"
     "\"candidatesTokenCount\":50}}",
     "}]},\"finishReason\":\"MAX_TOKENS\"}],\"usageMetadata\":{\"promptTokenCount\":1000,\"cachedContentTokenCount\":100,"
     "\"candidatesTokenCount\":50}}"},
};

/* Static: good for the next few. */
static const char *says_so(const char *wire, const char *text, bool cut)
{
    static struct buf rooms[4];
    static size_t next;
    struct buf *b = &rooms[next++ % COUNT(rooms)];
    buf_done(b);
    *b = (struct buf)BUF_INIT(1 << 20);
    for (size_t i = 0; i < COUNT(forms); i++) {
        if (strcmp(forms[i].wire, wire))
            continue;
        (void)buf_add_str(b, JSON_HEAD("200"));
        (void)buf_add_str(b, forms[i].before);
        (void)buf_add_json_str(b, text);
        (void)buf_add_str(b, cut ? forms[i].length : forms[i].end);
    }
    return b->data;
}

/* ---------------------------------------------------------------- one question */

struct asked {
    int code;
    struct fovea_fault fault;
    struct ask_answer a;
    int requests;
    int64_t ms;
    char seen[8192], bodies[SERVER_BODIES][8192];
    struct buf shown;
};

static void asked_done(struct asked *g)
{
    ask_answer_done(&g->a);
    buf_done(&g->shown);
}

static void on_text(void *ctx, const char *piece, size_t len)
{
    (void)buf_add(ctx, piece, len);
}

static const struct wire_part pixels = {.kind = WIRE_IMAGE, .media_type = "image/png", .data = "pixels", .len = 6};
static const struct wire_part paper = {.kind = WIRE_PDF, .media_type = "application/pdf", .name = "a.pdf", .data = "%PDF", .len = 4};

/* Who is asked, and how; the rest of the question is usual unless it is set. */
struct who {
    const char *provider, *wire, *id, *effort, *schema, *base, *key;
    struct ask_question q;
};

static void ask_models(const struct models *m, const struct who *w, const char *base, struct asker *asker, struct asked *got)
{
    struct choice c = {.provider = models_provider(m, w->provider), .api_key = w->key ? w->key : KEY, .base_url = base, .effort = w->effort};
    (void)snprintf(c.id, sizeof c.id, "%s", w->id);
    c.model = models_find(m, w->provider, w->id);
    struct ask_question q = w->q;
    json_t *schema = w->schema ? json_loads(w->schema, 0, NULL) : NULL;
    struct schema *compiled = NULL;
    CHECK(!w->schema || !schema_new(schema, NULL, &compiled, &got->fault));
    q.choice = &c;
    q.media = q.media ? q.media : &pixels;
    q.n_media = q.n_media ? q.n_media : 1;
    q.instructions = q.instructions ? q.instructions : "look";
    q.text = "what is \"it\"?";
    q.schema = compiled;
    q.schema_json = schema;
    q.on_text = on_text;
    q.on_text_arg = &got->shown;
    int64_t from = clock_ms();
    got->code = ask_run(asker, &q, &got->a, &got->fault);
    got->ms = clock_ms() - from;
    schema_free(compiled);
    json_decref(schema);
}

static void ask(const struct who *w, const struct act *acts, size_t count, struct asked *got)
{
    struct server s = {0};
    struct asker *asker;
    struct models *m = models_new();
    char base[64];
    const char *must;
    *got = (struct asked){.shown = BUF_INIT(1 << 20)};
    if (count)
        server_start(&s, acts, count);
    (void)snprintf(base, sizeof base, "http://127.0.0.1:%d", count ? s.port : 1);
    CHECK(!models_set_provider(m, w->provider, w->wire ? "wire" : "", w->wire ? w->wire : "", &must));
    CHECK(!asker_new(&asker, NULL));
    asker_warm(asker);
    ask_models(m, w, w->base ? w->base : base, asker, got);
    asker_free(asker);
    models_free(m);
    got->requests = s.requests;
    if (count)
        server_stop(&s);
    memcpy(got->seen, s.seen, sizeof got->seen);
    memcpy(got->bodies, s.bodies, sizeof got->bodies);
    CHECK_MSG(!strstr(got->fault.text, KEY), "the fault shows the key: %s", got->fault.text);
    CHECK_MSG(!got->a.words || !strstr(got->a.words, KEY), "the words show the key: %s", got->a.words);
    CHECK_MSG(!got->a.text || !strstr(got->a.text, KEY), "the text shows the key: %s", got->a.text);
    CHECK(got->code || (got->a.end == ASK_ANSWERED) == !got->a.words);
}

#define WHO(...) ((struct who){__VA_ARGS__})
#define ASK(of, ...)                               \
    struct asked got;                              \
    const struct act acts[] = {__VA_ARGS__};       \
    const struct who w_ = of;                      \
    ask(&w_, acts, COUNT(acts), &got)

/* The usual host, whose price is 3 and 15 dollars, 0.3 from its cache. */
#define CLAUDE .provider = "anthropic", .id = "claude-sonnet-4-6"
#define CLAUDE_NANO (900 * 3000 + 100 * 300 + 50 * 15000)

#define CLOSED "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"],\"additionalProperties\":false}"
#define OPEN "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\",\"minimum\":2}}}"

/* ---------------------------------------------------------------- requests */

#define CHAT_IMAGE "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,cGl4ZWxz\",\"detail\":\"high\"}}"
#define QUESTION "\"what is \\\"it\\\"?\""
#define ANTHROPIC_IMAGE                                                                                            \
    "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"cGl4ZWxz\"}}"

TEST(the_picture_comes_first_and_the_question_word_for_word_on_every_wire)
{
    static const struct {
        struct who who;
        const char *path, *body;
        int64_t nano;
    } rows[] = {
        {{CLAUDE}, "POST /v1/messages ",
         "{\"model\":\"claude-sonnet-4-6\",\"max_tokens\":8192,\"stream\":true,\"system\":\"look\",\"messages\":[{\"role\":\"user\","
         "\"content\":[" ANTHROPIC_IMAGE ",{\"type\":\"text\",\"text\":" QUESTION "}]}]}", CLAUDE_NANO},
        {{.provider = "openai", .id = "gpt-5-mini"}, "POST /responses ",
         "{\"model\":\"gpt-5-mini\",\"store\":false,\"stream\":true,\"instructions\":\"look\",\"input\":[{\"role\":\"user\","
         "\"content\":[{\"type\":\"input_image\",\"detail\":\"high\",\"image_url\":\"data:image/png;base64,cGl4ZWxz\"},"
         "{\"type\":\"input_text\",\"text\":" QUESTION "}]}]}", 900 * 250 + 100 * 25 + 50 * 2000},
        {{.provider = "google", .id = "gemini-2.5-flash"}, "POST /models/gemini-2.5-flash:streamGenerateContent?alt=sse ",
         "{\"generationConfig\":{\"responseMimeType\":\"text/plain\"},\"systemInstruction\":{\"parts\":[{\"text\":\"look\"}]},"
         "\"contents\":[{\"role\":\"user\",\"parts\":[{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"cGl4ZWxz\"}},"
         "{\"text\":" QUESTION "}]}]}", 900 * 300 + 100 * 30 + 50 * 2500},
        {{.provider = "home", .wire = "openai-chat", .id = "llava:13b"}, "POST /chat/completions ",
         "{\"model\":\"llava:13b\",\"stream\":true,\"stream_options\":{\"include_usage\":true},\"messages\":[{\"role\":\"system\","
         "\"content\":\"look\"},{\"role\":\"user\",\"content\":[" CHAT_IMAGE ",{\"type\":\"text\",\"text\":" QUESTION "}]}]}",
         MONEY_UNKNOWN},
    };
    static const char *const wires[] = {"anthropic", "openai-responses", "gemini", "openai-chat"};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct act act = {ACT_CLOSE, says_so(wires[i], " \n a cat\t\n", false)};
        struct asked got;
        ask(&rows[i].who, &act, 1, &got);
        CHECK_MSG(!got.code && got.a.end == ASK_ANSWERED && !got.a.cut && got.requests == 1, "%s: %d %s", wires[i],
                  got.a.end, got.a.words);
        CHECK_STR(got.a.text, "a cat");
        CHECK_STR(got.bodies[0], rows[i].body);
        CHECK_MSG(strstr(got.seen, rows[i].path) == got.seen, "%.60s", got.seen);
        CHECK_MSG(got.a.nano == rows[i].nano, "%s: %lld", wires[i], (long long)got.a.nano);
        CHECK(got.a.calls == 1 && got.a.usage.told && got.a.usage.input == 900 && got.a.usage.cache_read == 100 &&
              got.a.usage.output == 50);
        CHECK_STR(got.shown.data, " \n a cat\t\n");
        asked_done(&got);
    }
}

TEST(an_answer_is_shown_as_it_streams)
{
    ASK(WHO(CLAUDE), {ACT_CLOSE, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
        "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":5,\"output_tokens\":1}}}\n\n"
        "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"Hel\"}}\n\n"
        "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"lo\"}}\n\n"
        "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":3}}\n\n"
        "data: {\"type\":\"message_stop\"}\n\n"});
    CHECK_STR(got.a.text, "Hello");
    CHECK_STR(got.shown.data, "Hello");
    CHECK(got.a.nano == 5 * 3000 + 3 * 15000);
    asked_done(&got);
}

TEST(a_word_in_place_of_a_key_mangles_no_answer)
{
    static const char *const keys[] = {"none", "EMPTY", "ollama", "x", "lm-studio"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        auto_buf text = BUF_INIT(256);
        (void)buf_add_format(&text, "next: %s", keys[i]);
        ASK(WHO(.provider = "ollama", .id = "x", .key = keys[i]), {ACT_CLOSE, says_so("openai-chat", text.data, false)});
        CHECK_STR(got.a.text, text.data);
        CHECK_STR(got.shown.data, text.data);
        asked_done(&got);
    }
}

TEST(effort_detail_and_the_limit_of_tokens_go_with_the_question)
{
    static const struct {
        struct who who;
        const char *wire, *has;
    } rows[] = {
        {{CLAUDE, .effort = "high"}, "anthropic", "\"max_tokens\":32768,"},
        {{CLAUDE, .effort = "high"}, "anthropic", "\"output_config\":{\"effort\":\"high\"}"},
        {{CLAUDE, .q = {.max_output = 77}}, "anthropic", "\"max_tokens\":77,"},
        {{CLAUDE, .q = {.max_output = 10000000}}, "anthropic", "\"max_tokens\":128000,"},
        {{.provider = "openai", .id = "gpt-5", .effort = "low"}, "openai-responses", "\"reasoning\":{\"effort\":\"low\"}"},
        {{.provider = "openai", .id = "gpt-5", .q = {.full_detail = true}}, "openai-responses", "\"detail\":\"original\""},
        {{.provider = "openai", .id = "gpt-4.1", .q = {.max_output = 99}}, "openai-responses", "\"max_output_tokens\":99,"},
        {{.provider = "openai", .id = "gpt-5", .q = {.max_output = 99}}, "openai-responses", "\"max_output_tokens\":16483,"},
        {{.provider = "openai", .id = "gpt-5", .effort = "low", .q = {.max_output = 99}}, "openai-responses",
         "\"max_output_tokens\":4195,"},
        {{.provider = "google", .id = "gemini-2.5-flash", .q = {.max_output = 60000}}, "gemini", "\"maxOutputTokens\":65536"},
        {{.provider = "openrouter", .id = "openai/gpt-5", .q = {.max_output = 99}}, "openai-chat", "\"max_tokens\":16483,"},
        {{.provider = "openai", .wire = "openai-chat", .id = "gpt-4o", .q = {.max_output = 99}}, "openai-chat",
         "\"max_completion_tokens\":99,"},
        {{.provider = "home", .id = "x", .q = {.max_output = 99}}, "openai-chat", "\"max_tokens\":99,"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct act act = {ACT_CLOSE, says_so(rows[i].wire, "yes", false)};
        struct asked got;
        ask(&rows[i].who, &act, 1, &got);
        CHECK_MSG(got.a.end == ASK_ANSWERED && strstr(got.bodies[0], rows[i].has), "row %zu: %s", i, got.bodies[0]);
        asked_done(&got);
    }
}

/* ---------------------------------------------------------------- schemas */

#define IN_WORDS(schema) "{\"type\":\"text\",\"text\":\"Reply with ONLY a JSON object that matches this JSON Schema:\\n" schema "\"}"
#define CLOSED_QUOTED                                                                                              \
    "{\\\"type\\\":\\\"object\\\",\\\"properties\\\":{\\\"n\\\":{\\\"type\\\":\\\"integer\\\"}},\\\"required\\\":[\\\"n\\\"]," \
    "\\\"additionalProperties\\\":false}"

TEST(a_schema_goes_as_structured_output_where_there_is_one_and_else_in_words)
{
    static const struct {
        struct who who;
        const char *wire, *has, *has_not;
    } rows[] = {
        {{CLAUDE, .schema = CLOSED}, "anthropic", "\"output_config\":{\"format\":{\"type\":\"json_schema\",\"schema\":" CLOSED "}}",
         "Reply with"},
        {{CLAUDE, .schema = OPEN}, "anthropic", "{\"type\":\"text\",\"text\":" QUESTION "},{\"type\":\"text\",\"text\":\"Reply with ONLY",
         "output_config"},
        {{.provider = "openai", .id = "gpt-5", .schema = CLOSED}, "openai-responses",
         "\"text\":{\"format\":{\"type\":\"json_schema\",\"name\":\"answer\",\"schema\":" CLOSED ",\"strict\":true}}", "Reply with"},
        {{.provider = "openai", .id = "gpt-5", .schema = OPEN}, "openai-responses", "\"schema\":" OPEN ",\"strict\":false}}",
         "Reply with"},
        {{.provider = "home", .id = "x", .schema = CLOSED}, "openai-chat",
         "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"answer\",\"schema\":" CLOSED ",\"strict\":true}}",
         "Reply with"},
        {{.provider = "nous", .id = "x", .schema = CLOSED}, "openai-chat",
         CHAT_IMAGE ",{\"type\":\"text\",\"text\":" QUESTION "}," IN_WORDS(CLOSED_QUOTED) "]}]}", "response_format"},
        {{.provider = "openrouter", .id = "x", .schema = CLOSED}, "openai-chat", "\"provider\":{\"require_parameters\":true}",
         "Reply with"},
        {{.provider = "openrouter", .id = "x", .schema = OPEN}, "openai-chat", "Reply with ONLY", "response_format"},
        {{.provider = "google", .id = "gemini-2.5-flash", .schema = OPEN}, "gemini",
         "\"responseMimeType\":\"application/json\",\"responseJsonSchema\":" OPEN, "Reply with"},
        {{CLAUDE, .schema = "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\",\"properties\":{},"
                            "\"additionalProperties\":false}"},
         "anthropic", "\"schema\":{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}", "$schema"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct act act = {ACT_CLOSE, says_so(rows[i].wire, i + 1 < COUNT(rows) ? "{\"n\":3}" : "{}", false)};
        struct asked got;
        ask(&rows[i].who, &act, 1, &got);
        CHECK_MSG(!got.code && got.a.end == ASK_ANSWERED && got.requests == 1 && json_is_object(got.a.parsed), "row %zu: %d %s", i,
                  got.a.end, got.a.words);
        CHECK_MSG(strstr(got.bodies[0], rows[i].has), "row %zu lacks %s: %s", i, rows[i].has, got.bodies[0]);
        CHECK_MSG(!strstr(got.bodies[0], rows[i].has_not), "row %zu has %s: %s", i, rows[i].has_not, got.bodies[0]);
        CHECK_MSG(!got.shown.len, "row %zu showed %s", i, got.shown.data);
        asked_done(&got);
    }
}

#define OBJECT(properties, rest) "{\"type\":\"object\",\"properties\":{" properties "}" rest "}"
#define SHUT ",\"additionalProperties\":false"

TEST(what_each_vendor_takes_of_a_schema_is_known)
{
#define P SCHEMA_PROMPT
#define L SCHEMA_LOOSE
#define S SCHEMA_STRICT
    static const struct {
        const char *schema;
        enum schema_form anthropic, openai, gemini;
    } rows[] = {
        {CLOSED, S, S, S},
        {OPEN, P, L, S},
        {OBJECT("", SHUT), S, S, S},
        {OBJECT("", ""), P, L, S},
        {OBJECT("\"a\":{\"type\":\"string\"}", SHUT), S, L, S}, /* optional */
        {OBJECT("\"a\":{\"type\":\"string\",\"minLength\":1}", ",\"required\":[\"a\"]" SHUT), P, L, P},
        {OBJECT("\"a\":{\"type\":\"string\",\"pattern\":\"x\"}", ",\"required\":[\"a\"]" SHUT), P, S, P},
        {OBJECT("\"a\":{\"type\":\"number\",\"minimum\":1}", ",\"required\":[\"a\"]" SHUT), P, S, S},
        {OBJECT("\"a\":{\"const\":1}", ",\"required\":[\"a\"]" SHUT), S, S, P},
        {OBJECT("\"a\":{\"enum\":[1,\"x\",null]}", ",\"required\":[\"a\"]" SHUT), S, S, S},
        {OBJECT("\"a\":{\"enum\":[{}]}", ",\"required\":[\"a\"]" SHUT), P, L, P},
        {OBJECT("\"a\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":1}", ",\"required\":[\"a\"]" SHUT), S, S, S},
        {OBJECT("\"a\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":2}", ",\"required\":[\"a\"]" SHUT), P, S, S},
        {OBJECT("\"a\":{\"type\":\"array\"}", ",\"required\":[\"a\"]" SHUT), P, L, P},
        {OBJECT("\"a\":{}", ",\"required\":[\"a\"]" SHUT), P, L, P},
        {OBJECT("\"a\":true", ",\"required\":[\"a\"]" SHUT), P, L, P},
        {OBJECT("\"a\":{\"type\":\"string\",\"format\":\"date\"}", ",\"required\":[\"a\"]" SHUT), S, S, S},
        {OBJECT("\"a\":{\"type\":\"string\",\"format\":\"regex\"}", ",\"required\":[\"a\"]" SHUT), P, L, P},
        {OBJECT("\"a\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", ",\"required\":[\"a\"]" SHUT), S, S, S},
        {OBJECT("\"a\":{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", ",\"required\":[\"a\"]" SHUT), P, L, S},
        {OBJECT("\"a\":{\"type\":\"string\"}", ",\"required\":[\"a\",\"b\"]" SHUT), S, L, S},
        {OBJECT("\"a\":{\"type\":\"object\",\"properties\":{}}", ",\"required\":[\"a\"]" SHUT), P, L, S}, /* open within */
        {OBJECT("\"a\":{\"$ref\":\"#/$defs/x\"}", ",\"required\":[\"a\"]" SHUT ",\"$defs\":{\"x\":{\"type\":\"string\"}}"), S, S, S},
        {OBJECT("\"a\":{\"$ref\":\"#/$defs/y\"}", ",\"required\":[\"a\"]" SHUT ",\"$defs\":{\"x\":{\"type\":\"string\"}}"), P, L, P},
        {OBJECT("\"a\":{\"$ref\":\"https://example.com/x\"}", ",\"required\":[\"a\"]" SHUT), P, L, P},
        {OBJECT("\"a\":{\"$ref\":\"#/$defs/x\"}", ",\"required\":[\"a\"]" SHUT ",\"$defs\":{\"x\":{\"type\":\"array\",\"items\":"
                "{\"$ref\":\"#/$defs/x\"}}}"), P, S, P}, /* leads back to itself */
        {OBJECT("\"a\":{\"type\":\"string\"}", ",\"required\":[\"a\"]" SHUT ",\"patternProperties\":{}"), P, L, P},
        {OBJECT("\"a\":{\"type\":\"string\"}", ",\"required\":[\"a\"]" SHUT ",\" type\":1,\"typ\":1"), P, L, P},
        {"{\"type\":[\"object\",\"null\"],\"properties\":{}" SHUT "}", P, L, P},
        {"{}", P, L, P},
    };
#undef P
#undef L
#undef S
    static const struct wire *const wires[] = {&wire_anthropic, &wire_openai_responses, &wire_gemini};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const enum schema_form want[] = {rows[i].anthropic, rows[i].openai, rows[i].gemini};
        json_t *schema = json_loads(rows[i].schema, 0, NULL);
        CHECK_MSG(schema, "row %zu", i);
        for (size_t k = 0; k < COUNT(wires); k++) {
            struct host h = {.wire = wires[k], .structured = true};
            enum schema_form form = ask_schema_form(&h, schema);
            CHECK_MSG(form == want[k], "row %zu on %s: %d", i, wires[k]->name, form);
            h.structured = false;
            CHECK(ask_schema_form(&h, schema) == SCHEMA_PROMPT);
        }
        json_decref(schema);
    }
}

TEST(a_schema_with_more_optional_properties_than_anthropic_compiles_is_said_in_words)
{
    struct host h = {.wire = &wire_anthropic, .structured = true};
    for (int n = 24; n <= 25; n++) {
        json_t *properties = json_object();
        char name[8];
        for (int i = 0; i < n; i++) {
            (void)snprintf(name, sizeof name, "p%d", i);
            (void)json_object_set_new(properties, name, json_pack("{ss}", "type", "string"));
        }
        json_t *schema = json_pack("{sssosb}", "type", "object", "properties", properties, "additionalProperties", 0);
        CHECK_MSG(ask_schema_form(&h, schema) == (n <= 24 ? SCHEMA_STRICT : SCHEMA_PROMPT), "%d", n);
        json_decref(schema);
    }
}

#define CUT "the answer is not JSON: it breaks off before its end"
#define BROKEN "the answer is not JSON: its syntax is broken"

TEST(the_object_is_found_in_fences_and_among_words)
{
    static const struct {
        const char *text, *json, *words;
    } rows[] = {
        {"{\"n\":3}", "{\"n\":3}", NULL},
        {"```json\n{\"n\":3}\n```", "{\"n\":3}", NULL},
        {"```\n{\"n\":3}\n```", "{\"n\":3}", NULL},
        {"```json\r\n {\"n\":3}\r\n```", "{\"n\":3}", NULL},
        {"Here it is:\n```json\n{\"n\":3}\n```\nAnything else?", "{\"n\":3}", NULL},
        {"I see {braces}: {\"n\":3} and } more", "{\"n\":3}", NULL},
        {"so {\"n\":3,\"s\":\"} \\\" {\"} it is", "{\"n\":3,\"s\":\"} \\\" {\"}", NULL},
        {"{\"n\":3,\"s\":\"```\"}", "{\"n\":3,\"s\":\"```\"}", NULL},
        {"{\"n\":3} or {\"n\":4}", NULL, "the answer has more than one JSON object"},
        {"none", NULL, "the answer is not JSON"},
        {"", NULL, "the answer is not JSON"},
        {"```json\n```", NULL, "the answer is not JSON"},
        {"``````", NULL, "the answer is not JSON"},
        {"{\"n\":3", NULL, CUT},
        {"{\"n\":3,\"rows\":[{\"n\":1},{\"n\":2", NULL, CUT},
        {"```json\n{\"rows\":[{\"n\":1},{\"name\":\"sec", NULL, CUT},
        {"{rows: [{\"n\":1},", NULL, CUT},
        {"[{\"n\":1},{\"n\":", NULL, CUT},
        {"[0, {\"n\":1},", NULL, CUT},
        {"{\"n\":3} and {\"n\":", NULL, CUT},
        {"{\"a\":{\"n\":1},\"name\":Bob}", NULL, BROKEN},
        {"{a: {\"n\":1}}", NULL, BROKEN},
        {"{\"a\":{\"b\":1]},\"c\":{\"n\":2}}", NULL, BROKEN},
        {"{{\"n\":3}}", NULL, "the answer is not JSON"},
        {"Result: [{\"n\":1}]", NULL, "top level: \"type\": must be of type object, is array"},
        {"Result: [1, {\"n\":1}]", NULL, "the answer is not JSON"},
        {"See [1] and [the notes]: {\"n\":3}", "{\"n\":3}", NULL},
        {"an open { or [ among words {\"n\":3}", "{\"n\":3}", NULL},
        {"{\"n\":Bob}, no: {\"n\":3}", "{\"n\":3}", NULL},
        {"{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{", NULL, CUT},
        {"[{\"n\":3}]", NULL, "top level: \"type\": must be of type object, is array"},
        {"```json\n[{\"n\":3}]\n```", NULL, "top level: \"type\": must be of type object, is array"},
        {"42", NULL, "top level: \"type\": must be of type object, is integer"},
        {"```json\n\"red\"\n```", NULL, "top level: \"type\": must be of type object, is string"},
        {"null", NULL, "top level: \"type\": must be of type object, is null"},
        {"{\"n\":\"x\"}", NULL, "/n: \"type\": must be of type integer, is string"},
        {"{}", NULL, "top level: \"required\": property \"n\" is missing"},
        {"{\"n\":3,\"big\":123456789012345678901234567890}", "{\"n\":3,\"big\":123456789012345678901234567890}", NULL},
        {"{\"n\":123456789012345678901234567890}", "{\"n\":123456789012345678901234567890}", NULL},
    };
    json_t *document = json_loads("{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"]}", 0, NULL);
    struct schema *s = NULL;
    CHECK(!schema_new(document, NULL, &s, NULL));
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_buf words = BUF_INIT(LIMIT_ASK_WORDS);
        struct ask_json j = {0};
        int r = ask_json_read(s, rows[i].text, &j, &words);
        CHECK_MSG(r == (rows[i].json ? 0 : 1), "row %zu: %d %s", i, r, words.data);
        CHECK_MSG(r || (strlen(rows[i].json) == j.len && !memcmp(rows[i].json, j.text, j.len)), "row %zu: %.*s", i, (int)j.len, j.text);
        CHECK_MSG(!r || (words.data && !strcmp(words.data, rows[i].words)), "row %zu: %s", i, words.data);
        if (!r)
            json_decref(j.value);
    }
    schema_free(s);
    json_decref(document);
}

TEST(an_answer_of_countless_values_is_not_built)
{
    auto_buf text = BUF_INIT(1 << 22), words = BUF_INIT(LIMIT_ASK_WORDS);
    struct ask_json j;
    json_t *document = json_object();
    struct schema *s = NULL;
    CHECK(!schema_new(document, NULL, &s, NULL));
    (void)buf_add_str(&text, "{\"x\":[0");
    for (size_t i = 0; i < LIMIT_REPLY_VALUES; i++)
        (void)buf_add_str(&text, ",0");
    (void)buf_add_str(&text, "]}");
    CHECK(ask_json_read(s, text.data, &j, &words) == 1);
    CHECK_STR(words.data, "the answer has more JSON values than are read");
    schema_free(s);
    json_decref(document);
}

TEST(a_fenced_answer_is_unwrapped)
{
    ASK(WHO(CLAUDE, .schema = CLOSED), {ACT_CLOSE, says_so("anthropic", "```json\n{\"n\": 3}\n```", false)});
    CHECK(got.a.end == ASK_ANSWERED && !got.a.repaired && got.a.calls == 1);
    CHECK_STR(got.a.text, "{\"n\": 3}");
    CHECK(json_integer_value(json_object_get(got.a.parsed, "n")) == 3);
    asked_done(&got);
}

TEST(a_wrong_answer_is_repaired_once_and_both_are_paid)
{
    ASK(WHO(CLAUDE, .schema = OPEN), {ACT_CLOSE, says_so("anthropic", "{\"n\":\"three\"}", false)},
        {ACT_CLOSE, says_so("anthropic", "```\n{\"n\":3}\n```", false)});
    CHECK_MSG(got.a.end == ASK_ANSWERED && got.a.repaired && got.a.calls == 2 && got.requests == 2, "%s", got.a.words);
    CHECK_STR(got.a.text, "{\"n\":3}");
    CHECK(got.a.nano == 2 * CLAUDE_NANO && got.a.usage.told && got.a.usage.input == 1800 && got.a.usage.output == 100);
    CHECK_MSG(strstr(got.bodies[1],
                     "]},{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"{\\\"n\\\":\\\"three\\\"}\"}]},{\"role\":\"user\","
                     "\"content\":[{\"type\":\"text\",\"text\":\"Your answer does not match the JSON Schema: /n: \\\"type\\\": must be of type "
                     "integer, is string\\nReply with ONLY the corrected JSON object, without any other text.\"}]}]}"),
              "%s", got.bodies[1]);
    CHECK(strstr(got.bodies[1], ANTHROPIC_IMAGE));
    asked_done(&got);
}

TEST(the_repair_says_the_schema_to_a_host_that_may_have_passed_it_over)
{
    ASK(WHO(.provider = "home", .id = "x", .schema = CLOSED), {ACT_CLOSE, says_so("openai-chat", "it is three", false)},
        {ACT_CLOSE, says_so("openai-chat", "{\"n\":3}", false)});
    CHECK(got.a.end == ASK_ANSWERED && got.a.repaired);
    CHECK(!strstr(got.bodies[0], CLOSED_QUOTED) && strstr(got.bodies[1], "The JSON Schema:\\n" CLOSED_QUOTED));
    CHECK(strstr(got.bodies[1], "\"response_format\""));
    asked_done(&got);
}

TEST(an_answer_that_is_wrong_twice_is_no_answer)
{
    static const char *const schema = "{\"type\":\"object\",\"properties\":{\"items\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
                                      "\"properties\":{\"price\":{\"type\":\"number\"}}}}}}";
    ASK(WHO(CLAUDE, .schema = schema), {ACT_CLOSE, says_so("anthropic", "no", false)},
        {ACT_CLOSE, says_so("anthropic", "{\"items\":[{\"price\":\"9\"}]}", false)});
    CHECK(got.a.end == ASK_NOT_JSON && !got.a.parsed && got.a.calls == 2 && got.requests == 2 && !got.a.repaired);
    CHECK_STR(got.a.words, "/items/0/price: \"type\": must be of type number, is string");
    CHECK_STR(got.a.text, "{\"items\":[{\"price\":\"9\"}]}");
    CHECK(got.a.nano == 2 * CLAUDE_NANO);
    asked_done(&got);
}

TEST(a_repair_without_text_leaves_what_was_wrong)
{
    ASK(WHO(CLAUDE, .schema = OPEN), {ACT_CLOSE, says_so("anthropic", "no", false)}, {ACT_CLOSE, says_so("anthropic", " ", false)});
    CHECK(got.a.end == ASK_NOT_JSON && got.a.calls == 2);
    CHECK_STR(got.a.words, "the answer is not JSON");
    CHECK_STR(got.a.text, "no");
    asked_done(&got);
}

#define ERROR(status, headers, words)                                                                              \
    "HTTP/1.1 " status " x\r\ncontent-type: application/json\r\nconnection: close\r\n" headers                     \
    "\r\n{\"error\":{\"type\":\"some_error\",\"message\":\"" words " " KEY "\"}}"

TEST(a_repair_that_fails_at_the_provider_is_its_failure_and_the_first_call_is_paid)
{
    ASK(WHO(CLAUDE, .schema = OPEN), {ACT_CLOSE, says_so("anthropic", "no", false)}, {ACT_CLOSE, ERROR("402", "", "no money")});
    CHECK(got.a.end == ASK_FAILED && got.a.calls == 1 && got.a.nano == CLAUDE_NANO && got.a.usage.told);
    CHECK_STR(got.a.words, "no money [redacted]");
    asked_done(&got);
}

TEST(a_schema_that_the_provider_refuses_is_said_in_words)
{
    static const char *const refusals[] = {
        ERROR("400", "", "Schema is too complex for compilation."),
        ERROR("422", "", "Invalid response_format"),
        ERROR("404", "", "No endpoints found that can handle the requested parameters."),
    };
    for (size_t i = 0; i < COUNT(refusals); i++) {
        ASK(WHO(CLAUDE, .schema = CLOSED), {ACT_CLOSE, refusals[i]}, {ACT_CLOSE, says_so("anthropic", "{\"n\":3}", false)});
        CHECK_MSG(got.a.end == ASK_ANSWERED && got.requests == 2 && got.a.calls == 1 && !got.a.repaired, "row %zu: %s", i, got.a.words);
        CHECK(strstr(got.bodies[0], "output_config") && !strstr(got.bodies[1], "output_config"));
        CHECK(strstr(got.bodies[1], IN_WORDS(CLOSED_QUOTED)) && got.a.nano == CLAUDE_NANO);
        asked_done(&got);
    }
}

TEST(a_schema_is_said_in_words_once_and_other_refusals_stay)
{
    {
        ASK(WHO(CLAUDE, .schema = CLOSED), {ACT_CLOSE, ERROR("400", "", "bad schema")});
        CHECK(got.a.end == ASK_FAILED && got.requests == 2 && !got.a.calls && !got.a.nano);
        asked_done(&got);
    }
    {
        ASK(WHO(CLAUDE, .schema = CLOSED), {ACT_CLOSE, ERROR("400", "", "Could not process image")});
        CHECK(got.a.end == ASK_FAILED && got.requests == 1);
        asked_done(&got);
    }
    ASK(WHO(CLAUDE, .schema = CLOSED), {ACT_CLOSE, ERROR("401", "", "no schema for you")});
    CHECK(got.a.end == ASK_FAILED && got.requests == 1);
    asked_done(&got);
}

/* ---------------------------------------------------------------- ends */

TEST(an_answer_cut_by_the_limit_is_an_answer_and_says_so)
{
    for (size_t i = 0; i < COUNT(forms); i++) {
        ASK(WHO(.provider = "home", .wire = forms[i].wire, .id = "x"), {ACT_CLOSE, says_so(forms[i].wire, "a c", true)});
        CHECK_MSG(got.a.end == ASK_ANSWERED && got.a.cut && got.a.calls == 1, "%s: %d %s", forms[i].wire, got.a.end, got.a.words);
        CHECK_STR(got.a.text, "a c");
        asked_done(&got);
    }
}

TEST(json_cut_by_the_limit_says_that_it_was)
{
    ASK(WHO(CLAUDE, .schema = OPEN), {ACT_CLOSE, says_so("anthropic", "{\"n\":", true)});
    CHECK(got.a.end == ASK_NOT_JSON && got.a.cut && got.requests == 2 && got.a.calls == 2);
    CHECK_STR(got.a.words, CUT "; it was cut off by the limit of output tokens");
    CHECK(strstr(got.bodies[1], CUT "; it was cut off by the limit of output tokens"));
    asked_done(&got);
}

TEST(ends_without_an_answer_say_why)
{
#define USAGE "\"usage\":{\"input_tokens\":1000,\"output_tokens\":50}"
    static const struct {
        const char *wire, *body;
        enum ask_end end;
        const char *words;
    } rows[] = {
        {"anthropic", "{\"content\":[],\"stop_reason\":\"end_turn\"," USAGE "}", ASK_EMPTY, "the model returned no text"},
        {"anthropic", "{\"content\":[{\"type\":\"text\",\"text\":\" \\n\"}],\"stop_reason\":\"end_turn\"," USAGE "}", ASK_EMPTY,
         "the model returned no text"},
        {"anthropic", "{\"content\":[],\"stop_reason\":\"max_tokens\"," USAGE "}", ASK_EMPTY,
         "the model returned no text: the limit of output tokens was used up, perhaps by thinking; raise vision.maxOutputTokens, or "
         "choose less effort"},
        {"anthropic", "{\"content\":[],\"stop_reason\":\"pause_turn\"," USAGE "}", ASK_EMPTY,
         "the model returned no text: it stopped with \"pause_turn\""},
        {"anthropic", "{\"content\":[],\"stop_reason\":\"refusal\",\"stop_details\":{\"type\":\"refusal\",\"explanation\":\"not this " KEY
                      "\"}," USAGE "}", ASK_REFUSED, "not this [redacted]"},
        {"anthropic", "{\"content\":[],\"stop_reason\":\"refusal\"," USAGE "}", ASK_REFUSED, "the model refused to answer"},
        {"openai-chat", "{\"choices\":[{\"message\":{\"content\":null,\"refusal\":\"I can't.\"},\"finish_reason\":\"stop\"}]}", ASK_REFUSED,
         "I can't."},
        {"openai-chat", "{\"choices\":[{\"message\":{\"content\":\"so\"},\"finish_reason\":\"content_filter\"}]}", ASK_REFUSED,
         "the provider's filter blocked the question or the answer"},
        {"gemini", "{\"promptFeedback\":{\"blockReason\":\"SAFETY\"},\"usageMetadata\":{\"promptTokenCount\":9}}", ASK_REFUSED, "SAFETY"},
        {"gemini", "{\"candidates\":[{\"content\":{\"parts\":[]},\"finishReason\":\"RECITATION\"}]}", ASK_REFUSED, "RECITATION"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_buf act = BUF_INIT(1 << 16);
        (void)buf_add_format(&act, "%s%s", JSON_HEAD("200"), rows[i].body);
        ASK(WHO(.provider = "home", .wire = rows[i].wire, .id = "x"), {ACT_CLOSE, act.data});
        CHECK_MSG(!got.code && got.a.end == rows[i].end && got.a.calls == 1 && got.a.nano == MONEY_UNKNOWN, "row %zu: %d", i, got.a.end);
        CHECK_STR(got.a.words, rows[i].words);
        asked_done(&got);
    }
}

TEST(the_page_limit_of_a_provider_is_told_apart)
{
    static const char *const words[] = {
        "messages.0.content.0.pdf.source.base64.data: A maximum of 100 PDF pages may be provided.",
        "The document has too many pages", "Page count exceeds what is allowed",
        "The document contains 1200 pages which exceeds the supported page limit of 1000.", "document_too_large",
    };
    for (size_t i = 0; i < COUNT(words); i++) {
        auto_buf act = BUF_INIT(1 << 16);
        (void)buf_add_format(&act, ERROR("400", "", "%s"), words[i]);
        for (int pdf = 0; pdf < 2; pdf++) {
            ASK(WHO(CLAUDE, .q = {.media = pdf ? &paper : &pixels, .n_media = 1}), {ACT_CLOSE, act.data});
            CHECK_MSG(got.a.end == (pdf ? ASK_PAGES : ASK_FAILED) && !got.a.calls && !got.a.nano, "row %zu: %d", i, got.a.end);
            CHECK(!strncmp(got.a.words, words[i], strlen(words[i])));
            asked_done(&got);
        }
    }
}

TEST(a_failure_keeps_the_providers_words_and_costs_nothing)
{
    static const struct {
        const char *bytes, *words;
    } rows[] = {
        {ERROR("400", "", "Could not process image"), "Could not process image [redacted]"},
        {ERROR("401", "", "invalid x-api-key"), "invalid x-api-key [redacted]"},
        {ERROR("403", "", "not for you"), "not for you [redacted]"},
        {ERROR("404", "", "model: nothing"), "model: nothing [redacted]"},
        {ERROR("429", "x-should-retry: false\r\n", "enough"), "enough [redacted]"},
        {ERROR("500", "x-should-retry: false\r\n", "oh"), "oh [redacted]"},
        {"HTTP/1.1 413 x\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<html>" KEY, "HTTP 413: the request is too large"},
        {"HTTP/1.1 302 x\r\nlocation: http://127.0.0.1:1/" KEY "\r\nconnection: close\r\n\r\n", "HTTP 302: redirects are not followed"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        ASK(WHO(CLAUDE), {ACT_CLOSE, rows[i].bytes});
        CHECK_MSG(!got.code && got.a.end == ASK_FAILED && got.requests == 1, "row %zu: %d, %d requests", i, got.a.end, got.requests);
        CHECK_STR(got.a.words, rows[i].words);
        CHECK_MSG(!got.a.calls && got.a.nano == 0 && !got.a.usage.told, "row %zu", i);
        asked_done(&got);
    }
}

TEST(a_host_that_cannot_be_reached_or_asked_costs_nothing)
{
    static const struct {
        struct who who;
        const char *words;
    } rows[] = {
        {{CLAUDE, .q = {.timeout_ms = 20000}}, "the provider cannot be reached; check the network, and its baseUrl"},
        {{CLAUDE, .base = "http://example.com"}, "the base URL of 'anthropic' is refused: without TLS only this machine may be asked: use https://"},
        {{.provider = "nous", .id = "x", .q = {.media = &paper, .n_media = 1}}, "'nous' cannot be sent this kind of file"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct asked got;
        ask(&rows[i].who, NULL, 0, &got);
        CHECK_MSG(!got.code && got.a.end == ASK_FAILED && !got.a.calls && !got.a.nano, "row %zu: %d", i, got.a.end);
        CHECK_STR(got.a.words, rows[i].words);
        asked_done(&got);
    }
}

#define STREAM "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
#define BEGUN STREAM "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":1000,\"output_tokens\":1}}}\n\n"
#define BEGUN_NANO (1000 * 3000 + 1 * 15000)

TEST(our_time_limit_is_a_time_out_and_may_have_been_billed)
{
    {
        ASK(WHO(CLAUDE, .q = {.timeout_ms = 200}), {ACT_HANG, ""});
        CHECK_MSG(got.a.end == ASK_TIMED_OUT && got.ms < 3000, "%d in %lld ms", got.a.end, (long long)got.ms);
        CHECK(got.a.calls == 1 && got.a.nano == MONEY_UNKNOWN && !got.a.usage.told);
        asked_done(&got);
    }
    ASK(WHO(CLAUDE, .q = {.timeout_ms = 200}), {ACT_HANG, BEGUN});
    /* The input is known, but not how much was said after that. */
    CHECK(got.a.end == ASK_TIMED_OUT && got.a.calls == 1 && got.a.nano == MONEY_UNKNOWN && !got.a.usage.told && got.a.usage.input == 1000);
    asked_done(&got);
}

TEST(the_time_limit_is_for_the_repair_too)
{
    ASK(WHO(CLAUDE, .schema = OPEN, .q = {.timeout_ms = 400}), {ACT_CLOSE, says_so("anthropic", "no", false)}, {ACT_HANG, ""});
    CHECK(got.a.end == ASK_TIMED_OUT && got.requests == 2 && got.ms < 3000);
    CHECK(got.a.calls == 2 && got.a.nano == MONEY_UNKNOWN && !got.a.usage.told && got.a.usage.input == 900);
    asked_done(&got);
}

static void *strike(void *c)
{
    (void)poll(NULL, 0, 150);
    fovea_cancel_now(c);
    return NULL;
}

TEST(a_cancel_is_an_abort_and_no_time_out)
{
    fovea_cancel *c;
    pthread_t thread;
    CHECK(!fovea_cancel_new(&c, NULL));
    CHECK(!pthread_create(&thread, NULL, strike, c));
    ASK(WHO(CLAUDE, .q = {.timeout_ms = 20000, .cancel = c}), {ACT_HANG, BEGUN});
    (void)pthread_join(thread, NULL);
    CHECK_MSG(got.a.end == ASK_ABORTED && got.ms < 3000 && got.a.calls == 1, "%d in %lld ms", got.a.end, (long long)got.ms);
    asked_done(&got);
    fovea_cancel_free(c);
}

TEST(an_answer_cut_off_is_a_failure_that_may_have_been_billed)
{
    static const struct {
        struct act act;
        int64_t nano;
        unsigned calls;
    } rows[] = {
        {{ACT_CLOSE, BEGUN}, MONEY_UNKNOWN, 1},
        {{ACT_CLOSE, BEGUN "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"Hel\"}}\n\n"}, MONEY_UNKNOWN, 1},
        {{ACT_CLOSE, BEGUN "data: garbage " KEY "\n\n"}, MONEY_UNKNOWN, 1},
        {{ACT_CLOSE, STREAM "data: garbage\n\n"}, MONEY_UNKNOWN, 1},
        {{ACT_CLOSE, BEGUN "data: {\"type\":\"error\",\"error\":{\"type\":\"bad\",\"message\":\"" KEY "\"}}\n\n"}, BEGUN_NANO, 1},
        {{ACT_CLOSE, BEGUN "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"Hel\"}}\n\n"
                           "data: {\"type\":\"error\",\"error\":{\"type\":\"bad\",\"message\":\"x\"}}\n\n"}, MONEY_UNKNOWN, 1},
        {{ACT_CLOSE, STREAM "data: {\"type\":\"error\",\"error\":{\"type\":\"bad\",\"message\":\"" KEY "\"}}\n\n"}, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct asked got;
        ask(&WHO(CLAUDE), &rows[i].act, 1, &got);
        CHECK_MSG(got.a.end == ASK_FAILED && got.a.nano == rows[i].nano && got.a.calls == rows[i].calls, "row %zu: %d, %lld, %u", i,
                  got.a.end, (long long)got.a.nano, got.a.calls);
        asked_done(&got);
    }
}

/* ---------------------------------------------------------------- money */

TEST(what_the_host_reports_is_the_price)
{
#define PAID(cost) JSON_HEAD("200") "{\"choices\":[{\"message\":{\"content\":\"{}\"},\"finish_reason\":\"stop\"}],\"usage\":" \
    "{\"prompt_tokens\":1000,\"completion_tokens\":50,\"cost\":" cost "}}"
    ASK(WHO(.provider = "openrouter", .id = "anthropic/claude-sonnet-4.6", .schema = CLOSED), {ACT_CLOSE, PAID("0.0034")},
        {ACT_CLOSE, PAID("0.0001")});
    CHECK(got.a.end == ASK_NOT_JSON && got.a.nano == 3500000 && got.a.usage.cost_nano == 3500000);
    asked_done(&got);
}

TEST(one_unknown_price_makes_the_sum_unknown)
{
    ASK(WHO(CLAUDE, .schema = OPEN), {ACT_CLOSE, says_so("anthropic", "no", false)},
        {ACT_CLOSE, JSON_HEAD("200") "{\"content\":[{\"type\":\"text\",\"text\":\"{}\"}],\"stop_reason\":\"end_turn\"}"});
    CHECK(got.a.end == ASK_ANSWERED && got.a.calls == 2 && got.a.nano == MONEY_UNKNOWN && !got.a.usage.told);
    asked_done(&got);
}

#define THOUGHT BEGUN "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}}\n\n" \
    "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}\n\n"
#define OVERLOADED BEGUN "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}\n\n"

TEST(every_try_that_may_be_billed_is_counted)
{
    {
        ASK(WHO(CLAUDE), {ACT_CLOSE, OVERLOADED}, {ACT_CLOSE, OVERLOADED}, {ACT_CLOSE, says_so("anthropic", "yes", false)});
        CHECK_MSG(got.a.end == ASK_ANSWERED && got.requests == 3 && got.a.calls == 3, "%d: %u calls", got.a.end, got.a.calls);
        CHECK(got.a.usage.input == 2900 && got.a.usage.output == 52 && got.a.usage.told);
        CHECK(got.a.nano == 2 * BEGUN_NANO + CLAUDE_NANO);
        asked_done(&got);
    }
    {
        ASK(WHO(CLAUDE), {ACT_CLOSE, ""}, {ACT_CLOSE, ""}, {ACT_CLOSE, says_so("anthropic", "yes", false)});
        CHECK_MSG(got.a.end == ASK_ANSWERED && got.a.calls == 3 && got.a.nano == MONEY_UNKNOWN, "%d: %u calls", got.a.end, got.a.calls);
        asked_done(&got);
    }
    /* What was thought before it broke is billed, and nobody said how much that was. */
    {
        ASK(WHO(CLAUDE), {ACT_CLOSE, THOUGHT}, {ACT_CLOSE, says_so("anthropic", "yes", false)});
        CHECK_MSG(got.a.end == ASK_ANSWERED && got.a.calls == 2 && got.a.nano == MONEY_UNKNOWN, "%d: %u calls", got.a.end, got.a.calls);
        CHECK(!got.a.usage.told);
        asked_done(&got);
    }
    /* A refusal is not billed, however often. */
    ASK(WHO(CLAUDE), {ACT_CLOSE, ERROR("529", "retry-after-ms: 5\r\n", "busy")}, {ACT_CLOSE, says_so("anthropic", "yes", false)});
    CHECK(got.a.end == ASK_ANSWERED && got.requests == 2 && got.a.calls == 1 && got.a.nano == CLAUDE_NANO);
    asked_done(&got);
}

TEST(figures_past_all_reason_do_not_overflow)
{
    ASK(WHO(CLAUDE, .schema = CLOSED), {ACT_CLOSE, JSON_HEAD("200") "{\"content\":[{\"type\":\"text\",\"text\":\"no\"}],\"stop_reason\":"
        "\"end_turn\",\"usage\":{\"input_tokens\":9223372036854775807,\"output_tokens\":9223372036854775807}}"});
    CHECK(got.a.end == ASK_NOT_JSON && got.a.calls == 2 && !got.a.usage.told && !got.a.usage.input && got.a.nano == MONEY_UNKNOWN);
    asked_done(&got);
}

/* ---------------------------------------------------------------- hosts, askers */

TEST(what_a_host_takes_is_known_before_anything_is_read)
{
    static const struct {
        const char *provider, *wire;
        bool pdf, video;
        uint64_t image_bytes, pdf_bytes, video_bytes;
    } rows[] = {
        {"anthropic", NULL, true, false, 7864320, 24379392, 0},
        {"openai", NULL, true, false, 36713568, 36713568, 0},
        {"openai", "openai-chat", true, false, 36713568, 36713568, 0},
        {"google", NULL, true, true, 74213568, 50000000, 74213568},
        {"openrouter", NULL, true, true, 0, 0, 0},
        {"nous", NULL, false, false, 0, 0, 0},
        {"ollama", NULL, false, false, 0, 0, 0},
        {"vllm", NULL, false, true, 0, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct models *m = models_new();
        const char *must;
        CHECK(!rows[i].wire || !models_set_provider(m, rows[i].provider, "wire", rows[i].wire, &must));
        struct choice c = {.provider = models_provider(m, rows[i].provider), .base_url = "https://example.com"};
        CHECK_MSG(ask_takes(&c, WIRE_IMAGE) && ask_takes(&c, WIRE_TEXT) && ask_takes(&c, WIRE_PDF) == rows[i].pdf &&
                      ask_takes(&c, WIRE_VIDEO) == rows[i].video && ask_takes(&c, WIRE_VIDEO_URL) == rows[i].video,
                  "%s", rows[i].provider);
        CHECK_MSG(ask_inline_limit(&c, WIRE_IMAGE) == rows[i].image_bytes && ask_inline_limit(&c, WIRE_PDF) == rows[i].pdf_bytes &&
                      ask_inline_limit(&c, WIRE_VIDEO) == rows[i].video_bytes,
                  "%s: %llu", rows[i].provider, (unsigned long long)ask_inline_limit(&c, WIRE_PDF));
        c.provider = models_provider(m, "local");
        CHECK(!ask_takes(&c, WIRE_IMAGE) && !ask_inline_limit(&c, WIRE_PDF));
        models_free(m);
    }
}

TEST(a_key_that_is_set_is_sent_even_where_none_is_asked_for)
{
    struct models *m = models_new();
    struct host h;
    struct choice c = {.provider = models_provider(m, "ollama"), .base_url = "http://127.0.0.1:1"};
    CHECK(!ask_host(&c, &h) && h.auth == HOST_NO_AUTH);
    c.api_key = KEY;
    CHECK(!ask_host(&c, &h) && h.auth == HOST_BEARER);
    c.provider = models_provider(m, "anthropic");
    c.api_key = NULL;
    CHECK(!ask_host(&c, &h) && h.auth == HOST_X_API_KEY);
    models_free(m);
}

TEST(an_asker_may_be_freed_while_it_warms_up)
{
    for (int i = 0; i < 8; i++) {
        struct asker *a;
        CHECK(!asker_new(&a, NULL));
        asker_warm(a);
        asker_warm(a);
        asker_free(a);
    }
    asker_free(NULL);
}

struct many {
    struct asker *asker;
    struct models *models;
    char base[64];
    atomic_int good;
};

static void *one_of_many(void *arg)
{
    struct many *m = arg;
    struct asked got = {.shown = BUF_INIT(1 << 20)};
    ask_models(m->models, &WHO(CLAUDE, .schema = CLOSED), m->base, m->asker, &got);
    m->good += !got.code && got.a.end == ASK_ANSWERED && got.a.nano == CLAUDE_NANO;
    asked_done(&got);
    return NULL;
}

TEST(many_questions_of_one_asker_are_all_answered)
{
    enum { THREADS = 64 };
    struct act act = {ACT_CLOSE, says_so("anthropic", "{\"n\":3}", false)};
    struct server s = {0};
    struct many m = {.models = models_new()};
    pthread_t threads[THREADS];
    server_start(&s, &act, 1);
    (void)snprintf(m.base, sizeof m.base, "http://127.0.0.1:%d", s.port);
    CHECK(!asker_new(&m.asker, NULL));
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, one_of_many, &m));
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(threads[i], NULL);
    CHECK_MSG(m.good == THREADS, "%d", m.good);
    asker_free(m.asker);
    server_stop(&s);
    models_free(m.models);
}
