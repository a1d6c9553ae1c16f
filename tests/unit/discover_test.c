/* SPDX-License-Identifier: Apache-2.0 */
/* What hosts say of their models: canned answers of each kind of server, hostile ones, and a real server on the loopback. */
#include "test.h"

#include <errno.h>

#include "base/buf.h"
#include "base/clock.h"
#include "loopback.h"
#include "provider/discover.h"

#define KEY "canary-0123456789-key"

static void list_p(struct discover_list *l)
{
    discover_list_done(l);
}
#define auto_list cleanup(list_p) struct discover_list

/* ---------------------------------------------------------------- pure */

/* One row of each: what a list with this item says. */
static const struct {
    const char *item;
    bool told, vision, pdf, video;
    int64_t context;
} items[] = {
    {"{\"id\":\"m\",\"object\":\"model\",\"owned_by\":\"library\"}", 0, 0, 0, 0, 0},
    /* OpenRouter and those that copy it */
    {"{\"id\":\"m\",\"context_length\":262144,\"architecture\":{\"input_modalities\":[\"text\",\"image\",\"file\",\"video\"]}}", 1, 1, 1,
     1, 262144},
    {"{\"id\":\"m\",\"architecture\":{\"input_modalities\":[\"text\"]}}", 1, 0, 0, 0, 0},
    {"{\"id\":\"m\",\"input_modalities\":[\"image\"]}", 1, 1, 0, 0, 0},
    /* vLLM says how long, and no more */
    {"{\"id\":\"m\",\"owned_by\":\"vllm\",\"max_model_len\":32768}", 0, 0, 0, 0, 32768},
    /* llama.cpp */
    {"{\"id\":\"m\",\"meta\":{\"n_ctx_train\":131072,\"n_ctx\":4096}}", 0, 0, 0, 0, 4096},
    {"{\"id\":\"m\",\"modalities\":{\"vision\":true,\"audio\":false}}", 1, 1, 0, 0, 0},
    /* LM Studio */
    {"{\"id\":\"m\",\"type\":\"vlm\",\"max_context_length\":128000,\"loaded_context_length\":8192}", 1, 1, 0, 0, 8192},
    {"{\"id\":\"m\",\"type\":\"llm\",\"capabilities\":[\"tool_use\"]}", 1, 0, 0, 0, 0},
    {"{\"id\":\"m\",\"capabilities\":[\"completion\",\"vision\"]}", 1, 1, 0, 0, 0},
    {"{\"id\":\"m\",\"capabilities\":[\"completion\"]}", 0, 0, 0, 0, 0},
    /* Mistral */
    {"{\"id\":\"m\",\"capabilities\":{\"completion_chat\":true,\"vision\":false}}", 1, 0, 0, 0, 0},
    /* wrong types say nothing, and "false" is no boolean */
    {"{\"id\":\"m\",\"architecture\":[\"image\"],\"type\":7,\"context_length\":\"8192\",\"max_model_len\":-5}", 0, 0, 0, 0, 0},
    {"{\"id\":\"m\",\"capabilities\":{\"vision\":\"false\"},\"modalities\":{\"vision\":1}}", 0, 0, 0, 0, 0},
    {"{\"id\":\"m\",\"architecture\":{\"input_modalities\":[null,7,{},[\"image\"]]}}", 1, 0, 0, 0, 0},
    {"{\"id\":\"m\",\"context_length\":9223372036854775807,\"max_model_len\":5}", 0, 0, 0, 0, 5},
    {"{\"id\":\"m\",\"context_length\":1e9,\"meta\":[]}", 0, 0, 0, 0, 0},
};

TEST(every_kind_of_list_is_read)
{
    for (size_t i = 0; i < COUNT(items); i++) {
        char body[1024];
        auto_list l = {0};
        int len = snprintf(body, sizeof body, "{\"object\":\"list\",\"data\":[%s]}", items[i].item);
        CHECK_MSG(discover_read_list(body, (size_t)len, &l) == 0 && l.n == 1, "%s", items[i].item);
        if (l.n != 1)
            continue;
        const struct discovered *r = &l.rows[0];
        CHECK_STR(r->id, "m");
        CHECK_MSG(r->told == items[i].told && r->vision == items[i].vision && r->pdf == items[i].pdf &&
                      r->video == items[i].video && r->context == items[i].context,
                  "%s: %d %d %d %d %lld", items[i].item, r->told, r->vision, r->pdf, r->video, (long long)r->context);
    }
}

