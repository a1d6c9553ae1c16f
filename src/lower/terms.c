/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits by host and cache terms by model family, each row with where it was read. Where sources disagree the smaller limit
 * stands here: a request within it is within the other too. What nobody publishes is assumed, and the row says so.
 */
#include "lower/terms.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"

enum { MINUTE = 60 * 1000 };
#define MB (1000LL * 1000)
#define MIB64 ((int64_t)MIB)

/* Base64 of one picture where nothing is known: 5 MB is the least of all hosts that were measured. */
#define USUAL_IMAGE (5 * MB)

#define CLAUDE_LIMITS                                                                                                  \
    {                                                                                                                  \
        .request_bytes = 32 * MIB64, .images = 600, .image_bytes = 10 * MIB64, .side = 8000, .many_images = 20,        \
        .many_side = 2000, .least_side = 28, .pdf_bytes = 24 * MIB64, .pdf_pages = 600, .pages_said = true             \
    }

static const struct terms_host hosts[] = {
    {.provider = "anthropic", .any_wire = true, .gif = true, .limits = CLAUDE_LIMITS,
     .source = "platform.claude.com, vision, pdf-support, 2026-08; 33,554,432 and 10,485,760 bytes measured; a picture of "
               "16x14 fails (vellum-assistant 37802), 28 is one patch; a PDF travels as base64 within the request"},
    {.provider = "openai", .any_wire = true, .gif = true,
     .limits = {.request_bytes = 50 * MB, .images = 1500, .image_bytes = 20 * MB, .side = 16384, .least_side = 28,
                .pdf_bytes = 32 * MB, .pdf_pages = 100},
     .source = "developers.openai.com, images and vision, 2026-08: 512 MB and 1500 images; a measurement of 2026-09-18 still "
               "met 50 MB in total; 100 pages from the guide of 2025; side and bytes of one picture are assumed; "
               "image_too_small is among its errors without a figure, so a side has one patch at least, as Claude's"},
    {.provider = "google", .any_wire = true,
     .limits = {.request_bytes = 20 * MB, .images = 3600, .image_bytes = 15 * MB, .side = 8000, .least_side = 28,
                .pdf_bytes = 14 * MB, .pdf_pages = 1000, .pages_said = true},
     .source = "ai.google.dev, image understanding and file input, 2026-01: 20 MB inline (100 on another page), 3600 images, "
               "no gif, PDF of 1000 pages; a side of 8000 was measured by pi (120); the least side is not said: as Claude's"},
    {.provider = "openrouter", .any_wire = true,
     .limits = {.request_bytes = 20 * MB, .images = 40, .image_bytes = USUAL_IMAGE, .side = 8000, .many_images = 20,
                .many_side = 2000, .least_side = 28, .pdf_bytes = 14 * MB, .pdf_pages = 100},
     .source = "the least of what upstreams take: about 40 images and 10 MB for one of them (pi 120), Claude's own rules for "
               "others"},
    {.wire = LOWER_ANTHROPIC, .gif = true,
     .limits = {.request_bytes = 20 * MB, .images = 100, .image_bytes = USUAL_IMAGE, .side = 8000, .many_images = 20,
                .many_side = 2000, .least_side = 28, .pdf_bytes = 14 * MB, .pdf_pages = 100},
     .source = "Bedrock and Vertex as Anthropic's vision page has them: 5 MB an image, 20 MB, 100 images; others are assumed alike"},
    {.wire = LOWER_RESPONSES,
     .limits = {.request_bytes = 20 * MB, .images = 100, .image_bytes = USUAL_IMAGE, .side = 8000, .least_side = 28,
                .pdf_bytes = 14 * MB, .pdf_pages = 100},
     .source = "assumed for a host that is not OpenAI"},
    {.wire = LOWER_GEMINI,
     .limits = {.request_bytes = 20 * MB, .images = 3600, .image_bytes = 15 * MB, .side = 8000, .least_side = 28,
                .pdf_bytes = 14 * MB, .pdf_pages = 1000},
     .source = "as Google's own"},
    {.wire = LOWER_CHAT,
     .limits = {.request_bytes = 20 * MB, .images = 60, .image_bytes = USUAL_IMAGE, .side = 5760, .least_side = 28,
                .pdf_bytes = 14 * MB, .pdf_pages = 100},
     .source = "Fireworks 60 images, Groq 5760 px and about 5 MB (pi 120; measured 2026-09); the rest is assumed"},
};

const struct terms_host *terms_host_find(const char *provider, enum lower_wire wire)
{
    for (size_t i = 0; i < COUNT(hosts); i++) {
        const struct terms_host *h = &hosts[i];
        if (h->provider ? !strcmp(h->provider, provider) && (h->any_wire || h->wire == wire) : h->wire == wire)
            return h;
    }
    return &hosts[COUNT(hosts) - 1];
}

