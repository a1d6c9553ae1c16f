/* SPDX-License-Identifier: Apache-2.0 */
/* Entries that hosts write: what is taken, what is refused in which words, and that the published schema says the same. */
#include "test.h"
#include "comma.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "schema/schema.h"
#include "transcript/entry.h"
#include "transcript/transcript.h"

#define USER(parts) "{\"kind\":\"user\",\"parts\":[" parts "]}"

/* words: NULL where the entry is good, else what the fault says. */
static const struct row {
    const char *entry, *words;
} rows[] = {
    {USER(""), NULL},
    {USER("{\"type\":\"text\",\"text\":\"\"}"), NULL},
    {USER("{\"type\":\"image\",\"data\":\"aGVsbG8=\"}"), NULL},
    {USER("{\"type\":\"image\",\"url\":\"https://e.com/a.png\",\"width\":3,\"height\":4,\"name\":\"a\"}"), NULL},
    {USER("{\"type\":\"image\",\"file_id\":\"f\",\"view\":\"view:1\",\"ref\":\"a.png\"}"), NULL},
    {USER("{\"type\":\"document\",\"data\":\"aGVsbG8=\",\"media_type\":\"text/plain\",\"pages\":2}"), NULL},
    {USER("{\"type\":\"opaque\",\"wire\":\"gemini\",\"value\":{\"x\":1},\"thinking\":true,\"text\":\"t\"}"), NULL},
    {"{\"kind\":\"user\",\"at\":1,\"join\":true,\"wire\":\"anthropic\",\"parts\":[{\"type\":\"text\",\"text\":\"a\",\"raw\":{}}]}", NULL},
    {"{\"kind\":\"system\",\"role\":\"developer\",\"parts\":[{\"type\":\"text\",\"text\":\"a\"}]}", NULL},
    {"{\"kind\":\"assistant\",\"join\":false,\"parts\":[{\"type\":\"tool_call\",\"id\":\"1\",\"name\":\"f\",\"arguments\":{}}]}", NULL},
    {"{\"kind\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"1\",\"name\":\"f\",\"arguments_text\":\"\"}]}", NULL},
    {"{\"kind\":\"tool_result\",\"call\":\"1\",\"error\":true,\"parts\":[{\"type\":\"text\",\"text\":\"a\"}]}", NULL},
    {"{\"kind\":\"perception\",\"name\":\"view\",\"arguments\":{\"path\":\"a\"},\"result\":{\"id\":\"x\"},\"parts\":[]}", NULL},
    {"{\"kind\":\"usage\",\"model\":\"a/b\",\"input\":1,\"output\":2,\"cache_read\":0,\"cache_write\":0,\"cost_usd\":0.1}", NULL},
    {"{\"kind\":\"usage\",\"model\":\"a/b/c\",\"cost_usd\":null}", NULL},
    {"{\"kind\":\"request\",\"wire\":\"gemini\",\"system\":[{\"type\":\"text\",\"text\":\"s\"}],\"tools\":[{\"name\":\"f\"}],\"body\":{}}", NULL},
    {"{\"kind\":\"repair\",\"entry\":1,\"part\":0,\"how\":\"stub\",\"why\":\"no\"}", NULL},
    {"{\"kind\":\"tool_call\",\"id\":\"1\",\"name\":\"f\",\"arguments\":{\"a\":[1]}}", NULL},
    {"{\"kind\":\"tool_call\",\"id\":\"1\",\"name\":\"f\",\"arguments_text\":\"x\",\"wire\":\"gemini\",\"raw\":{}}", NULL},
    {USER("{\"type\":\"image\",\"data\":\"aGVsbG8\"}"), NULL},
    {USER("{\"type\":\"image\",\"data\":\"aGVs\\r\\n bG8=\\n\"}"), NULL},
    {USER("{\"type\":\"image\",\"data\":\"_-8\"}"), NULL},
    {USER("{\"type\":\"image\",\"data\":\"\"}"), NULL},
    {USER("{\"type\":\"document\",\"data\":\"\"}"), NULL},
    {USER("{\"type\":\"image\",\"broken\":\"it is empty\",\"media_type\":\"image/png\"}"), NULL},
    {USER("{\"type\":\"image\",\"url\":\"file:///a\",\"broken\":\"no web address\"}"), NULL},
    {USER("{\"type\":\"opaque\",\"wire\":\"gemini\",\"value\":{},\"broken\":\"no base64\"}"), NULL},
    {"{\"kind\":\"user\",\"wire\":\"anthropic\",\"plain\":true,\"parts\":[],\"raw\":{\"role\":\"user\"}}", NULL},
    {"{\"kind\":\"user\",\"wire\":\"gemini\",\"parts\":[{\"type\":\"image\",\"data\":\"aGVsbG8=\",\"media_type\":\"image/png\","
     "\"declared\":\"image/gif\",\"raw\":{\"inlineData\":{}}},{\"type\":\"document\",\"url\":\"\",\"declared\":\"x\",\"raw\":{}}]}", NULL},
    {"{\"kind\":\"assistant\",\"wire\":\"anthropic\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"\",\"name\":\"\",\"arguments\":{},\"raw\":{}}]}", NULL},
    {"{\"kind\":\"tool_result\",\"wire\":\"openai-chat\",\"call\":\"\",\"name\":\"\",\"parts\":[],\"block\":{},\"raw\":{}}", NULL},
    {"{\"kind\":\"tool_result\",\"wire\":\"openai-chat\",\"parts\":[]}", NULL},
    {"{\"kind\":\"system\",\"wire\":\"openai-chat\",\"plain\":true,\"raw\":{},\"parts\":[{\"type\":\"image\",\"url\":\"u\"}]}", NULL},
    {"{\"kind\":\"request\",\"wire\":\"gemini\",\"tools\":[{\"name\":\"\"}]}", NULL},
    {"{\"kind\":\"perception\",\"name\":\"view\",\"arguments\":{},\"result\":{\"id\":\"x\",\"source\":{\"sha256\":\"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\",\"data\":\"aGVsbG8=\"}},\"parts\":[]}", NULL},
    {"{\"kind\":\"perception\",\"name\":\"view\",\"arguments\":{},\"result\":{\"id\":\"x\",\"source\":{\"sha256\":\"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\"}},\"parts\":[]}", NULL},
    {USER("{\"type\":\"image\",\"url\":\"u\",\"view\":\"view:\"}"), "parts[0].view: \"view:ID\" is wanted"},
    {"{\"kind\":\"usage\",\"model\":\"/b\"}", "model: \"PROVIDER/MODEL\" is wanted"},
    {"{\"kind\":\"usage\",\"model\":\"a/\"}", "model: \"PROVIDER/MODEL\" is wanted"},
    {"{\"kind\":\"usage\",\"model\":7}", "model: \"PROVIDER/MODEL\" is wanted"},
    {"[]", "an entry is an object"},
    {"{}", "kind: is missing"},
    {"{\"kind\":7}", "kind: no such kind of entry"},
    {"{\"kind\":\"repair\\u0000\",\"entry\":3,\"part\":2,\"how\":\"stub\",\"why\":\"x\"}", "kind: no such kind of entry; did you mean \"repair\"?"},
    {"{\"kind\":\"uesr\",\"parts\":[]}", "kind: no such kind of entry; did you mean \"user\"?"},
    {"{\"kind\":\"user\"}", "parts: is missing"},
    {"{\"kind\":\"user\",\"parts\":{}}", "parts: a list of parts is wanted"},
    {"{\"kind\":\"user\",\"part\":[]}", "part: no member of user; did you mean \"parts\"?"},
    {"{\"kind\":\"user\",\"parts\":[],\"zzzzzzzzzz\":1}", "zzzzzzzzzz: no member of user"},
    {"{\"kind\":\"user\",\"parts\":[],\"at\":-1}", "at: a whole number from 0 is wanted"},
    {"{\"kind\":\"user\",\"parts\":[],\"at\":1.5}", "at: a whole number from 0 is wanted"},
    {"{\"kind\":\"user\",\"parts\":[],\"join\":1}", "join: true or false is wanted"},
    {"{\"kind\":\"user\",\"parts\":[],\"wire\":\"smtp\"}", "wire: anthropic, openai-chat, openai-responses or gemini is wanted"},
    {"{\"kind\":\"user\",\"parts\":[],\"raw\":{}}", "raw: the entry must say its wire"},
    {"{\"kind\":\"user\",\"wire\":\"gemini\",\"parts\":[],\"raw\":[]}", "raw: an object is wanted"},
    {"{\"kind\":\"user\",\"parts\":[],\"plain\":1}", "plain: true or false is wanted"},
    {"{\"kind\":\"user\",\"parts\":[],\"block\":{}}", "block: no member of user"},
    {"{\"kind\":\"system\",\"role\":\"king\",\"parts\":[]}", "role: system or developer is wanted"},
    {"{\"kind\":\"system\",\"parts\":[{\"type\":\"image\",\"url\":\"u\"}]}", "parts[0].type: no image in a system entry"},
    {USER("1"), "parts[0]: an object is wanted"},
    {USER("{\"text\":\"a\"}"), "parts[0].type: text, image, document, tool_call or opaque is wanted"},
    {USER("{\"type\":\"video\"}"), "parts[0].type: text, image, document, tool_call or opaque is wanted"},
    {USER("{\"type\":\"text\"}"), "parts[0].text: is missing"},
    {USER("{\"type\":\"text\",\"text\":1}"), "parts[0].text: a string is wanted"},
    {USER("{\"type\":\"text\",\"text\":\"a\",\"raw\":{}}"), "parts[0].raw: the entry must say its wire"},
    {USER("{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"txt\":\"a\"}"), "parts[1].txt: no member of text; did you mean \"text\"?"},
    {USER("{\"type\":\"image\"}"), "parts[0].data: one of data, url and file_id is wanted"},
    {USER("{\"type\":\"image\",\"data\":\"aGVsbG8=\",\"url\":\"u\"}"), "parts[0].data: one of data, url and file_id is wanted"},
    {USER("{\"type\":\"image\",\"data\":\"aGVsbG9=\"}"), "parts[0].data: no base64"},
    {USER("{\"type\":\"image\",\"data\":\"*\"}"), "parts[0].data: no base64"},
    {USER("{\"type\":\"image\",\"data\":\"a\"}"), "parts[0].data: no base64"},
    {USER("{\"type\":\"image\",\"data\":\"aGVs=\"}"), "parts[0].data: no base64"},
    {USER("{\"type\":\"image\",\"data\":\"aG=VsbG8\"}"), "parts[0].data: no base64"},
    {USER("{\"type\":\"image\",\"data\":1}"), "parts[0].data: a string is wanted"},
    {USER("{\"type\":\"image\",\"url\":\"u\",\"raw\":{}}"), "parts[0].raw: the entry must say its wire"},
    {USER("{\"type\":\"image\",\"broken\":\"\"}"), "parts[0].broken: a string that is not empty is wanted"},
    {USER("{\"type\":\"image\",\"sha256\":\"00\"}"), "parts[0].sha256: no member of image"},
    {USER("{\"type\":\"image\",\"url\":\"u\",\"view\":\"3\"}"), "parts[0].view: \"view:ID\" is wanted"},
    {USER("{\"type\":\"image\",\"url\":\"u\",\"width\":0}"), "parts[0].width: a whole number from 1 to 2147483647 is wanted"},
    {USER("{\"type\":\"image\",\"url\":\"u\",\"width\":2147483648}"), "parts[0].width: a whole number from 1 to 2147483647 is wanted"},
    {USER("{\"type\":\"document\",\"url\":\"\"}"), "parts[0].url: a string that is not empty is wanted"},
    {USER("{\"type\":\"tool_call\",\"id\":\"1\",\"name\":\"f\",\"arguments\":{}}"), "parts[0].type: no tool_call in a user entry"},
    {USER("{\"type\":\"opaque\",\"value\":{}}"), "parts[0].wire: is missing"},
    {USER("{\"type\":\"opaque\",\"wire\":\"gemini\",\"value\":\"x\"}"), "parts[0].value: an object is wanted"},
    {"{\"kind\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"1\",\"name\":\"f\"}]}", "parts[0].arguments: is missing"},
    {"{\"kind\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"\",\"name\":\"f\",\"arguments\":{}}]}", "parts[0].id: a string that is not empty is wanted"},
    {"{\"kind\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"1\",\"name\":\"f\",\"arguments\":[]}]}", "parts[0].arguments: an object is wanted"},
    {"{\"kind\":\"tool_result\",\"parts\":[]}", "call: is missing (or name, for a result that stands for itself)"},
    {"{\"kind\":\"tool_result\",\"call\":\"1\"}", "parts: is missing"},
    {"{\"kind\":\"tool_result\",\"call\":\"1\",\"parts\":[],\"block\":{}}", "block: the entry must say its wire"},
    {"{\"kind\":\"usage\"}", "model: is missing"},
    {"{\"kind\":\"usage\",\"model\":\"b\"}", "model: \"PROVIDER/MODEL\" is wanted"},
    {"{\"kind\":\"usage\",\"model\":\"a/b\",\"cost_usd\":-1}", "cost_usd: a number from 0, or null is wanted"},
    {"{\"kind\":\"request\"}", "wire: is missing"},
    {"{\"kind\":\"request\",\"wire\":\"gemini\",\"tools\":[{}]}", "tools: a list of tools with names is wanted"},
    {"{\"kind\":\"request\",\"wire\":\"gemini\",\"system\":[{\"type\":\"image\",\"url\":\"u\"}]}", "system[0].type: no image in a request entry"},
    {"{\"kind\":\"repair\",\"entry\":0,\"part\":0,\"how\":\"stub\"}", "entry: a whole number from 1 is wanted"},
    {"{\"kind\":\"repair\",\"entry\":1,\"part\":0,\"how\":\"glue\"}", "how: refit or stub is wanted"},
    {"{\"kind\":\"tool_call\",\"id\":\"1\",\"name\":\"f\"}", "arguments: is missing"},
    {"{\"kind\":\"tool_call\",\"id\":\"1\",\"name\":\"f\",\"arguments\":{},\"arguments_text\":\"\"}", "arguments: and arguments_text cannot both be there"},
    {"{\"kind\":\"tool_call\",\"id\":\"1\",\"name\":\"f\",\"arguments\":{},\"raw\":{}}", "raw: the entry must say its wire"},
    {"{\"kind\":\"tool_call\",\"id\":\"1\",\"name\":\"f\",\"argument\":{}}", "argument: no member of tool_call; did you mean \"arguments\"?"},
};