TEST(what_is_no_list_is_refused)
{
    static const char *const bodies[] = {
        "", "null", "[]", "{}", "{\"data\":{}}", "{\"data\":null}", "{\"data\":\"m\"}", "<html>404</html>",
        "{\"data\":[{\"id\":\"m\"}]", "{\"data\":[]}x", "{\"data\":[\"\xff\"]}",
    };
    for (size_t i = 0; i < COUNT(bodies); i++) {
        auto_list l = {0};
        struct discovered row = {0};
        CHECK_MSG(discover_read_list(bodies[i], strlen(bodies[i]), &l) == -EBADMSG, "%s", bodies[i]);
        CHECK_MSG(discover_read_show(bodies[i], strlen(bodies[i]), &row) == -EBADMSG, "%s", bodies[i]);
        CHECK_MSG(discover_read_props(bodies[i], strlen(bodies[i]), &row) == -EBADMSG, "%s", bodies[i]);
        CHECK(!row.told);
    }
}

TEST(ids_that_cannot_be_used_are_left_out)
{
    auto_buf b = BUF_INIT(1 << 20);
    auto_list l = {0};
    (void)buf_add_str(&b, "{\"data\":[7,null,[],{},{\"id\":7},{\"id\":\"\"},{\"id\":\"a b\"},{\"id\":\"a\\u0000b\"},{\"id\":\"a\\u001b[2J\"},"
                          "{\"id\":\"\xc3\xa9\"},{\"id\":\"");
    for (int i = 0; i < LIMIT_MODEL_ID; i++)
        (void)buf_add_str(&b, "x");
    (void)buf_add_str(&b, "\"},{\"id\":\"org/good:7b\"},{\"id\":\"org/good:7b\",\"type\":\"vlm\"}]}");
    CHECK(discover_read_list(b.data, b.len, &l) == 0);
    CHECK(l.n == 1 && !l.rows[0].vision); /* the first of two counts */
    CHECK_STR(l.n ? l.rows[0].id : "", "org/good:7b");
}

TEST(a_long_list_ends_at_its_ceiling_and_a_deep_one_is_none)
{
    auto_buf b = BUF_INIT(1 << 20), deep = BUF_INIT(1 << 20);
    auto_list l = {0}, none = {0};
    (void)buf_add_str(&b, "{\"data\":[");
    for (int i = 0; i < 2 * LIMIT_DISCOVER_MODELS; i++)
        (void)buf_add_format(&b, "%s{\"id\":\"m%d\"}", i ? "," : "", i);
    (void)buf_add_str(&b, "]}");
    CHECK(discover_read_list(b.data, b.len, &l) == 0 && l.n == LIMIT_DISCOVER_MODELS);
    (void)buf_add_str(&deep, "{\"data\":");
    for (int i = 0; i < 100000; i++)
        (void)buf_add_str(&deep, "[");
    CHECK(discover_read_list(deep.data, deep.len, &none) == -EBADMSG);
}

TEST(ollamas_word_on_a_model)
{
    static const char sees[] = "{\"capabilities\":[\"completion\",\"vision\"],\"details\":{},\"model_info\":{"
                               "\"general.architecture\":\"gemma3\",\"gemma3.context_length\":131072}}";
    static const char blind[] = "{\"capabilities\":[\"completion\"],\"model_info\":[]}";
    struct discovered a = {.id = "a"}, b = {.id = "b", .context = 5};
    CHECK(!discover_read_show(sees, strlen(sees), &a) && a.told && a.vision && a.context == 131072);
    CHECK(!discover_read_show(blind, strlen(blind), &b) && b.told && !b.vision && b.context == 5);
}

TEST(llama_cpps_word_on_itself)
{
    static const char sees[] = "{\"modalities\":{\"vision\":true,\"audio\":false},\"default_generation_settings\":{\"n_ctx\":65536}}";
    static const char old[] = "{\"default_generation_settings\":{\"n_ctx\":65536}}";
    struct discovered a = {.id = "a"}, b = {.id = "b"};
    CHECK(!discover_read_props(sees, strlen(sees), &a) && a.told && a.vision && a.context == 65536);
    CHECK(discover_read_props(old, strlen(old), &b) == -EBADMSG && !b.told);
}

/* ---------------------------------------------------------------- over a connection */

struct asked {
    int code;
    struct fovea_fault fault;
    struct discover_list list;
    int requests, misses;
    int64_t ms;
    char seen[8192];
};

static void ask(const char *name, const struct page *pages, struct discover_request q, struct asked *got)
{
    struct loopback s;
    struct host host;
    struct http *http = NULL;
    loopback_start(&s, pages);
    struct host_place place = {.name = name, .base_url = s.base, .wire = "openai-chat", .keyless = !q.key};
    *got = (struct asked){0};
    CHECK(!host_make(&place, &host) && !http_new(&http, NULL));
    q.host = &host;
    q.total_ms = q.total_ms ? q.total_ms : 2000;
    int64_t from = clock_ms();
    got->code = discover(http, &q, &got->list, &got->fault);
    got->ms = clock_ms() - from;
    http_free(http);
    loopback_stop(&s);
    got->requests = s.requests;
    got->misses = s.misses;
    memcpy(got->seen, s.seen, sizeof got->seen);
    CHECK_MSG(!strstr(got->fault.text, KEY), "%s", got->fault.text);
}

