/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Image-token rules of the vendors, and the models that follow each. Rules carry their source; the list of models is of
 * 2026-11-15 (pi-ai 1.5.0 data of 2026-11-02, models.dev of 2026-07-02). Left out on purpose, so that nothing is known
 * of them: models with no published rule, names that move ("...-latest"), and batch-only spellings (":batch").
 *
 * Where two sources disagree on a patch budget the smaller one stands here: an image inside it is inside the other too.
 */
#include "fit/models_table.h"

#include "base/cleanup.h"

/* Both forms are the same for every rule but OpenAI's newer patch rules. */
#define RULE(name, from, ...) \
    static const struct image_rule name = {.usual = {__VA_ARGS__}, .full = {__VA_ARGS__}, .source = (from)}

#define CLAUDE_DOC "platform.claude.com, vision, 2026-08-22"
RULE(claude_standard, CLAUDE_DOC, .kind = TOKENS_CLAUDE, .edge = 1568, .budget = 1568);
/* "Claude 4.7 and later" in the page's words; models newer than the page follow them. */
RULE(claude_high, CLAUDE_DOC, .kind = TOKENS_CLAUDE, .edge = 2576, .budget = 4784);

#define OPENAI_DOC "developers.openai.com, images and vision, 2026-08"
/* "original" is not resized, but above 30,000 patches it is rejected. */
static const struct image_rule gpt_unresized = {
    .usual = {.kind = TOKENS_PATCH, .edge = 2048, .budget = 2500, .mult = 120},
    .full = {.kind = TOKENS_PATCH, .edge = 65535, .budget = 30000, .mult = 120},
    .source = OPENAI_DOC,
};
static const struct image_rule gpt_original = {
    .usual = {.kind = TOKENS_PATCH, .edge = 2048, .budget = 2500, .mult = 120},
    .full = {.kind = TOKENS_PATCH, .edge = 6000, .budget = 10000, .mult = 120},
    .source = OPENAI_DOC,
};
RULE(gpt_patch_120, OPENAI_DOC " (a catalogue of 2026-10 says 6144 patches)", .kind = TOKENS_PATCH, .edge = 2048,
     .budget = 1536, .mult = 120);
RULE(gpt_patch_162, OPENAI_DOC, .kind = TOKENS_PATCH, .edge = 2048, .budget = 1536, .mult = 162);
RULE(gpt_patch_172, OPENAI_DOC, .kind = TOKENS_PATCH, .edge = 2048, .budget = 1536, .mult = 172);
RULE(gpt_patch_246, OPENAI_DOC, .kind = TOKENS_PATCH, .edge = 2048, .budget = 1536, .mult = 246);
/* The later catalogue has 2500 patches and 1.2: the vendor's page stands, which never says too little. */
RULE(gpt_54_mini, OPENAI_DOC " (a catalogue of 2026-10 says 2500 patches, 1.2)", .kind = TOKENS_PATCH, .edge = 2048,
     .budget = 1536, .mult = 162);
RULE(gpt_54_nano, OPENAI_DOC " (a catalogue of 2026-10 says 2500 patches, 1.2)", .kind = TOKENS_PATCH, .edge = 2048,
     .budget = 1536, .mult = 246);
RULE(gpt_tile_70, OPENAI_DOC, .kind = TOKENS_TILE, .base = 70, .per_tile = 140);
RULE(gpt_tile_75, OPENAI_DOC, .kind = TOKENS_TILE, .base = 75, .per_tile = 150);
RULE(gpt_tile_85, OPENAI_DOC, .kind = TOKENS_TILE, .base = 85, .per_tile = 170);
RULE(gpt_tile_2833, OPENAI_DOC, .kind = TOKENS_TILE, .base = 2833, .per_tile = 5667);

#define GEMINI_DOC "ai.google.dev, media resolution, 2026"
RULE(gemini_2, GEMINI_DOC, .kind = TOKENS_GEMINI2);
RULE(gemini_3, GEMINI_DOC, .kind = TOKENS_FIXED, .base = 1120);

