/* SPDX-License-Identifier: Apache-2.0 */
/* Results: JSON in the contract's shapes, notes that map coordinates back, earlier views remembered. */
#include "test.h"

#include <jansson.h>
#include <sys/mman.h>

#include "api/views.h"
#include "base/cleanup.h"
#include "comma.h"
#include "percept/note.h"
#include "percept/result.h"

static void json_decref_p(json_t **j)
{
    json_decref(*j);
}
static void result_p(fovea_result **r)
{
    fovea_result_free(*r);
}

/* The contract's own example: 3840x2160 shown at 1568x882. */
static struct perception example(void)
{
    struct perception p = {
        .id = "view:3f9a0c51d2e4",
        .ref = strdup("shots/a.png"),
        .path = strdup("/abs/shots/a.png"),
        .source = {.media = MEDIA_PNG, .size = {3840, 2160}, .bytes = 2210344, .frames = 1},
        .media = MEDIA_WEBP,
        .size = {1568, 882},
        .crop = {0, 0, 3840, 2160},
        .model = strdup("claude-opus-4-7"),
        .tokens = 1792,
    };
    uint8_t *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(map, "RIFF", 4);
    p.data = map;
    p.len = 4;
    p.map_len = 4096;
    return p;
}

static json_t *json_of(struct perception *p, unsigned flags)
{
    p->note = note_new(p, "a.png", NOTE_NO_GROUND);
    cleanup(result_p) fovea_result *r = result_of_perception(p);
    auto_free char *words = fovea_result_json_new(r, flags);
    return json_loads(words ? words : "", 0, NULL);
}

TEST(perception_json_has_the_contracts_members)
{
    static const char *const keys[] = {"ok",     "kind",   "id",   "ref",   "path",   "media_type", "width",
                                       "height", "bytes",  "source", "region", "page", "scale", "offset",
                                       "resized", "over_budget", "tokens", "note"};
    struct perception p = example();
    cleanup(json_decref_p) json_t *j = json_of(&p, 0);
    for (size_t i = 0; i < COUNT(keys); i++)
        CHECK_MSG(json_object_get(j, keys[i]) != NULL, "%s is missing", keys[i]);
    CHECK(json_object_get(j, "data") == NULL);
    CHECK_STR(json_string_value(json_object_get(j, "id")), "view:3f9a0c51d2e4");
    CHECK_STR(json_string_value(json_object_get(j, "media_type")), "image/webp");
    CHECK(json_number_value(json_array_get(json_object_get(j, "scale"), 0)) == 2.449);
    CHECK(json_is_true(json_object_get(j, "resized")));
    CHECK(json_is_null(json_object_get(j, "region")));
    CHECK(json_integer_value(json_object_get(json_object_get(j, "tokens"), "image")) == 1792);
    CHECK(json_is_null(json_object_get(json_object_get(j, "source"), "pages")));
}

TEST(perception_json_carries_the_picture_only_when_asked)
{
    struct perception p = example();
    cleanup(json_decref_p) json_t *j = json_of(&p, FOVEA_JSON_DATA);
    CHECK_STR(json_string_value(json_object_get(j, "data")), "UklGRg==");
}

TEST(note_says_how_to_map_coordinates)
{
    static const struct {
        struct area crop;
        struct size size;
        bool region;
        const char *note;
    } rows[] = {
        {{0, 0, 3840, 2160}, {1568, 882}, false,
         "a.png 3840x2160, shown at 1568x882. Multiply coordinates by 2.449 to map to the original."},
        {{0, 0, 3840, 2160}, {3840, 2160}, false, "a.png 3840x2160, shown pixel for pixel."},
        {{100, 50, 400, 300}, {400, 300}, true,
         "a.png 3840x2160, region 400x300 at 100,50, shown pixel for pixel. Add 100 to x and 50 to y to map to the "
         "original."},
        {{100, 50, 3136, 1764}, {1568, 882}, true,
         "a.png 3840x2160, region 3136x1764 at 100,50, shown at 1568x882. Multiply coordinates by 2, then add 100 to x "
         "and 50 to y to map to the original."},
        {{0, 0, 3840, 40}, {1568, 28}, false,
         "a.png 3840x2160, shown at 1568x28. Multiply x by 2.449 and y by 1.4286 to map to the original."},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct perception p = {.source = {.size = {3840, 2160}, .frames = 1}, .crop = rows[i].crop,
                               .size = rows[i].size, .region = rows[i].region};
        auto_free char *note = note_new(&p, "a.png", NOTE_NO_GROUND);
        CHECK_STR(note, rows[i].note);
    }
}

