/* SPDX-License-Identifier: Apache-2.0 */
/* Fitting: boxes, targets and the token rules, whose vectors are the rows of tests/cases/tokens.tsv. */
#include <math.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "fit/models_table.h"
#include "fit/plan.h"
#include "test.h"

static const struct fit_limits usual = {
    .max_edge = 1568, .min_edge = 28, .max_bytes = 512000, .quality = 75, .resize = 1};

static uint32_t random_state = 2463534242u;

static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % n;
}

/* Small ones and thin ones as often as large ones. */
static uint32_t random_side(void)
{
    return 1 + random_below(1u << (1 + random_below(16))) % LIMIT_SIDE;
}

static struct size random_size(void)
{
    struct size s = {random_side(), random_side()};
    return s;
}

static bool equal(struct size a, struct size b)
{
    return a.w == b.w && a.h == b.h;
}

/* ---------------------------------------------------------------- tokens */

static void check_vector(const char *line)
{
    char model[64], detail[16];
    unsigned w, h, want_w, want_h, want;
    if (sscanf(line, "%63s %15s %u %u %u %u %u", model, detail, &w, &h, &want_w, &want_h, &want) != 7) {
        CHECK_MSG(false, "not a row: %s", line);
        return;
    }
    const struct token_rule *rule = tokens_rule(model, !strcmp(detail, "full"));
    CHECK_MSG(rule, "%s", line);
    if (!rule)
        return;
    struct size got = tokens_resize(rule, (struct size){w, h});
    uint32_t tokens = tokens_count(rule, (struct size){w, h});
    CHECK_MSG(got.w == want_w && got.h == want_h && tokens == want, "%s %s %ux%u: got %ux%u, %u tokens, want %ux%u, %u",
              model, detail, w, h, got.w, got.h, tokens, want_w, want_h, want);
}

TEST(tokens_agree_with_every_published_vector)
{
    char line[256];
    unsigned rows = 0;
    FILE *file = fopen("tests/cases/tokens.tsv", "re");
    CHECK(file);
    if (!file)
        return;
    while (fgets(line, sizeof line, file))
        if (line[0] != '#') {
            check_vector(line);
            rows++;
        }
    fclose(file);
    CHECK_MSG(rows > 80, "%u rows", rows);
}

TEST(tokens_of_an_unknown_model_are_unknown)
{
    static const char *const unknown[] = {
        "", "/", "gpt", "gpt-5-", "GPT-5", "claude", "claude-opus-4.7", "claude-opus-latest", "gemini-4-argon",
        "gemini-flash-latest", "openai", "openai/", "openai//gpt-5", "nobody/gpt-5", "openai/gpt-5:batch",
        "gpt-5/openai", "openrouter/openrouter/openrouter/gpt-5", "qwen/qwen3-vl-235b-a22b-instruct", " gpt-5",
        "gpt-5 "};
    for (size_t i = 0; i < COUNT(unknown); i++)
        CHECK_MSG(!tokens_rule(unknown[i], 0) && !tokens_rule(unknown[i], 1), "'%s'", unknown[i]);
    CHECK(!tokens_rule(NULL, 0));
    struct token_rule none = {0}, bad = {.kind = 77, .edge = 10, .budget = 10};
    struct size s = {5000, 4000};
    CHECK(equal(tokens_resize(&none, s), s) && !tokens_count(&none, s));
    CHECK(equal(tokens_resize(&bad, s), s) && !tokens_count(&bad, s));
}

TEST(tokens_table_has_no_id_twice_and_a_source_for_each)
{
    for (size_t i = 0; i < image_models_count; i++) {
        CHECK_MSG(image_models[i].rule->source[0], "%s", image_models[i].id);
        CHECK_MSG(tokens_rule(image_models[i].id, 0) == &image_models[i].rule->usual, "%s", image_models[i].id);
        CHECK_MSG(image_models[i].rule->usual.kind != TOKENS_UNKNOWN, "%s", image_models[i].id);
    }
}

TEST(tokens_resize_with_a_budget_alone_is_within_it)
{
    struct token_rule rule = {.kind = TOKENS_CLAUDE, .budget = 1568};
    struct size tall = tokens_resize(&rule, (struct size){20000, 28});
    CHECK(equal(tall, (struct size){20000, 28}));
    struct size square = tokens_resize(&rule, (struct size){3000, 3000});
    CHECK(equal(square, (struct size){1092, 1092}));
    rule.budget = 1;
    CHECK(equal(tokens_resize(&rule, (struct size){65535, 1}), (struct size){28, 1}));
}

