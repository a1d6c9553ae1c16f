/* SPDX-License-Identifier: Apache-2.0 */
/* What is in a session already, what pictures are, and what the record indexes. */
#include "test.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/index.h"
#include "transcript/transcript.h"

#define PNG "iVBORw0KGgo="

static json_t *json(const char *text)
{
    json_error_t e;
    json_t *v = json_loads(text, JSON_ALLOW_NUL, &e);
    CHECK_MSG(v, "%s: %s", e.text, text);
    return v;
}

static void import(struct incoming *in, const char *wire, const char *text)
{
    struct fovea_fault fault = {0};
    json_t *root = json(text);
    *in = (struct incoming){.max_blob = 1 << 20};
    CHECK_MSG(incoming_request(in, wire, root, &fault) == 0, "%s", fault.text);
    json_decref(root);
}

static int feed(struct prefix *p, const json_t *entries)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < json_array_size(entries); i++) {
        size_t len = 0;
        char *text = entry_text_new(json_array_get(entries, i), &len);
        r = prefix_entry(p, text, len);
        free(text);
    }
    return r;
}

/* How many entries of `now` are new after `before`; -1 when it is another conversation. */
static int left_after(const char *wire, const char *before, const char *now)
{
    struct incoming stored, in;
    import(&stored, wire, before);
    import(&in, wire, now);
    struct prefix p = {.in = &in};
    int r = feed(&p, stored.entries);
    CHECK(r == 0 || r == -EEXIST);
    if (r == 0)
        CHECK(prefix_end(&p) == 0);
    int left = r == 0 ? (int)json_array_size(in.entries) : -1;
    prefix_done(&p);
    incoming_done(&in);
    incoming_done(&stored);
    return left;
}

#define TEXT(t) "{\"type\":\"text\",\"text\":\"" t "\"}"
#define CACHED(t) "{\"type\":\"text\",\"text\":\"" t "\",\"cache_control\":{\"type\":\"ephemeral\"}}"
#define TITLED(more) "{\"type\":\"document\",\"source\":{\"type\":\"base64\",\"media_type\":\"application/pdf\",\"data\":\"JVBERi0=\"},\"title\":\"\\u0001data\"" more "}"
#define RESULT(more, inner) "{\"type\":\"tool_result\",\"tool_use_id\":\"t1\"" more ",\"content\":" inner "}"
#define A_CALL(more) "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"f\",\"input\":{\"a\":1,\"b\":2}" more "}]}"