TEST(refusal_json_has_reason_and_message)
{
    for (int reason = 0; reason < REASON_COUNT; reason++) {
        cleanup(result_p) fovea_result *r = result_refused((enum reason)reason, "say \"%s\"", "it");
        auto_free char *words = fovea_result_json_new(r, FOVEA_JSON_DATA);
        cleanup(json_decref_p) json_t *j = json_loads(words, 0, NULL);
        CHECK(json_is_false(json_object_get(j, "ok")));
        CHECK_STR(json_string_value(json_object_get(j, "kind")), "refusal");
        CHECK_STR(json_string_value(json_object_get(j, "reason")), reason_name((enum reason)reason));
        CHECK_STR(json_string_value(json_object_get(j, "message")), "say \"it\"");
    }
}

TEST(text_json_keeps_the_text_exactly)
{
    struct text t = {.path = strdup("/a"), .text = strdup("one\r\ntw\"o\n"), .len = 10, .first = 10, .last = 11,
                     .total = 500};
    cleanup(result_p) fovea_result *r = result_of_text(&t);
    auto_free char *words = fovea_result_json_new(r, 0);
    cleanup(json_decref_p) json_t *j = json_loads(words, 0, NULL);
    CHECK_STR(json_string_value(json_object_get(j, "text")), "one\r\ntw\"o\n");
    CHECK(json_integer_value(json_array_get(json_object_get(j, "lines"), 1)) == 11);
    CHECK(json_integer_value(json_object_get(j, "total_lines")) == 500);
}

TEST(earlier_views_are_recalled_and_the_oldest_forgotten)
{
    struct views *v = views_new();
    struct view_memory m;
    for (int i = 0; i < 5000; i++) {
        struct perception p = {.crop = {(uint32_t)i, 0, 1, 1}, .size = {1, 1}};
        snprintf(p.id, sizeof p.id, "view:%012x", i);
        views_remember(v, &p, "ref.png");
    }
    CHECK(views_recall(v, "view:000000001387", &m));
    CHECK(m.crop.x == 4999);
    CHECK_STR(m.ref, "ref.png");
    view_memory_done(&m);
    CHECK(!views_recall(v, "view:000000000000", &m));
    views_free(v);
}

TEST(envelope_is_the_contracts_byte_for_byte)
{
    struct answer a = {
        .text = strdup("a \"menu\"\nopen"), .parsed = json_pack("{s:f, s:f, s:i}", "third", 1.0 / 3, "tenth", 0.1, "n", 3),
        .parsed_text = strdup("{}"), .provider = strdup("anthropic"), .model = strdup("claude-opus-4-7"),
        .cost = {3400000, "0.0034"}, .input_tokens = 1287, .output_tokens = -1, .note = strdup("seen small"),
    };
    cleanup(result_p) fovea_result *r = result_of_answer(&a);
    auto_free char *words = fovea_result_json_new(r, 0);
    CHECK_STR(words, "{\"ok\":true,\"kind\":\"answer\",\"text\":\"a \\\"menu\\\"\\nopen\","
                     "\"parsed\":{\"third\":0.3333333333333333,\"tenth\":0.1,\"n\":3},\"model\":\"claude-opus-4-7\","
                     "\"cost_usd\":0.0034,\"input_tokens\":1287,\"output_tokens\":null,\"provider\":\"anthropic\","
                     "\"cached\":false,\"output_is_untrusted\":true,\"note\":\"seen small\"}");
}

