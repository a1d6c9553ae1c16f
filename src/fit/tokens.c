/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Image tokens: see tokens.h. Each kind of rule is a row of two functions: the size that the provider works on, and the
 * cost of that size. Sizes are whole pixels, so all of it is integer arithmetic, but for OpenAI's square root.
 */
#include "fit/tokens.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "fit/models_table.h"

enum { CLAUDE_PATCH = 28, OPENAI_PATCH = 32, TILE = 512, TILE_EDGE = 2048, TILE_SHORT = 768 };
enum { GEMINI_SMALL = 384, GEMINI_TILE_TOKENS = 258 };

/* What division leaves off a whole number. */
static const double hair = 1e-6;

static uint64_t up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit;
}

static uint64_t patches(struct size s, uint32_t unit)
{
    return up(s.w, unit) * up(s.h, unit);
}

static uint32_t capped(uint64_t tokens)
{
    return tokens < UINT32_MAX ? (uint32_t)tokens : UINT32_MAX;
}

static bool claude_fits(const void *arg, struct size s)
{
    const struct token_rule *r = arg;
    uint64_t padded = up(MAX(s.w, s.h), CLAUDE_PATCH) * CLAUDE_PATCH;
    return (!r->edge || padded <= r->edge) && (!r->budget || patches(s, CLAUDE_PATCH) <= r->budget);
}

static struct size claude_resize(const struct token_rule *r, struct size s)
{
    return size_largest(s, claude_fits, r);
}

static uint32_t claude_count(const struct token_rule *r, struct size s)
{
    (void)r;
    return capped(patches(s, CLAUDE_PATCH));
}

static bool patch_fits(const void *arg, struct size s)
{
    const struct token_rule *r = arg;
    return (!r->edge || MAX(s.w, s.h) <= r->edge) && (!r->budget || patches(s, OPENAI_PATCH) <= r->budget);
}

/* To the area of the budget, then down until one side is whole patches. The result has a zero side when the image is
 * thinner than that: the formula has no answer then. */
static struct size patch_formula(const struct token_rule *r, struct size s)
{
    double unit = OPENAI_PATCH, f = sqrt(unit * unit * r->budget / ((double)s.w * s.h));
    double across = s.w * f / unit, down = s.h * f / unit;
    f *= fmin(floor(across + hair) / across, floor(down + hair) / down);
    return (struct size){(uint32_t)floor(s.w * f + hair), (uint32_t)floor(s.h * f + hair)};
}

static struct size patch_resize(const struct token_rule *r, struct size s)
{
    if (!s.w || !s.h)
        return s;
    struct size edged = r->edge && MAX(s.w, s.h) > r->edge ? size_at_edge(s, r->edge) : s;
    if (patch_fits(r, edged))
        return edged;
    struct size shrunk = patch_formula(r, edged);
    return shrunk.w && shrunk.h ? shrunk : size_largest(s, patch_fits, r);
}

static uint32_t patch_count(const struct token_rule *r, struct size s)
{
    return capped(up(patches(s, OPENAI_PATCH) * r->mult, 100));
}

static struct size tile_resize(const struct token_rule *r, struct size s)
{
    (void)r;
    uint32_t longest = MAX(s.w, s.h), shortest = MIN(s.w, s.h);
    if (!shortest)
        return s;
    if (longest > TILE_EDGE && (uint64_t)shortest * TILE_EDGE <= (uint64_t)longest * TILE_SHORT)
        return size_at_edge(s, TILE_EDGE);
    if (shortest <= TILE_SHORT)
        return s;
    return s.w >= s.h ? (struct size){size_share(TILE_SHORT, s.w, s.h), TILE_SHORT}
                      : (struct size){TILE_SHORT, size_share(TILE_SHORT, s.h, s.w)};
}

static uint32_t tile_count(const struct token_rule *r, struct size s)
{
    return capped(r->base + patches(s, TILE) * r->per_tile);
}

static struct size same_size(const struct token_rule *r, struct size s)
{
    (void)r;
    return s;
}

static uint32_t gemini2_count(const struct token_rule *r, struct size s)
{
    (void)r;
    uint32_t crop = (uint32_t)((uint64_t)MIN(s.w, s.h) * 2 / 3);
    if (MAX(s.w, s.h) <= GEMINI_SMALL)
        return GEMINI_TILE_TOKENS;
    return capped(patches(s, crop ? crop : 1) * GEMINI_TILE_TOKENS);
}

static uint32_t fixed_count(const struct token_rule *r, struct size s)
{
    (void)s;
    return r->base;
}

static uint32_t nothing_known(const struct token_rule *r, struct size s)
{
    (void)r, (void)s;
    return 0;
}

static const struct {
    struct size (*resize)(const struct token_rule *r, struct size s);
    uint32_t (*count)(const struct token_rule *r, struct size s);
} kinds[] = {
    [TOKENS_UNKNOWN] = {same_size, nothing_known}, [TOKENS_CLAUDE] = {claude_resize, claude_count},
    [TOKENS_PATCH] = {patch_resize, patch_count},  [TOKENS_TILE] = {tile_resize, tile_count},
    [TOKENS_GEMINI2] = {same_size, gemini2_count}, [TOKENS_FIXED] = {same_size, fixed_count},
};

/* The rule may have come over a pipe: a number out of range is an unknown kind. */
static uint32_t kind_of(const struct token_rule *rule)
{
    return rule->kind < COUNT(kinds) ? rule->kind : TOKENS_UNKNOWN;
}

struct size tokens_resize(const struct token_rule *rule, struct size image)
{
    return kinds[kind_of(rule)].resize(rule, image);
}

uint32_t tokens_count(const struct token_rule *rule, struct size image)
{
    return kinds[kind_of(rule)].count(rule, tokens_resize(rule, image));
}

/* The id without an effort at its end; other colons belong to ids. */
static size_t id_length(const char *id)
{
    static const char *const efforts[] = {":low", ":medium", ":high"};
    size_t len = strlen(id);
    for (size_t i = 0; i < COUNT(efforts); i++) {
        size_t tail = strlen(efforts[i]);
        if (len > tail && !strcmp(id + len - tail, efforts[i]))
            return len - tail;
    }
    return len;
}

static const struct image_rule *find(const char *id)
{
    size_t len = id_length(id);
    for (size_t i = 0; i < image_models_count; i++)
        if (!strncmp(image_models[i].id, id, len) && !image_models[i].id[len])
            return image_models[i].rule;
    return NULL;
}

/* The id after a provider's name that we know, or after what Gemini's begin with as resources; or NULL. */
static const char *after_provider(const char *model)
{
    static const char *const names[] = {"anthropic", "openai", "google", "gemini", "openrouter", "models"};
    for (size_t i = 0; i < COUNT(names); i++) {
        size_t len = strlen(names[i]);
        if (!strncmp(model, names[i], len) && model[len] == '/')
            return model + len + 1;
    }
    return NULL;
}

const struct token_rule *tokens_rule(const char *model, int full)
{
    /* At most two names stand before an id: openrouter/openai/gpt-5. */
    for (int names = 0; model && names <= 2; names++) {
        const struct image_rule *rule = find(model);
        if (rule)
            return full ? &rule->full : &rule->usual;
        model = after_provider(model);
    }
    return NULL;
}

int tokens_host_takes_webp(const char *model)
{
    static const char *const without[] = {"llama.cpp/", "ollama/", "lm-studio/"};
    for (size_t i = 0; model && i < COUNT(without); i++)
        if (!strncmp(model, without[i], strlen(without[i])))
            return 0;
    return 1;
}
