/* SPDX-License-Identifier: Apache-2.0 */
/* For whom, by which policy and as of which turn a session is lowered: what is named wrong is said, what is named otherwise is lowered
 * anew, and thoughts that were bound to what is not shown any more go with it. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/context.h"
#include "base/cleanup.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "fovea.h"
#include "handles.h"
#include "record/record.h"
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

static fovea_session *session(fovea *f, const char *name, const char *main)
{
    struct fovea_fault fault = {0};
    fovea_session *s = NULL;
    CHECK_MSG(fovea_session_new(f, &(struct fovea_session_options){.name = name, .main = main}, &s, &fault) == 0, "%s", fault.text);
    return s;
}

static void append(fovea *f, const char *name, const char *json)
{
    struct fovea_fault fault = {0};
    struct record_appended done;
    struct record_new entry = {json, strlen(json)};
    static const uint8_t picture[1000]; /* is none, which nobody here looks at */
    struct record_blob blob = {.data = picture, .len = sizeof picture};
    sha256(picture, sizeof picture, blob.sha256);
    struct record_append what = {.session = name, .entries = &entry, .count = 1, .blobs = &blob, .n_blobs = strstr(json, "sha256") != NULL, .after = -1};
    CHECK_MSG(record_append(f->record, &what, &done, &fault) == 0, "%s", fault.text);
}

#define SAID(kind, at, words) "{\"kind\":\"" kind "\",\"at\":" #at ",\"parts\":[{\"type\":\"text\",\"text\":\"" words "\"}]}"

static void put_turns(fovea *f, const char *name)
{
    append(f, name, SAID("user", 1000, "one"));
    append(f, name, SAID("assistant", 2000, "yes"));
    append(f, name, SAID("user", 3000, "two"));
    append(f, name, SAID("assistant", 4000, "yes again"));
}

static int to_buf(void *arg, const char *piece, size_t len)
{
    return buf_add(arg, piece, len);
}

/* The code; the words of the fault, or what was written, in b. */
static int lower(fovea_session *s, struct fovea_lower_request q, struct buf *b)
{
    struct fovea_fault fault = {0};
    buf_done(b);
    *b = (struct buf)BUF_INIT(MIB);
    int r = fovea_lower(s, &q, to_buf, b, NULL, &fault);
    if (r < 0) {
        buf_done(b);
        *b = (struct buf)BUF_INIT(MIB);
        (void)buf_add_str(b, fault.text);
    }
    return r;
}

#define CLAUDE "anthropic/claude-opus-4-7"

TEST(an_aim_that_names_nothing_is_a_fault_that_says_what_to_name)
{
    static const struct {
        struct fovea_lower_request q;
        const char *words;
    } rows[] = {
        {{0}, "for which model? name one: PROVIDER/MODEL"},
        {{.model = ""}, "for which model?"},
        {{.model = "anthropic/"}, "\"anthropic/\" is no model; write PROVIDER/MODEL"},
        {{.model = "nobody-knows-it"}, "no provider is known for \"nobody-knows-it\""},
        {{.model = CLAUDE, .wire = "morse"}, "morse"},
        {{.model = CLAUDE, .retain = "turns"}, "\"turns\" is no policy; it is auto, all or turns:N"},
        {{.model = CLAUDE, .retain = "turns:0"}, "\"turns:0\" is no policy"},
        {{.model = CLAUDE, .retain = ""}, "is no policy"},
        {{.model = CLAUDE, .at = -1}, "turns count from 1"},
        {{.model = CLAUDE, .at = 3}, "session \"aim\" has 2 turns; there is no turn 3"},
        {{.model = CLAUDE, .more = true, .full = true}, "more is for the bare array"},
    };
    auto_fovea *f = context(NULL);
    put_turns(f, "aim");
    auto_session *s = session(f, "aim", NULL);
    auto_buf b = BUF_INIT(MIB);
    for (size_t i = 0; i < COUNT(rows); i++) {
        int r = lower(s, rows[i].q, &b);
        CHECK_MSG(r == -EINVAL && strstr(b.data, rows[i].words), "row %zu: %d %s", i, r, b.data);
    }
    auto_free char *none = fovea_session_report_new(s);
    CHECK_STR(none, "{\"ok\":false,\"kind\":\"lowering\"}");
    CHECK(lower(s, (struct fovea_lower_request){.model = CLAUDE}, &b) == 0);
    auto_free char *some = fovea_session_report_new(s);
    CHECK_MSG(some && strstr(some, "\"ok\":true"), "%s", some);
}

