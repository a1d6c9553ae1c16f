/* SPDX-License-Identifier: Apache-2.0 */
/* The record through the public header: what a host appends and imports, what its calls of tools leave there, and what is fresh. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "api/context.h"
#include "base/b64.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "built.h"
#include "fovea.h"
#include "handles.h"
#include "percept/json.h"
#include "test.h"
#include "top.h"

/* ---------------------------------------------------------------- a place to be in */

static fovea *context_of(const char *config)
{
    fovea *f = NULL;
    struct fovea_fault fault = {0};
    (void)top_is_home();
    const char *reach[] = {top, build_folder(), NULL};
    struct fovea_options options = {.cwd = top, .reach = reach, .worker_dir = build_folder(), .config_file = config ? config : ""};
    CHECK_MSG(fovea_new(&options, &f, &fault) == 0, "%s", fault.text);
    return f;
}

static fovea_session *session_of(fovea *f, struct fovea_session_options options)
{
    fovea_session *s = NULL;
    struct fovea_fault fault = {0};
    CHECK_MSG(fovea_session_new(f, &options, &s, &fault) == 0, "%s", fault.text);
    return s;
}

/* ---------------------------------------------------------------- what is there */

static int collect(void *arg, int64_t seq, const char *json, size_t len)
{
    json_t *list = arg;
    json_t *entry = json_loadb(json, len, 0, NULL);
    CHECK_MSG(entry && (size_t)seq == json_array_size(list) + 1, "entry %lld", (long long)seq);
    return json_array_append_new(list, entry);
}

static json_t *entries_of(fovea_session *s)
{
    json_t *list = json_array();
    struct fovea_fault fault = {0};
    int r = fovea_session_entries(s, 0, collect, list, &fault);
    CHECK_MSG(r == 0 || r == -ENOENT, "%s", fault.text);
    return list;
}

/* "0.parts.1.broken" of a list of entries, as words. */
static const char *at(json_t *value, const char *path)
{
    static char words[4][64];
    static unsigned next;
    char name[64];
    for (size_t n; *path && value; path += n + (path[n] == '.')) {
        n = strcspn(path, ".");
        (void)snprintf(name, sizeof name, "%.*s", (int)n, path);
        value = json_is_array(value) ? json_array_get(value, (size_t)strtoul(name, NULL, 10)) : json_object_get(value, name);
    }
    if (json_is_string(value))
        return json_string_value(value);
    char *to = words[next++ % COUNT(words)];
    if (json_is_integer(value))
        (void)snprintf(to, sizeof words[0], "%lld", (long long)json_integer_value(value));
    else
        (void)snprintf(to, sizeof words[0], "%s", !value ? "" : json_is_true(value) ? "true" : json_is_null(value) ? "null" : "?");
    return to;
}

static int append(fovea_session *s, const char *text, const char *key, struct fovea_appended *ret)
{
    struct fovea_fault fault = {0};
    int r = fovea_session_append(s, text, strlen(text), key, ret, &fault);
    return r;
}

static const char *append_wrong(fovea_session *s, const char *text)
{
    static struct fovea_fault fault;
    struct fovea_appended done;
    int r = fovea_session_append(s, text, strlen(text), NULL, &done, &fault);
    CHECK_MSG(r == -EINVAL || r == -EFBIG, "%d: %s", r, text);
    return fault.text;
}

static int import(fovea_session *s, const char *text, struct fovea_appended *ret, struct fovea_fault *fault)
{
    return fovea_session_import(s, "anthropic", text, strlen(text), ret, fault);
}

/* A user's entry with the bytes of a file. */
static char *picture_entry_new(const char *type, const char *path, size_t most)
{
    size_t len;
    auto_free char *bytes = bytes_of(path, &len);
    len = MIN(len, most);
    auto_buf b = BUF_INIT(64 * MIB);
    (void)buf_add_format(&b, "{\"kind\":\"user\",\"parts\":[{\"type\":\"%s\",\"media_type\":\"image/jpeg\",\"data\":\"", type);
    char *to = buf_reserve(&b, B64_LEN(len));
    b64_encode((const uint8_t *)bytes, len, to);
    buf_grew(&b, B64_LEN(len));
    (void)buf_add_str(&b, "\"}]}\n");
    return buf_take(&b);
}

#define SAID(kind, words) "{\"kind\":\"" kind "\",\"parts\":[{\"type\":\"text\",\"text\":\"" words "\"}]}"

/* ---------------------------------------------------------------- appending */

TEST(one_entry_a_list_and_lines_are_appended_in_order)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "forms"});
    struct fovea_appended done;
    CHECK(append(s, SAID("user", "one"), NULL, &done) == 0 && done.first == 1 && done.last == 1 && !done.again);
    CHECK(append(s, "[" SAID("user", "two") "," SAID("assistant", "three") "]", NULL, &done) == 0 && done.last == 3);
    CHECK(append(s, "\n" SAID("user", "four") "\n\n" SAID("user", "five") "\n", NULL, &done) == 0 && done.first == 4);
    auto_json *all = entries_of(s);
    CHECK(json_array_size(all) == 5);
    CHECK_STR(at(all, "4.parts.0.text"), "five");
}

TEST(an_entry_without_a_time_gets_one_and_none_goes_back)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "times"});
    struct fovea_appended done;
    int64_t before = clock_wall_ms();
    CHECK(append(s, SAID("user", "a") "\n{\"kind\":\"user\",\"at\":99999999999999,\"parts\":[]}\n" SAID("user", "c"), NULL, &done) == 0);
    auto_json *all = entries_of(s);
    CHECK(strtoll(at(all, "0.at"), NULL, 10) >= before && strtoll(at(all, "0.at"), NULL, 10) <= clock_wall_ms());
    CHECK_STR(at(all, "1.at"), "99999999999999");
    CHECK_STR(at(all, "2.at"), "99999999999999");
}

TEST(the_same_key_appends_once_whatever_the_clock_says)
{
    static const char text[] = "{\"kind\":\"tool_call\",\"id\":\"c\",\"name\":\"n\",\"arguments\":{}}\n" SAID("user", "b");
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "keys"});
    struct fovea_appended done;
    CHECK(append(s, SAID("assistant", "a"), NULL, &done) == 0);
    CHECK(append(s, text, "k", &done) == 0 && !done.again && done.first == 2);
    CHECK(append(s, SAID("user", "later"), NULL, &done) == 0);
    (void)usleep(3000);
    CHECK(append(s, text, "k", &done) == 0 && done.again && done.first == 2 && done.last == 3);
    CHECK(append(s, SAID("user", "other"), "k", &done) == -EEXIST);
    auto_json *all = entries_of(s);
    CHECK(json_array_size(all) == 4);
}

