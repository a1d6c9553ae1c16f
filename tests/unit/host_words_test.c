/* SPDX-License-Identifier: Apache-2.0 */
/* What a host names wrongly through the public functions is a fault in words; and settings are told without what is secret in them. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/limits.h"
#include "fovea.h"
#include "handles.h"
#include "test.h"
#include "top.h"

/* With these settings; NULL: none. */
static fovea *context(const char *config)
{
    struct fovea_fault fault = {0};
    fovea *f = NULL;
    (void)top_is_home();
    if (config)
        put("config.yaml", config);
    CHECK_MSG(fovea_new(&(struct fovea_options){.config_file = config ? in_top("config.yaml") : ""}, &f, &fault) == 0, "%s", fault.text);
    return f;
}

/* ---------------------------------------------------------------- simulations and traces */

static int to_buf(void *arg, const char *piece, size_t len)
{
    return buf_add(arg, piece, len);
}

/* Takes so many pieces. */
static int to_full(void *arg, const char *piece, size_t len)
{
    (void)piece, (void)len;
    return --*(int *)arg < 0 ? -ENOSPC : 0;
}

#define CLAUDE .model = "anthropic/claude-opus-4-7"

TEST(a_simulation_of_nothing_is_a_fault_in_words)
{
    static const struct {
        struct fovea_simulate_request q;
        int code;
        const char *words;
    } rows[] = {
        {{CLAUDE}, -EINVAL, "simulate a session or a trace: one of the two"},
        {{CLAUDE, .trace = "short", .session = "s"}, -EINVAL, "one of the two"},
        {{CLAUDE, .trace = "endless"}, -EINVAL, "\"endless\" is no trace"},
        {{CLAUDE, .session = "nobody"}, -ENOENT, "nobody"},
        {{CLAUDE, .trace = "short", .form = "poem"}, -EINVAL, "\"poem\" is no form; it is table, json or svg"},
        {{CLAUDE, .trace = "short", .policies = ""}, -EINVAL, "no policy is named"},
        {{CLAUDE, .trace = "short", .policies = " ,, "}, -EINVAL, "no policy is named"},
        {{CLAUDE, .trace = "short", .policies = "most"}, -EINVAL, "\"most\" is no policy"},
        {{CLAUDE, .trace = "short", .policies = "all,all,all,all,all,all,all,all,all"}, -EINVAL, "at most 8 policies are compared at once"},
        {{.trace = "short"}, -EINVAL, "for which model?"},
    };
    auto_fovea *f = context(NULL);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fovea_fault fault = {0};
        auto_buf b = BUF_INIT(MIB);
        int r = fovea_simulate(f, &rows[i].q, to_buf, &b, &fault);
        CHECK_MSG(r == rows[i].code && strstr(fault.text, rows[i].words) && !b.len, "row %zu: %d %s", i, r, fault.text);
    }
}

TEST(a_simulation_is_told_in_every_form_and_costs_more_with_more_before_it)
{
    auto_fovea *f = context(NULL);
    auto_buf table = BUF_INIT(MIB), named = BUF_INIT(MIB), larger = BUF_INIT(MIB);
    CHECK(fovea_simulate(f, &(struct fovea_simulate_request){CLAUDE, .trace = "short"}, to_buf, &table, NULL) == 0 && table.len);
    CHECK(fovea_simulate(f, &(struct fovea_simulate_request){CLAUDE, .trace = "short", .form = "table"}, to_buf, &named, NULL) == 0);
    CHECK_STR(named.data, table.data);
    CHECK(fovea_simulate(f, &(struct fovea_simulate_request){CLAUDE, .trace = "short", .base_tokens = 90000}, to_buf, &larger, NULL) == 0);
    CHECK(strcmp(larger.data, table.data) != 0);
}

TEST(an_output_that_is_full_is_a_fault_in_words)
{
    auto_fovea *f = context(NULL);
    struct fovea_fault fault = {0};
    int room = 0;
    CHECK(fovea_simulate(f, &(struct fovea_simulate_request){CLAUDE, .trace = "short"}, to_full, &room, &fault) == -ENOSPC);
    CHECK_STR(fault.text, "the output cannot be written: No space left on device");
    for (int pieces = 0; pieces < 4; pieces++) { /* within a line, and between two */
        room = pieces;
        CHECK(fovea_trace("short", to_full, &room, &fault) == -ENOSPC);
        CHECK_STR(fault.text, "the trace cannot be written: No space left on device");
    }
    CHECK(fovea_trace("endless", to_full, &room, &fault) == -EINVAL);
    CHECK_STR(fault.text, "\"endless\" is no trace");
}