TEST(one_turn_is_said_in_the_singular)
{
    auto_fovea *f = context(NULL);
    append(f, "single", SAID("user", 1000, "one"));
    auto_session *s = session(f, "single", CLAUDE);
    auto_buf b = BUF_INIT(MIB);
    CHECK(lower(s, (struct fovea_lower_request){.at = 2}, &b) == -EINVAL);
    CHECK_STR(b.data, "session \"single\" has 1 turn; there is no turn 2");
}

TEST(the_config_may_name_its_model_and_its_provider_apart)
{
    auto_fovea *f = context("model: claude-opus-4-7\nprovider: anthropic\n");
    put_turns(f, "apart");
    auto_session *s = session(f, "apart", NULL);
    auto_buf b = BUF_INIT(MIB);
    CHECK_MSG(lower(s, (struct fovea_lower_request){0}, &b) == 0, "%s", b.data);
    auto_free char *report = fovea_session_report_new(s);
    CHECK_MSG(report && strstr(report, "\"provider\":\"anthropic\",\"model\":\"claude-opus-4-7\""), "%s", report);
    CHECK(lower(s, (struct fovea_lower_request){.model = "claude-opus-4-7"}, &b) == -EINVAL); /* not the config's */
}

/* Each differs from the one before in one thing; a session that is asked anew gives the same. */
TEST(whatever_is_aimed_at_otherwise_is_lowered_anew)
{
    static const struct fovea_lower_request aims[] = {
        {.model = CLAUDE, .retain = "all"},
        {.model = CLAUDE, .retain = "turns:1"},
        {.model = CLAUDE, .retain = "turns:2"},
        {.model = CLAUDE, .retain = "turns:2", .bridge = true},
        {.model = CLAUDE, .retain = "turns:2", .bridge = true, .at = 1},
        {.model = "anthropic/claude-haiku-4-5", .retain = "turns:2", .bridge = true, .at = 1},
        {.model = "openrouter/anthropic/claude-haiku-4.5", .retain = "turns:2", .bridge = true, .at = 1},
        {.model = "openai/gpt-5", .wire = "openai-chat", .retain = "turns:2", .bridge = true, .at = 1},
        {.model = "openai/gpt-5", .wire = "openai-responses", .retain = "turns:2", .bridge = true, .at = 1},
    };
    auto_fovea *f = context(NULL);
    put_turns(f, "anew");
    auto_session *kept = session(f, "anew", NULL);
    auto_buf a = BUF_INIT(MIB), b = BUF_INIT(MIB);
    for (size_t i = 0; i < COUNT(aims); i++) {
        auto_session *once = session(f, "anew", NULL);
        CHECK_MSG(lower(kept, aims[i], &a) == 0, "row %zu: %s", i, a.data);
        CHECK_MSG(lower(once, aims[i], &b) == 0 && a.len == b.len && !memcmp(a.data, b.data, a.len), "row %zu", i);
    }
}

/* ---------------------------------------------------------------- thoughts */

#define SEEN(at, n) "{\"kind\":\"tool_result\",\"at\":" #at ",\"call\":\"c" #n "\",\"name\":\"view\",\"parts\":[{\"type\":\"image\",\"media_type\":\"image/png\"," \
    "\"sha256\":\"541b3e9daa09b20bf85fa273e5cbd3e80185aa4ec298e765db87742b70138a53\",\"bytes\":1000,\"width\":1000,\"height\":600," \
    "\"view\":\"view:00000000000" #n "\",\"ref\":\"a.png\"}]}"