TEST(a_lone_tool_call_joins_the_assistant_before_it)
{
    static const char call[] = "{\"kind\":\"tool_call\",\"id\":\"c\",\"name\":\"n\",\"arguments\":{}}";
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "joins"});
    struct fovea_appended done;
    CHECK(append(s, call, NULL, &done) == 0);
    CHECK(append(s, call, NULL, &done) == 0);
    CHECK(append(s, SAID("user", "x"), NULL, &done) == 0);
    CHECK(append(s, call, NULL, &done) == 0);
    auto_json *all = entries_of(s);
    CHECK_STR(at(all, "0.kind"), "assistant");
    CHECK_STR(at(all, "0.join"), "");
    CHECK_STR(at(all, "1.join"), "true");
    CHECK_STR(at(all, "3.join"), "");
}

#define JOINED(kind) "{\"kind\":\"" kind "\",\"join\":true,\"parts\":[]}"

TEST(an_entry_joins_the_last_that_spoke_or_nobody)
{
    static const char usage[] = "{\"kind\":\"usage\",\"model\":\"a/b\"}";
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "sides"});
    struct fovea_appended done;
    CHECK(append(s, JOINED("user"), NULL, &done) == 0);
    CHECK(append(s, "[" JOINED("assistant") "," JOINED("assistant") "]", "k", &done) == 0);
    CHECK(append(s, usage, NULL, &done) == 0);
    CHECK(append(s, JOINED("assistant"), "l", &done) == 0);
    CHECK(append(s, "[{\"kind\":\"usage\",\"model\":\"a/b\"}," JOINED("user") "]", NULL, &done) == 0);
    CHECK(append(s, "[" JOINED("assistant") "," JOINED("assistant") "]", "k", &done) == 0 && done.again && done.first == 2);
    CHECK(append(s, JOINED("assistant"), "l", &done) == 0 && done.again && done.first == 5);
    auto_json *all = entries_of(s);
    CHECK(json_array_size(all) == 7);
    CHECK_STR(at(all, "0.join"), "");
    CHECK_STR(at(all, "1.join"), "");
    CHECK_STR(at(all, "2.join"), "true");
    CHECK_STR(at(all, "4.join"), "true");
    CHECK_STR(at(all, "6.join"), "");
}

TEST(what_is_wrong_is_named_with_its_line_and_nothing_is_appended)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"", "there is no entry"},
        {" \n ", "there is no entry"},
        {"[]", "there is no entry"},
        {SAID("user", "a") "\n{\"kind\":\"user\",\"partz\":[]}", "line 2: partz"},
        {"[" SAID("user", "a") ",{\"kind\":\"usr\"}]", "entry 2: kind"},
        {SAID("user", "a") "\n{\"kind\":", "line 2: no JSON"},
        {"7", "line 1:"},
        {"{\"kind\":\"user\",\"kind\":\"user\"}", "line 1: parts"},
        {"{\"kind\":\"user\",\"at\":99999999999999999999,\"parts\":[]}", "line 1: at"},
        {"{\"kind\":\"user\",\"parts\":[]}\n\"\\ud83", "line 2: no JSON"},
        {"{\"kind\":\"user\",\"parts\":[{\"type\":\"image\",\"data\":\"*\"}]}", "parts[0].data"},
    };
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "wrong"});
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *words = append_wrong(s, rows[i].text);
        CHECK_MSG(strstr(words, rows[i].words) != NULL, "row %zu: %s", i, words);
    }
    auto_json *all = entries_of(s);
    CHECK(json_array_size(all) == 0);
}

TEST(what_other_programs_write_as_json_is_mended)
{
    static const struct {
        const char *text, *said, *x; /* x as it is stored */
    } rows[] = {
        {"a\\ud83d", "a\xef\xbf\xbd", "1"},
        {"\\uDE00b\\uD83D\\ude00", "\xef\xbf\xbd" "b\xf0\x9f\x98\x80", "9223372036854775807"},
        {"\\ud83d\\ud83d\\ude00\\\\ud83d", "\xef\xbf\xbd\xf0\x9f\x98\x80\\ud83d", "-9223372036854775808"},
        {"99999999999999999999", "99999999999999999999", "9223372036854775808"},
        {"c", "c", "-123456789012345678901234567890"},
        {"d", "d", "12345678901234567890"},
    };
    static const char *const stored[] = {"1", "9223372036854775807", "-9223372036854775808", "9.2233720368547758e+18",
                                         "-1.2345678901234568e+29", "1.2345678901234567e+19"};
    auto_fovea *f = context_of(NULL);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char name[16], entry[400], request[400];
        struct fovea_appended done;
        struct fovea_fault fault = {0};
        (void)snprintf(name, sizeof name, "mend-%zu", i);
        auto_session *s = session_of(f, (struct fovea_session_options){.name = name});
        (void)snprintf(entry, sizeof entry, "\xef\xbb\xbf{\"kind\":\"tool_call\",\"id\":\"0\",\"id\":\"%s\",\"name\":\"f\",\"arguments\":{\"x\":%s}}\n"
                       SAID("user", "\\ud800"), rows[i].text, rows[i].x);
        CHECK_MSG(fovea_session_append(s, entry, strlen(entry), NULL, &done, &fault) == 0, "row %zu: %s", i, fault.text);
        auto_json *all = entries_of(s);
        CHECK_STR(at(all, "0.parts.0.id"), rows[i].said);
        CHECK_STR(at(all, "1.parts.0.text"), "\xef\xbf\xbd");
        auto_free char *x = json_dumps(json_object_get(json_object_get(json_array_get(json_object_get(json_array_get(all, 0), "parts"), 0),
                                                                      "arguments"), "x"), JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
        auto_json *have = json_loads(x, JSON_DECODE_ANY, NULL), *want = json_loads(stored[i], JSON_DECODE_ANY, NULL);
        CHECK_MSG(json_equal(have, want), "row %zu: %s", i, x);
        (void)snprintf(name, sizeof name, "mend-i%zu", i);
        auto_session *other = session_of(f, (struct fovea_session_options){.name = name});
        (void)snprintf(request, sizeof request, "\xef\xbb\xbf{\"seed\":%s,\"messages\":[{\"role\":\"user\",\"content\":\"x\",\"content\":\"%s\"}]}",
                       rows[i].x, rows[i].text);
        CHECK_MSG(import(other, request, &done, &fault) == 0 && done.last == 2, "row %zu: %s", i, fault.text);
        CHECK_MSG(import(other, request, &done, &fault) == 0 && done.last == 0, "row %zu: %s", i, fault.text);
        auto_json *came = entries_of(other);
        CHECK_STR(at(came, "1.parts.0.text"), rows[i].said);
    }
}

