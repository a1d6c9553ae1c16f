/* SPDX-License-Identifier: Apache-2.0 */
/* Wires, by the cases in tests/cases/wire; hosts and headers by tables. No connection is made. */
#include "test.h"

#include <errno.h>
#include <glob.h>

#include "base/json_text.h"
#include "base/limits.h"
#include "comma.h"
#include "provider/sse.h"
#include "wire_case.h"

#define CASES "tests/cases/wire/"

static void same(const char *path, const char *what, const struct buf *got, const char *want)
{
    const char *is = got->data ? got->data : "";
    if (want)
        CHECK_MSG(!strcmp(is, want), "%s: %s is\n%s\nand should be\n%s", path, what, is, want);
}

static void check_request(const char *path, const struct wire_case *c)
{
    auto_buf url = BUF_INIT(4096), headers = BUF_INIT(4096), body = BUF_INIT(1 << 20);
    char code[16];
    int r = wire_body(&c->request, &body);
    (void)snprintf(code, sizeof code, "%s", r == -ENOTSUP ? "ENOTSUP" : r == -EINVAL ? "EINVAL" : r ? "?" : "0");
    CHECK_MSG(!strcmp(code, c->fails ? c->fails : "0"), "%s: building gives %s (%d)", path, code, r);
    if (c->fails)
        return;
    CHECK(!c->request.host->wire->path(&c->request, &url) && !wire_headers(&c->request, CASE_KEY, &headers));
    if (headers.len)
        headers.data[headers.len - 1] = '\0';
    same(path, "path", &url, c->path);
    same(path, "headers", &headers, c->headers);
    same(path, "body", &body, c->body);
    json_t *parsed = json_loads(body.data, JSON_REJECT_DUPLICATES, NULL);
    CHECK_MSG(parsed != NULL, "%s: the body is no JSON: %s", path, body.data);
    json_decref(parsed);
}

static void add_error(struct buf *b, const struct wire_error *e)
{
    (void)buf_add_format(b, "error: %d %s %s %s %lld\nmessage: ", e->status, *e->kind ? e->kind : "-",
                         *e->code ? e->code : "-", e->retry ? "retry" : "final", (long long)e->retry_after_ms);
    (void)buf_add_json_str(b, e->message ? e->message : "");
}

static void outcome(struct buf *b, const struct wire_reply *r, int code)
{
    static const char *const stops[WIRE_STOPS] = {"none", "end", "length", "refusal", "blocked", "error", "other"};
    const struct wire_usage *u = &r->usage;
    (void)buf_add_str(b, "text: ");
    (void)buf_add_json_str(b, r->text.data ? r->text.data : "");
    (void)buf_add_format(b, "\nstop: %s\n", code == -EBADMSG ? "garbage" : stops[r->stop]);
    if (r->why) {
        (void)buf_add_str(b, "why: ");
        (void)buf_add_json_str(b, r->why);
        (void)buf_add_str(b, "\n");
    }
    if (r->model)
        (void)buf_add_format(b, "model: %s\n", r->model);
    if (u->told)
        (void)buf_add_format(b, "usage: in %lld read %lld write %lld out %lld thought %lld cost %lld%s\n",
                             (long long)u->input, (long long)u->cache_read, (long long)u->cache_write,
                             (long long)u->output, (long long)u->reasoning, (long long)u->cost_nano, u->whole ? "" : " so far");
    if (r->stop == WIRE_STOP_ERROR)
        add_error(b, &r->error);
    else if (b->len && b->data[b->len - 1] == '\n')
        b->data[--b->len] = '\0';
}

struct taking {
    const struct wire *wire;
    struct wire_reply *reply;
};

static int on_event(void *ctx, const char *name, const char *data, size_t len)
{
    struct taking *t = ctx;
    return t->wire->event(t->reply, name, data, len);
}