#define CACHE_DOC "platform.claude.com, prompt caching, 2026-08: 5 minutes after the last use"
#define LATER "least length from later excerpts of the page; not found for Sonnet 5.5 and Haiku 5.5, where 1024 is assumed"
#define BOUND_DOC "platform.claude.com, preserved thinking, 2026-08; " LATER
#define OPENAI_CACHE "developers.openai.com, prompt caching, 2026-08"

/* Adaptive: platform.claude.com, adaptive thinking, 2026-08: from 4.7 on a budget is answered with 400. */
static const struct terms_family families[] = {
    {"claude-opus-5-5", 512, 5 * MINUTE, true, true, BOUND_DOC},
    {"claude-sonnet-5-5", 1024, 5 * MINUTE, true, true, BOUND_DOC},
    {"claude-haiku-5-5", 1024, 5 * MINUTE, true, true, BOUND_DOC},
    {"claude-fable-5-1", 512, 5 * MINUTE, true, true, BOUND_DOC},
    {"claude-fable-5-2", 512, 5 * MINUTE, true, true, BOUND_DOC},
    {"claude-mythos-5-1", 512, 5 * MINUTE, true, true, BOUND_DOC},
    {"claude-mythos-5-2", 512, 5 * MINUTE, true, true, BOUND_DOC},
    {"claude-opus-5", 512, 5 * MINUTE, false, true, CACHE_DOC},
    {"claude-fable-5", 512, 5 * MINUTE, false, true, CACHE_DOC},
    {"claude-mythos-5", 512, 5 * MINUTE, false, true, CACHE_DOC},
    {"claude-sonnet-5", 1024, 5 * MINUTE, false, true, CACHE_DOC},
    {"claude-haiku-5", 1024, 5 * MINUTE, false, true, CACHE_DOC},
    {"claude-sonnet-4-7", 1024, 5 * MINUTE, false, true, CACHE_DOC},
    {"claude-sonnet-4-8", 1024, 5 * MINUTE, false, true, CACHE_DOC},
    {"claude-mythos", 2048, 5 * MINUTE, false, true, CACHE_DOC},
    {"claude-opus-4-8", 1024, 5 * MINUTE, false, true, CACHE_DOC},
    {"claude-opus-4-7", 2048, 5 * MINUTE, false, true, CACHE_DOC},
    {"claude-opus-4-6", 4096, 5 * MINUTE, false, false, CACHE_DOC},
    {"claude-opus-4-5", 4096, 5 * MINUTE, false, false, CACHE_DOC},
    {"claude-haiku-4-5", 4096, 5 * MINUTE, false, false, CACHE_DOC},
    {"claude", 1024, 5 * MINUTE, false, false, CACHE_DOC},
    {"gpt-5-6", 1024, 30 * MINUTE, false, false, OPENAI_CACHE ": ttl 30m by default"},
    {"gpt-6", 1024, 30 * MINUTE, false, false, OPENAI_CACHE ": ttl 30m by default"},
    {"gpt", 1024, 5 * MINUTE, false, false, OPENAI_CACHE ": 5 to 10 minutes in memory; the less is assumed"},
    {"o1", 1024, 5 * MINUTE, false, false, OPENAI_CACHE ": as above"},
    {"o3", 1024, 5 * MINUTE, false, false, OPENAI_CACHE ": as above"},
    {"o4", 1024, 5 * MINUTE, false, false, OPENAI_CACHE ": as above"},
    {"gemini-2", 2048, 5 * MINUTE, false, false, "ai.google.dev, context caching, 2026-09; how long is not said: 5 minutes assumed"},
    {"gemini", 4096, 5 * MINUTE, false, false, "ai.google.dev, context caching, 2026-09; how long is not said: 5 minutes assumed"},
    {"", 1024, 5 * MINUTE, false, false, "assumed"},
};

/* "anthropic/claude-opus-4.7", "us.anthropic.claude-opus-4-7" → "claude-opus-4-7". */
static void plain_id(const char *model, char ret[static LIMIT_MODEL_ID])
{
    const char *slash = strrchr(model, '/'), *claude = strstr(model, "claude-");
    (void)snprintf(ret, LIMIT_MODEL_ID, "%s", claude ? claude : slash ? slash + 1 : model);
    for (char *c = ret; *c; c++)
        *c = *c == '.' ? '-' : *c;
}

const struct terms_family *terms_family_find(const char *model)
{
    char id[LIMIT_MODEL_ID];
    plain_id(model, id);
    size_t i = 0;
    while (strncmp(families[i].prefix, id, strlen(families[i].prefix)) != 0)
        i++;
    return &families[i];
}

int terms_gemini_version(const char *model)
{
    static const char name[] = "gemini-";
    char id[LIMIT_MODEL_ID];
    plain_id(model, id);
    int version = 0;
    if (strncmp(id, name, sizeof name - 1) != 0)
        return 0;
    for (const char *digit = id + sizeof name - 1; *digit >= '0' && *digit <= '9' && version < 1000; digit++)
        version = version * 10 + (*digit - '0');
    return version;
}