TEST(json_that_would_fill_the_memory_is_not_parsed)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "bombs"});
    auto_buf deep = BUF_INIT(1 * MIB), wide = BUF_INIT(16 * MIB);
    for (int i = 0; i < 5000; i++)
        (void)buf_add_str(&deep, "[");
    for (int i = 0; i <= LIMIT_TRANSCRIPT_VALUES; i++)
        (void)buf_add_str(&wide, i ? ",0" : "[0");
    CHECK(strstr(append_wrong(s, deep.data), "nested deeper") != NULL);
    CHECK(strstr(append_wrong(s, wide.data), "values") != NULL);
}

TEST(a_picture_is_what_its_bytes_are_and_a_broken_one_is_kept)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "pictures"});
    struct fovea_appended done;
    auto_buf text = BUF_INIT(16 * MIB);
    static const char *const files[] = {"fixtures/good/png-rgb-8.png", "fixtures/good/gif-still.gif", "fixtures/bad/html-saved-as.png"};
    for (size_t i = 0; i < COUNT(files); i++) {
        auto_free char *entry = picture_entry_new("image", built(files[i]), SIZE_MAX);
        (void)buf_add_str(&text, entry);
    }
    auto_free char *cut = picture_entry_new("image", fixture("jpeg-photo-3000x2000.jpg"), 20000);
    auto_free char *document = picture_entry_new("document", fixture("gif-still.gif"), SIZE_MAX);
    (void)buf_add_format(&text, "%s%s%s", cut, document, cut);
    CHECK(append(s, text.data, NULL, &done) == 0 && done.last == 6);
    auto_json *all = entries_of(s);
    CHECK_STR(at(all, "0.parts.0.media_type"), "image/png");
    CHECK_STR(at(all, "0.parts.0.broken"), "");
    CHECK(strtol(at(all, "0.parts.0.width"), NULL, 10) > 0);
    CHECK_STR(at(all, "1.parts.0.media_type"), "image/gif");
    CHECK(*at(all, "2.parts.0.broken"));
    CHECK_STR(at(all, "3.parts.0.media_type"), "image/jpeg");
    CHECK(*at(all, "3.parts.0.broken"));
    CHECK_STR(at(all, "4.parts.0.media_type"), "image/gif");
    CHECK_STR(at(all, "5.parts.0.sha256"), at(all, "3.parts.0.sha256"));
}

TEST(a_picture_that_is_not_shown_is_said_to_be_so_and_one_without_bytes_is_kept)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "not-shown"});
    struct fovea_appended done;
    CHECK(append(s, "{\"kind\":\"user\",\"parts\":[{\"type\":\"image\",\"data\":\"PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=\"},{\"type\":\"image\",\"data\":\"\"},"
                    "{\"type\":\"text\",\"text\":\"a\"}]}", NULL, &done) == 0);
    auto_json *all = entries_of(s);
    CHECK_STR(at(all, "0.parts.0.media_type"), "image/svg+xml");
    CHECK_STR(at(all, "0.parts.0.broken"), "SVG is not shown as an attachment; give it as PNG");
    CHECK_STR(at(all, "0.parts.1.broken"), "it is empty");
    CHECK_STR(at(all, "0.parts.2.text"), "a");
}

TEST(pages_of_a_document_are_counted_where_pages_may_be_drawn)
{
    static const char two[] = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R 3 0 R]/Count 2>>endobj "
                              "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj trailer<</Root 1 0 R>>\n";
    char text[B64_LEN(sizeof two - 1) + 1] = "";
    auto_buf entry = BUF_INIT(4 * KIB);
    struct fovea_appended done;
    auto_fovea *f = context_of(NULL);
    b64_encode((const uint8_t *)two, sizeof two - 1, text);
    (void)buf_add_format(&entry, "{\"kind\":\"user\",\"parts\":[{\"type\":\"document\",\"data\":\"%s\"}]}", text);
    static const char *const names[] = {"not-here", "not-by-this-host", "counted"};
    for (unsigned i = 0; i < COUNT(names); i++) {
        bool may = i == 2;
        f->render = i ? FOVEA_RENDER_PDF : 0;
        auto_session *s = session_of(f, (struct fovea_session_options){.name = names[i], .no_render = may ? 0 : FOVEA_RENDER_PDF});
        CHECK(append(s, entry.data, NULL, &done) == 0);
        auto_json *all = entries_of(s);
        CHECK_STR(at(all, "0.parts.0.media_type"), "application/pdf");
        CHECK_STR(at(all, "0.parts.0.pages"), may ? "2" : "");
    }
}

TEST(a_request_with_any_letter_is_known_again)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "letters"});
    struct fovea_appended done;
    const char *request = "[{\"role\":\"user\",\"content\":\"a\\u0000b\\u0001\\u2028\"}]";
    CHECK(import(s, request, &done, NULL) == 0 && done.last == 1);
    CHECK(import(s, request, &done, NULL) == 0 && done.last == 0);
}

TEST(an_attachment_over_the_bound_is_refused)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "bound"});
    struct fovea_appended done;
    size_t len = 20 * MIB + 3, b64 = B64_LEN(len); /* one group beyond */
    auto_buf b = BUF_INIT(64 * MIB);
    (void)buf_add_str(&b, "{\"kind\":\"user\",\"parts\":[{\"type\":\"document\",\"media_type\":\"text/plain\",\"data\":\"");
    size_t begins = b.len;
    memset(buf_reserve(&b, b64), 'A', b64);
    buf_grew(&b, b64);
    (void)buf_add_str(&b, "\"}]}");
    CHECK(append(s, b.data, NULL, &done) == -EFBIG);
    memmove(b.data + begins, b.data + begins + 8, b.len - begins - 8 + 1); /* two groups less */
    CHECK(append(s, b.data, NULL, &done) == 0);
}

