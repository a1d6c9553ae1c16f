/* SPDX-License-Identifier: Apache-2.0 */
/* A choice as a host to be asked: model/ knows who and where, provider/ how it behaves, and this is where they meet. */
#include <string.h>

#include "ask/ask_priv.h"
#include "base/limits.h"

/* A key that is set goes out even where none is asked for; a host that asks for one is not tried without. */
int ask_host(const struct choice *c, struct host *ret)
{
    const struct provider *p = c->provider;
    struct host_place place = {.name = p->name, .base_url = c->base_url, .wire = p->wire, .auth = p->auth,
                               .keyless = p->auth_none && !c->api_key};
    return c->base_url ? host_make(&place, ret) : -EINVAL;
}

enum wire_effort ask_effort(const char *word)
{
    static const char *const words[WIRE_EFFORTS] = {"", "low", "medium", "high"};
    for (int i = 0; word && i < WIRE_EFFORTS; i++)
        if (!strcmp(words[i], word))
            return (enum wire_effort)i;
    return WIRE_EFFORT_UNSET;
}

/* Models that think unasked, on wires where that counts against the limit: it would leave them no word to say. */
static bool thinks(const struct choice *c)
{
    static const char *const starts[] = {"gpt-5", "gpt-6", "o1", "o3", "o4", "gemini-2.5", "gemini-3", "gemini-4"};
    const char *slash = strrchr(c->id, '/'), *name = slash ? slash + 1 : c->id;
    for (size_t i = 0; i < COUNT(starts); i++)
        if (!strncmp(name, starts[i], strlen(starts[i])))
            return true;
    return false;
}

/* Anthropic must be told a limit. The harder a model is to think, the more room it has for that. */
int64_t ask_max_output(const struct choice *c, const struct host *h, int64_t wanted)
{
    static const int64_t usual[WIRE_EFFORTS] = {8192, 8192, 16384, 32768};
    static const int64_t room[WIRE_EFFORTS] = {16384, 4096, 16384, 32768};
    enum wire_effort effort = ask_effort(c->effort);
    int64_t most = c->model && c->model->max_output ? c->model->max_output : INT64_MAX, sum;
    if (wanted <= 0)
        return h->wire == &wire_anthropic ? MIN(usual[effort], most) : 0;
    if (thinks(c) && !__builtin_add_overflow(wanted, room[effort], &sum))
        wanted = sum;
    return MIN(wanted, most);
}

bool ask_takes(const struct choice *c, enum wire_kind kind)
{
    struct host h;
    if (ask_host(c, &h) < 0)
        return false;
    const bool takes[WIRE_KINDS] = {[WIRE_TEXT] = true, [WIRE_IMAGE] = true, [WIRE_PDF] = h.pdf,
                                    [WIRE_VIDEO] = h.video, [WIRE_VIDEO_URL] = h.video};
    return takes[kind];
}

/* In raw bytes: base64 makes four of three, and the words of the request need some room. */
#define INLINE(request) (((request)-MIB) / 4 * 3)

/*
 * What the vendors' own wires carry. Anthropic: 32 MiB a request, 10 MiB of base64 a picture. OpenAI says 512 MB, but
 * 50 MB of pictures was still met. Gemini: 100 MB a request, a PDF 50 MB.
 */
static const struct {
    const struct wire *wire;
    uint64_t bytes[WIRE_KINDS];
} carried[] = {
    {&wire_anthropic, {[WIRE_IMAGE] = 10 * MIB / 4 * 3, [WIRE_PDF] = INLINE(32 * MIB)}},
    {&wire_openai_responses, {[WIRE_IMAGE] = INLINE(50000000), [WIRE_PDF] = INLINE(50000000)}},
    {&wire_gemini, {[WIRE_IMAGE] = INLINE(100000000), [WIRE_PDF] = 50000000, [WIRE_VIDEO] = INLINE(100000000)}},
};

uint64_t ask_inline_limit(const struct choice *c, enum wire_kind kind)
{
    struct host h;
    if (ask_host(c, &h) < 0 || kind == WIRE_TEXT || kind == WIRE_VIDEO_URL)
        return 0;
    const struct wire *wire = h.openai ? &wire_openai_responses : h.wire; /* one limit, on either wire */
    for (size_t i = 0; i < COUNT(carried); i++)
        if (carried[i].wire == wire)
            return carried[i].bytes[kind];
    int64_t request = c->model ? c->model->request_bytes : 0;
    return request > (int64_t)(2 * MIB) ? INLINE((uint64_t)request) : 0;
}