const struct image_model image_models[] = {
    {"claude-fable-5", &claude_high},
    {"claude-fable-5-1", &claude_high},
    {"claude-haiku-4-5", &claude_standard},
    {"claude-haiku-4-5-20251001", &claude_standard},
    {"claude-haiku-5-5", &claude_high},
    {"claude-opus-4-5", &claude_standard},
    {"claude-opus-4-5-20251101", &claude_standard},
    {"claude-opus-4-6", &claude_standard},
    {"claude-opus-4-7", &claude_high},
    {"claude-opus-4-8", &claude_high},
    {"claude-opus-5", &claude_high},
    {"claude-opus-5-5", &claude_high},
    {"claude-sonnet-4-5", &claude_standard},
    {"claude-sonnet-4-5-20250929", &claude_standard},
    {"claude-sonnet-4-6", &claude_standard},
    {"claude-sonnet-5", &claude_high},
    {"claude-sonnet-5-5", &claude_high},
    {"gpt-4-turbo", &gpt_tile_85},
    {"gpt-4.1", &gpt_tile_85},
    {"gpt-4.1-mini", &gpt_patch_162},
    {"gpt-4.1-nano", &gpt_patch_246},
    {"gpt-4o", &gpt_tile_85},
    {"gpt-4o-2024-05-13", &gpt_tile_85},
    {"gpt-4o-2024-08-06", &gpt_tile_85},
    {"gpt-4o-2024-11-20", &gpt_tile_85},
    {"gpt-4o-mini", &gpt_tile_2833},
    {"gpt-5", &gpt_tile_70},
    {"gpt-5-chat-latest", &gpt_tile_70},
    {"gpt-5-mini", &gpt_patch_162},
    {"gpt-5-nano", &gpt_patch_246},
    {"gpt-5-pro", &gpt_tile_70},
    {"gpt-5.1", &gpt_tile_70},
    {"gpt-5.2", &gpt_patch_120},
    {"gpt-5.2-pro", &gpt_patch_120},
    {"gpt-5.3-codex", &gpt_patch_120},
    {"gpt-5.3-codex-spark", &gpt_patch_120},
    {"gpt-5.4", &gpt_original},
    {"gpt-5.4-mini", &gpt_54_mini},
    {"gpt-5.4-nano", &gpt_54_nano},
    {"gpt-5.4-pro", &gpt_original},
    {"gpt-5.5", &gpt_original},
    {"gpt-5.5-pro", &gpt_original},
    {"gpt-5.6-cyber", &gpt_unresized},
    {"gpt-5.6-luna", &gpt_unresized},
    {"gpt-5.6-sol", &gpt_unresized},
    {"gpt-5.6-terra", &gpt_unresized},
    {"gpt-6-astra", &gpt_unresized},
    {"gpt-6-luna", &gpt_unresized},
    {"gpt-6-sol", &gpt_unresized},
    {"gpt-6.1-sol", &gpt_unresized},
    {"gpt-6.1-terra", &gpt_unresized},
    {"o1", &gpt_tile_75},
    {"o1-pro", &gpt_tile_75},
    {"o3", &gpt_tile_75},
    {"o3-pro", &gpt_tile_75},
    {"o4-mini", &gpt_patch_172},
    {"gemini-2.5-computer-use-preview-10-2025", &gemini_2},
    {"gemini-2.5-flash", &gemini_2},
    {"gemini-2.5-flash-lite", &gemini_2},
    {"gemini-2.5-pro", &gemini_2},
    {"gemini-3-flash-preview", &gemini_3},
    {"gemini-3.1-flash-lite", &gemini_3},
    {"gemini-3.1-flash-lite-preview", &gemini_3},
    {"gemini-3.1-pro-preview", &gemini_3},
    {"gemini-3.1-pro-preview-customtools", &gemini_3},
    {"gemini-3.5-flash", &gemini_3},
    {"gemini-3.5-flash-lite", &gemini_3},
    {"gemini-3.6-flash", &gemini_3},
    {"gemini-3.7-flash", &gemini_3},
    {"gemini-3.8-flash", &gemini_3},

    /* Spelled so by OpenRouter only. */
    {"anthropic/claude-fable-5.1", &claude_high},
    {"anthropic/claude-haiku-4.5", &claude_standard},
    {"anthropic/claude-haiku-5.5", &claude_high},
    {"anthropic/claude-opus-4.1", &claude_standard},
    {"anthropic/claude-opus-4.5", &claude_standard},
    {"anthropic/claude-opus-4.6", &claude_standard},
    {"anthropic/claude-opus-4.7", &claude_high},
    {"anthropic/claude-opus-4.8", &claude_high},
    {"anthropic/claude-opus-5.5", &claude_high},
    {"anthropic/claude-sonnet-4.5", &claude_standard},
    {"anthropic/claude-sonnet-4.6", &claude_standard},
    {"anthropic/claude-sonnet-5.5", &claude_high},
    {"google/gemini-2.5-pro-preview", &gemini_2},
    {"google/gemini-3-pro-image", &gemini_3},
    {"openai/gpt-4o-mini-2024-07-18", &gpt_tile_2833},
    {"openai/gpt-5.1-codex", &gpt_tile_70},
    {"openai/gpt-5.1-codex-max", &gpt_tile_70},
    {"openai/gpt-5.1-codex-mini", &gpt_tile_70},
    {"openai/gpt-5.2-chat", &gpt_patch_120},
    {"openai/gpt-5.2-codex", &gpt_patch_120},
    {"openai/gpt-5.6-luna-pro", &gpt_unresized},
    {"openai/gpt-5.6-sol-pro", &gpt_unresized},
    {"openai/gpt-5.6-terra-pro", &gpt_unresized},
    {"openai/gpt-6-astra-pro", &gpt_unresized},
    {"openai/gpt-6-luna-pro", &gpt_unresized},
    {"openai/gpt-6-sol-pro", &gpt_unresized},
    {"openai/gpt-6.1-sol-pro", &gpt_unresized},
    {"openai/gpt-6.1-terra-pro", &gpt_unresized},
};
const size_t image_models_count = COUNT(image_models);