TEST(without_a_name_there_is_no_record)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){0});
    struct fovea_appended done;
    struct fovea_fault fault;
    auto_result *r = NULL;
    CHECK(append(s, SAID("user", "a"), NULL, &done) == -EINVAL);
    CHECK(fovea_session_fresh(s, "t.txt", &fault) == -EINVAL);
    CHECK(fovea_session_entries(s, 0, collect, NULL, &fault) == -EINVAL);
    CHECK(import(s, "[]", &done, &fault) == -EINVAL);
    CHECK(fovea_session_call(s, "read", "{\"path\":\"none\"}", 15, NULL, &r, &fault) == 0);
}

/* ---------------------------------------------------------------- importing */

#define ASKED "{\"role\":\"user\",\"content\":\"hi\"}"
#define SAW ",{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"view\",\"input\":{\"path\":\"p.png\"}}]}"
#define GOT ",{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"as the host has it\"}]}"
#define MORE ",{\"role\":\"user\",\"content\":\"more\"}"

TEST(an_import_appends_only_what_is_new)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "import"});
    struct fovea_appended done;
    struct fovea_fault fault = {0};
    CHECK(import(s, "[" ASKED "]", &done, &fault) == 0 && done.first == 1 && done.last == 1);
    CHECK(import(s, "[" ASKED "]", &done, &fault) == 0 && !done.first && !done.last);
    CHECK(import(s, "[" ASKED SAW "]", &done, &fault) == 0 && done.first == 2 && done.last == 2);
    CHECK(import(s, "[" ASKED "]", &done, &fault) == 0 && !done.first);
    CHECK(import(s, "[" ASKED MORE "]", &done, &fault) == -EEXIST);
    CHECK_MSG(strstr(fault.text, "they part at its entry 2, entry 2 of this one") != NULL, "%s", fault.text);
    CHECK(import(s, "{\"messages\":7}", &done, &fault) == -EINVAL);
    CHECK(import(s, "[] []", &done, &fault) == -EINVAL);
    CHECK(fovea_session_import(s, "telex", "[]", 2, &done, &fault) == -EINVAL);
}

TEST(entries_of_one_import_have_one_time)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "import-time"});
    struct fovea_appended done;
    CHECK(import(s, "[" ASKED SAW GOT MORE "]", &done, NULL) == 0 && done.last == 4);
    auto_json *all = entries_of(s);
    CHECK_STR(at(all, "0.at"), at(all, "3.at"));
}

TEST(the_result_that_a_tool_recorded_is_not_imported_again)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "import-own"});
    struct fovea_appended done;
    auto_result *r = NULL;
    copy_file(fixture("png-rgb-8.png"), "p.png");
    CHECK(import(s, "[" ASKED SAW "]", &done, NULL) == 0);
    CHECK(fovea_session_call(s, "view", "{\"path\":\"p.png\"}", 16, NULL, &r, NULL) == 0);
    CHECK(import(s, "[" ASKED SAW GOT MORE "]", &done, NULL) == 0 && done.first == 4 && done.last == 4);
    auto_json *all = entries_of(s);
    CHECK_STR(at(all, "2.kind"), "perception");
    CHECK_STR(at(all, "2.call"), "t1");
    CHECK_STR(at(all, "3.parts.0.text"), "more");
}

struct importer {
    fovea *f;
    int bad;
};

static void *import_much(void *arg)
{
    struct importer *i = arg;
    for (int n = 0; n < 5; n++) {
        auto_session *s = session_of(i->f, (struct fovea_session_options){.name = "import-race"});
        struct fovea_appended done;
        i->bad += import(s, "[" ASKED SAW GOT MORE "]", &done, NULL) != 0;
    }
    return NULL;
}

TEST(hosts_that_import_the_same_at_once_append_it_once)
{
    auto_fovea *f = context_of(NULL);
    pthread_t threads[4];
    struct importer of[4];
    for (size_t i = 0; i < COUNT(threads); i++) {
        of[i] = (struct importer){.f = f};
        CHECK(pthread_create(&threads[i], NULL, import_much, &of[i]) == 0);
    }
    for (size_t i = 0; i < COUNT(threads); i++) {
        (void)pthread_join(threads[i], NULL);
        CHECK(of[i].bad == 0);
    }
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "import-race"});
    auto_json *all = entries_of(s);
    CHECK(json_array_size(all) == 4);
}

/* ---------------------------------------------------------------- calls of tools */

static void call(fovea_session *s, const char *tool, const char *arguments, enum fovea_kind want)
{
    auto_result *r = NULL;
    struct fovea_fault fault = {0};
    CHECK_MSG(fovea_session_call(s, tool, arguments, strlen(arguments), NULL, &r, &fault) == 0, "%s", fault.text);
    CHECK_MSG(r && fovea_result_kind(r) == want, "%s %.200s: %s", tool, arguments, r ? fovea_result_text(r) : "");
}

TEST(a_call_is_answered_once_by_id_or_by_equal_arguments)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "answers"});
    auto_session *named = session_of(f, (struct fovea_session_options){.name = "answers", .call = "mine"});
    struct fovea_appended done;
    put("t.txt", "text\n");
    CHECK(append(s, SAID("user", "u") "\n{\"kind\":\"tool_call\",\"id\":\"a\",\"name\":\"read\",\"arguments\":{\"path\":\"t.txt\"}}\n"
                 "{\"kind\":\"tool_call\",\"id\":\"b\",\"name\":\"read\",\"arguments\":{\"path\":\"t.txt\"}}\n"
                 "{\"kind\":\"tool_call\",\"id\":\"c\",\"name\":\"read\",\"arguments\":{\"path\":\"t.txt\",\"limit\":1}}", NULL, &done) == 0);
    call(s, "read", "{\"path\":\"t.txt\"}", FOVEA_TEXT);
    call(named, "read", "{\"path\":\"t.txt\"}", FOVEA_TEXT);
    call(named, "read", "{ \"path\" : \"t.txt\" }", FOVEA_TEXT);
    call(s, "read", "{\"path\":\"t.txt\"}", FOVEA_TEXT);
    CHECK(append(s, SAID("user", "u"), NULL, &done) == 0);
    call(s, "read", "{\"limit\":1,\"path\":\"t.txt\"}", FOVEA_TEXT);
    auto_json *all = entries_of(s);
    CHECK_STR(at(all, "4.call"), "b");
    CHECK_STR(at(all, "5.call"), "mine");
    CHECK_STR(at(all, "6.call"), "a");
    CHECK_STR(at(all, "7.call"), "");
    CHECK_STR(at(all, "9.call"), ""); /* another turn began */
}