/* What no schema can say. */
static const struct row hashed[] = {
    {"{\"kind\":\"perception\",\"name\":\"view\",\"arguments\":{},\"result\":{\"id\":\"x\",\"source\":{\"sha256\":\"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\",\"data\":\"aGVsbG9v\"}},\"parts\":[]}",
     "result.source.data: other bytes than those of sha256"},
    {"{\"kind\":\"perception\",\"name\":\"view\",\"arguments\":{},\"result\":{\"id\":\"x\",\"source\":{\"sha256\":\"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\",\"data\":\"\"}},\"parts\":[]}",
     "result.source.data: other bytes than those of sha256"},
    {"{\"kind\":\"perception\",\"name\":\"view\",\"arguments\":{},\"result\":{\"id\":\"x\",\"source\":{\"sha256\":\"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\",\"data\":\"*\"}},\"parts\":[]}", "result.source.data: no base64"},
};

static void check_rows(const struct row *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct incoming in = {.max_blob = 1000};
        struct fovea_fault fault = {0};
        json_t *entry = json_loads(list[i].entry, JSON_ALLOW_NUL, NULL);
        int r = incoming_entry(&in, entry, &fault);
        CHECK_MSG(entry && r == (list[i].words ? -EINVAL : 0), "row %zu: %s: %d %s", i, list[i].entry, r, fault.text);
        if (list[i].words)
            CHECK_STR(fault.text, list[i].words);
        CHECK(json_array_size(in.entries) == (list[i].words ? 0 : 1));
        json_decref(entry);
        incoming_done(&in);
    }
}