/* Feeds the reply in pieces of step bytes, as the connection might. */
static int stream(const struct wire_case *c, struct wire_reply *r, size_t step)
{
    struct taking t = {c->request.host->wire, r};
    struct sse s;
    int code = 0;
    sse_init(&s);
    for (size_t i = 0, len = strlen(c->reply); i < len && !code; i += step)
        code = sse_feed(&s, c->reply + i, MIN(step, len - i), on_event, &t);
    if (!code)
        code = sse_end(&s, on_event, &t);
    sse_done(&s);
    return code;
}

static void check_answer(const char *path, const struct wire_case *c)
{
    static const size_t steps[] = {SIZE_MAX / 2, 1, 7};
    for (size_t i = 0; i < (c->request.stream ? COUNT(steps) : 1); i++) {
        auto_reply r;
        auto_buf got = BUF_INIT(1 << 20);
        wire_reply_init(&r, CASE_KEY);
        int code = c->request.stream ? stream(c, &r, steps[i])
                                     : c->request.host->wire->whole(&r, c->reply, strlen(c->reply));
        outcome(&got, &r, code);
        same(path, "outcome", &got, c->outcome);
        CHECK_MSG(!got.data || !strstr(got.data, CASE_KEY), "%s: the key is in the outcome", path);
    }
}

static void check_error(const char *path, const struct wire_case *c)
{
    struct wire_error e = {.secret = CASE_KEY};
    auto_buf got = BUF_INIT(1 << 20);
    wire_error_read(c->request.host->wire,
                    &(struct wire_answer){c->status, c->reply_headers, c->reply, strlen(c->reply)}, &e);
    add_error(&got, &e);
    same(path, "outcome", &got, c->outcome);
    CHECK_MSG(!strstr(got.data, CASE_KEY), "%s: the key is in the error", path);
    wire_error_done(&e);
}

static void run_cases(const char *wire)
{
    char pattern[256];
    glob_t found;
    (void)snprintf(pattern, sizeof pattern, CASES "%s/*.case", wire);
    CHECK_MSG(!glob(pattern, 0, NULL, &found), "no %s", pattern);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct wire_case c;
        bool read = case_read(&c, found.gl_pathv[i]);
        CHECK_MSG(read, "%s cannot be read", found.gl_pathv[i]);
        if (read && c.request.count)
            check_request(found.gl_pathv[i], &c);
        if (read && c.reply)
            (c.status == 200 ? check_answer : check_error)(found.gl_pathv[i], &c);
        case_done(&c);
    }
    globfree(&found);
}

TEST(anthropic_says_and_understands_what_its_cases_show)
{
    run_cases("anthropic");
}

TEST(openai_chat_says_and_understands_what_its_cases_show)
{
    run_cases("openai-chat");
}

TEST(openai_responses_says_and_understands_what_its_cases_show)
{
    run_cases("openai-responses");
}

TEST(gemini_says_and_understands_what_its_cases_show)
{
    run_cases("gemini");
}

TEST(an_answer_cut_at_any_byte_is_never_taken_for_a_whole_one)
{
    static const char *const wires[] = {"anthropic", "openai-chat", "openai-responses", "gemini"};
    for (size_t w = 0; w < COUNT(wires); w++) {
        char path[256];
        struct wire_case c;
        (void)snprintf(path, sizeof path, CASES "%s/streamed.case", wires[w]);
        CHECK(case_read(&c, path));
        char *bytes = strdup(c.reply);
        for (size_t cut = 0, len = strlen(bytes); cut < len; cut++) {
            auto_reply r;
            wire_reply_init(&r, NULL);
            char kept = bytes[cut];
            bytes[cut] = '\0';
            c.reply = bytes;
            int code = stream(&c, &r, 5);
            /* All of the text is there once it has said why it stopped. */
            CHECK_MSG(code < 0 || r.stop == WIRE_STOP_NONE || !strcmp(r.text.data, "Hello world"), "%s cut at %zu", path, cut);
            bytes[cut] = kept;
        }
        free(bytes);
        case_done(&c);
    }
}