TEST(arguments_are_equal_as_the_tool_takes_them)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "alike"});
    struct fovea_appended done;
    auto_result *asked = NULL, *paged = NULL;
    copy_file(fixture("png-rgb-8.png"), "s.png");
    CHECK(append(s, SAID("user", "u") "\n{\"kind\":\"tool_call\",\"id\":\"a\",\"name\":\"view\",\"arguments\":{\"path\":\"s.png\",\"time\":1}}\n"
                 "{\"kind\":\"tool_call\",\"id\":\"b\",\"name\":\"view\",\"arguments\":{\"path\":\"s.png\",\"page\":\"2\"}}\n"
                 "{\"kind\":\"tool_call\",\"id\":\"c\",\"name\":\"view\",\"arguments\":{\"path\":\"s.png\",\"time\":\"0:02\"}}\n"
                 "{\"kind\":\"tool_call\",\"id\":\"d\",\"name\":\"view\",\"arguments\":{\"path\":\"s.png\",\"wrong\":1}}", NULL, &done) == 0);
    struct fovea_view_request timed = {.path = "s.png", .time = {1, true}}, second = {.path = "s.png", .page = {2, 0}};
    CHECK(fovea_session_ask(s, "view", &timed, NULL, &asked, NULL) == 0);
    CHECK(fovea_session_ask(s, "view", &second, NULL, &paged, NULL) == 0);
    call(s, "view", "{\"path\":\"s.png\",\"time\":2.0}", FOVEA_REFUSAL);
    call(s, "view", "{\"path\":\"s.png\",\"wrong\":1}", FOVEA_REFUSAL);
    auto_json *all = entries_of(s);
    CHECK_STR(at(all, "5.call"), "a");
    CHECK_STR(at(all, "6.call"), "b");
    CHECK_STR(at(all, "7.call"), "c");
    CHECK_STR(at(all, "8.call"), "d");
}

TEST(a_call_that_ends_in_a_fault_has_used_up_what_it_answers)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "faulty", .call = "c1"});
    struct fovea_fault fault = {0};
    auto_result *r = NULL;
    put("t.txt", "text\n");
    CHECK(fovea_session_call(s, "no_such_tool", "{}", 2, NULL, &r, &fault) == -ENOENT && !r);
    call(s, "read", "{\"path\":\"t.txt\"}", FOVEA_TEXT);
    auto_json *all = entries_of(s);
    CHECK(json_array_size(all) == 1 && !*at(all, "0.call"));
}

TEST(what_a_tool_gave_is_recorded_as_the_model_saw_it)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "gave"});
    put("t.txt", "text\n");
    copy_file(fixture("png-rgb-8.png"), "p.png");
    call(s, "view", "{\"path\":\"p.png\",\"max_edge\":32}", FOVEA_PERCEPTION);
    call(s, "read", "{\"path\":\"t.txt\"}", FOVEA_TEXT);
    call(s, "view", "{\"path\":\"absent.png\"}", FOVEA_REFUSAL);
    call(s, "view", "{\"colour\":3}", FOVEA_REFUSAL);
    struct fovea_view_request q = {.path = "p.png", .region = {0, 0, 9, 8.5, true}};
    auto_result *r = NULL;
    CHECK(fovea_session_ask(s, "view", &q, NULL, &r, NULL) == 0);
    auto_json *all = entries_of(s);
    CHECK_STR(at(all, "0.kind"), "perception");
    CHECK_STR(at(all, "0.result.id"), at(all, "0.parts.1.view"));
    CHECK_STR(at(all, "0.parts.1.ref"), "p.png");
    CHECK_STR(at(all, "0.arguments.max_edge"), "32");
    CHECK(strstr(at(all, "0.parts.0.text"), "[1 image follows") != NULL);
    CHECK_STR(at(all, "1.kind"), "tool_result");
    CHECK_STR(at(all, "1.result.text"), "");
    CHECK_STR(at(all, "1.parts.0.text"), "text\n[lines 1–1 of 1]");
    CHECK_STR(at(all, "2.error"), "true");
    CHECK(!strncmp(at(all, "2.parts.0.text"), "absent: ", 8));
    CHECK_STR(at(all, "3.error"), "true");
    CHECK_STR(at(all, "4.arguments.region.2"), "9");
    CHECK_STR(at(all, "4.arguments.space"), "");
}

TEST(arguments_too_large_for_an_entry_are_left_out)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "huge"});
    auto_buf b = BUF_INIT(32 * MIB);
    (void)buf_add_str(&b, "{\"path\":\"");
    memset(buf_reserve(&b, LIMIT_ENTRY_BYTES), 'x', LIMIT_ENTRY_BYTES);
    buf_grew(&b, LIMIT_ENTRY_BYTES);
    (void)buf_add_str(&b, "\"}");
    call(s, "read", b.data, FOVEA_REFUSAL);
    auto_json *all = entries_of(s);
    CHECK(json_array_size(all) == 1 && !json_object_get(json_array_get(all, 0), "arguments"));
}

struct bytes {
    int64_t blobs, bytes;
};

static void note_bytes(const struct fovea_session_info *info, void *arg)
{
    *(struct bytes *)arg = (struct bytes){info->blobs, info->blob_bytes};
}

TEST(a_source_over_the_bound_is_not_stored_and_the_entry_says_so)
{
    (void)top_is_home();
    put("small.yaml", "record:\n  maxAttachmentBytes: 500\n");
    copy_file(fixture("jpeg-photo-3000x2000.jpg"), "big.jpg");
    auto_fovea *f = context_of(in_top("small.yaml"));
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "small"});
    struct bytes stored = {0};
    call(s, "view", "{\"path\":\"big.jpg\"}", FOVEA_PERCEPTION);
    auto_json *all = entries_of(s);
    CHECK_STR(at(all, "0.result.source.sha256"), "null");
    CHECK(strlen(at(all, "0.result.source.not_stored")) == 64);
    CHECK(fovea_sessions(f, "small", note_bytes, &stored, NULL) == 0 && stored.blobs == 1);
    auto_free char *again = NULL;
    CHECK(asprintf(&again, "{\"path\":\"%s\"}", at(all, "0.result.id")) > 0);
    auto_fovea *other = context_of(in_top("small.yaml")); /* which never saw it */
    auto_session *t = session_of(other, (struct fovea_session_options){.name = "small"});
    call(t, "view", again, FOVEA_PERCEPTION);
    CHECK(unlink(in_top("big.jpg")) == 0);
    call(t, "view", again, FOVEA_REFUSAL);
}