/* ---------------------------------------------------------------- sessions and models */

TEST(options_past_their_bounds_are_faults_in_words)
{
    static char many[LIMIT_CONFIG_VALUE + 2], id[LIMIT_CALL_ID + 2];
    auto_fovea *f = context(NULL), *g = context(NULL);
    auto_session *other = NULL;
    memset(many, 'm', sizeof many - 1);
    memset(id, 'c', sizeof id - 1);
    many[1] = '/';
    CHECK(fovea_session_new(g, NULL, &other, NULL) == 0);
    const struct {
        struct fovea_session_options o;
        const char *words;
    } rows[] = {
        {{.main = many}, "is too long"},
        {{.main = "model"}, "main model \"model\" is not PROVIDER/MODEL"},
        {{.main = "/model"}, "is not PROVIDER/MODEL"},
        {{.main = "provider/"}, "is not PROVIDER/MODEL"},
        {{.name = "s", .call = ""}, "call \"\" is no id of a tool call"},
        {{.name = "s", .call = id}, "is no id of a tool call"},
        {{.name = "s", .call = "\xff"}, "is no id of a tool call"},
        {{.name = ""}, "session \"\" is no name"},
        {{.name = "a b"}, "session \"a b\" is no name"},
        {{.like = other}, "a session like another one has its context"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fovea_fault fault = {0};
        fovea_session *s = NULL;
        int r = fovea_session_new(f, &rows[i].o, &s, &fault);
        CHECK_MSG(r == -EINVAL && !s && strstr(fault.text, rows[i].words), "row %zu: %d %s", i, r, fault.text);
    }
    CHECK(fovea_session_set_main(other, "p", many) == -EINVAL);
    CHECK(fovea_session_set_main(other, many, "m") == -EINVAL);
    CHECK(fovea_session_set_main(other, "p", "m") == 0 && fovea_session_set_main(other, NULL, NULL) == 0);
}

TEST(a_model_that_is_none_can_nothing)
{
    static const struct {
        const char *model, *capability;
        bool can;
    } rows[] = {
        {"anthropic/claude-opus-4-7", "vision", true}, {NULL, "vision", false}, {"anthropic/claude-opus-4-7", NULL, false},
        {"anthropic/", "vision", false}, {"claude-opus-4-7", "vision", false}, {"anthropic/claude-opus-4-7", "flight", false},
        {"nobody/nothing", "vision", false},
    };
    auto_fovea *f = context(NULL);
    for (size_t i = 0; i < COUNT(rows); i++)
        CHECK_MSG(fovea_model_supports(f, rows[i].model, rows[i].capability) == rows[i].can, "row %zu", i);
}

TEST(a_reader_that_is_switched_off_can_nothing)
{
    auto_fovea *off = context("models.ocr: false\n"), *on = context("models.ocr: true\n");
    CHECK(fovea_model_supports(on, "local/ocr", "vision") && !fovea_model_supports(off, "local/ocr", "vision"));
}

/* ---------------------------------------------------------------- settings */

static void gather(const struct fovea_setting_now *s, void *arg)
{
    (void)buf_add_format(arg, "%s=%s (%s)\n", s->key, s->value, s->from);
}

TEST(settings_are_told_without_their_secrets)
{
    auto_fovea *f = context("providers:\n"
                            "  long: {wire: openai-chat, baseUrl: \"http://user:hush@127.0.0.1:9/v1\", apiKey: sk-test-0123456789abcdef}\n"
                            "  short: {wire: openai-chat, baseUrl: \"http://127.0.0.1:9/v1\", apiKey: sk-brief}\n"
                            "apiKey: sk-tiny\nrecord.store: postgresql://user:hush@127.0.0.1:9/db?password=hush&connect_timeout=1\n");
    auto_buf b = BUF_INIT(MIB);
    CHECK(fovea_settings(f, gather, &b) == 0 && b.len);
    CHECK(!strstr(b.data, "hush") && !strstr(b.data, "sk-"));
    CHECK_MSG(strstr(b.data, "****"), "%s", b.data);
    CHECK_MSG(strstr(b.data, "config.yaml:"), "%s", b.data);
}