TEST(headers_take_no_key_that_would_break_out_of_its_line)
{
    static const char *const keys[] = {"", "a b", "a\nb: c", "a\r", "\x80", "\x7f"};
    struct wire_request q = {.host = case_host("anthropic", NULL), .model = "m"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        auto_buf b = BUF_INIT(4096);
        CHECK_MSG(wire_headers(&q, keys[i], &b) == -EINVAL, "key %zu", i);
    }
    auto_buf b = BUF_INIT(4096);
    q.host = case_host("ollama", NULL);
    CHECK(!wire_headers(&q, NULL, &b) && !strstr(b.data, "authorization"));
}

TEST(a_picture_is_written_into_a_body_that_had_its_room_from_the_start)
{
    enum { BYTES = 3 << 20 };
    auto_free char *data = calloc(1, BYTES);
    struct wire_part p = {.kind = WIRE_IMAGE, .media_type = "image/png", .data = data, .len = BYTES};
    struct wire_turn t = {WIRE_USER, &p, 1};
    for (size_t i = 0; provider_wires[i]; i++) {
        struct wire_request q = {.host = case_host("anthropic", provider_wires[i]), .model = "m", .turns = &t, .count = 1};
        auto_buf b = BUF_INIT(64 * MIB), small = BUF_INIT(MIB);
        CHECK(!wire_body(&q, &b));
        CHECK_MSG(b.room < 4 * MIB + 16 * KIB, "%s took %zu", provider_wires[i], b.room);
        CHECK(wire_body(&q, &small) == -EFBIG);
    }
}

TEST(every_host_that_ships_can_be_spoken_to_and_google_is_gemini)
{
    for (size_t i = 0; i < provider_table_count; i++) {
        const struct provider *p = &provider_table[i];
        const struct host *h = case_host(p->name, NULL);
        CHECK_MSG(!p->wire == !h, "%s", p->name);
        CHECK_MSG(!h || (!host_url_fault(h->base_url) && !strcmp(h->wire->name, p->wire)), "%s", p->name);
    }
    for (size_t i = 0; provider_wires[i]; i++)
        CHECK_MSG(wire_find(provider_wires[i]), "%s", provider_wires[i]);
    CHECK_STR(case_host("gemini", NULL)->name, "google");
    CHECK(!case_host("nobody", NULL) && !case_host("local", NULL));
}

TEST(a_host_behaves_by_its_name_and_wire_wherever_it_lives)
{
    static const struct {
        const char *name, *wire, *auth;
        bool keyless;
        enum host_auth want;
        bool structured, pdf, video, new_max;
    } rows[] = {
        {"home", "openai-chat", NULL, false, HOST_BEARER, true, true, true, false},
        {"home", "openai-chat", NULL, true, HOST_NO_AUTH, true, true, true, false},
        {"home", "openai-chat", "x-api-key", false, HOST_X_API_KEY, true, true, true, false},
        {"proxy", "anthropic", NULL, false, HOST_X_API_KEY, true, true, false, false},
        {"proxy", "anthropic", "bearer", false, HOST_BEARER, true, true, false, false},
        {"proxy", "openai-responses", NULL, false, HOST_BEARER, true, true, false, false},
        {"proxy", "gemini", NULL, false, HOST_X_GOOG_API_KEY, true, true, true, false},
        {"openai", "openai-chat", NULL, false, HOST_BEARER, true, true, false, true},
        {"google", "openai-chat", NULL, false, HOST_BEARER, true, false, false, false},
        {"anthropic", "openai-chat", NULL, false, HOST_BEARER, false, false, false, false},
        {"openrouter", "openai-chat", NULL, false, HOST_BEARER, true, true, true, false},
        {"openrouter", "anthropic", NULL, false, HOST_X_API_KEY, true, true, false, false},
        {"ollama", "anthropic", NULL, true, HOST_NO_AUTH, false, false, false, false},
        {"llama.cpp", "openai-responses", NULL, true, HOST_NO_AUTH, false, false, false, false},
        {"vllm", "openai-chat", NULL, true, HOST_NO_AUTH, true, false, true, false},
    };
    struct host h;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct host_place at = {rows[i].name, "https://example.com", rows[i].wire, rows[i].auth, rows[i].keyless};
        CHECK(!host_make(&at, &h));
        CHECK_MSG(h.auth == rows[i].want && h.structured == rows[i].structured && h.pdf == rows[i].pdf &&
                      h.video == rows[i].video && h.new_max_tokens == rows[i].new_max,
                  "%s on %s", rows[i].name, rows[i].wire);
        CHECK_STR(h.base_url, "https://example.com");
    }
    CHECK(host_make(&(struct host_place){"home", "https://example.com", "telnet", NULL, false}, &h) == -EINVAL);
    CHECK(host_make(&(struct host_place){"home", "https://example.com", NULL, NULL, false}, &h) == -EINVAL);
    CHECK(host_make(&(struct host_place){"home", "https://example.com", "gemini", "basic", false}, &h) == -EINVAL);
}