TEST(inspected_answer_has_content_and_details_only)
{
    struct answer a = {.inspected = true, .text = strdup("yes"), .provider = strdup("home"), .model = strdup("a/b"),
                       .path = strdup("/abs/a.png"), .mime = "image/webp"};
    cleanup(result_p) fovea_result *r = result_of_answer(&a);
    auto_free char *words = fovea_result_json_new(r, 0);
    CHECK_STR(words, "{\"ok\":true,\"kind\":\"answer\",\"content\":[{\"type\":\"text\",\"text\":\"yes\"}],"
                     "\"details\":{\"model\":\"home/a/b\",\"imagePath\":\"/abs/a.png\",\"mimeType\":\"image/webp\"}}");
    struct fovea_answer seen;
    CHECK(fovea_result_answer(r, &seen) == 0 && seen.inspected && !seen.parsed && !strcmp(seen.text, "yes"));
}

TEST(error_has_prefix_code_and_cost_or_words_alone)
{
    static const struct {
        int64_t nano;
        const char *json;
    } rows[] = {
        {0, "{\"ok\":false,\"kind\":\"error\",\"code\":\"execution_failed\",\"error\":\"LLM_ERROR: no\",\"cost_usd\":0}"},
        {1, "{\"ok\":false,\"kind\":\"error\",\"code\":\"execution_failed\",\"error\":\"LLM_ERROR: no\",\"cost_usd\":1e-09}"},
        {1500000000,
         "{\"ok\":false,\"kind\":\"error\",\"code\":\"execution_failed\",\"error\":\"LLM_ERROR: no\",\"cost_usd\":1.5}"},
        {-1,
         "{\"ok\":false,\"kind\":\"error\",\"code\":\"execution_failed\",\"error\":\"LLM_ERROR: no\",\"cost_usd\":null}"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct cost cost = {.nano = rows[i].nano};
        cleanup(result_p) fovea_result *r = result_failed(FAIL_LLM_ERROR, "no", &cost);
        auto_free char *words = fovea_result_json_new(r, 0);
        CHECK_STR(words, rows[i].json);
        CHECK_STR(fovea_result_code(r), "execution_failed");
    }
    cleanup(result_p) fovea_result *plain = result_failed_plain("inspect_image request failed.");
    auto_free char *words = fovea_result_json_new(plain, 0);
    CHECK_STR(words, "{\"ok\":false,\"kind\":\"error\",\"error\":\"inspect_image request failed.\"}");
    CHECK(!fovea_result_code(plain));
}

TEST(native_perception_says_so_and_carries_the_question)
{
    struct perception p = example();
    p.question = strdup("which?");
    p.note = strdup("n");
    cleanup(result_p) fovea_result *r = result_of_perception(&p);
    struct fovea_image image;
    auto_free char *words = fovea_result_json_new(r, 0);
    CHECK(strstr(words, "\"native\":true") && !fovea_result_image(r, &image) && !strcmp(image.question, "which?"));
}

TEST(a_result_says_the_same_whatever_the_locale)
{
    struct perception p = example();
    p.size = (struct size){1568, 800};
    p.note = note_new(&p, "a.png", NOTE_NO_GROUND);
    cleanup(result_p) fovea_result *r = result_of_perception(&p);
    auto_free char *json = fovea_result_json_new(r, 0), *words = fovea_result_words_new(r);
    if (!comma_on())
        SKIP("no locale with a comma can be made here (localedef)");
    auto_free char *json_there = fovea_result_json_new(r, 0), *words_there = fovea_result_words_new(r);
    comma_off();
    CHECK(strstr(words, "scale 2.449 by 2.7,"));
    CHECK_STR(json_there, json);
    CHECK_STR(words_there, words);
}