static void check_resized(const struct token_rule *rule, struct size s)
{
    struct size got = tokens_resize(rule, s), again = tokens_resize(rule, got);
    uint32_t unit = rule->kind == TOKENS_PATCH ? 32 : 28;
    uint64_t patches = (uint64_t)((got.w + unit - 1) / unit) * ((got.h + unit - 1) / unit);
    CHECK_MSG(got.w && got.h && got.w <= s.w && got.h <= s.h, "%ux%u gave %ux%u", s.w, s.h, got.w, got.h);
    CHECK_MSG(equal(got, again), "%ux%u gave %ux%u, then %ux%u", s.w, s.h, got.w, got.h, again.w, again.h);
    CHECK_MSG(!rule->edge || MAX(got.w, got.h) <= rule->edge, "%ux%u gave %ux%u", s.w, s.h, got.w, got.h);
    CHECK_MSG(!rule->budget || patches <= rule->budget, "%ux%u gave %ux%u", s.w, s.h, got.w, got.h);
    CHECK(tokens_count(rule, s) == tokens_count(rule, got));
    CHECK(tokens_count(rule, s) > 0);
}

TEST(tokens_resize_never_leaves_a_limit_and_settles_at_once)
{
    struct token_rule tight = {.kind = TOKENS_PATCH, .budget = 3, .mult = 100};
    for (int i = 0; i < 3000; i++) {
        const struct image_rule *rule = image_models[random_below((uint32_t)image_models_count)].rule;
        struct size s = random_size();
        check_resized(&rule->usual, s);
        check_resized(&rule->full, s);
        check_resized(&tight, s);
    }
}

TEST(tokens_of_the_largest_size_do_not_overflow)
{
    struct token_rule rule = {.kind = TOKENS_PATCH, .mult = UINT32_MAX};
    struct size s = {LIMIT_SIDE, LIMIT_SIDE}, wild = {UINT32_MAX, UINT32_MAX}, none = {0, 0}, thin = {LIMIT_SIDE, 1};
    CHECK(tokens_count(&rule, s) == UINT32_MAX);
    for (uint32_t kind = 0; kind <= TOKENS_FIXED; kind++) {
        struct token_rule r = {.kind = kind, .edge = 1568, .budget = 1568, .mult = 120, .base = 1, .per_tile = 1};
        CHECK(tokens_resize(&r, wild).w <= UINT32_MAX);
        CHECK(equal(tokens_resize(&r, none), none));
        (void)tokens_count(&r, wild);
        (void)tokens_count(&r, none);
        (void)tokens_count(&r, thin);
    }
}

/* ---------------------------------------------------------------- boxes */

