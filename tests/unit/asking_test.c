/* SPDX-License-Identifier: Apache-2.0 */
/* The ask tools as a program in C has them: what a host that sees gets, and what bad news looks like. Providers are asked in
 * tests/ask. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "built.h"
#include "fovea.h"
#include "handles.h"
#include "test.h"

/* 40x30, one colour. */
static const char picture[] = "iVBORw0KGgoAAAANSUhEUgAAACgAAAAeCAIAAADRv8uKAAAAK0lEQVR42u3NMQ0AAAgDsEmZfxVIQwYcTfo3056IWCwWi8VisVgsFov/"
                              "xgu+7rA96jsSHQAAAABJRU5ErkJggg==";

/* Without a home: nobody's keys, nobody's books. */
static fovea *context(const char *workers)
{
    static const char *const keys[] = {"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY",
                                       "NOUS_API_KEY", "XDG_STATE_HOME", "XDG_CACHE_HOME", "HOME"};
    const char *reach[] = {build_folder(), NULL};
    struct fovea_fault fault = {0};
    fovea *f = NULL;
    for (size_t i = 0; i < COUNT(keys); i++)
        (void)unsetenv(keys[i]);
    int r = fovea_new(&(struct fovea_options){.config_file = "", .worker_dir = workers, .cwd = build_folder(), .reach = reach}, &f,
                      &fault);
    CHECK_MSG(r == 0, "%s", fault.text);
    return f;
}

static fovea_session *host(fovea *f, const char *main)
{
    fovea_session *s = NULL;
    CHECK(fovea_session_new(f, &(struct fovea_session_options){.main = main}, &s, NULL) == 0);
    return s;
}

static fovea_result *analyze(fovea_session *s, struct fovea_analyze_request q)
{
    fovea_result *r = NULL;
    q.prompt = q.prompt ? q.prompt : "what colour?";
    CHECK(fovea_session_ask(s, "vision_analyze", &q, NULL, &r, NULL) == 0);
    return r;
}

TEST(host_that_sees_gets_pixels_and_the_question)
{
    auto_fovea *f = context(build_folder());
    auto_session *s = host(f, "anthropic/claude-opus-4-7");
    auto_result *inline_ = analyze(s, (struct fovea_analyze_request){.file_base64 = picture});
    auto_result *file = analyze(s, (struct fovea_analyze_request){.file_path = "fixtures/good/png-rgb-8.png"});
    struct fovea_image a, b;
    CHECK(fovea_result_image(inline_, &a) == 0 && !strcmp(a.question, "what colour?") && !a.again);
    CHECK(fovea_result_image(file, &b) == 0 && b.again);
    CHECK(!fovea_result_untrusted(file));
}

TEST(host_without_a_model_that_sees_gets_words)
{
    static const struct {
        const char *main;
        struct fovea_analyze_request q;
    } rows[] = {
        {NULL, {.file_base64 = picture}},
        {"openai/no-such-model", {.file_base64 = picture}},
        {"anthropic/claude-opus-4-7", {.file_base64 = picture, .no_native = true}},
        {"anthropic/claude-opus-4-7", {.file_base64 = picture, .model = "local/ocr"}},
    };
    auto_fovea *f = context(build_folder());
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_session *s = host(f, rows[i].main);
        auto_result *r = analyze(s, rows[i].q);
        CHECK_MSG(r && fovea_result_kind(r) != FOVEA_PERCEPTION, "row %zu", i);
    }
}

/* The caller may not care why. */
TEST(fault_need_not_be_taken)
{
    auto_fovea *f = context("/nonexistent");
    auto_session *s = host(f, NULL);
    auto_result *r = NULL;
    struct fovea_analyze_request q = {.file_base64 = picture, .prompt = "p", .model = "local/ocr"};
    CHECK(fovea_session_ask(s, "vision_analyze", &q, NULL, &r, NULL) < 0 && !r);
}

TEST(question_must_ask_something)
{
    auto_fovea *f = context(build_folder());
    auto_session *s = host(f, NULL);
    auto_result *a = analyze(s, (struct fovea_analyze_request){.file_base64 = picture, .prompt = " \n"});
    auto_result *b = NULL;
    struct fovea_inspect_request q = {.path = "a.png", .question = " \n"};
    CHECK(fovea_session_ask(s, "inspect_image", &q, NULL, &b, NULL) == 0);
    CHECK_STR(fovea_result_code(a), "input_invalid");
    CHECK(b && fovea_result_kind(b) == FOVEA_ERROR && strstr(fovea_result_text(b), "question"));
}

TEST(schema_may_hold_nul_and_says_what_is_wrong_with_it)
{
    static const struct {
        const char *format, *words;
    } rows[] = {
        {"{\"type\":\"json_schema\",\"schema\":{\"type\":\"object\",\"properties\":{\"a\":{\"const\":\"a\\u0000b\"}}}}", "local/ocr"},
        {"{\"type\":\"json_schema\",\"schema\":{\"type\":\"object\",\"minProperties\":1e999}}", "out of range"},
        {"{\"type\":\"text\"}", "another \"type\""},
        {"{\"type\":\"json_schema\",\"schema\":{\"type\":\"array\"}}", "not object"},
        {"{\"type\":\"json_schema\",\"schema\":{\"type\":\"object\",\"required\":3}}", "cannot be used"},
    };
    auto_fovea *f = context(build_folder());
    auto_session *s = host(f, NULL);
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_result *r = analyze(s, (struct fovea_analyze_request){.file_base64 = picture, .format = rows[i].format});
        CHECK_MSG(strstr(fovea_result_text(r), rows[i].words), "row %zu: %s", i, fovea_result_text(r));
    }
}