static const struct {
    const char *wire, *before, *now;
    int left;
} rows[] = {
    {"anthropic", "[]", "[{\"role\":\"user\",\"content\":\"a\"}]", 1},
    {"anthropic", "[{\"role\":\"user\",\"content\":\"a\"}]", "[{\"role\":\"user\",\"content\":\"a\"}]", 0},
    {"anthropic", "[{\"role\":\"user\",\"content\":\"a\"}]", "[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"b\"}]", 1},
    {"anthropic", "[{\"role\":\"user\",\"content\":\"a\"}]", "[{\"role\":\"user\",\"content\":\"x\"}]", -1},
    {"anthropic", "[{\"role\":\"user\",\"content\":\"a\"}]", "[{\"role\":\"assistant\",\"content\":\"a\"}]", -1},
    /* a session that holds more */
    {"anthropic", "[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"b\"}]", "[{\"role\":\"user\",\"content\":\"a\"}]", 0},
    /* cache_control moves along, and a string becomes a list for it; also on a block whose words look like our token (found by fuzzing) */
    {"anthropic", "[{\"role\":\"user\",\"content\":[" TITLED("") "]}]", "[{\"role\":\"user\",\"content\":[" TITLED(",\"cache_control\":{}") "]}]", 0},
    {"anthropic", "[{\"role\":\"user\",\"content\":[" CACHED("a") "]}]", "[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"user\",\"content\":[" CACHED("b") "]}]", 1},
    {"anthropic", "[{\"role\":\"user\",\"content\":\"a\"}]", "[{\"role\":\"user\",\"content\":[" CACHED("a") "]}]", 0},
    {"anthropic", "[" A_CALL("") ",{\"role\":\"user\",\"content\":[" RESULT(",\"cache_control\":{}", "\"r\"") "]}]",
     "[" A_CALL(",\"cache_control\":{}") ",{\"role\":\"user\",\"content\":[" RESULT(",\"is_error\":false", "[" CACHED("r") "]") "]}]", 0},
    {"anthropic", "[" A_CALL("") "]", "[{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"f\",\"input\":{\"b\":2,\"a\":1}}]}]", 0},
    {"anthropic", "[" A_CALL("") "]", "[{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"f\",\"input\":{\"b\":2,\"a\":3}}]}]", -1},
    {"anthropic", "[{\"role\":\"user\",\"content\":[" RESULT("", "\"r\"") "]}]", "[{\"role\":\"user\",\"content\":[" RESULT(",\"is_error\":true", "\"r\"") "]}]", -1},
    {"anthropic", "[{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"a\",\"signature\":\"s\"}]}]",
     "[{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"a\",\"signature\":\"other\"}]}]", -1},
    /* thoughts that a host has left out meanwhile */
    {"anthropic", "[{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"a\",\"signature\":\"s\"}," TEXT("b") "]}]",
     "[{\"role\":\"assistant\",\"content\":[" TEXT("b") "]},{\"role\":\"user\",\"content\":\"c\"}]", 1},
    {"anthropic", "[{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"a\",\"signature\":\"s\"}," TEXT("b") "]}]",
     "[{\"role\":\"assistant\",\"content\":[" TEXT("other") "]}]", -1},
    {"openai-responses", "[{\"type\":\"reasoning\",\"id\":\"r\",\"summary\":[]},{\"role\":\"assistant\",\"content\":\"b\"}]",
     "[{\"role\":\"assistant\",\"content\":\"b\"},{\"role\":\"user\",\"content\":\"c\"}]", 1},
    /* a citation is part of what was said */
    {"anthropic", "[{\"role\":\"user\",\"content\":[" TEXT("a") "]}]", "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\",\"citations\":[]}]}]", -1},
    {"anthropic", "[{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"" PNG "\"}}]}]",
     "[{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"cache_control\":{},\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"" PNG "\"}}]}]", 0},
    {"anthropic", "[{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"" PNG "\"}}]}]",
     "[{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"AAAA\"}}]}]", -1},
    /* arguments in other words */
    {"openai-chat", "[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1,\\\"b\\\":2}\"}}]}]",
     "[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{ \\\"b\\\": 2, \\\"a\\\": 1 }\"}}]}]", 0},
    {"openai-responses", "[{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{\\\"a\\\": 1}\"}]",
     "[{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"},{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":\"x\"}]", 1},
    {"gemini", "[{\"role\":\"user\",\"parts\":[{\"text\":\"a\"}]}]", "[{\"role\":\"user\",\"parts\":[{\"text\":\"a\"}]},{\"role\":\"model\",\"parts\":[{\"text\":\"b\",\"thoughtSignature\":\"s\"}]}]", 1},
    {"gemini", "[{\"role\":\"model\",\"parts\":[{\"text\":\"b\",\"thoughtSignature\":\"s\"}]}]", "[{\"role\":\"model\",\"parts\":[{\"text\":\"b\",\"thoughtSignature\":\"t\"}]}]", -1},
    /* what stands in arguments is no cache_control of ours */
    {"anthropic", "[{\"role\":\"assistant\",\"content\":[{\"type\":\"server_tool_use\",\"id\":\"t1\",\"name\":\"f\",\"input\":{\"cache_control\":1}}]}]",
     "[{\"role\":\"assistant\",\"content\":[{\"type\":\"server_tool_use\",\"id\":\"t1\",\"name\":\"f\",\"input\":{\"cache_control\":2},\"cache_control\":{}}]}]", -1},
    {"anthropic", "[{\"role\":\"assistant\",\"content\":[{\"type\":\"server_tool_use\",\"id\":\"t1\",\"name\":\"f\",\"input\":{\"cache_control\":1}}]}]",
     "[{\"role\":\"assistant\",\"content\":[{\"type\":\"server_tool_use\",\"id\":\"t1\",\"name\":\"f\",\"input\":{\"cache_control\":1},\"cache_control\":{}}]}]", 0},
    /* NULs are letters like others */
    {"anthropic", "[{\"role\":\"user\",\"content\":\"a\\u0000b\"}]",
     "[{\"role\":\"user\",\"content\":\"a\\u0000b\"},{\"role\":\"assistant\",\"content\":\"c\"}]", 1},
    {"anthropic", "[{\"role\":\"user\",\"content\":\"a\\u0000b\"}]", "[{\"role\":\"user\",\"content\":\"a\\u0000c\"}]", -1},
    /* whole bodies: the request entry is known when nothing but cache_control differs */
    {"anthropic", "{\"model\":\"m\",\"system\":[" CACHED("s") "],\"messages\":[]}", "{\"model\":\"m\",\"system\":[" TEXT("s") "],\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}", 1},
    {"anthropic", "{\"model\":\"m\",\"messages\":[]}", "{\"model\":\"n\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}", 2},
};