TEST(an_entry_is_taken_or_refused_in_words_that_name_the_member)
{
    check_rows(rows, sizeof rows / sizeof rows[0]);
}

TEST(bytes_of_a_source_are_those_of_its_hash)
{
    check_rows(hashed, sizeof hashed / sizeof hashed[0]);
}

TEST(what_was_taken_can_be_read_again)
{
    struct entry_room room = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && !rows[i].words; i++) {
        struct incoming in = {.max_blob = 1000};
        struct entry e;
        size_t len = 0;
        json_t *entry = json_loads(rows[i].entry, JSON_ALLOW_NUL, NULL);
        CHECK(incoming_entry(&in, entry, NULL) == 0);
        char *text = entry_text_new(json_array_get(in.entries, 0), &len);
        CHECK_MSG(text && entry_read(text, len, 1, &room, &e) == 0, "%s", text ? text : "none");
        CHECK(!text || !strstr(text, "\"data\""));
        free(text);
        json_decref(entry);
        incoming_done(&in);
    }
    entry_room_done(&room);
}

TEST(the_schema_in_docs_accepts_exactly_what_is_taken)
{
    json_t *document = json_load_file("docs/transcript.schema.json", 0, NULL);
    struct schema *schema = NULL;
    struct fovea_fault fault = {0};
    CHECK_MSG(document && schema_new(document, NULL, &schema, &fault) == 0, "%s", fault.text);
    for (size_t i = 0; schema && i < sizeof rows / sizeof rows[0]; i++) {
        struct schema_error error = {0};
        json_t *entry = json_loads(rows[i].entry, JSON_ALLOW_NUL, NULL);
        int r = schema_check(schema, entry, &error);
        CHECK_MSG(r == (rows[i].words != NULL), "row %zu: %s: %d %s %s", i, rows[i].entry, r, error.pointer, error.text);
        json_decref(entry);
    }
    schema_free(schema);
    json_decref(document);
}