/* ---------------------------------------------------------------- views of another process */

TEST(a_view_is_found_in_the_record_of_its_session_and_of_no_other)
{
    auto_fovea *f = context_of(NULL), *other = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "views"});
    auto_session *same = session_of(other, (struct fovea_session_options){.name = "views"});
    auto_session *stranger = session_of(other, (struct fovea_session_options){.name = "strangers"});
    auto_session *nobody = session_of(other, (struct fovea_session_options){0});
    copy_file(fixture("jpeg-photo-3000x2000.jpg"), "v.jpg");
    call(s, "view", "{\"path\":\"v.jpg\",\"region\":[1000,500,1000,1000],\"max_edge\":100}", FOVEA_PERCEPTION);
    auto_json *all = entries_of(s);
    auto_free char *whole = NULL, *zoom = NULL;
    CHECK(asprintf(&whole, "{\"path\":\"%s\"}", at(all, "0.result.id")) > 0);
    CHECK(asprintf(&zoom, "{\"path\":\"%s\",\"space\":\"view\",\"region\":[10,20,30,40]}", at(all, "0.result.id")) > 0);
    call(stranger, "view", whole, FOVEA_REFUSAL);
    call(nobody, "view", whole, FOVEA_REFUSAL);
    call(same, "view", zoom, FOVEA_PERCEPTION);
    call(stranger, "view", whole, FOVEA_REFUSAL);
    auto_json *now = entries_of(same);
    CHECK_STR(at(now, "1.result.region.0"), "1100");
    CHECK_STR(at(now, "1.result.region.1"), "700");
    CHECK_STR(at(now, "1.result.region.3"), "400");
}

TEST(a_view_is_shown_again_when_its_file_is_gone_or_another)
{
    auto_fovea *f = context_of(NULL), *other = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "gone"});
    auto_session *same = session_of(other, (struct fovea_session_options){.name = "gone"});
    copy_file(fixture("png-rgb-8.png"), "g.png");
    call(s, "view", "{\"path\":\"g.png\"}", FOVEA_PERCEPTION);
    auto_json *first = entries_of(s);
    auto_free char *again = NULL;
    CHECK(asprintf(&again, "{\"path\":\"%s\"}", at(first, "0.result.id")) > 0);
    copy_file(fixture("gif-still.gif"), "g.png");
    call(s, "view", again, FOVEA_PERCEPTION); /* the process knows it, but the file is another */
    CHECK(unlink(in_top("g.png")) == 0);
    call(s, "view", again, FOVEA_PERCEPTION);
    call(same, "view", again, FOVEA_PERCEPTION);
    auto_json *all = entries_of(s);
    for (size_t i = 1; i < 4; i++) {
        json_t *e = json_array_get(all, i);
        CHECK_STR(at(e, "parts.1.sha256"), at(first, "0.parts.1.sha256"));
        CHECK_STR(at(e, "result.path"), at(first, "0.result.path"));
        CHECK(strstr(at(e, "result.note"), "Shown from the record") != NULL);
        CHECK(!strncmp(at(e, "result.note"), "g.png ", 6));
    }
}

TEST(bytes_without_a_file_can_be_seen_again)
{
    auto_fovea *f = context_of(NULL), *other = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "bytes"});
    auto_session *same = session_of(other, (struct fovea_session_options){.name = "bytes"});
    size_t len;
    (void)top_is_home();
    auto_free char *bytes = bytes_of(fixture("png-rgb-8.png"), &len);
    struct fovea_view_request q = {.path = "-", .data = bytes, .data_len = len};
    auto_result *r = NULL;
    struct fovea_image image;
    CHECK(fovea_session_ask(s, "view", &q, NULL, &r, NULL) == 0 && fovea_result_image(r, &image) == 0 && image.again);
    auto_free char *again = NULL;
    CHECK(asprintf(&again, "{\"path\":\"%s\",\"region\":[0,0,5,5]}", image.id) > 0);
    call(same, "view", again, FOVEA_PERCEPTION);
}

/* A screenshot has no path: its bytes are all there is. */
TEST(a_picture_of_a_hosts_tool_can_be_seen_again_by_its_bytes)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "shots"});
    auto_session *other = session_of(f, (struct fovea_session_options){.name = "shots-other"});
    struct fovea_appended done;
    struct fovea_fault fault = {0};
    size_t len;
    (void)top_is_home();
    auto_free char *bytes = bytes_of(fixture("png-rgb-8.png"), &len);
    auto_buf b64 = BUF_INIT(MIB), text = BUF_INIT(MIB), entry = BUF_INIT(MIB);
    (void)buf_add_base64(&b64, (const uint8_t *)bytes, len);
    (void)buf_add_format(&text, "[{\"role\":\"user\",\"content\":\"u\"},{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":"
                         "\"computer\",\"input\":{}}]},{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":["
                         "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"%s\"}}]},"
                         "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"%s\"}}]}]", b64.data, b64.data);
    CHECK_MSG(import(s, text.data, &done, &fault) == 0 && done.last == 4, "%s", fault.text);
    CHECK_MSG(import(s, text.data, &done, &fault) == 0 && done.last == 0, "%s", fault.text);
    (void)buf_add_format(&entry, "{\"kind\":\"tool_result\",\"name\":\"shot\",\"parts\":[{\"type\":\"image\",\"ref\":\"gone.png\",\"data\":\"%s\"},"
                         "{\"type\":\"image\",\"data\":\"aGVsbG8=\"},{\"type\":\"image\",\"view\":\"view:0123456789ab\",\"data\":\"%s\"}]}",
                         b64.data, b64.data);
    CHECK(append(s, entry.data, NULL, &done) == 0);
    auto_json *all = entries_of(s);
    const char *id = at(all, "2.parts.0.view");
    CHECK_MSG(strlen(id) == 17 && !strncmp(id, "view:", 5), "%s", id);
    CHECK_STR(at(all, "3.parts.0.view"), ""); /* the user's own */
    CHECK_STR(at(all, "4.parts.0.view"), id);
    CHECK_STR(at(all, "4.parts.1.view"), ""); /* no picture */
    CHECK_STR(at(all, "4.parts.2.view"), "view:0123456789ab");
    auto_free char *again = NULL, *zoom = NULL;
    CHECK(asprintf(&again, "{\"path\":\"%s\"}", id) > 0 && asprintf(&zoom, "{\"path\":\"%s\",\"space\":\"view\",\"region\":[0,0,5,5]}", id) > 0);
    call(s, "view", again, FOVEA_PERCEPTION);
    call(s, "view", zoom, FOVEA_PERCEPTION);
    call(other, "view", again, FOVEA_REFUSAL);
    call(s, "view", "{\"path\":\"view:0123456789ab\"}", FOVEA_REFUSAL);
    auto_json *after = entries_of(s);
    CHECK_STR(at(after, "5.result.source.sha256"), at(all, "2.parts.0.sha256"));
    CHECK_STR(at(after, "6.result.source.sha256"), at(all, "2.parts.0.sha256"));
}