TEST(what_follows_the_stored_prefix_is_new_and_another_one_is_refused)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int left = left_after(rows[i].wire, rows[i].before, rows[i].now);
        CHECK_MSG(left == rows[i].left, "row %zu: %d, not %d: %s", i, left, rows[i].left, rows[i].now);
    }
}

TEST(what_fovea_recorded_itself_stands_for_the_result_of_its_call)
{
    struct incoming in;
    import(&in, "anthropic", "[{\"role\":\"user\",\"content\":\"q\"}," A_CALL("") ",{\"role\":\"user\",\"content\":["
                             RESULT("", "\"what the host made of it\"") "]},{\"role\":\"assistant\",\"content\":\"b\"}]");
    json_t *stored = json("[{\"kind\":\"user\",\"at\":1,\"parts\":[" TEXT("q") "]},{\"kind\":\"usage\",\"model\":\"a/b\"},"
                          "{\"kind\":\"perception\",\"name\":\"view\",\"parts\":[]},"
                          "{\"kind\":\"perception\",\"call\":\"t1\",\"name\":\"view\",\"result\":{},\"parts\":[" TEXT("note") "]},"
                          "{\"kind\":\"repair\",\"entry\":1,\"part\":0,\"how\":\"stub\"}]");
    struct prefix p = {.in = &in};
    CHECK(feed(&p, stored) == 0);
    CHECK(prefix_end(&p) == 0);
    CHECK(json_array_size(in.entries) == 2);
    CHECK_STR(json_string_value(json_object_get(json_array_get(in.entries, 1), "kind")), "assistant");
    prefix_done(&p);
    json_decref(stored);
    incoming_done(&in);
}

TEST(a_different_conversation_says_where_it_differs)
{
    struct incoming stored, in;
    import(&stored, "openai-chat", "[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"b\"}]");
    import(&in, "openai-chat", "[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"c\"}]");
    struct prefix p = {.in = &in};
    CHECK(feed(&p, stored.entries) == -EEXIST);
    CHECK(p.at == 1);
    CHECK(!p.unread && prefix_entry(&p, "{", 1) == -EBADMSG && p.unread);
    prefix_done(&p);
    incoming_done(&stored);
    incoming_done(&in);
}

/* Found by fuzzing: it was said to be out of memory. */
TEST(a_stored_call_without_a_name_is_a_different_conversation)
{
    static const char nameless[] = "{\"kind\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"1\"}]}";
    struct incoming in;
    import(&in, "openai-chat", "[{\"role\":\"assistant\",\"content\":\"x\"}]");
    struct prefix p = {.in = &in};
    CHECK(prefix_entry(&p, nameless, strlen(nameless)) == -EEXIST);
    prefix_done(&p);
    incoming_done(&in);
}

/* ---------------------------------------------------------------- pictures */

static int calls_of_look;
static int look(void *arg, const struct incoming_blob *blob, struct incoming_picture *ret, struct fovea_fault *fault)
{
    (void)arg;
    (void)fault;
    calls_of_look++;
    if (blob->len != 8)
        return 0;
    *ret = (struct incoming_picture){.media_type = "image/png", .width = 3, .height = 2};
    (void)snprintf(ret->why, sizeof ret->why, "%s", "cut off");
    return 0;
}

#define IMAGE(type, data) "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"" type "\",\"data\":\"" data "\"}}"