static char *taken(struct incoming *in, const char *entry)
{
    json_t *e = json_loads(entry, 0, NULL);
    struct fovea_fault fault = {0};
    CHECK_MSG(incoming_entry(in, e, &fault) == 0, "%s", fault.text);
    json_decref(e);
    return entry_text_new(json_array_get(in->entries, json_array_size(in->entries) - 1), NULL);
}

TEST(a_picture_without_bytes_is_kept_as_broken)
{
    struct incoming in = {.max_blob = 5};
    char *text = taken(&in, USER("{\"type\":\"image\",\"name\":\"a\",\"data\":\"\"},{\"type\":\"image\",\"data\":\" \\n\"}"));
    CHECK_STR(text, "{\"kind\":\"user\",\"parts\":[{\"type\":\"image\",\"name\":\"a\",\"broken\":\"it is empty\"},"
                    "{\"type\":\"image\",\"broken\":\"it is empty\"}]}");
    CHECK(in.n_blobs == 0);
    free(text);
    incoming_done(&in);
}

TEST(base64_in_any_spelling_is_the_same_bytes)
{
    static const char *const spellings[] = {"aGVsbG8=", "aGVsbG8", "aGVs\\nbG8=", " aG Vs\\tbG8\\r\\n"};
    struct incoming in = {.max_blob = 5};
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        char entry[200];
        (void)snprintf(entry, sizeof entry, USER("{\"type\":\"image\",\"data\":\"%s\"}"), spellings[i]);
        free(taken(&in, entry));
    }
    free(taken(&in, USER("{\"type\":\"document\",\"data\":\"-_-_\"}")));
    CHECK(in.n_blobs == 2 && in.blobs[0].len == 5 && !memcmp(in.blobs[1].data, "\xfb\xff\xbf", 3));
    incoming_done(&in);
}