TEST(what_lies_outside_a_narrower_reach_is_not_shown_from_the_record)
{
    auto_fovea *f = context_of(NULL), *other = context_of(NULL);
    (void)top_is_home();
    CHECK(mkdir(in_top("elsewhere"), 0700) == 0);
    const char *roots[] = {in_top("elsewhere"), NULL};
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "narrow"});
    auto_session *here = session_of(f, (struct fovea_session_options){.name = "narrow", .roots = roots});
    auto_session *there = session_of(other, (struct fovea_session_options){.name = "narrow", .roots = roots});
    copy_file(fixture("png-rgb-8.png"), "n.png");
    call(s, "view", "{\"path\":\"n.png\"}", FOVEA_PERCEPTION);
    auto_json *all = entries_of(s);
    auto_free char *again = NULL;
    CHECK(asprintf(&again, "{\"path\":\"%s\"}", at(all, "0.result.id")) > 0);
    call(here, "view", again, FOVEA_REFUSAL);
    call(there, "view", again, FOVEA_REFUSAL);
    CHECK(unlink(in_top("n.png")) == 0);
    call(here, "view", again, FOVEA_REFUSAL);
    call(there, "view", again, FOVEA_REFUSAL);
    call(s, "view", again, FOVEA_PERCEPTION);
}

/* ---------------------------------------------------------------- freshness */

TEST(fresh_is_what_was_last_read_and_has_not_changed)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "fresh"});
    auto_session *other = session_of(f, (struct fovea_session_options){.name = "fresh-other"});
    struct fovea_fault fault = {0};
    put("e.txt", "one\ntwo\n");
    copy_file(fixture("png-rgb-8.png"), "e.png");
    CHECK(fovea_session_fresh(s, "e.txt", &fault) == 0); /* never read */
    call(s, "read", "{\"path\":\"e.txt\",\"limit\":1}", FOVEA_TEXT);
    CHECK(fovea_session_fresh(s, "e.txt", &fault) == 1);
    CHECK(fovea_session_fresh(s, in_top("./e.txt"), &fault) == 1);
    CHECK(mkdir(in_top("e-dir"), 0700) == 0 && symlink("e.txt", in_top("e-link")) == 0 && link(in_top("e.txt"), in_top("e-hard")) == 0);
    put("e-copy", "one\ntwo\n");
    CHECK(fovea_session_fresh(s, "e-dir/../e.txt", &fault) == 1);
    CHECK(fovea_session_fresh(s, "e-link", &fault) == 1);
    CHECK(fovea_session_fresh(s, "e-hard", &fault) == 1);
    CHECK(fovea_session_fresh(s, "e-copy", &fault) == 0); /* the same text in another file */
    CHECK(fovea_session_fresh(other, "e-link", &fault) == 0);
    CHECK(fovea_session_fresh(other, "e.txt", &fault) == 0);
    put("e.txt", "one\ntwo!\n");
    CHECK(fovea_session_fresh(s, "e.txt", &fault) == 0);
    call(s, "view", "{\"path\":\"e.png\"}", FOVEA_PERCEPTION);
    CHECK(fovea_session_fresh(s, "e.png", &fault) == 0); /* seen is not read */
    call(s, "read", "{\"path\":\"e.txt\",\"offset\":900}", FOVEA_REFUSAL);
    CHECK(fovea_session_fresh(s, "e.txt", &fault) == 0); /* nor is refused */
    call(s, "read", "{\"path\":\"e.txt\"}", FOVEA_TEXT);
    CHECK(fovea_session_fresh(s, "e.txt", &fault) == 1);
    put("e.txt", "one\ntwo\n");
    CHECK(fovea_session_fresh(s, "e.txt", &fault) == 0); /* read once, but not last */
    CHECK(fovea_session_fresh(s, "e-link", &fault) == 0);
    CHECK(unlink(in_top("e.txt")) == 0);
    CHECK(fovea_session_fresh(s, "e.txt", &fault) == 0);
    CHECK(fovea_session_fresh(s, "/etc/passwd", &fault) == 0);
    CHECK(fovea_session_fresh(s, "https://example.com/e.txt", &fault) == 0);
    CHECK(fovea_session_fresh(s, "", &fault) == 0);
}

/* ---------------------------------------------------------------- trouble */

/* The lease of the record, as another process that writes and does not end holds it. */
static int hold_lease(void)
{
    int fd = open(in_top("state/fovea/record.db.lease"), O_RDWR | O_CLOEXEC);
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    CHECK(fd >= 0 && fcntl(fd, F_OFD_SETLK, &l) == 0);
    return fd;
}

TEST(a_record_that_is_held_is_a_fault_and_the_call_is_not_given_out)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "held"});
    struct fovea_appended done;
    struct fovea_fault fault = {0};
    auto_result *r = NULL;
    put("t.txt", "text\n");
    CHECK(append(s, SAID("user", "a"), NULL, &done) == 0);
    int lease = hold_lease();
    CHECK(fovea_session_call(s, "read", "{\"path\":\"t.txt\"}", 16, NULL, &r, &fault) == -EBUSY && !r);
    CHECK_MSG(strstr(fault.text, "read was done, but not recorded") && strstr(fault.text, "try again"), "%s", fault.text);
    close_fd(lease);
    CHECK(fovea_session_call(s, "read", "{\"path\":\"t.txt\"}", 16, NULL, &r, &fault) == 0);
    auto_json *all = entries_of(s);
    CHECK(json_array_size(all) == 2);
}

static void *strike_soon(void *cancel)
{
    (void)usleep(50000);
    fovea_cancel_now(cancel);
    return NULL;
}