TEST(keys_go_only_to_https_or_this_machine)
{
    static const struct {
        const char *url;
        bool fine;
    } rows[] = {
        {"https://api.example.com", true}, {"https://api.example.com:8443/v1", true}, {"HTTPS://EXAMPLE.com/v1", true},
        {"https://[2001:db8::1]/v1", true}, {"http://127.0.0.1:8080/v1", true}, {"http://127.9.9.9", true},
        {"http://localhost:11434/v1", true}, {"http://LOCALHOST", true}, {"http://[::1]:80/v1", true},
        {"http://example.com", false}, {"http://192.168.1.2:11434", false}, {"http://127.0.0.1.example.com", false},
        {"http://127.1", false}, {"http://127.0.0.256", false}, {"http://0x7f.0.0.1", false}, {"http://127.0.0.0001", false},
        {"http://localhost.example.com", false}, {"http://localhost@example.com", false},
        {"https://user:word@example.com", false}, {"https://", false}, {"https:///v1", false}, {"https://a b", false},
        {"https://example.com/v1?x=1", false}, {"https://example.com/#x", false}, {"https://example.com:x/", false},
        {"https://example.com\\@evil", false}, {"ftp://example.com", false}, {"file:///etc/passwd", false}, {"", false},
        {"http://[::1]evil.com/", false}, {"http://[::1", false}, {"http://127.0.0.1:80@evil.com/", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        CHECK_MSG(!host_url_fault(rows[i].url) == rows[i].fine, "%s", rows[i].url);
}

static void check_waits(void)
{
    static const struct {
        const char *headers;
        int64_t ms;
    } rows[] = {
        {"", -1}, {"retry-after: 3", 3000}, {"Retry-After: 0.25\r\n", 250}, {"retry-after-ms: 1500\nretry-after: 9", 1500},
        {"retry-after: soon", -1}, {"retry-after: -4", -1}, {"retry-after: 99999999999999999999", (int64_t)1e12},
        {"date: Mon, 16 Nov 2026 01:00:00 GMT\nretry-after: Mon, 16 Nov 2026 01:00:20 GMT", 20000},
        {"date: Mon, 16 Nov 2026 01:00:00 GMT\nretry-after: Mon, 16 Nov 2026 00:00:20 GMT", 0},
        {"retry-after: Mon, 16 Nov 2026 01:00:20 GMT", -1}, {"retry-after:", -1}, {"xretry-after: 3", -1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wire_error e = {0};
        wire_error_read(&wire_anthropic, &(struct wire_answer){503, rows[i].headers, "", 0}, &e);
        CHECK_MSG(e.retry_after_ms == rows[i].ms && e.retry, "%s gives %lld", rows[i].headers, (long long)e.retry_after_ms);
        wire_error_done(&e);
    }
}

static void check_delays(void)
{
    static const char body[] = "{\"error\":{\"code\":429,\"message\":\"m\",\"status\":\"RESOURCE_EXHAUSTED\",\"details\":[{\"@type\":"
                               "\"type.googleapis.com/google.rpc.RetryInfo\",\"retryDelay\":\"0.5s\"}]}}";
    struct wire_error e = {0};
    wire_error_read(&wire_gemini, &(struct wire_answer){429, "", body, sizeof body - 1}, &e);
    CHECK_MSG(e.retry_after_ms == 500, "%lld", (long long)e.retry_after_ms);
    wire_error_done(&e);
}

TEST(waits_are_read_from_every_form_a_server_gives_them_in)
{
    check_waits();
    check_delays();
}

TEST(waits_are_read_the_same_where_the_locale_writes_a_comma)
{
    if (!comma_on())
        SKIP("no locale with a comma can be made here (localedef)");
    check_waits();
    check_delays();
    comma_off();
}

TEST(counts_are_told_only_when_they_are_counts)
{
    static const struct {
        const char *usage;
        bool told;
    } rows[] = {
        {"{\"prompt_tokens\":7,\"completion_tokens\":3}", true},
        {"{\"prompt_tokens\":7.0,\"completion_tokens\":3e0}", true},
        {"{\"prompt_tokens\":1000000000000,\"completion_tokens\":0}", true},
        {"{\"prompt_tokens\":7,\"completion_tokens\":3,\"prompt_tokens_details\":null,\"completion_tokens_details\":{}}", true},
        {"{}", false},
        {"{\"total_tokens\":10}", false},
        {"{\"prompt_tokens\":7}", false},
        {"{\"completion_tokens\":7}", false},
        {"{\"prompt_tokens\":\"7\",\"completion_tokens\":3}", false},
        {"{\"prompt_tokens\":7.5,\"completion_tokens\":3}", false},
        {"{\"prompt_tokens\":-7,\"completion_tokens\":3}", false},
        {"{\"prompt_tokens\":null,\"completion_tokens\":3}", false},
        {"{\"prompt_tokens\":1000000000001,\"completion_tokens\":3}", false},
        {"{\"prompt_tokens\":7,\"completion_tokens\":1e300}", false},
        {"{\"prompt_tokens\":7,\"completion_tokens\":3,\"prompt_tokens_details\":{\"cached_tokens\":1e13}}", false},
    };
    static const struct {
        const struct wire *wire;
        const char *before, *after, *in, *out;
    } wires[] = {
        {&wire_openai_chat, "{\"choices\":[{\"message\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}],\"usage\":", "}",
         "prompt_tokens", "completion_tokens"},
        {&wire_openai_responses, "{\"status\":\"completed\",\"output\":[],\"usage\":", "}", "input_tokens", "output_tokens"},
        {&wire_anthropic, "{\"content\":[],\"stop_reason\":\"end_turn\",\"usage\":", "}", "input_tokens", "output_tokens"},
        {&wire_gemini, "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"x\"}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":", "}",
         "promptTokenCount", "candidatesTokenCount"},
    };
    for (size_t w = 0; w < COUNT(wires); w++) {
        for (size_t i = 0; i < COUNT(rows) - (w > 0); i++) { /* the last is of that wire alone */
            auto_buf usage = BUF_INIT(4096), body = BUF_INIT(4096);
            for (const char *at = rows[i].usage; *at;) {
                bool in = !strncmp(at, "\"prompt_tokens\"", 15), out = !strncmp(at, "\"completion_tokens\"", 19);
                if (in || out)
                    (void)buf_add_format(&usage, "\"%s\"", in ? wires[w].in : wires[w].out);
                else
                    (void)buf_add(&usage, at, 1);
                at += in ? 15 : out ? 19 : 1;
            }
            (void)buf_add_format(&body, "%s%s%s", wires[w].before, usage.data, wires[w].after);
            auto_reply r;
            wire_reply_init(&r, NULL);
            CHECK(wires[w].wire->whole(&r, body.data, body.len) == 1);
            CHECK_MSG(r.usage.whole == rows[i].told, "%s: %s", wires[w].wire->name, body.data);
            CHECK_MSG(r.usage.told || (!r.usage.input && !r.usage.output), "%s: %s", wires[w].wire->name, body.data);
        }
    }
}

TEST(a_reply_of_countless_values_is_refused_before_it_is_built)
{
    auto_buf b = BUF_INIT(LIMIT_SSE_EVENT);
    (void)buf_add_str(&b, "{\"type\":\"message_start\",\"message\":{\"model\":\"m\"},\"x\":[{}");
    for (size_t i = 0; i < LIMIT_REPLY_VALUES / 2; i++)
        (void)buf_add_str(&b, ",{}");
    (void)buf_add_str(&b, "]}");
    auto_reply r;
    wire_reply_init(&r, NULL);
    CHECK(wire_anthropic.event(&r, "", b.data, b.len) == -EBADMSG && !r.model);
}

static void on_shown(void *ctx, const char *piece, size_t len)
{
    (void)buf_add(ctx, piece, len);
}

TEST(a_key_is_masked_in_a_text_whatever_pieces_it_comes_in)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"", NULL}, {"plain", "plain"}, {"the key-key-12345 is", "the [redacted] is"}, {"key-key-key-12345", "key-[redacted]"},
        {"key-key-12345key-key-12345", "[redacted][redacted]"}, {"ends in key-key-1234", "ends in key-key-1234"}, {"k", "k"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t len = strlen(rows[i].text);
        for (size_t step = 1; step <= len + 1; step++) {
            auto_buf text = BUF_INIT(4096), shown = BUF_INIT(4096);
            size_t at = 0;
            for (size_t n = 0; n < len; n += step) {
                (void)buf_add(&text, rows[i].text + n, MIN(step, len - n));
                at = wire_show(&text, at, "key-key-12345", false, on_shown, &shown);
                CHECK(!shown.data || !strstr(shown.data, "key-key-12345"));
            }
            at = wire_show(&text, at, "key-key-12345", true, on_shown, &shown);
            CHECK(at == len && !wire_mask_text(&text, "key-key-12345"));
            same("shown", rows[i].text, &shown, rows[i].want);
            same("whole", rows[i].text, &text, rows[i].want);
        }
    }
    auto_buf large = BUF_INIT(LIMIT_ANSWER_BYTES);
    for (int i = 0; i < 20000; i++)
        (void)buf_add_str(&large, "key-key-12345 ");
    CHECK(!wire_mask_text(&large, "key-key-12345") && large.len == 20000 * 11 && !strstr(large.data, "key-key"));
}