TEST(the_bytes_that_a_result_was_made_of_come_with_it)
{
#define FROM(sha, data) "{\"kind\":\"perception\",\"name\":\"view\",\"parts\":[],\"result\":{\"source\":{\"sha256\":\"" sha "\",\"data\":\"" data "\"}}}"
#define HELLO "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    struct incoming in = {.max_blob = 5};
    struct fovea_fault fault = {0};
    char *text = taken(&in, FROM(HELLO, "aGVsbG8="));
    CHECK_STR(text, "{\"kind\":\"perception\",\"name\":\"view\",\"result\":{\"source\":{\"sha256\":\"" HELLO "\"}},\"parts\":[]}");
    CHECK(in.n_blobs == 1);
    json_t *other = json_loads(FROM(HELLO, "aGVsbA=="), 0, NULL);
    CHECK(incoming_entry(&in, other, &fault) == -EINVAL);
    CHECK_STR(fault.text, "result.source.data: other bytes than those of sha256");
    json_decref(other);
    free(text);
    incoming_done(&in);
}

TEST(bytes_leave_an_entry_once_however_often_they_came)
{
    struct incoming in = {.max_blob = 5};
    struct fovea_fault fault = {0};
    char *text = taken(&in, USER("{\"type\":\"image\",\"media_type\":\"image/png\",\"data\":\"aGVsbG8=\"},"
                                 "{\"type\":\"document\",\"data\":\"aGVsbG8=\",\"name\":\"a.pdf\"}"));
    CHECK_STR(text, "{\"kind\":\"user\",\"parts\":[{\"type\":\"image\",\"sha256\":"
                    "\"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\",\"bytes\":5},"
                    "{\"type\":\"document\",\"name\":\"a.pdf\",\"media_type\":\"application/pdf\",\"sha256\":"
                    "\"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\",\"bytes\":5}]}");
    CHECK(in.n_blobs == 1 && in.blobs[0].len == 5 && !memcmp(in.blobs[0].data, "hello", 5));
    json_t *more = json_loads(USER("{\"type\":\"image\",\"data\":\"aGVsbG8h\"}"), 0, NULL);
    CHECK(incoming_entry(&in, more, &fault) == -EFBIG);
    CHECK_STR(fault.text, "parts[0].data: more than 5 bytes");
    json_decref(more);
    free(text);
    incoming_done(&in);
}