#define LOOKS(at, n) "{\"kind\":\"assistant\",\"at\":" #at ",\"parts\":[{\"type\":\"opaque\",\"wire\":\"anthropic\",\"thinking\":true," \
    "\"value\":{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"}},{\"type\":\"tool_call\",\"id\":\"c" #n "\",\"name\":\"view\"," \
    "\"arguments\":{\"path\":\"a.png\"}}]}"

TEST(thoughts_that_were_bound_to_an_elided_picture_are_left_out_and_the_report_says_how)
{
    auto_fovea *f = context(NULL);
    append(f, "thoughts", SAID("user", 1000, "one"));
    append(f, "thoughts", LOOKS(2000, 1));
    append(f, "thoughts", SEEN(3000, 1));
    append(f, "thoughts", LOOKS(4000, 2));
    append(f, "thoughts", SEEN(5000, 2));
    append(f, "thoughts", SAID("assistant", 6000, "seen"));
    append(f, "thoughts", SAID("user", 7000, "two"));
    append(f, "thoughts", LOOKS(8000, 3));
    append(f, "thoughts", SEEN(9000, 3));
    auto_session *s = session(f, "thoughts", "anthropic/claude-opus-5-5");
    auto_buf b = BUF_INIT(MIB);
    CHECK_MSG(lower(s, (struct fovea_lower_request){.retain = "turns:1"}, &b) == 0, "%s", b.data);
    auto_free char *bare = fovea_session_report_new(s);
    CHECK_MSG(bare && strstr(bare, "\"thinking\":{\"left_out_before\":"), "%s", bare);
    CHECK_MSG(lower(s, (struct fovea_lower_request){.retain = "turns:1", .full = true}, &b) == 0, "%s", b.data);
    auto_free char *full = fovea_session_report_new(s);
    CHECK_MSG(full && strstr(full, "the leading thinking blocks are left out"), "%s", full);
}

/* ---------------------------------------------------------------- what came later, and what stands before */

/* The provider will not take that picture then either. */
TEST(a_repair_holds_for_an_earlier_turn_too)
{
    auto_fovea *f = context(NULL);
    append(f, "late", SAID("user", 1000, "one"));
    append(f, "late", LOOKS(2000, 1));
    append(f, "late", SEEN(3000, 1));
    append(f, "late", SAID("assistant", 4000, "seen"));
    append(f, "late", SAID("user", 5000, "two"));
    append(f, "late", SAID("assistant", 6000, "yes"));
    auto_session *s = session(f, "late", CLAUDE);
    auto_buf b = BUF_INIT(MIB);
    CHECK(lower(s, (struct fovea_lower_request){.at = 1, .retain = "all"}, &b) == 0 && strstr(b.data, "\"type\":\"image\""));
    append(f, "late", "{\"kind\":\"repair\",\"at\":7000,\"entry\":3,\"part\":0,\"how\":\"stub\",\"why\":\"it was refused\"}");
    append(f, "late", "{\"kind\":\"repair\",\"at\":7001,\"entry\":6,\"part\":0,\"how\":\"stub\",\"why\":\"of what came later\"}");
    CHECK(lower(s, (struct fovea_lower_request){.at = 1, .retain = "all"}, &b) == 0);
    CHECK_MSG(!strstr(b.data, "\"type\":\"image\"") && strstr(b.data, "not shown: the provider would not take it"), "%s", b.data);
}

TEST(chat_completions_have_the_instructions_of_another_wire_in_their_array)
{
    static const char asked[] = "{\"model\":\"m\",\"max_tokens\":9,\"system\":\"be kind\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}";
    static const char chat[] = "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"be kind\"},{\"role\":\"user\",\"content\":\"hello\"}]}";
    static const struct {
        const char *session, *wire, *text;
    } rows[] = {{"from-anthropic", "anthropic", asked}, {"from-chat", "openai-chat", chat}};
    auto_fovea *f = context(NULL);
    auto_buf b = BUF_INIT(MIB);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fovea_fault fault = {0};
        struct fovea_appended done;
        auto_session *s = session(f, rows[i].session, NULL);
        CHECK_MSG(fovea_session_import(s, rows[i].wire, rows[i].text, strlen(rows[i].text), &done, &fault) == 0, "%s", fault.text);
        CHECK_MSG(lower(s, (struct fovea_lower_request){.model = "openai/gpt-5", .wire = "openai-chat"}, &b) == 0, "%s", b.data);
        const char *first = strstr(b.data, "be kind");
        CHECK_MSG(first && first < strstr(b.data, "hello") && !strstr(first + 1, "be kind"), "%s", b.data);
    }
}
