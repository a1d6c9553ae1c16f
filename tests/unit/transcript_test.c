/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of the four wires come in and go out again as they were. */
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>

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
        json_t *again = text ? json_loadb(text, len, 0, NULL) : NULL;
        good = again && json_equal(again, json_array_get(in->entries, i)) && entry_read(text, len, 1, &room, &e) == 0;
        CHECK_MSG(good, "entry %zu: %s", i, text ? text : "none");
        json_array_set_new(in->entries, i, again);
        free(text);
    }
    entry_room_done(&room);
    return good;
}

static int round_trip(const char *wire, const json_t *root, const char *name)
{
    struct incoming in = {.max_blob = 20 << 20};
    struct fovea_fault fault = {0};
    int r = incoming_request(&in, wire, root, &fault);
    CHECK_MSG(r == 0, "%s/%s: %s", wire, name, fault.text);
    if (r == 0 && stored_well(&in)) {
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
        json_t *content = json_object_get(m, json_object_get(m, "parts") ? "parts" : "content");
        for (size_t k = roll(4); k; k--)
            disturb(json_is_array(content) && roll(30) ? content : m);
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