#define LIST(...) "{\"data\":[" __VA_ARGS__ "]}"
#define MODEL(id) "{\"id\":\"" id "\"}"

TEST(ollama_is_asked_about_the_model_that_matters)
{
    static const struct page pages[] = {
        {"GET /v1/models", "200", LIST(MODEL("llava:latest") "," MODEL("qwen3:8b")), NULL},
        {"POST /api/show", "200", "{\"capabilities\":[\"completion\",\"vision\"]}", "{\"model\":\"llava:7b\"}"},
        {0},
    };
    struct asked got;
    ask("ollama", pages, (struct discover_request){.id = "llava:7b"}, &got);
    CHECK_MSG(!got.code && got.list.n == 3 && got.requests == 2, "%d %s, %d requests", got.code, got.fault.text, got.requests);
    CHECK(got.list.n == 3 && !strcmp(got.list.rows[2].id, "llava:7b") && got.list.rows[2].vision);
    CHECK(!strcasestr(got.seen, "authorization"));
    discover_list_done(&got.list);
    ask("ollama", pages, (struct discover_request){.id = "gone"}, &got);
    CHECK_MSG(!got.code && got.list.n == 2, "a model that nobody has is in no list");
    discover_list_done(&got.list);
}

TEST(ollama_is_asked_about_each_where_none_is_named)
{
    static const struct page pages[] = {
        {"GET /v1/models", "200", LIST(MODEL("a") "," MODEL("b")), NULL},
        {"POST /api/show", "200", "{\"capabilities\":[\"completion\"]}", "{\"model\":\"a\"}"},
        {"POST /api/show", "200", "{\"capabilities\":[\"vision\"]}", "{\"model\":\"b\"}"},
        {0},
    };
    struct asked got;
    ask("ollama", pages, (struct discover_request){0}, &got);
    CHECK(!got.code && got.list.n == 2 && !got.list.rows[0].vision && got.list.rows[1].vision && got.requests == 3);
    discover_list_done(&got.list);
}

TEST(llama_cpp_tells_of_itself_whatever_its_model_is_called)
{
    static const struct page pages[] = {
        {"GET /v1/models", "200", LIST(MODEL("/models/gemma.gguf")), NULL},
        {"GET /props", "200", "{\"modalities\":{\"vision\":true},\"default_generation_settings\":{\"n_ctx\":4096}}", NULL},
        {0},
    };
    struct asked got;
    ask("llama.cpp", pages, (struct discover_request){.id = "gemma"}, &got);
    CHECK(!got.code && got.list.n == 2 && got.list.rows[1].vision && got.list.rows[1].context == 4096);
    discover_list_done(&got.list);
}

TEST(lm_studio_tells_by_its_own_list)
{
    static const struct page pages[] = {
        {"GET /v1/models", "200", LIST(MODEL("a") "," MODEL("b")), NULL},
        {"GET /api/v0/models", "200", LIST("{\"id\":\"b\",\"type\":\"vlm\"},{\"id\":\"a\",\"type\":\"llm\"}"), NULL},
        {0},
    };
    struct asked got;
    ask("lm-studio", pages, (struct discover_request){0}, &got);
    CHECK(!got.code && got.list.n == 2 && !got.list.rows[0].vision && got.list.rows[1].vision && got.requests == 2);
    discover_list_done(&got.list);
}

TEST(a_host_with_a_name_of_the_users_is_tried_with_each_question)
{
    static const struct page ollama[] = {
        {"GET /v1/models", "200", LIST(MODEL("a")), NULL},
        {"POST /api/show", "200", "{\"capabilities\":[\"vision\"]}", NULL},
        {0},
    };
    static const struct page told[] = {{"GET /v1/models", "200", LIST("{\"id\":\"a\",\"input_modalities\":[]}"), NULL}, {0}};
    struct asked got;
    ask("home", ollama, (struct discover_request){.id = "a", .near = true}, &got);
    CHECK(!got.code && got.list.n == 1 && got.list.rows[0].vision && got.misses == 2);
    discover_list_done(&got.list);
    ask("home", told, (struct discover_request){.id = "a", .near = true}, &got);
    CHECK(!got.code && got.list.n == 1 && got.requests == 1); /* its list says all */
    discover_list_done(&got.list);
}