TEST(a_cancel_ends_the_wait_for_a_record_that_is_held)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "cancelled"});
    struct fovea_appended done;
    struct fovea_fault fault = {0};
    fovea_cancel *cancel = NULL;
    auto_result *r = NULL;
    pthread_t thread;
    put("t.txt", "text\n");
    CHECK(append(s, SAID("user", "a"), NULL, &done) == 0 && fovea_cancel_new(&cancel, &fault) == 0);
    int lease = hold_lease();
    int64_t from = clock_ms();
    CHECK(pthread_create(&thread, NULL, strike_soon, cancel) == 0);
    int code = fovea_session_call(s, "read", "{\"path\":\"t.txt\"}", 16, cancel, &r, &fault);
    int64_t took = clock_ms() - from;
    (void)pthread_join(thread, NULL);
    CHECK_MSG(code == -ECANCELED && !r && took < 250, "%d %s after %lld ms", code, fault.text, (long long)took);
    close_fd(lease);
    CHECK(append(s, SAID("user", "b"), NULL, &done) == 0 && done.last == 2); /* the cancel went with its call */
    fovea_cancel_free(cancel);
}

/* ---------------------------------------------------------------- hosts that are slow */

struct slow {
    fovea_session *other;
    int calls, seen;
};

/* A host that lets another thread's call happen before it takes the next piece: here the same, which is no different. */
static int read_and_call(void *arg, int64_t seq, const char *json, size_t len)
{
    struct slow *h = arg;
    auto_result *r = NULL;
    struct fovea_fault fault = {0};
    (void)seq, (void)json, (void)len;
    h->seen++;
    if (!h->calls++)
        CHECK_MSG(fovea_session_call(h->other, "read", "{\"path\":\"t.txt\"}", 16, NULL, &r, &fault) == 0, "%s", fault.text);
    return 0;
}

static int write_and_call(void *arg, const char *piece, size_t len)
{
    return read_and_call(arg, 0, piece, len);
}

static void tell_and_call(const struct fovea_session_info *info, void *arg)
{
    (void)read_and_call(arg, info->entries, info->name, 0);
}

TEST(a_host_that_reads_slowly_keeps_nobody_from_recording)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "slow"});
    auto_session *other = session_of(f, (struct fovea_session_options){.name = "quick"});
    struct fovea_appended done;
    struct fovea_fault fault = {0};
    put("t.txt", "text\n");
    for (int i = 0; i < 150; i++)
        CHECK(append(s, SAID("user", "a"), NULL, &done) == 0);
    struct slow h[3] = {{other, 0, 0}, {other, 0, 0}, {other, 0, 0}};
    CHECK_MSG(fovea_session_entries(s, 0, read_and_call, &h[0], &fault) == 0 && h[0].seen == 150, "%s", fault.text);
    CHECK_MSG(fovea_session_export(s, NULL, 0, write_and_call, &h[1], &fault) == 0 && h[1].seen == 300, "%s", fault.text);
    CHECK_MSG(fovea_sessions(f, "slow", tell_and_call, &h[2], &fault) == 0 && h[2].seen == 1, "%s", fault.text);
    auto_json *all = entries_of(other);
    CHECK(json_array_size(all) == 3);
}

static int stop_at_70(void *arg, int64_t seq, const char *json, size_t len)
{
    (void)json, (void)len;
    *(int64_t *)arg = seq;
    return seq == 70;
}

static int no_room(void *arg, const char *piece, size_t len)
{
    (void)arg, (void)piece, (void)len;
    return -ENOSPC;
}

static int no_more(void *arg, int64_t seq, const char *json, size_t len)
{
    (void)arg, (void)seq, (void)json, (void)len;
    return -EPIPE;
}

TEST(what_a_host_ends_is_said_in_words)
{
    auto_fovea *f = context_of(NULL);
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "ended"});
    struct fovea_appended done;
    int64_t last = 0;
    static const char *const wires[] = {NULL, "anthropic", "openai-chat"};
    for (int i = 0; i < 80; i++)
        CHECK(append(s, SAID("user", "a"), NULL, &done) == 0);
    struct fovea_fault fault = {0};
    CHECK(fovea_session_entries(s, 0, stop_at_70, &last, &fault) == 0 && last == 70);
    CHECK(fovea_session_entries(s, 79, stop_at_70, &last, &fault) == 0 && last == 80);
    CHECK(fovea_session_entries(s, 0, no_more, NULL, &fault) == -EPIPE && strstr(fault.text, "ended"));
    for (size_t i = 0; i < COUNT(wires); i++)
        for (unsigned flags = 0; flags <= FOVEA_EXPORT_FULL; flags++) {
            fault = (struct fovea_fault){0};
            int r = fovea_session_export(s, wires[i], flags, no_room, NULL, &fault);
            CHECK_MSG(r == -ENOSPC && strstr(fault.text, "the output cannot be written: No space"), "%d %s", r, fault.text);
        }
}

TEST(a_store_that_is_none_is_named_when_the_context_is_made)
{
    static const char *const wrong[] = {"sqlite:relative.db", "sqlite:/folder/", "mysql://x"};
    (void)top_is_home();
    for (size_t i = 0; i < COUNT(wrong); i++) {
        fovea *f = NULL;
        struct fovea_fault fault = {0};
        auto_buf text = BUF_INIT(KIB);
        (void)buf_add_format(&text, "record:\n  store: \"%s\"\n", wrong[i]);
        put("wrong.yaml", text.data);
        struct fovea_options options = {.cwd = top, .worker_dir = build_folder(), .config_file = in_top("wrong.yaml")};
        CHECK(fovea_new(&options, &f, &fault) == -EINVAL);
        CHECK_MSG(strstr(fault.text, "record.store") != NULL, "%s", fault.text);
    }
}

TEST(a_record_elsewhere_cannot_be_read_as_a_file)
{
    (void)top_is_home();
    auto_buf text = BUF_INIT(LIMIT_PATH_BYTES * 2);
    CHECK(mkdir(in_top("else"), 0700) == 0);
    (void)buf_add_format(&text, "record.store: \"sqlite:%s/else/mine.db\"\n", top);
    put("else.yaml", text.data);
    auto_fovea *f = context_of(in_top("else.yaml"));
    auto_session *s = session_of(f, (struct fovea_session_options){.name = "elsewhere"});
    struct fovea_appended done;
    struct stat st;
    CHECK(append(s, SAID("user", "a"), NULL, &done) == 0);
    CHECK(stat(in_top("else/mine.db"), &st) == 0);
    call(s, "read", "{\"path\":\"else/mine.db\"}", FOVEA_REFUSAL);
    auto_json *all = entries_of(s);
    CHECK(!strncmp(at(all, "1.parts.0.text"), "absent", 6));
}
