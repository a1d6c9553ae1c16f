/* SPDX-License-Identifier: Apache-2.0 */
/* toolset.yaml: the names of tools. A name that no tool ever has is a fault, because a slip of the pen would take a tool
 * away without a word. */
#include <string.h>

#include "api/personality.h"
#include "api/tools.h"
#include "api/yaml_reader.h"
#include "base/buf.h"
#include "base/fault.h"
#include "base/nearest.h"
#include "base/text.h"

/* One word for the tools that ask. */
static const char group[] = "vision";
static const char *const grouped[] = {"inspect_image", "vision_analyze", "video_analyze"};

/* The i-th name that may stand in a toolset; NULL past the last. */
static const char *name_at(size_t i)
{
    size_t n;
    const struct fovea_tool *tools = fovea_tools(&n);
    return i < n ? tools[i].name : i == n ? group : NULL;
}

static bool in_group(const char *name)
{
    for (size_t i = 0; i < COUNT(grouped); i++)
        if (!strcmp(grouped[i], name))
            return true;
    return false;
}

static int unknown_name(struct yaml_reader *r, const char *name)
{
    auto_buf shown = BUF_INIT(KIB);
    unsigned best = UINT32_MAX;
    const char *near = "";
    for (size_t i = 0; name_at(i); i++) {
        unsigned d = nearest_distance(name, name_at(i), strlen(name_at(i)));
        near = d < best ? name_at(i) : near;
        best = MIN(d, best);
    }
    if (buf_add_shown(&shown, name, 60) < 0)
        return fault_oom(r->at->fault);
    return config_wrong(r->at, "unknown tool \"%s\"; did you mean \"%s\"?", shown.data ? shown.data : "", near);
}

static int add_tool(struct yaml_reader *r, const yaml_event_t *e, uint32_t *tools)
{
    size_t n, i = 0;
    struct config_scalar word = yaml_scalar(e);
    (void)fovea_tools(&n);
    if (e->type != YAML_SCALAR_EVENT)
        return config_wrong(r->at, "a tool must be a name, such as view");
    bool whole = strlen(word.text) == word.len;
    while (name_at(i) && !(whole && !strcmp(name_at(i), word.text)))
        i++;
    if (!name_at(i))
        return unknown_name(r, word.text);
    for (size_t t = 0; t < n; t++)
        if (t == i || (i == n && in_group(name_at(t))))
            *tools |= UINT32_C(1) << t;
    return 0;
}

static int read_names(struct yaml_reader *r, const yaml_event_t *first, uint32_t *tools)
{
    if (first->type != YAML_SEQUENCE_START_EVENT)
        return config_wrong(r->at, "expected a list of tools, such as [view, read]");
    for (;;) {
        auto_event e = {0};
        int err = yaml_next(r, &e);
        if (err < 0 || e.type == YAML_SEQUENCE_END_EVENT)
            return err;
        if ((err = add_tool(r, &e, tools)) < 0)
            return err;
    }
}

/* {tools: [...]}, and nothing else. */
static int read_mapping(struct yaml_reader *r, uint32_t *tools)
{
    for (bool seen = false;; seen = true) {
        auto_event key = {0}, value = {0};
        int err = yaml_next(r, &key);
        if (err < 0)
            return err;
        if (key.type == YAML_MAPPING_END_EVENT)
            return seen ? 0 : config_wrong(r->at, "expected the key tools with a list of tools");
        if (seen || key.type != YAML_SCALAR_EVENT || strcmp(yaml_scalar(&key).text, "tools") != 0)
            return config_wrong(r->at, "expected one key, tools, with a list of tools");
        if ((err = yaml_next(r, &value)) < 0 || (err = read_names(r, &value, tools)) < 0)
            return err;
    }
}

int toolset_parse(struct config_place *at, const char *text, size_t len, uint32_t *ret_tools)
{
    struct yaml_reader r;
    uint32_t tools = 0;
    bool found = false;
    int err = yaml_reader_init(&r, at, text, len);
    while (err == 0) {
        auto_event e = {0};
        if ((err = yaml_next_root(&r, &e)) < 0 || e.type == YAML_STREAM_END_EVENT)
            break;
        found = true;
        err = e.type == YAML_MAPPING_START_EVENT ? read_mapping(&r, &tools) : read_names(&r, &e, &tools);
    }
    yaml_reader_done(&r);
    if (err == 0 && !found)
        err = config_wrong(at, "expected a list of tools, such as [view, read]");
    if (err == 0)
        *ret_tools = tools;
    return err;
}