TEST(a_host_elsewhere_is_asked_for_its_list_and_no_more)
{
    static const struct page pages[] = {
        {"GET /v1/models", "200", LIST(MODEL("a")), NULL},
        {"POST /api/show", "200", "{\"capabilities\":[\"vision\"]}", NULL},
        {0},
    };
    struct asked got;
    ask("home", pages, (struct discover_request){.id = "a", .key = KEY}, &got);
    CHECK(!got.code && got.list.n == 1 && !got.list.rows[0].told && got.requests == 1);
    discover_list_done(&got.list);
    ask("home", pages, (struct discover_request){.id = "gone", .key = KEY}, &got);
    CHECK(!got.code && got.list.n == 1 && got.requests == 1);
    discover_list_done(&got.list);
    ask("ollama", pages, (struct discover_request){.id = "a", .key = KEY}, &got); /* its name says what it understands */
    CHECK(!got.code && got.list.n == 1 && got.list.rows[0].vision && got.requests == 2);
    discover_list_done(&got.list);
}

TEST(a_host_that_cannot_answer_now_says_nothing_of_the_model_that_is_wanted)
{
    static const struct page pages[] = {{"GET /v1/models", "503", "{}", NULL}, {"GET /props", "503", "{}", NULL}, {0}};
    struct asked got;
    ask("llama.cpp", pages, (struct discover_request){.id = "a"}, &got);
    CHECK_MSG(got.code == -EAGAIN && strstr(got.fault.text, "503") && got.requests == 1, "%d %s", got.code, got.fault.text);
}

TEST(a_key_goes_with_every_question_and_vllm_gets_one)
{
    static const struct page pages[] = {{"GET /v1/models", "200", LIST("{\"id\":\"a\",\"max_model_len\":99}"), NULL}, {0}};
    struct asked got;
    ask("vllm", pages, (struct discover_request){.key = KEY}, &got);
    CHECK(!got.code && got.list.n == 1 && !got.list.rows[0].told && got.list.rows[0].context == 99);
    CHECK(got.requests == 1 && strstr(got.seen, "authorization: Bearer " KEY) && !strstr(got.seen, "ontent-length"));
    discover_list_done(&got.list);
}

TEST(bad_answers_end_typed)
{
    static const struct {
        const char *status, *body;
        int code;
    } rows[] = {
        {"401", "{\"error\":\"" KEY "\"}", -EACCES}, {"403", "", -EACCES},        {"404", "{}", -ENOENT},
        {"405", "", -ENOENT},                        {"501", "", -ENOENT},        {"500", "{}", -EAGAIN},
        {"503", "{}", -EAGAIN},                      {"429", "{}", -EAGAIN},      {"302", "", -EAGAIN},
        {"200", "<html>", -EBADMSG},                 {"200", "", -EBADMSG},       {"hang", "", -ETIMEDOUT},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct page pages[] = {{"GET /v1/models", rows[i].status, rows[i].body, NULL}, {0}};
        struct asked got;
        ask("vllm", pages, (struct discover_request){.key = KEY, .total_ms = 300}, &got);
        CHECK_MSG(got.code == rows[i].code && *got.fault.text, "row %zu: %d %s", i, got.code, got.fault.text);
        CHECK_MSG(got.ms < 2000 && !got.list.n, "row %zu: %lld ms", i, (long long)got.ms);
    }
}

TEST(an_answer_without_end_is_cut)
{
    auto_buf b = BUF_INIT(16 << 20);
    for (size_t i = 0; i < 3 * MIB / 16; i++)
        (void)buf_add_str(&b, "[[[[[[[[[[[[[[[[");
    struct page pages[] = {{"GET /v1/models", "200", b.data, NULL}, {0}};
    struct asked got;
    ask("vllm", pages, (struct discover_request){0}, &got);
    CHECK_MSG(got.code == -EFBIG, "%d %s", got.code, got.fault.text);
}

TEST(nobody_there_is_said_at_once)
{
    struct host host;
    struct http *http = NULL;
    struct fovea_fault fault = {0};
    struct discover_list l = {0};
    struct host_place place = {.name = "ollama", .base_url = "http://127.0.0.1:1/v1", .wire = "openai-chat", .keyless = true};
    CHECK(!host_make(&place, &host) && !http_new(&http, NULL));
    struct discover_request q = {.host = &host, .total_ms = 2000};
    int64_t from = clock_ms();
    CHECK(discover(http, &q, &l, &fault) == -EHOSTUNREACH && clock_ms() - from < 1000);
    CHECK_MSG(strstr(fault.text, "'ollama' does not answer at http://127.0.0.1:1/v1"), "%s", fault.text);
    http_free(http);
}