TEST(a_word_in_place_of_a_key_is_no_secret_in_an_answer)
{
    static const struct {
        const char *url, *key;
        bool text, words;
    } rows[] = {
        {"https://example.com", "sk-0123456789", true, true}, {"https://example.com", "12345678", true, true},
        {"https://example.com", "ollama", false, true},       {"https://example.com", "none", false, true},
        {"https://example.com", "x", false, false},           {"http://127.0.0.1:1234", "lm-studio", false, true},
        {"HTTP://localhost", "sk-0123456789", false, true},   {"https://localhost", "sk-0123456789", true, true},
        {"http://[::1]/v1", "0123456789abcde", false, true},  {"http://[::1]/v1", "0123456789abcdef", true, true},
        {"https://example.com", "", false, false},            {"https://example.com", NULL, false, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct host h = {.base_url = rows[i].url};
        auto_buf words = BUF_INIT(4096);
        (void)buf_add_format(&words, "it is %s", rows[i].key ? rows[i].key : "");
        auto_free char *masked = wire_masked(rows[i].key, words.data);
        CHECK_MSG(!wire_text_secret(&h, rows[i].key) == !rows[i].text, "row %zu", i);
        CHECK_MSG(!strcmp(masked, "it is [redacted]") == rows[i].words, "row %zu: %s", i, masked);
    }
}
