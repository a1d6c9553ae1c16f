/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A target from the tables: the wire, how pictures of tool results travel, the limits of host and model (the smaller wins),
 * and what the prompt cache charges. Figures that no table has are those of the most careful host of that wire.
 */
#include "lower/target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fault.h"
#include "lower/terms.h"

const char *const lower_wire_names[LOWER_WIRES] = {
    [LOWER_ANTHROPIC] = "anthropic",
    [LOWER_CHAT] = "openai-chat",
    [LOWER_RESPONSES] = "openai-responses",
    [LOWER_GEMINI] = "gemini",
};

/* Prices in thousandths of the input's where a host has none: reading what it holds costs it a tenth of working it out. */
enum { SAME = 1000, LOCAL_READ = 100 };

int lower_wire_find(const char *name)
{
    for (int i = 0; i < LOWER_WIRES; i++)
        if (!strcmp(lower_wire_names[i], name))
            return i;
    return -1;
}

static int find_wire(const struct models *m, const struct target_ask *ask, enum lower_wire *ret, struct fovea_fault *fault)
{
    const struct provider *p = m ? models_provider(m, ask->provider) : NULL;
    const char *name = ask->wire ? ask->wire : p ? p->wire : NULL;
    if (!name)
        return fault_set(fault, EINVAL, "no wire is known for the provider '%s': name one", ask->provider);
    int wire = lower_wire_find(name);
    if (wire < 0)
        return fault_set(fault, EINVAL, "'%s' is no wire: anthropic, openai-chat, openai-responses or gemini", name);
    *ret = (enum lower_wire)wire;
    return 0;
}

static enum tool_image find_tool_image(const struct target *t, const struct provider *p)
{
    bool openai = !strcmp(t->provider, "openai"), says = t->row && (t->row->can & MODEL_TOOL_IMAGE);
    bool denies = t->row && !(t->row->can & (MODEL_TOOL_IMAGE | MODEL_TOOL_UNSAID));
    switch (t->wire) {
    case LOWER_GEMINI:
        return terms_gemini_version(t->model) >= 3 ? TOOL_NATIVE : TOOL_SIBLING;
    case LOWER_CHAT:
        return !openai && says ? TOOL_NATIVE : TOOL_REATTACH;
    case LOWER_RESPONSES:
        return openai || says || (!denies && !(p && p->no_result_images)) ? TOOL_NATIVE : TOOL_REATTACH;
    default:
        return TOOL_NATIVE;
    }
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a > 0 && (b <= 0 || a < b) ? a : b;
}

/* Of the context, what is left for input. Where the two together are the window, an answer takes its share. */
static int64_t input_room(const struct model *row)
{
    return row->context > 0 ? row->context - MIN(MAX(row->max_output, 0), row->context / 4) : 0;
}

enum { SMALL_CONTEXT = 200000, SMALL_CONTEXT_PAGES = 100 };

static void set_limits(struct target *t, const struct terms_host *h)
{
    t->limits = h->limits;
    if (!t->row)
        return;
    t->limits.request_bytes = smaller(t->row->request_bytes, t->limits.request_bytes);
    t->limits.images = smaller(t->row->images, t->limits.images);
    t->limits.context = input_room(t->row);
    if (t->wire == LOWER_ANTHROPIC && t->row->context > 0 && t->row->context <= SMALL_CONTEXT)
        t->limits.pdf_pages = smaller(SMALL_CONTEXT_PAGES, t->limits.pdf_pages);
}

static int32_t multiple(int64_t price, int64_t input, int32_t otherwise)
{
    return price >= 0 && input > 0 ? (int32_t)MIN(price * SAME / input, 100 * SAME) : otherwise;
}

/* Without prices the time that it takes stands for money: a server of one's own keeps the last prefix as long as it runs. With a
 * price and none for reading, nothing is cached. A write below the input's price is a fee on top of it. */
static void set_cache(struct target *t)
{
    const struct price *p = t->row ? &t->row->price : NULL;
    const struct terms_family *f = terms_family_find(t->model);
    if (!p || p->input <= 0) {
        t->cache = (struct target_cache){.known = true, .read = LOCAL_READ, .write = SAME};
        return;
    }
    if (p->cache_read < 0)
        return;
    int32_t write = multiple(p->cache_write, p->input, SAME);
    t->cache = (struct target_cache){
        .known = true,
        .read = multiple(p->cache_read, p->input, SAME),
        .write = write < SAME && p->cache_write >= 0 ? SAME + write : write,
        .least = f->least,
        .ttl_ms = f->ttl_ms,
    };
}

static void set_senses(struct target *t, const struct target_ask *ask, bool host_no_webp)
{
    unsigned can = t->row ? t->row->can : MODEL_VISION | (t->wire == LOWER_CHAT ? 0u : MODEL_PDF);
    t->vision = can & MODEL_VISION;
    t->pdf = can & MODEL_PDF || (t->vision && t->wire == LOWER_GEMINI && terms_gemini_version(t->model) >= 2);
    t->webp = !ask->no_webp && !host_no_webp;
}

int target_make(const struct models *m, const struct target_ask *ask, struct target *ret, struct fovea_fault *fault)
{
    struct target t = {.bridge = ask->bridge};
    int r = find_wire(m, ask, &t.wire, fault);
    if (r < 0)
        return r;
    const struct provider *p = m ? models_provider(m, ask->provider) : NULL;
    t.row = m ? models_find(m, ask->provider, ask->model) : NULL;
    if (snprintf(t.provider, sizeof t.provider, "%s", p ? p->name : ask->provider) >= (int)sizeof t.provider ||
        snprintf(t.model, sizeof t.model, "%s", t.row ? t.row->id : ask->model) >= (int)sizeof t.model)
        return fault_set(fault, EINVAL, "the name of the model is too long");
    t.rule = tokens_rule(t.model, 0);
    const struct terms_host *h = terms_host_find(t.provider, t.wire);
    set_limits(&t, h);
    t.gif = h->gif;
    set_senses(&t, ask, p && p->no_webp);
    set_cache(&t);
    t.tool_image = find_tool_image(&t, p);
    t.bound_thinking = t.wire == LOWER_ANTHROPIC && terms_family_find(t.model)->bound_thinking;
    t.adaptive_thinking = t.wire == LOWER_ANTHROPIC && terms_family_find(t.model)->adaptive;
    t.thought_signatures = t.wire == LOWER_GEMINI && terms_gemini_version(t.model) >= 3;
    *ret = t;
    return 0;
}
