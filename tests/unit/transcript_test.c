/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of the four wires come in and go out again as they were. */
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "transcript/entry.h"
#include "transcript_export.h"

static const char *list_key(const char *wire)
{
    return !strcmp(wire, "gemini") ? "contents" : !strcmp(wire, "openai-responses") ? "input" : "messages";
}

/* Every entry is stored and read again, so that what is compared went through text. */
static bool stored_well(struct incoming *in)
{
    struct entry_room room = {0};
    bool good = true;
    for (size_t i = 0; good && i < json_array_size(in->entries); i++) {
        size_t len = 0;
        char *text = entry_text_new(json_array_get(in->entries, i), &len);
        struct entry e;
        json_t *again = text ? json_loadb(text, len, JSON_ALLOW_NUL, NULL) : NULL;
        good = again && json_equal(again, json_array_get(in->entries, i)) && entry_read(text, len, 1, &room, &e) == 0;
        CHECK_MSG(good, "entry %zu: %s", i, text ? text : "none");
        json_array_set_new(in->entries, i, again);
        free(text);
    }
    entry_room_done(&room);
    return good;
}

/* As it is exported with its bytes. */
static json_t *with_data(const struct incoming *in, const json_t *entry)
{
    json_t *copy = json_deep_copy(entry), *part;
    size_t i;
    json_array_foreach(json_object_get(copy, "parts"), i, part) {
        char *data = bytes_of(in, part);
        if (data)
            json_object_set_new(part, "data", json_string(data));
        json_object_del(part, "sha256");
        json_object_del(part, "bytes");
        free(data);
    }
    return copy;
}

/* What was imported and exported with its bytes can be appended, and is the same again. */
static void restore(const struct incoming *in, const char *wire, const char *name)
{
    struct incoming again = {.max_blob = in->max_blob};
    struct fovea_fault fault = {0};
    size_t i;
    json_t *entry;
    json_array_foreach(in->entries, i, entry) {
        json_t *exported = with_data(in, entry);
        int r = incoming_entry(&again, exported, &fault);
        char *text = entry_text_new(exported, NULL);
        CHECK_MSG(r == 0 && json_equal(json_array_get(again.entries, i), entry), "%s/%s: %s: %s", wire, name, fault.text, text);
        free(text);
        json_decref(exported);
    }
    incoming_done(&again);
}

static int round_trip(const char *wire, const json_t *root, const char *name)
{
    struct incoming in = {.max_blob = 20 << 20};
    struct fovea_fault fault = {0};
    int r = incoming_request(&in, wire, root, &fault);
    CHECK_MSG(r == 0, "%s/%s: %s", wire, name, fault.text);
    if (r == 0 && stored_well(&in)) {
        restore(&in, wire, name);
        json_t *out = export_list(&in, wire), *want = json_is_array(root) ? json_incref((json_t *)(uintptr_t)root)
                                                                          : json_incref(json_object_get(root, list_key(wire)));
        for (size_t i = 0; i < json_array_size(want) || i < json_array_size(out); i++) {
            json_t *a = json_array_get(want, i), *b = json_array_get(out, i);
            if (a && b && json_equal(a, b))
                continue;
            char *was = a ? json_dumps(a, JSON_ENCODE_ANY) : NULL, *is = b ? json_dumps(b, JSON_ENCODE_ANY) : NULL;
            CHECK_MSG(false, "%s/%s [%zu]\n was %s\n is  %s", wire, name, i, was ? was : "", is ? is : "");
            free(was);
            free(is);
            r = -1;
            break;
        }
        json_decref(want);
        json_decref(out);
    }
    incoming_done(&in);
    return r;
}

static size_t each_case(const char *wire, int (*run)(const char *wire, const json_t *root, const char *name))
{
    char folder[PATH_MAX];
    size_t n = 0;
    (void)snprintf(folder, sizeof folder, "tests/cases/transcript/%s", wire);
    DIR *d = opendir(folder);
    CHECK_MSG(d, "%s", folder);
    for (struct dirent *f; d && (f = readdir(d));) {
        char path[PATH_MAX + 300];
        if (f->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, f->d_name);
        json_t *root = json_load_file(path, 0, NULL);
        CHECK_MSG(root, "%s", path);
        if (root)
            (void)run(wire, root, f->d_name);
        json_decref(root);
        n++;
    }
    if (d)
        closedir(d);
    return n;
}

TEST(every_case_of_every_wire_comes_back_as_it_was)
{
    for (size_t i = 0; transcript_wires[i]; i++)
        CHECK_MSG(each_case(transcript_wires[i], round_trip) >= 10, "%s", transcript_wires[i]);
}

/* ---------------------------------------------------------------- what they become */

#define WIRE(w) "\"wire\":\"" w "\""
#define HELLO "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