TEST(a_picture_is_what_its_bytes_are_and_each_is_looked_at_once)
{
    struct incoming in;
    import(&in, "anthropic", "[{\"role\":\"user\",\"content\":[" IMAGE("image/png", PNG) "," IMAGE("image/jpeg", PNG) "," IMAGE("image/gif", "AAAA") "]}]");
    calls_of_look = 0;
    CHECK(incoming_pictures(&in, look, NULL, NULL) == 0);
    CHECK(calls_of_look == 2);
    char *text = entry_text_new(json_array_get(in.entries, 0), NULL);
    CHECK_STR(text, "{\"kind\":\"user\",\"wire\":\"anthropic\",\"parts\":[{\"type\":\"image\",\"media_type\":\"image/png\",\"sha256\":"
                    "\"4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6\",\"bytes\":8,\"width\":3,\"height\":2,"
                    "\"broken\":\"cut off\"},{\"type\":\"image\",\"media_type\":\"image/png\",\"declared\":\"image/jpeg\",\"sha256\":"
                    "\"4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6\",\"bytes\":8,\"width\":3,\"height\":2,"
                    "\"broken\":\"cut off\"},{\"type\":\"image\",\"media_type\":\"image/gif\",\"sha256\":"
                    "\"709e80c88487a2411e1ee4dfb9f22a861492d20c4765150c0c794abd70f8147c\",\"bytes\":3,"
                    "\"broken\":\"no picture of a kind that is known\"}]}");
    free(text);
    incoming_done(&in);
}

/* ---------------------------------------------------------------- the record's index */

struct seen {
    struct record_index index;
    char marks[512];
    unsigned uses;
};
static int seen_mark(struct record_index *i, const char *name, size_t len)
{
    struct seen *s = (struct seen *)i;
    size_t at = strlen(s->marks);
    (void)snprintf(s->marks + at, sizeof s->marks - at, "%.*s;", (int)len, name);
    return 0;
}
static int seen_use(struct record_index *i, const uint8_t sha256[static SHA256_LEN])
{
    struct seen *s = (struct seen *)i;
    s->uses += sha256[0];
    return 0;
}
static int seen_refuse(struct record_index *i, const char *name, size_t len)
{
    (void)i;
    (void)name;
    (void)len;
    return -EIO;
}

#define SHA(byte) byte "00000000000000000000000000000000000000000000000000000000000000"

TEST(a_view_that_a_host_named_as_a_call_is_not_found_as_one)
{
    static const char part[] = "{\"kind\":\"user\",\"parts\":[{\"type\":\"image\",\"url\":\"u\",\"view\":\"call:a\"}]}";
    static const char result[] = "{\"kind\":\"tool_result\",\"result\":{\"kind\":\"perception\",\"id\":\"read:/a\"},\"parts\":[]}";
    struct seen s = {.index = {seen_mark, seen_use}};
    CHECK(entry_derive(part, strlen(part), &s.index) == 0 && entry_derive(result, strlen(result), &s.index) == 0);
    CHECK_STR(s.marks, "");
}

TEST(the_record_is_told_the_names_and_the_bytes_of_an_entry)
{
    static const struct {
        const char *body, *marks;
        unsigned uses;
    } cases[] = {
        {"{\"kind\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"view:1\"}]}", "", 0},
        {"{\"kind\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"a\\u00e9\",\"name\":\"f\",\"arguments\":{}}]}", "call:a\xc3\xa9;", 0},
        {"{\"kind\":\"perception\",\"call\":\"t1\",\"result\":{\"kind\":\"perception\",\"id\":\"view:3f\",\"source\":{\"sha256\":\"" SHA("20") "\"}},"
         "\"parts\":[{\"type\":\"image\",\"sha256\":\"" SHA("01") "\",\"view\":\"view:3f\"},{\"type\":\"document\",\"sha256\":\"" SHA("02") "\"}]}",
         "answer:t1;view:3f;view:3f;", 0x23},
        {"{\"kind\":\"tool_result\",\"name\":\"read\",\"result\":{\"kind\":\"text\",\"path\":\"/a b\",\"sha256\":\"" SHA("07") "\"},\"parts\":[]}", "read:/a b;", 0},
        {"{\"kind\":\"tool_result\",\"call\":\"\",\"result\":{\"kind\":\"text\",\"path\":7,\"source\":[]},\"parts\":[]}", "", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct seen s = {.index = {seen_mark, seen_use}};
        CHECK_MSG(entry_derive(cases[i].body, strlen(cases[i].body), &s.index) == 0, "%zu", i);
        CHECK_STR(s.marks, cases[i].marks);
        CHECK_MSG(s.uses == cases[i].uses, "%zu: %x", i, s.uses);
    }
    struct seen s = {.index = {seen_refuse, seen_use}};
    CHECK(entry_derive(cases[1].body, strlen(cases[1].body), &s.index) == -EIO);
    CHECK(entry_derive("{}", 2, &s.index) == -EBADMSG);
}