TEST(crop_clamps_to_the_source_and_rounds_outward)
{
    static const struct {
        double x, y, w, h;
        uint32_t space;
        struct rect want; /* w 0: nothing is left */
    } rows[] = {
        {0, 0, 100, 50, FIT_SOURCE, {0, 0, 100, 50}},
        {10, 20, 30, 10, FIT_SOURCE, {10, 20, 30, 10}},
        {10.4, 20.6, 1, 1, FIT_SOURCE, {10, 20, 2, 2}},
        {10.0000000001, 20, 29.9999999999, 5, FIT_SOURCE, {10, 20, 30, 5}},
        {9.9999999999, 20, 30.0000000002, 5, FIT_SOURCE, {10, 20, 30, 5}},
        {-10, -10, 20, 20, FIT_SOURCE, {0, 0, 10, 10}},
        {90, 40, 1000, 1000, FIT_SOURCE, {90, 40, 10, 10}},
        {-1e300, -1e300, 2e300, 2e300, FIT_SOURCE, {0, 0, 100, 50}},
        {0, 0, 1e308, 1e308, FIT_SOURCE, {0, 0, 100, 50}},
        {99.5, 49.5, 0.25, 0.25, FIT_SOURCE, {99, 49, 1, 1}},
        {10, 10, 1e-12, 1e-12, FIT_SOURCE, {10, 10, 1, 1}},
        {0, 0, 5e-324, 5e-324, FIT_SOURCE, {0, 0, 1, 1}},
        {100, 0, 10, 10, FIT_SOURCE, {0}},
        {0, 50, 10, 10, FIT_SOURCE, {0}},
        {-10, 0, 10, 10, FIT_SOURCE, {0}},
        {1e308, 1e308, 1e308, 1e308, FIT_SOURCE, {0}},
        {-1e308, 0, 1, 1, FIT_SOURCE, {0}},
        {0, 0, 0, 10, FIT_SOURCE, {0}},
        {0, 0, 10, 0, FIT_SOURCE, {0}},
        {50, 25, -10, 10, FIT_SOURCE, {0}},
        {NAN, 0, 10, 10, FIT_SOURCE, {0}},
        {0, 0, INFINITY, 10, FIT_SOURCE, {0}},
        {0, -INFINITY, 10, 10, FIT_SOURCE, {0}},
        {0, 0, 10, NAN, FIT_SOURCE, {0}},
        {0, 0, 1000, 1000, FIT_UNIT, {0, 0, 100, 50}},
        {500, 500, 500, 500, FIT_UNIT, {50, 25, 50, 25}},
        {333, 333, 1, 1, FIT_UNIT, {33, 16, 1, 1}},
        {-100, 900, 200, 200, FIT_UNIT, {0, 45, 10, 5}},
        {1000, 0, 1, 1, FIT_UNIT, {0}},
        {1e308, 0, 1e308, 1, FIT_UNIT, {0}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fit_box box = {rows[i].x, rows[i].y, rows[i].w, rows[i].h, rows[i].space, 1};
        struct rect got = {0};
        bool any = fit_crop(&box, (struct size){100, 50}, &got);
        CHECK_MSG(any == (rows[i].want.w != 0), "row %zu", i);
        CHECK_MSG(!memcmp(&got, &rows[i].want, sizeof got), "row %zu: got %u,%u %ux%u", i, got.x, got.y, got.w, got.h);
    }
}

TEST(crop_without_a_box_is_the_whole)
{
    struct fit_box none = {.x = NAN};
    struct rect got;
    CHECK(fit_crop(&none, (struct size){7, 9}, &got) && got.x == 0 && got.y == 0 && got.w == 7 && got.h == 9);
    CHECK(!fit_crop(&none, (struct size){0, 9}, &got));
}

TEST(crop_is_always_inside_the_source)
{
    for (int i = 0; i < 20000; i++) {
        struct size s = random_size();
        double range = random_below(2) ? 2000 : 140000;
        struct fit_box box = {(random_below(4000) / 4000.0 - 0.3) * range, (random_below(4000) / 4000.0 - 0.3) * range,
                              random_below(4000) / 4000.0 * range, random_below(4000) / 4000.0 * range,
                              random_below(2), 1};
        struct rect r;
        if (fit_crop(&box, s, &r))
            CHECK_MSG(r.w && r.h && r.x + r.w <= s.w && r.y + r.h <= s.h, "%f,%f %fx%f of %ux%u", box.x, box.y, box.w,
                      box.h, s.w, s.h);
    }
}

/* ---------------------------------------------------------------- targets */

TEST(target_keeps_within_each_limit)
{
    static const struct {
        uint32_t max_edge, min_edge, patches;
        const char *model;
        struct size crop, want;
    } rows[] = {
        {1568, 28, 0, NULL, {800, 600}, {800, 600}},
        {1568, 28, 0, NULL, {3840, 2160}, {1568, 882}},
        {1568, 28, 0, NULL, {2160, 3840}, {882, 1568}},
        {1568, 28, 0, NULL, {1569, 1568}, {1568, 1567}},
        {800, 28, 0, NULL, {4032, 3024}, {800, 600}},
        {0, 0, 0, NULL, {9000, 9000}, {9000, 9000}},
        {1568, 28, 0, NULL, {1, 1}, {28, 28}},
        {1568, 28, 0, NULL, {16, 8}, {56, 28}},
        {1568, 28, 0, NULL, {27, 100}, {28, 104}},
        {1568, 28, 0, NULL, {1, 2000}, {28, 1568}},
        {1568, 28, 0, NULL, {2000, 1}, {1568, 28}},
        {1568, 28, 0, NULL, {65535, 1}, {1568, 28}},
        {1568, 28, 0, NULL, {10, 1000}, {28, 1000}},
        {0, 28, 0, NULL, {1, 2000}, {28, 56000}},
        {0, 28, 0, NULL, {1, 65535}, {28, 65535}},
        {1568, 0, 0, NULL, {1, 1}, {1, 1}},
        {20, 28, 0, NULL, {100, 50}, {20, 10}},
        {60, 200, 0, NULL, {100, 50}, {60, 30}},
        {60, 200, 0, NULL, {20, 10}, {60, 30}},
        {60, UINT32_MAX, 0, NULL, {50, 50}, {60, 60}},
        {0, UINT32_MAX, 0, NULL, {2, 1}, {LIMIT_SIDE, 32768}},
        {UINT32_MAX, 28, 0, NULL, {1, 65535}, {28, 65535}},
        {1568, 28, 1568, NULL, {1568, 1568}, {1092, 1092}},
        {1568, 28, 1568, NULL, {3840, 2160}, {1456, 819}},
        {1568, 28, 10, NULL, {20, 1000}, {28, 280}},
        {1568, 100, 4, NULL, {50, 50}, {50, 50}},
        {1568, 28, 0, "claude-sonnet-4-6", {3840, 2160}, {1456, 819}},
        {1568, 28, 0, "claude-opus-4-7", {3840, 2160}, {1568, 882}},
        {8000, 28, 0, "claude-opus-4-7", {3840, 2160}, {2576, 1449}},
        {8000, 28, 0, "gpt-5.5", {3840, 2160}, {2048, 1152}},
        {8000, 28, 0, "gpt-4o", {1920, 1080}, {1366, 768}},
        {8000, 28, 0, "gemini-3.8-flash", {7000, 5000}, {7000, 5000}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fit_limits limits = {
            .max_edge = rows[i].max_edge, .min_edge = rows[i].min_edge, .max_patches = rows[i].patches, .resize = 1};
        if (rows[i].model)
            limits.rule = *tokens_rule(rows[i].model, 0);
        struct size got = fit_target(&limits, rows[i].crop);
        CHECK_MSG(equal(got, rows[i].want), "row %zu: got %ux%u", i, got.w, got.h);
    }
}

static struct fit_limits random_limits(void)
{
    struct fit_limits limits = usual;
    if (random_below(2))
        limits.max_edge = 100 + random_below(4000);
    if (random_below(2))
        limits.max_patches = 16 + random_below(5000);
    if (random_below(2)) {
        const struct image_rule *rule = image_models[random_below((uint32_t)image_models_count)].rule;
        limits.rule = random_below(2) ? rule->usual : rule->full;
    }
    return limits;
}

static void check_target(const struct fit_limits *limits, struct size s)
{
    struct size got = fit_target(limits, s), again = fit_target(limits, got);
    uint64_t patches = (uint64_t)((got.w + 27) / 28) * ((got.h + 27) / 28);
    CHECK_MSG(got.w && got.h && MAX(got.w, got.h) <= limits->max_edge, "%ux%u gave %ux%u", s.w, s.h, got.w, got.h);
    CHECK_MSG(!limits->max_patches || patches <= limits->max_patches, "%ux%u gave %ux%u", s.w, s.h, got.w, got.h);
    CHECK_MSG(equal(tokens_resize(&limits->rule, got), got), "%ux%u gave %ux%u", s.w, s.h, got.w, got.h);
    CHECK_MSG(equal(got, again), "%ux%u gave %ux%u, then %ux%u", s.w, s.h, got.w, got.h, again.w, again.h);
    CHECK_MSG(MIN(got.w, got.h) >= MIN(limits->min_edge, MIN(s.w, s.h)), "%ux%u gave %ux%u", s.w, s.h, got.w, got.h);
    if (MIN(got.w, got.h) > limits->min_edge) {
        double f = (double)MAX(got.w, got.h) / MAX(s.w, s.h);
        CHECK_MSG(fabs(s.w * f - got.w) <= 1 && fabs(s.h * f - got.h) <= 1, "%ux%u gave %ux%u", s.w, s.h, got.w, got.h);
    }
    CHECK(fit_explains(limits, s, got));
}

TEST(target_of_any_size_is_within_every_limit_keeps_its_shape_and_settles)
{
    for (int i = 0; i < 20000; i++) {
        struct fit_limits limits = random_limits();
        check_target(&limits, random_size());
    }
}

TEST(target_is_the_source_when_nothing_may_be_resized)
{
    struct fit_limits limits = usual;
    limits.resize = 0;
    CHECK(equal(fit_target(&limits, (struct size){9000, 3}), (struct size){9000, 3}));
    CHECK(fit_explains(&limits, (struct size){9000, 3}, (struct size){9000, 3}));
    CHECK(!fit_explains(&limits, (struct size){2000, 1000}, (struct size){1000, 500}));
}

TEST(scaled_stops_before_an_edge_falls_under_the_least)
{
    struct size got = {0};
    CHECK(fit_scaled((struct size){1568, 882}, 0.75, &got) && equal(got, (struct size){1176, 662}));
    CHECK(fit_scaled((struct size){400, 400}, 0.25, &got) && equal(got, (struct size){100, 100}));
    got = (struct size){1, 2};
    CHECK(!fit_scaled((struct size){1568, 397}, 0.25, &got) && equal(got, (struct size){1, 2}));
    CHECK(!fit_scaled((struct size){28, 28}, 0.75, &got));
}

TEST(explains_the_target_and_the_steps_of_the_ladder_only)
{
    struct size crop = {3840, 2160};
    static const struct {
        struct size result;
        bool want;
    } rows[] = {
        {{1568, 882}, true}, {{1176, 662}, true}, {{784, 441}, true},   {{549, 309}, true},   {{392, 220}, true},
        {{1568, 881}, false}, {{3840, 2160}, false}, {{1175, 662}, false}, {{882, 1568}, false}, {{0, 0}, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        CHECK_MSG(fit_explains(&usual, crop, rows[i].result) == rows[i].want, "row %zu", i);
    CHECK(!fit_explains(&usual, (struct size){300, 300}, (struct size){75, 75}));
}