/* A request and the entries that it must become, one a line. */
static const struct {
    const char *wire, *request, *entries;
} becomes[] = {
    {"anthropic", "[{\"role\":\"user\",\"content\":\"q\"}]", "{\"kind\":\"user\"," WIRE("anthropic") ",\"plain\":true,\"parts\":[{\"type\":\"text\",\"text\":\"q\"}]}\n"},
    {"anthropic",
     "[{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"view\",\"input\":{\"path\":\"a.png\"}}]},{\"role\":\"user\",\"content\":["
     "{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"is_error\":true,\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"aGVsbG8=\"}}]},"
     "{\"type\":\"text\",\"text\":\"x\",\"cache_control\":{}}],\"k\":1}]",
     "{\"kind\":\"assistant\"," WIRE("anthropic") ",\"parts\":[{\"type\":\"tool_call\",\"id\":\"t1\",\"name\":\"view\",\"arguments\":{\"path\":\"a.png\"}}]}\n"
     "{\"kind\":\"tool_result\"," WIRE("anthropic") ",\"call\":\"t1\",\"name\":\"view\",\"error\":true,\"parts\":[{\"type\":\"image\",\"media_type\":\"image/png\",\"sha256\":\"" HELLO "\",\"bytes\":5,\"ref\":\"a.png\"}],\"raw\":{\"role\":\"user\",\"k\":1}}\n"
     "{\"kind\":\"user\"," WIRE("anthropic") ",\"join\":true,\"parts\":[{\"type\":\"text\",\"text\":\"x\",\"raw\":{\"type\":\"text\",\"text\":\"x\",\"cache_control\":{}}}]}\n"},
    {"anthropic", "[{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"aGVsbG8=\"},\"cache_control\":{}}]}]",
     "{\"kind\":\"user\"," WIRE("anthropic") ",\"parts\":[{\"type\":\"image\",\"media_type\":\"image/png\",\"sha256\":\"" HELLO "\",\"bytes\":5,\"raw\":{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"\\u0001type\",\"data\":\"\\u0001data\"},\"cache_control\":{}}}]}\n"},
    {"anthropic", "[{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"aGVsbG9=\"}}]}]",
     "{\"kind\":\"user\"," WIRE("anthropic") ",\"parts\":[{\"type\":\"opaque\"," WIRE("anthropic") ",\"text\":\"[image not shown: no base64]\",\"broken\":\"no base64\",\"value\":{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"aGVsbG9=\"}}}]}\n"},
    {"anthropic", "[{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"aGVs\\nbG8=\"}}]}]",
     "{\"kind\":\"user\"," WIRE("anthropic") ",\"parts\":[{\"type\":\"image\",\"media_type\":\"image/png\",\"sha256\":\"" HELLO "\",\"bytes\":5,\"raw\":{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"aGVs\\nbG8=\"}}}]}\n"},
    {"anthropic", "{\"model\":\"m\",\"system\":\"s\",\"tools\":[{\"name\":\"f\",\"input_schema\":{}},{\"type\":\"bash\",\"name\":\"b\"}],\"messages\":[]}",
     "{\"kind\":\"request\"," WIRE("anthropic") ",\"system\":[{\"type\":\"text\",\"text\":\"s\"}],\"tools\":[{\"name\":\"f\",\"parameters\":{}}],\"body\":{\"model\":\"m\",\"system\":\"s\",\"tools\":[{\"name\":\"f\",\"input_schema\":{}},{\"type\":\"bash\",\"name\":\"b\"}]}}\n"},
    {"openai-chat",
     "[{\"role\":\"developer\",\"content\":\"d\"},{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,aGVsbG8=\",\"detail\":\"high\"}}]},"
     "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":0.1}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"r\"}]",
     "{\"kind\":\"system\"," WIRE("openai-chat") ",\"plain\":true,\"role\":\"developer\",\"parts\":[{\"type\":\"text\",\"text\":\"d\"}]}\n"
     "{\"kind\":\"user\"," WIRE("openai-chat") ",\"parts\":[{\"type\":\"image\",\"media_type\":\"image/png\",\"sha256\":\"" HELLO "\",\"bytes\":5}]}\n"
     "{\"kind\":\"assistant\"," WIRE("openai-chat") ",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"f\",\"arguments\":{\"a\":0.1}}]}\n"
     "{\"kind\":\"tool_result\"," WIRE("openai-chat") ",\"plain\":true,\"call\":\"c\",\"name\":\"f\",\"parts\":[{\"type\":\"text\",\"text\":\"r\"}]}\n"},
    {"openai-responses",
     "{\"input\":\"hi\"}", "{\"kind\":\"request\"," WIRE("openai-responses") ",\"body\":{}}\n{\"kind\":\"user\"," WIRE("openai-responses") ",\"plain\":true,\"parts\":[{\"type\":\"text\",\"text\":\"hi\"}]}\n"},
    {"openai-responses",
     "[{\"type\":\"reasoning\",\"id\":\"r\",\"summary\":[]},{\"type\":\"message\",\"id\":\"m\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"t\",\"annotations\":[]}]},"
     "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"},{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":\"o\"}]",
     "{\"kind\":\"assistant\"," WIRE("openai-responses") ",\"parts\":[{\"type\":\"opaque\"," WIRE("openai-responses") ",\"thinking\":true,\"value\":{\"type\":\"reasoning\",\"id\":\"r\",\"summary\":[]}}]}\n"
     "{\"kind\":\"assistant\"," WIRE("openai-responses") ",\"join\":true,\"parts\":[{\"type\":\"text\",\"text\":\"t\"}],\"raw\":{\"type\":\"message\",\"id\":\"m\",\"role\":\"assistant\"}}\n"
     "{\"kind\":\"assistant\"," WIRE("openai-responses") ",\"join\":true,\"parts\":[{\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"f\",\"arguments\":{}}]}\n"
     "{\"kind\":\"tool_result\"," WIRE("openai-responses") ",\"plain\":true,\"call\":\"c\",\"name\":\"f\",\"parts\":[{\"type\":\"text\",\"text\":\"o\"}]}\n"},
    {"gemini",
     "[{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"name\":\"view\",\"args\":{\"path\":\"a\"}}},{\"functionCall\":{\"name\":\"view\",\"args\":{\"path\":\"b\"}},\"thoughtSignature\":\"s\"}]},"
     "{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"name\":\"view\",\"response\":{\"output\":\"1\"}}},{\"functionResponse\":{\"id\":\"x\",\"name\":\"view\",\"response\":{\"output\":\"2\"},\"parts\":[{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"aGVsbG8=\"}}]}}]}]",
     "{\"kind\":\"assistant\"," WIRE("gemini") ",\"parts\":[{\"type\":\"tool_call\",\"id\":\"gemini_0_0\",\"name\":\"view\",\"arguments\":{\"path\":\"a\"},\"raw\":{\"functionCall\":{\"name\":\"view\",\"args\":{\"path\":\"a\"}}}},"
     "{\"type\":\"tool_call\",\"id\":\"gemini_0_1\",\"name\":\"view\",\"arguments\":{\"path\":\"b\"},\"raw\":{\"functionCall\":{\"name\":\"view\",\"args\":{\"path\":\"b\"}},\"thoughtSignature\":\"s\"}}]}\n"
     "{\"kind\":\"tool_result\"," WIRE("gemini") ",\"call\":\"gemini_0_0\",\"name\":\"view\",\"parts\":[{\"type\":\"text\",\"text\":\"1\"}],\"block\":{\"functionResponse\":{\"name\":\"view\",\"response\":{\"output\":\"1\"}}}}\n"
     "{\"kind\":\"tool_result\"," WIRE("gemini") ",\"join\":true,\"call\":\"x\",\"name\":\"view\",\"parts\":[{\"type\":\"text\",\"text\":\"2\"},{\"type\":\"image\",\"media_type\":\"image/png\",\"sha256\":\"" HELLO "\",\"bytes\":5}]}\n"},
    /* null is like nothing. */
    {"openai-chat",
     "[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"type\":\"custom\",\"function\":null,\"custom\":{\"name\":\"f\",\"input\":\"x\"}}]}]",
     "{\"kind\":\"assistant\"," WIRE("openai-chat") ",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"f\",\"arguments_text\":\"x\",\"raw\":{\"id\":\"c\",\"type\":\"custom\",\"function\":null,\"custom\":{\"name\":\"f\",\"input\":\"x\"}}}]}\n"},
    {"openai-responses",
     "[{\"type\":null,\"role\":\"user\",\"content\":\"q\"}]",
     "{\"kind\":\"user\",\"wire\":\"openai-responses\",\"plain\":true,\"parts\":[{\"type\":\"text\",\"text\":\"q\"}],\"raw\":{\"type\":null,\"role\":\"user\"}}\n"},
    {"gemini",
     "[{\"role\":\"model\",\"parts\":[{\"functionCall\":null,\"function_call\":{\"name\":\"f\",\"args\":null}}]},{\"role\":\"user\",\"parts\":[{\"functionResponse\":null,\"function_response\":{\"name\":\"f\",\"response\":{\"result\":\"fine\",\"error\":null}}}]},{\"role\":\"user\",\"parts\":[{\"text\":null,\"inlineData\":null,\"inline_data\":{\"mime_type\":\"image/png\",\"data\":\"aGVsbG8=\"}}]}]",
     "{\"kind\":\"assistant\",\"wire\":\"gemini\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"gemini_0_0\",\"name\":\"f\",\"arguments\":{},\"raw\":{\"functionCall\":null,\"function_call\":{\"name\":\"f\",\"args\":null}}}]}\n"
     "{\"kind\":\"tool_result\",\"wire\":\"gemini\",\"call\":\"gemini_0_0\",\"name\":\"f\",\"parts\":[{\"type\":\"text\",\"text\":\"{\\\"result\\\":\\\"fine\\\",\\\"error\\\":null}\"}],\"block\":{\"functionResponse\":null,\"function_response\":{\"name\":\"f\",\"response\":{\"result\":\"fine\",\"error\":null}}}}\n"
     "{\"kind\":\"user\",\"wire\":\"gemini\",\"parts\":[{\"type\":\"image\",\"media_type\":\"image/png\",\"sha256\":\"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\",\"bytes\":5,\"raw\":{\"text\":null,\"inlineData\":null,\"inline_data\":{\"mime_type\":\"\\u0001type\",\"data\":\"\\u0001data\"}}}]}\n"},
};

