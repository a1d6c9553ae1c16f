/* SPDX-License-Identifier: Apache-2.0 */
/* Policies by name, when auto cuts and when it does not, and targets from the tables. */
#include "test.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "lower/replay.h"
#include "lower/terms.h"

TEST(policies_have_names)
{
    static const struct {
        const char *words;
        int result;
        enum policy_kind kind;
        uint32_t n, m;
    } rows[] = {
        {"auto", 0, POLICY_AUTO, 0, 0},      {"all", 0, POLICY_ALL, 0, 0},         {"turns:2", 0, POLICY_TURNS, 2, 0},
        {"newest:3", 0, POLICY_NEWEST, 3, 0}, {"batch:20:8", 0, POLICY_BATCH, 20, 8}, {"turns", -EINVAL, 0, 0, 0},
        {"turns:0", -EINVAL, 0, 0, 0},       {"turns:2x", -EINVAL, 0, 0, 0},       {"batch:8:20", -EINVAL, 0, 0, 0},
        {"batch:8", -EINVAL, 0, 0, 0},       {"auto:1", -EINVAL, 0, 0, 0},         {"", -EINVAL, 0, 0, 0},
        {"turns:99999999999", -EINVAL, 0, 0, 0}, {"turns:-1", -EINVAL, 0, 0, 0},   {"newest:3 ", -EINVAL, 0, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct policy p = {0};
        CHECK_MSG(policy_parse(rows[i].words, &p) == rows[i].result, "%s", rows[i].words);
        CHECK(rows[i].result < 0 || (p.kind == rows[i].kind && p.n == rows[i].n && p.m == rows[i].m));
    }
}

/* ---------------------------------------------------------------- a session written as steps */

struct play {
    struct replay *r;
    struct entry_room room;
    int64_t seq, at;
};

static void said(struct play *p, const char *kind, int64_t after_s, int text, bool picture)
{
    auto_buf b = BUF_INIT(1 << 22);
    struct entry e;
    p->at += after_s * 1000;
    (void)buf_add_format(&b, "{\"kind\":\"%s\",\"at\":%lld,\"parts\":[{\"type\":\"text\",\"text\":\"%*s\"}%s]}", kind, (long long)p->at, text, "x",
                         picture ? ",{\"type\":\"image\",\"media_type\":\"image/png\",\"sha256\":"
                                   "\"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\",\"bytes\":90000,\"width\":1400,"
                                   "\"height\":900,\"view\":\"view:1\"}" : "");
    CHECK(entry_read(b.data, b.len, ++p->seq, &p->room, &e) == 0 && replay_feed(p->r, &e) == 0);
}

static struct play play(const struct target *t, const char *policy)
{
    struct play p = {.at = 1790000000000};
    struct policy parsed;
    CHECK(policy_parse(policy, &parsed) == 0 && replay_new(t, &parsed, &p.r) == 0);
    return p;
}

static void play_done(struct play *p)
{
    replay_free(p->r);
    entry_room_done(&p->room);
}
#define auto_play cleanup(play_done) struct play

/* A turn whose pictures are followed by so much text that a tool gave. */
static void turn(struct play *p, int64_t pause_s, int pictures, int text)
{
    said(p, "user", pause_s, 40, false);
    for (int i = 0; i < pictures; i++) {
        said(p, "assistant", 5, 40, false);
        said(p, "tool_result", 2, 40, true);
    }
    said(p, "assistant", 5, 40, false);
    said(p, "tool_result", 2, text, false);
    said(p, "assistant", 5, 40, false);
}

static struct request_figures now(struct play *p)
{
    CHECK(replay_now(p->r) == 0);
    return replay_figures(p->r);
}

static struct target cached(void)
{
    return (struct target){.wire = LOWER_ANTHROPIC, .vision = true, .webp = true, .provider = "p", .model = "m",
                           .cache = {.known = true, .read = 100, .write = 1250, .least = 1024, .ttl_ms = 300000}};
}

TEST(auto_keeps_the_current_turn_whatever_the_cache_does)
{
    struct target t = cached();
    auto_play p = play(&t, "auto");
    said(&p, "user", 1, 40, false);
    for (int i = 0; i < 12; i++) {
        said(&p, "assistant", 5, 40, false);
        said(&p, "tool_result", 900, 40, true);
        CHECK(now(&p).elided == 0);
    }
}

TEST(auto_takes_all_old_pictures_when_the_cache_is_cold)
{
    struct target t = cached();
    auto_play p = play(&t, "auto");
    turn(&p, 1, 2, 400000);
    said(&p, "user", 60, 40, false);
    CHECK(now(&p).elided == 0); /* behind them stand a hundred thousand tokens, which would be written anew */
    said(&p, "assistant", 5, 40, false);
    said(&p, "user", 301, 40, false);
    struct request_figures f = now(&p);
    CHECK(f.elided == 2 && !strcmp(f.reason, "cold") && f.cache_read == 0);
}

/* The host's system prompt and tools are cached with them, whether or not the record has those. */
TEST(a_few_short_messages_are_cached_until_their_time_is_over)
{
    static const int64_t least[] = {1024, 2048, 4000};
    for (size_t i = 0; i < COUNT(least); i++) {
        struct target t = cached();
        t.cache.least = least[i];
        auto_play p = play(&t, "auto");
        said(&p, "user", 1, 40, false);
        said(&p, "assistant", 30, 40, false);
        said(&p, "tool_result", 30, 40, true);
        said(&p, "assistant", 30, 40, false);
        said(&p, "user", 30, 40, false);
        struct request_figures f = now(&p);
        CHECK_MSG(f.cache_read > 0 && (!f.reason || strcmp(f.reason, "cold") != 0), "%d: %s", (int)least[i], f.reason ? f.reason : "live");
        said(&p, "assistant", 30, 40, false);
        said(&p, "user", 3000, 40, false);
        CHECK(now(&p).cache_read == 0 && now(&p).elided == 1);
    }
}

/* What stands before such a cut would be written anew with all the rest. */
TEST(auto_cuts_nothing_where_the_prefix_left_is_too_short_to_be_cached)
{
    struct target t = cached();
    for (int fits = 0; fits < 2; fits++) {
        t.cache.least = fits ? REPLAY_HOST_TOKENS : REPLAY_HOST_TOKENS + 1000;
        auto_play p = play(&t, "auto");
        turn(&p, 1, 1, 40);
        said(&p, "user", 30, 40, false);
        CHECK_MSG(now(&p).elided == fits, "%d", fits);
    }
}

TEST(auto_takes_them_at_once_where_nothing_is_cached)
{
    struct target t = cached();
    t.cache.known = false;
    auto_play p = play(&t, "auto");
    turn(&p, 1, 2, 4000);
    said(&p, "user", 5, 40, false);
    struct request_figures f = now(&p);
    CHECK(f.elided == 2 && !strcmp(f.reason, "cold") && f.plain == f.tokens);
}

TEST(auto_cuts_a_warm_cache_only_where_it_pays_and_leaves_an_old_backlog)
{
    struct target t = cached();
    auto_play p = play(&t, "auto");
    turn(&p, 1, 1, 200000); /* a picture with fifty thousand tokens behind it */
    turn(&p, 60, 8, 40);    /* eight with next to nothing */
    said(&p, "user", 60, 40, false);
    struct request_figures f = now(&p);
    CHECK(f.reason && !strcmp(f.reason, "break-even") && f.elided == 8);
    CHECK(replay_fate(p.r, 3, 1).fate == FATE_LIVE && replay_fate(p.r, p.seq - 4, 1).fate == FATE_ELIDED);
}

TEST(auto_moves_nothing_between_the_requests_of_a_turn)
{
    struct target t = cached();
    auto_play p = play(&t, "auto");
    for (int i = 0; i < 6; i++)
        turn(&p, 60, 4, 300);
    said(&p, "user", 60, 40, false);
    int64_t elided = now(&p).elided, last = now(&p).tokens;
    for (int i = 0; i < 6; i++) {
        said(&p, "assistant", 5, 40, false);
        said(&p, "tool_result", 5, 40, true);
        struct request_figures f = now(&p);
        CHECK(f.elided == elided && !f.reason && f.cache_read == last);
        last = f.tokens;
    }
}

TEST(turns_keeps_the_current_turn_and_so_many_before)
{
    struct target t = cached();
    for (int keep = 1; keep <= 3; keep++) {
        char words[16];
        (void)snprintf(words, sizeof words, "turns:%d", keep);
        auto_play p = play(&t, words);
        for (int i = 0; i < 5; i++)
            turn(&p, 20, 2, 100);
        said(&p, "user", 20, 40, false);
        CHECK(now(&p).live == 2 * (keep - 1));
    }
}

TEST(a_request_costs_what_the_cache_says)
{
    struct target t = cached();
    auto_play p = play(&t, "all");
    replay_base(p.r, 4000);
    said(&p, "user", 1, 4000, false);
    struct request_figures a = now(&p);
    CHECK(a.cache_read == 0 && a.cache_write == a.tokens && a.units == a.tokens * 1250 && a.cost_nano < 0);
    said(&p, "assistant", 10, 400, false);
    said(&p, "user", 10, 400, false);
    struct request_figures b = now(&p);
    CHECK(b.cache_read == a.tokens && b.units == b.cache_read * 100 + (b.tokens - b.cache_read) * 1250);
    said(&p, "assistant", 10, 400, false);
    said(&p, "user", 400, 400, false);
    CHECK(now(&p).cache_read == 0);
}

/* ---------------------------------------------------------------- targets */

TEST(targets_come_from_the_tables)
{
    static const struct {
        const char *provider, *model, *wire;
        enum lower_wire on;
        enum tool_image how;
        int64_t images, least, ttl_ms;
        int read, write;
        bool cached, bound, signatures;
    } rows[] = {
        {"anthropic", "claude-opus-4-7", NULL, LOWER_ANTHROPIC, TOOL_NATIVE, 600, 2048, 300000, 100, 1250, true, false, false},
        {"anthropic", "claude-haiku-4-5", NULL, LOWER_ANTHROPIC, TOOL_NATIVE, 100, 4096, 300000, 100, 1250, true, false, false},
        {"anthropic", "claude-sonnet-5-5", NULL, LOWER_ANTHROPIC, TOOL_NATIVE, 600, 1024, 300000, 50, 1250, true, true, false},
        {"openai", "gpt-5", NULL, LOWER_RESPONSES, TOOL_NATIVE, 1500, 1024, 300000, 100, 1000, true, false, false},
        {"openai", "gpt-5", "openai-chat", LOWER_CHAT, TOOL_REATTACH, 1500, 1024, 300000, 100, 1000, true, false, false},
        {"openai", "gpt-6-sol", NULL, LOWER_RESPONSES, TOOL_NATIVE, 1500, 1024, 1800000, 100, 1250, true, false, false},
        {"openai", "gpt-4-turbo", NULL, LOWER_RESPONSES, TOOL_NATIVE, 1500, 0, 0, 0, 0, false, false, false},
        {"google", "gemini-2.5-pro", NULL, LOWER_GEMINI, TOOL_SIBLING, 3600, 2048, 300000, 100, 1000, true, false, false},
        {"google", "gemini-3.8-flash", NULL, LOWER_GEMINI, TOOL_NATIVE, 3600, 4096, 300000, 100, 1000, true, false, true},
        {"ollama", "qwen", NULL, LOWER_CHAT, TOOL_REATTACH, 60, 0, 0, 100, 1000, true, false, false},
        {"ollama", "qwen", "openai-responses", LOWER_RESPONSES, TOOL_REATTACH, 100, 0, 0, 100, 1000, true, false, false},
        {"llama.cpp", "x", "openai-responses", LOWER_RESPONSES, TOOL_REATTACH, 100, 0, 0, 100, 1000, true, false, false},
        {"lm-studio", "x", "openai-responses", LOWER_RESPONSES, TOOL_REATTACH, 100, 0, 0, 100, 1000, true, false, false},
        {"openai", "not-known", NULL, LOWER_RESPONSES, TOOL_NATIVE, 1500, 0, 0, 100, 1000, true, false, false},
        {"llama.cpp", "x", "anthropic", LOWER_ANTHROPIC, TOOL_NATIVE, 100, 0, 0, 100, 1000, true, false, false},
        {"vllm", "x", "openai-responses", LOWER_RESPONSES, TOOL_REATTACH, 100, 0, 0, 100, 1000, true, false, false},
        {"azure", "unknown", NULL, LOWER_RESPONSES, TOOL_NATIVE, 100, 0, 0, 100, 1000, true, false, false},
        {"azure", "silent", NULL, LOWER_RESPONSES, TOOL_NATIVE, 100, 0, 0, 100, 1000, true, false, false},
        {"azure", "denies", NULL, LOWER_RESPONSES, TOOL_REATTACH, 100, 0, 0, 100, 1000, true, false, false},
        {"vllm", "says", "openai-responses", LOWER_RESPONSES, TOOL_NATIVE, 100, 0, 0, 100, 1000, true, false, false},
        {"elsewhere", "any", "openai-responses", LOWER_RESPONSES, TOOL_NATIVE, 100, 0, 0, 100, 1000, true, false, false},
        {"elsewhere", "any", "openai-chat", LOWER_CHAT, TOOL_REATTACH, 60, 0, 0, 100, 1000, true, false, false},
    };
    struct models *m = models_new();
    const char *must;
    CHECK(models_set_provider(m, "azure", "wire", "openai-responses", &must) == 0);
    CHECK(models_set_model(m, "azure", "silent", "vision", "true", "test", &must) == 0);
    CHECK(models_set_model(m, "azure", "denies", "vision", "true", "test", &must) == 0);
    CHECK(models_set_model(m, "azure", "denies", "tool_image", "false", "test", &must) == 0);
    CHECK(models_set_model(m, "vllm", "says", "vision", "true", "test", &must) == 0);
    CHECK(models_set_model(m, "vllm", "says", "tool_image", "true", "test", &must) == 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct target_ask ask = {.provider = rows[i].provider, .model = rows[i].model, .wire = rows[i].wire};
        struct target t;
        CHECK_MSG(target_make(m, &ask, &t, NULL) == 0, "%s", rows[i].model);
        CHECK_MSG(t.wire == rows[i].on && t.tool_image == rows[i].how && t.limits.images == rows[i].images, "%s", rows[i].model);
        CHECK_MSG(t.cache.known == rows[i].cached && t.cache.read == rows[i].read && t.cache.write == rows[i].write &&
                  t.cache.least == rows[i].least && t.cache.ttl_ms == rows[i].ttl_ms, "%s: %d %d %d %d", rows[i].model, t.cache.read,
                  t.cache.write, (int)t.cache.least, (int)t.cache.ttl_ms);
        CHECK_MSG(t.bound_thinking == rows[i].bound && t.thought_signatures == rows[i].signatures && t.vision, "%s", rows[i].model);
    }
    struct target t;
    struct fovea_fault fault;
    CHECK(target_make(m, &(struct target_ask){.provider = "nobody", .model = "x"}, &t, &fault) == -EINVAL);
    CHECK(target_make(m, &(struct target_ask){.provider = "openai", .model = "x", .wire = "smoke"}, &t, &fault) == -EINVAL);
    CHECK(target_make(m, &(struct target_ask){.provider = "ollama", .model = "x"}, &t, &fault) == 0 && !t.webp);
    models_free(m);
}

/* ---------------------------------------------------------------- what a request begins with */

static void body(struct play *p, const char *json)
{
    struct entry e;
    CHECK(entry_read(json, strlen(json), ++p->seq, &p->room, &e) == 0 && replay_feed(p->r, &e) == 0);
}

TEST(other_instructions_make_the_next_request_cold_and_not_the_one_before)
{
    static const char first[] = "{\"kind\":\"request\",\"wire\":\"anthropic\",\"system\":[{\"type\":\"text\",\"text\":\"one\"}],\"body\":{}}";
    static const char other[] = "{\"kind\":\"request\",\"wire\":\"anthropic\",\"system\":[{\"type\":\"text\",\"text\":\"two two two two two two\"}],\"body\":{}}";
    struct target t = cached();
    auto_play p = play(&t, "all");
    body(&p, first);
    turn(&p, 10, 0, 20000);
    said(&p, "user", 5, 40, false);
    CHECK(now(&p).cache_read > 4000);
    /* The same again changes nothing. */
    body(&p, first);
    CHECK(now(&p).cache_read > 4000);
    /* A request is imported with the answer to the one before it, which was made with what stood there then. */
    int64_t tokens = now(&p).tokens;
    body(&p, other);
    CHECK(now(&p).cache_read == 0 && now(&p).tokens > tokens);
    said(&p, "assistant", 5, 40, false);
    CHECK(replay_figures(p.r).tokens == tokens && replay_figures(p.r).cache_read > 4000);
    said(&p, "user", 5, 40, false);
    CHECK(now(&p).cache_read == 0);
    said(&p, "assistant", 5, 40, false);
    said(&p, "user", 5, 40, false);
    CHECK(now(&p).cache_read > 4000);
}

TEST(the_first_request_was_made_with_the_first_instructions)
{
    struct target t = cached();
    auto_play p = play(&t, "all");
    body(&p, "{\"kind\":\"request\",\"wire\":\"anthropic\",\"system\":[{\"type\":\"text\",\"text\":\"one\"}],\"body\":{}}");
    said(&p, "user", 5, 8000, false);
    int64_t tokens = now(&p).tokens;
    body(&p, "{\"kind\":\"request\",\"wire\":\"anthropic\",\"body\":{}}");
    said(&p, "assistant", 5, 40, false);
    CHECK(replay_figures(p.r).tokens == tokens);
    said(&p, "user", 5, 40, false);
    CHECK(now(&p).cache_read == 0);
}

TEST(a_join_behind_another_speaker_joins_nothing)
{
    struct target t = cached();
    auto_play p = play(&t, "all");
    said(&p, "user", 5, 40, false);
    body(&p, "{\"kind\":\"assistant\",\"join\":true,\"parts\":[{\"type\":\"text\",\"text\":\"a\"}]}");
    CHECK(now(&p).request == 2 && now(&p).turn == 1);
    body(&p, "{\"kind\":\"assistant\",\"join\":true,\"parts\":[{\"type\":\"text\",\"text\":\"b\"}]}");
    CHECK(now(&p).request == 2);
    body(&p, "{\"kind\":\"user\",\"join\":true,\"parts\":[{\"type\":\"text\",\"text\":\"c\"}]}");
    CHECK(now(&p).turn == 2);
    body(&p, "{\"kind\":\"user\",\"join\":true,\"parts\":[{\"type\":\"text\",\"text\":\"d\"}]}");
    CHECK(now(&p).turn == 2);
}

TEST(what_no_request_has_carried_is_not_seen_earlier)
{
    struct target t = cached();
    t.cache = (struct target_cache){0};
    auto_play p = play(&t, "auto"), other = play(&t, "turns:1");
    struct play *both[] = {&p, &other};
    for (size_t i = 0; i < COUNT(both); i++) {
        said(both[i], "user", 5, 40, false);
        said(both[i], "assistant", 5, 40, false);
        said(both[i], "tool_result", 5, 40, true);
        said(both[i], "user", 5, 40, false);
    }
    CHECK(now(&p).live == 1 && now(&other).live == 0);
    said(&p, "assistant", 5, 40, false);
    CHECK(now(&p).live == 0);
}

TEST(careful_limits_hold_for_hosts_that_nobody_knows)
{
    struct target t;
    struct fovea_fault fault = {0};
    struct target_ask ask = {.provider = "somewhere", .model = "us.anthropic.claude-opus-5-5", .wire = "anthropic"};
    CHECK(target_make(NULL, &ask, &t, &fault) == 0);
    CHECK(t.limits.request_bytes == 20000000 && t.limits.image_bytes == 5000000 && t.limits.images == 100 && t.limits.pdf_pages == 100);
    CHECK(t.bound_thinking && terms_family_find(ask.model)->least == 512);
    CHECK(terms_family_find("anthropic/claude-opus-5.5")->bound_thinking && !terms_family_find("claude-opus-4.7")->bound_thinking);
    CHECK(terms_gemini_version("gemini-10-x") == 10 && terms_gemini_version("google/gemini-3.8-flash") == 3);
    CHECK(terms_gemini_version("gemini-pro") == 0 && terms_gemini_version("gpt-6") == 0);
}