TEST(a_call_by_itself_joins_the_assistant_before_it)
{
    struct incoming in = {.max_blob = 5};
    char *first = taken(&in, "{\"kind\":\"tool_call\",\"arguments\":{\"b\":1,\"a\":0.1},\"name\":\"f\",\"id\":\"1\",\"at\":7}");
    CHECK_STR(first, "{\"kind\":\"assistant\",\"at\":7,\"join\":true,\"parts\":[{\"type\":\"tool_call\",\"id\":\"1\","
                     "\"name\":\"f\",\"arguments\":{\"b\":1,\"a\":0.1}}]}");
    char *user = taken(&in, USER("")), *after = taken(&in, "{\"kind\":\"tool_call\",\"id\":\"2\",\"name\":\"f\",\"arguments\":{}}");
    CHECK(after && !strstr(after, "join"));
    char *again = taken(&in, "{\"kind\":\"tool_call\",\"id\":\"3\",\"name\":\"f\",\"arguments\":{}}");
    CHECK(again && strstr(again, "\"join\":true"));
    free(first);
    free(user);
    free(after);
    free(again);
    incoming_done(&in);
}

TEST(nobody_joins_another_speaker)
{
#define SAYS(kind) "{\"kind\":\"" kind "\",\"join\":true,\"parts\":[]}"
#define GIVES(kind) "{\"kind\":\"" kind "\",\"call\":\"c\",\"join\":true,\"parts\":[]}"
    static const struct {
        const char *entry;
        bool joins;
    } steps[] = {
        {SAYS("user"), true}, /* who was before is not known here */
        {SAYS("user"), true},
        {SAYS("assistant"), false},
        {"{\"kind\":\"usage\",\"model\":\"a/b\"}", false},
        {SAYS("assistant"), true},
        {"{\"kind\":\"tool_call\",\"id\":\"c\",\"name\":\"f\",\"arguments\":{}}", true},
        {GIVES("tool_result"), false},
        {GIVES("perception"), true},
        {SAYS("user"), true},
        {SAYS("system"), false},
        {SAYS("system"), true},
        {SAYS("user"), false},
    };
    struct incoming in = {.max_blob = 5};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        char *text = taken(&in, steps[i].entry);
        CHECK_MSG(text && !strstr(text, "join") == !steps[i].joins, "row %zu: %s", i, text ? text : "");
        free(text);
    }
    incoming_done(&in);
}

TEST(an_entry_has_one_text_whatever_order_its_members_came_in)
{
    json_t *a = json_loads("{\"raw\":{\"z\":1,\"a\":2},\"parts\":[{\"text\":\"\\u00e9\\u0001/\",\"type\":\"text\"}],\"plain\":true,"
                           "\"join\":true,\"wire\":\"gemini\",\"at\":5,\"kind\":\"user\"}", 0, NULL);
    char *text = entry_text_new(a, NULL);
    CHECK_STR(text, "{\"kind\":\"user\",\"at\":5,\"wire\":\"gemini\",\"join\":true,\"plain\":true,\"parts\":[{\"type\":\"text\","
                    "\"text\":\"\xc3\xa9\\u0001/\"}],\"raw\":{\"z\":1,\"a\":2}}");
    free(text);
    json_decref(a);
}

TEST(an_entry_is_stored_as_json_whatever_the_locale)
{
    json_t *e = json_loads("{\"kind\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"zoom\","
                           "\"arguments\":{\"x\":1.5,\"y\":2.0,\"z\":-1e-9}}]}", 0, NULL);
    if (!comma_on()) {
        json_decref(e);
        SKIP("no locale with a comma can be made here (localedef)");
    }
    char *text = entry_text_new(e, NULL);
    comma_off();
    CHECK_STR(text, "{\"kind\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"zoom\","
                    "\"arguments\":{\"x\":1.5,\"y\":2.0,\"z\":-1e-09}}]}");
    free(text);
    json_decref(e);
}