TEST(requests_become_the_entries_that_are_documented)
{
    for (size_t i = 0; i < COUNT(becomes); i++) {
        struct incoming in = {.max_blob = 5};
        struct fovea_fault fault = {0};
        struct buf lines = BUF_INIT(MIB);
        json_t *root = json_loads(becomes[i].request, 0, NULL);
        CHECK_MSG(root && incoming_request(&in, becomes[i].wire, root, &fault) == 0, "row %zu: %s", i, fault.text);
        for (size_t k = 0; k < json_array_size(in.entries); k++) {
            char *text = entry_text_new(json_array_get(in.entries, k), NULL);
            (void)buf_add_str(&lines, text);
            (void)buf_add_str(&lines, "\n");
            free(text);
        }
        CHECK_STR(lines.data, becomes[i].entries);
        buf_done(&lines);
        json_decref(root);
        incoming_done(&in);
    }
}

/* No provider takes such a block: the request would fail, now and ever after. */
TEST(what_no_provider_would_take_is_kept_and_marked_as_broken)
{
#define A(block) "[{\"role\":\"user\",\"content\":[" block "]}]"
#define BYTES(data) "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"" data "\"}}"
#define PAPER(blocks) A("{\"type\":\"document\",\"source\":{\"type\":\"content\",\"content\":[" blocks "]}}")
#define CHAT(url) A("{\"type\":\"image_url\",\"image_url\":{\"url\":\"" url "\"}}")
    static const struct {
        const char *wire, *request, *type, *why; /* why: "" when it is not broken */
    } rows[] = {
        {"anthropic", A(BYTES("")), "opaque", "it is empty"},
        {"anthropic", A(BYTES("not base64!")), "opaque", "no base64"},
        {"anthropic", A("{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"data\":\"aGVsbG8=\"}}"), "opaque", "no media type"},
        {"anthropic", A("{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"file:///a.png\"}}"), "image", "no web address"},
        {"anthropic", A("{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"http://e.com/a\"}}"), "image", ""},
        {"anthropic", PAPER(BYTES("aGVsbG8=")), "opaque", "an image in it is no picture"},
        {"anthropic", PAPER(BYTES("")), "opaque", "an image in it is no picture"},
        {"anthropic", PAPER("{\"type\":\"text\",\"text\":\"a\"}," BYTES("iVBORw0KGgoAAAAN")), "opaque", ""},
        {"anthropic", PAPER(BYTES("/9j/4AAQSkZJRg==") "," BYTES("R0lGODlhAQAB") "," BYTES("UklGRgAAAABXRUJQVlA4")), "opaque", ""},
        {"openai-chat", CHAT("file:///a.png"), "opaque", "no web address and no base64"},
        {"openai-chat", CHAT(""), "opaque", "it is empty"},
        {"openai-chat", CHAT("data:image/png;base64,"), "opaque", "it is empty"},
        {"openai-chat", CHAT("data:image/png;base64,????"), "opaque", "no base64"},
        {"openai-chat", CHAT("data:image/png,x"), "opaque", "no web address and no base64"},
        {"openai-chat", CHAT("DATA:image/png;base64,aGVsbG8"), "image", ""},
        {"openai-responses", A("{\"type\":\"input_image\",\"image_url\":\"file:///a\"}"), "opaque", "no web address and no base64"},
        {"openai-responses", A("{\"type\":\"input_file\",\"file_url\":\"file:///a\"}"), "document", "no web address"},
        {"gemini", "[{\"parts\":[{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"*\"}}]}]", "opaque", "no base64"},
        {"gemini", "[{\"parts\":[{\"fileData\":{\"mimeType\":\"image/png\",\"fileUri\":\"FILE:///a\"}}]}]", "image", "no web address"},
        {"gemini", "[{\"parts\":[{\"fileData\":{\"mimeType\":\"image/png\",\"fileUri\":\"gs://a/b\"}}]}]", "image", ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct incoming in = {.max_blob = 1000};
        json_t *root = json_loads(rows[i].request, 0, NULL);
        CHECK(incoming_request(&in, rows[i].wire, root, NULL) == 0);
        const json_t *part = json_array_get(one(json_array_get(in.entries, 0), "parts"), 0);
        const char *why = json_string_value(one(part, "broken")), *words = json_string_value(one(part, "text"));
        CHECK_MSG(word_is(part, "type", rows[i].type), "row %zu", i);
        CHECK_STR(why ? why : "", rows[i].why);
        if (why && word_is(part, "type", "opaque"))
            CHECK_MSG(words && strstr(words, why), "row %zu", i);
        CHECK(round_trip(rows[i].wire, root, "broken") == 0);
        json_decref(root);
        incoming_done(&in);
    }
}

TEST(what_is_no_request_is_refused_with_its_place_and_leaves_nothing)
{
    static const struct {
        const char *wire, *request, *words;
        int code;
    } rows[] = {
        {"smtp", "[]", "no such wire: \"smtp\" (anthropic, openai-chat, openai-responses, gemini)", -EINVAL},
        {"anthropic", "{}", "no request of anthropic: neither a list nor an object whose \"messages\" is one", -EINVAL},
        {"anthropic", "{\"messages\":\"x\"}", "no request of anthropic: neither a list nor an object whose \"messages\" is one", -EINVAL},
        {"anthropic", "[{\"role\":\"user\",\"content\":\"a\"},7]", "messages[1]: an object is wanted", -EINVAL},
        {"anthropic", "[{\"role\":\"user\",\"content\":7}]", "messages[0].content: a string or a list is wanted", -EINVAL},
        {"anthropic", "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},7]}]", "messages[0].content[1]: an object is wanted", -EINVAL},
        {"anthropic", "[{\"content\":\"a\"}]", "messages[0].role: a string is wanted", -EINVAL},
        {"anthropic", "[{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"aGVsbG8h\"}}]}]",
         "messages[0]: image of more than 5 bytes", -EFBIG},
        {"openai-chat", "[{\"role\":\"user\",\"content\":{}}]", "messages[0].content: a string or a list is wanted", -EINVAL},
        {"openai-chat", "[{\"role\":\"user\",\"content\":[null]}]", "messages[0].content[0]: an object is wanted", -EINVAL},
        {"openai-responses", "{\"input\":7}", "no request of openai-responses: neither a list nor an object whose \"input\" is one", -EINVAL},
        {"openai-responses", "[{\"role\":\"user\",\"content\":[7]}]", "input[0].content[0]: an object is wanted", -EINVAL},
        {"gemini", "[{\"role\":\"user\",\"parts\":{}}]", "contents[0].parts: a list is wanted", -EINVAL},
        {"gemini", "[{\"role\":\"user\",\"parts\":[\"x\"]}]", "contents[0].parts[0]: an object is wanted", -EINVAL},
        /* of another wire than was named: it would be taken for empty */
        {"gemini", "[{\"role\":\"user\",\"content\":\"hello\"}]",
         "contents[0].parts: missing; \"content\" is what anthropic, openai-chat and openai-responses have", -EINVAL},
        {"gemini", "[{\"role\":\"model\"},{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[]}]",
         "contents[1].parts: missing; \"tool_calls\" are openai-chat's", -EINVAL},
        {"openai-chat", "[{\"role\":\"user\",\"parts\":[{\"text\":\"hello\"}]}]", "messages[0].content: missing; \"parts\" are gemini's", -EINVAL},
        {"anthropic", "[{\"role\":\"user\",\"parts\":[{\"text\":\"hello\"}]}]", "messages[0].content: missing; \"parts\" are gemini's", -EINVAL},
        {"openai-responses", "{\"input\":[{\"role\":\"model\",\"parts\":[{\"text\":\"hello\"}]}]}",
         "input[0].content: missing; \"parts\" are gemini's", -EINVAL},
        {"openai-responses", "[{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"a\"}]",
         "input[0].role: user, assistant, system or developer is wanted; \"tool_call_id\" is openai-chat's", -EINVAL},
        {"openai-responses", "[{\"role\":\"assistant\",\"tool_calls\":[]}]", "input[0].content: missing; \"tool_calls\" are openai-chat's", -EINVAL},
        {"openai-responses", "[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[]}]",
         "input[0].content: missing; \"tool_calls\" are openai-chat's", -EINVAL},
        {"openai-chat", "[{\"role\":\"user\",\"content\":null,\"parts\":[{\"text\":\"hello\"}]}]",
         "messages[0].content: missing; \"parts\" are gemini's", -EINVAL},
        {"openai-chat", "[{\"role\":\"assistant\",\"tool_calls\":null,\"parts\":[]}]", "messages[0].content: missing; \"parts\" are gemini's", -EINVAL},
        {"openai-chat", "[{\"role\":\"user\",\"type\":null,\"parts\":[{\"text\":\"hello\"}]}]",
         "messages[0].content: missing; \"parts\" are gemini's", -EINVAL},
        /* and of none */
        {"gemini", "[{\"role\":\"model\"},{\"role\":\"user\",\"text\":\"hello\"}]", "contents[1].parts: missing; \"text\" is within a part", -EINVAL},
        {"openai-chat", "[{\"role\":\"user\",\"text\":\"hello\"}]", "messages[0].content: missing; \"text\" is within a part", -EINVAL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct incoming in = {.max_blob = 5};
        struct fovea_fault fault = {0};
        json_t *root = json_loads(rows[i].request, 0, NULL);
        int r = incoming_request(&in, rows[i].wire, root, &fault);
        CHECK_MSG(r == rows[i].code && json_array_size(in.entries) == 0, "row %zu: %d", i, r);
        CHECK_STR(fault.text, rows[i].words);
        json_decref(root);
        incoming_done(&in);
    }
}

TEST(a_message_without_words_is_taken_where_its_wire_has_such)
{
    static const struct {
        const char *wire, *request;
    } rows[] = {
        {"gemini", "[{\"role\":\"model\"}]"},
        {"gemini", "[{\"role\":\"model\",\"finishReason\":\"STOP\"},{\"role\":\"model\",\"content\":null}]"},
        {"openai-chat", "[{\"role\":\"assistant\"}]"},
        {"openai-chat", "[{\"role\":\"assistant\",\"refusal\":\"no\"}]"},
        {"openai-chat", "[{\"role\":\"assistant\",\"thinking_blocks\":[],\"cache_control\":{\"type\":\"ephemeral\"}}]"},
        {"openai-chat", "[{\"role\":\"assistant\",\"provider_specific_fields\":{},\"parts\":[],\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\","
                        "\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}]"},
        {"openai-responses", "[{\"role\":\"assistant\",\"annotations\":[]}]"},
        {"openai-chat", "[{\"role\":\"assistant\",\"audio\":{\"id\":\"a\"}}]"},
        {"openai-chat", "[{\"role\":\"assistant\",\"function_call\":{\"name\":\"f\",\"arguments\":\"\"}}]"},
        {"openai-chat", "[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}]"},
        {"openai-responses", "[{\"id\":\"msg_1\"},{\"type\":\"item_reference\",\"id\":\"x\",\"parts\":[]}]"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct incoming in = {.max_blob = 5};
        struct fovea_fault fault = {0};
        json_t *root = json_loads(rows[i].request, 0, NULL);
        CHECK_MSG(incoming_request(&in, rows[i].wire, root, &fault) == 0, "row %zu: %s", i, fault.text);
        CHECK(json_array_size(in.entries) == json_array_size(root));
        json_decref(root);
        incoming_done(&in);
    }
}

/* Which call each result answers, as "id id ...". */
static void check_answers(const char *parts, const char *want)
{
    struct incoming in = {.max_blob = 5};
    struct buf request = BUF_INIT(MIB), got = BUF_INIT(MIB);
    (void)buf_add_format(&request, "[%s]", parts);
    json_t *root = json_loads(request.data, 0, NULL), *entry;
    size_t i;
    CHECK(root && incoming_request(&in, "gemini", root, NULL) == 0);
    json_array_foreach(in.entries, i, entry)
        if (word_is(entry, "kind", "tool_result"))
            (void)buf_add_format(&got, "%s ", json_string_value(one(entry, "call")));
    CHECK_STR(got.data, want);
    buf_done(&request);
    buf_done(&got);
    json_decref(root);
    incoming_done(&in);
}

TEST(a_response_of_gemini_answers_the_first_call_that_waits)
{
#define CALL(more) "{\"functionCall\":{" more "\"args\":{}}}"
#define REPLY(more) "{\"functionResponse\":{" more "\"response\":{}}}"
#define ID(id) "\"id\":\"" id "\","
#define NAME(name) "\"name\":\"" name "\","
#define CALLS(list) "{\"role\":\"model\",\"parts\":[" list "]},"
#define REPLIES(list) "{\"role\":\"user\",\"parts\":[" list "]}"
    check_answers(CALLS(CALL(NAME("f")) "," CALL(NAME("g")) "," CALL(NAME("f")))
                  REPLIES(REPLY(NAME("f")) "," REPLY(NAME("f")) "," REPLY(NAME("g")) "," REPLY(NAME("f"))),
                  "gemini_0_0 gemini_0_2 gemini_0_1 gemini_1_3 ");
    check_answers(CALLS(CALL(ID("a") NAME("f")) "," CALL(ID("b") NAME("f")) "," CALL(ID("c") NAME("f")))
                  REPLIES(REPLY(ID("b") NAME("f")) "," REPLY(NAME("f")) "," REPLY(NAME("f")) "," REPLY(ID("a") NAME("f"))), "b a c a ");
    check_answers(CALLS(CALL(ID("a") NAME("f")) "," CALL(ID("a") NAME("g")))
                  REPLIES(REPLY(ID("a")) "," REPLY(NAME("g")) "," REPLY(NAME("f"))), "a a gemini_1_2 ");
}

/* Seconds that it takes to take a request in. Takes root. */
static double time_of(const char *wire, json_t *root)
{
    struct incoming in = {.max_blob = 100};
    struct timespec from, to;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    CHECK(incoming_request(&in, wire, root, NULL) == 0);
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    incoming_done(&in);
    json_decref(root);
    return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

static double time_of_calls(int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        (void)json_array_append_new(list, json_pack("{s:s, s:[{s:{s:o, s:s, s:{}}}]}", "role", "model", "parts", "functionCall", "id",
                                                    json_sprintf("c%d", i), "name", "f", "args"));
    while (n--)
        (void)json_array_append_new(list, json_pack("{s:s, s:[{s:{s:o, s:s, s:{}}}]}", "role", "user", "parts", "functionResponse", "id",
                                                    json_sprintf("c%d", n), "name", "f", "response"));
    return time_of("gemini", list);
}

static double time_of_documents(int n)
{
    json_t *list = json_array();
    while (n--) {
        char digits[12], data[13] = "";
        (void)snprintf(digits, sizeof digits, "%09d", n);
        b64_encode((const uint8_t *)digits, 9, data);
        (void)json_array_append_new(list, json_pack("{s:s, s:[{s:s, s:{s:s, s:s, s:s}}]}", "role", "user", "content", "type", "document",
                                                    "source", "type", "base64", "media_type", "text/plain", "data", data));
    }
    return time_of("anthropic", list);
}

/* Ten times as many take ten times as long, not a hundred times. */
TEST(many_calls_and_many_documents_take_no_more_time_each)
{
    double few = time_of_calls(3000), many = time_of_calls(30000);
    CHECK_MSG(many < 40 * few + 0.2, "%.2f s, and %.2f s of ten times as many", few, many);
    few = time_of_documents(3000), many = time_of_documents(30000);
    CHECK_MSG(many < 40 * few + 0.2, "%.2f s, and %.2f s of ten times as many", few, many);
}

/* An opaque block keeps its bytes, and an entry has its bound. */
TEST(a_message_that_is_too_large_for_an_entry_is_named)
{
    for (size_t len = LIMIT_ENTRY_BYTES - 200; len <= LIMIT_ENTRY_BYTES; len += 200) {
        char *data = malloc(len + 1);
        memset(data, 'a', len);
        data[len] = '\0';
        json_t *root = json_pack("[{s:s, s:s}, {s:s, s:[{s:s, s:s}]}]", "role", "user", "content", "hi", "role", "user", "content", "type",
                                 "strange", "data", data);
        struct incoming in = {.max_blob = 5};
        struct fovea_fault fault = {0};
        int r = incoming_request(&in, "anthropic", root, &fault);
        CHECK_MSG(r == (len == LIMIT_ENTRY_BYTES ? -EFBIG : 0), "%zu: %d", len, r);
        CHECK_STR(fault.text, r ? "messages[1]: more than 16777216 bytes without its pictures and documents" : "");
        CHECK(json_array_size(in.entries) == (r ? 0 : 2));
        incoming_done(&in);
        json_t *whole = json_pack("{s:s, s:[]}", "x", data, "messages");
        fault = (struct fovea_fault){0};
        r = incoming_request(&in, "anthropic", whole, &fault);
        CHECK(r == (len == LIMIT_ENTRY_BYTES ? -EFBIG : 0));
        CHECK_STR(fault.text, r ? "what the request says beside its \"messages\" is more than 16777216 bytes" : "");
        incoming_done(&in);
        json_decref(whole);
        json_decref(root);
        free(data);
    }
}

TEST(names_with_nuls_are_told_apart)
{
    json_t *root = json_loads("[{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"a\\u0000b\",\"name\":\"f\",\"input\":{}},"
                              "{\"type\":\"tool_use\",\"id\":\"a\\u0000c\",\"name\":\"g\",\"input\":{}}]},{\"role\":\"user\",\"content\":["
                              "{\"type\":\"tool_result\",\"tool_use_id\":\"a\\u0000b\",\"content\":\"x\"},{\"type\":\"text\\u0000\",\"text\":\"t\"}]}]",
                              JSON_ALLOW_NUL, NULL);
    struct incoming in = {.max_blob = 5};
    CHECK(root && incoming_request(&in, "anthropic", root, NULL) == 0);
    CHECK(word_is(json_array_get(in.entries, 1), "name", "f"));
    CHECK(word_is(json_array_get(one(json_array_get(in.entries, 2), "parts"), 0), "type", "opaque"));
    incoming_done(&in);
    CHECK(round_trip("anthropic", root, "nul") == 0);
    json_decref(root);
}

TEST(a_message_of_too_many_blocks_becomes_entries_that_join)
{
    json_t *content = json_array(), *root = json_pack("[{s:s, s:o}]", "role", "user", "content", content);
    struct incoming in = {.max_blob = 5};
    for (int i = 0; i < 2 * LIMIT_ENTRY_PARTS + 1; i++)
        (void)json_array_append_new(content, json_pack("{s:s, s:s}", "type", "text", "text", "x"));
    CHECK(incoming_request(&in, "anthropic", root, NULL) == 0 && json_array_size(in.entries) == 3);
    incoming_done(&in);
    CHECK(round_trip("anthropic", root, "many") == 0);
    json_decref(root);
}

TEST(what_is_nested_deeper_than_can_be_read_again_is_refused)
{
    for (int depth = LIMIT_JSON_SCAN_DEPTH - 10; depth < LIMIT_JSON_SCAN_DEPTH + 10; depth++) {
        json_t *value = json_object();
        for (int i = 1; i < depth; i++)
            value = json_pack("[o]", value);
        json_t *root = json_pack("[{s:s, s:[{s:s, s:s, s:s, s:{s:o}}]}]", "role", "assistant", "content", "type", "tool_use", "id",
                                 "t", "name", "f", "input", "a", value);
        struct incoming in = {.max_blob = 5};
        struct fovea_fault fault = {0};
        int r = incoming_request(&in, "anthropic", root, &fault);
        CHECK(r == (depth + 4 > LIMIT_JSON_SCAN_DEPTH ? -EINVAL : 0));
        if (r == 0)
            CHECK(stored_well(&in));
        else
            CHECK_STR(fault.text, "messages[0]: nested too deeply");
        incoming_done(&in);
        json_decref(root);
    }
}

/* ---------------------------------------------------------------- at random */

static uint64_t dice = 88172645463325252u;
static size_t roll(size_t n)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (size_t)(dice % n);
}

static json_t *some_value(void)
{
    static const char *const values[] = {
        "null", "true", "false", "0", "-1", "1.5", "\"\"", "\"\\u0001data\"", "\"\\u0001type\"", "\"\\u0001url\"", "\"text\"",
        "\"https://e.com/a\"", "\"data:image/png;base64,AAAA\"", "\"data:image/png;x=y;base64,AAAB\"", "\"AAAA\"", "\"AAA\"",
        "\"image/png\"", "\"application/pdf\"", "[]", "{}", "[{}]", "{\"type\":\"text\",\"text\":\"x\"}", "\"{\\\"a\\\": 1}\"",
        "\"{\\\"a\\\":1}\"", "[{\"type\":\"text\",\"text\":\"x\"}]", "{\"output\":\"x\"}", "\"base64\"", "\"user\"", "\"assistant\"",
        "\"model\"", "\"tool\"", "\"t1\"", "{\"a\":{\"b\":[1,2,{\"c\":null}]}}", "9007199254740993", "0.1", "1e22",
    };
    return json_loads(values[roll(COUNT(values))], JSON_DECODE_ANY, NULL);
}

static const char *some_key(const json_t *object)
{
    static const char *const keys[] = {
        "type", "text", "id", "name", "content", "role", "cache_control", "source", "url", "data", "media_type", "file_id", "title",
        "detail", "image_url", "parts", "thoughtSignature", "thought", "args", "arguments", "output", "is_error", "tool_calls",
        "call_id", "response", "functionCall", "inlineData", "displayName", "mimeType", "zzz",
    };
    size_t n = json_object_size(object);
    void *at = json_object_iter((json_t *)(uintptr_t)object);
    if (!n || roll(3) == 0)
        return keys[roll(COUNT(keys))];
    for (size_t i = roll(n); i; i--)
        at = json_object_iter_next((json_t *)(uintptr_t)object, at);
    return json_object_iter_key(at);
}

/* Takes something out of a value, puts something in, or goes deeper. */
static void disturb(json_t *value)
{
    if (json_is_object(value)) {
        char key[64];
        (void)snprintf(key, sizeof key, "%s", some_key(value));
        json_t *inner = json_object_get(value, key);
        if (inner && (json_is_object(inner) || json_is_array(inner)) && roll(4))
            disturb(inner);
        else if (roll(3) == 0)
            (void)json_object_del(value, key);
        else
            (void)json_object_set_new(value, key, some_value());
    } else if (json_array_size(value)) {
        size_t i = roll(json_array_size(value));
        json_t *inner = json_array_get(value, i);
        if (json_is_object(inner) && roll(6))
            disturb(inner);
        else if (json_is_array(inner) || roll(2))
            (void)json_array_remove(value, i);
        else
            (void)json_array_append_new(value, json_deep_copy(inner));
    } else if (json_is_array(value)) {
        (void)json_array_append_new(value, some_value());
    }
}

static json_t *pool;
static int add_to_pool(const char *wire, const json_t *root, const char *name)
{
    (void)name;
    return json_array_extend(pool, json_is_array(root) ? (json_t *)(uintptr_t)root : json_object_get(root, list_key(wire)));
}

static json_t *some_messages(void)
{
    json_t *list = json_array();
    for (size_t n = 1 + roll(6); n; n--) {
        json_t *m = json_deep_copy(json_array_get(pool, roll(json_array_size(pool))));
        for (size_t k = roll(4); k; k--) {
            json_t *content = json_object_get(m, json_object_get(m, "parts") ? "parts" : "content");
            disturb(json_is_array(content) && roll(30) ? content : m);
        }
        (void)json_array_append_new(list, m);
    }
    return list;
}

TEST(whatever_is_taken_at_random_comes_back_as_it_was)
{
    const char *more = getenv("FOVEA_TEST_ROUNDS");
    size_t rounds = more ? (size_t)strtoul(more, NULL, 10) : 2000;
    for (size_t w = 0; transcript_wires[w]; w++) {
        size_t taken = 0, tried = 0;
        pool = json_array();
        (void)each_case(transcript_wires[w], add_to_pool);
        for (; tried < rounds && !test_failed; tried++) {
            json_t *list = some_messages();
            struct incoming in = {.max_blob = 1 << 20};
            struct fovea_fault fault = {0};
            int r = incoming_request(&in, transcript_wires[w], list, &fault);
            CHECK_MSG(r == 0 || (r == -EINVAL && fault.text[0]), "%d %s", r, fault.text);
            CHECK(r == 0 || json_array_size(in.entries) == 0);
            incoming_done(&in);
            if (r == 0)
                (void)round_trip(transcript_wires[w], list, "random");
            taken += r == 0;
            json_decref(list);
        }
        CHECK_MSG(taken > tried / 4, "%s: %zu of %zu", transcript_wires[w], taken, tried);
        json_decref(pool);
    }
}
