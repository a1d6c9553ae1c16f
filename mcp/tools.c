/* SPDX-License-Identifier: Apache-2.0 */
/* The tools as MCP shows them: one row each says what a client should know beyond the library's own table, and what a
 * call costs the machine. A tool of the library without a row here is not offered. */
#include <errno.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_text.h"
#include "core.h"

static const struct row {
    const char *name, *title;
    bool open_world; /* reaches beyond this machine */
    enum tool_load load;
    const char *doing; /* for signs of life; NULL none */
} rows[] = {
    {"view", "See a picture", false, LOAD_PIXELS, NULL},
    {"read", "Read a text file", false, LOAD_LIGHT, NULL},
    {"inspect_image", "Ask about a picture", true, LOAD_WAIT, "asking the vision model"},
    {"vision_analyze", "Ask about a picture or PDF", true, LOAD_WAIT, "asking the vision model"},
    {"video_analyze", "Ask about a video", true, LOAD_WAIT, "asking the video model"},
};

static const struct row *row_find(const struct server *s, const char *name)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        if (!strcmp(rows[i].name, name) && fovea_tool_allowed(s->f, name))
            return &rows[i];
    return NULL;
}

/* ---------------------------------------------------------------- the list */

static void add_tool(struct buf *b, const struct row *row, const struct fovea_tool *tool)
{
    auto_free char *schema = fovea_tool_schema_new(tool);
    (void)buf_add_format(b, "%s{\"name\":\"%s\",\"title\":\"%s\",\"description\":", b->len ? "," : "", row->name,
                         row->title);
    (void)buf_add_json_str(b, tool->description);
    (void)buf_add_format(b, ",\"inputSchema\":%s,\"annotations\":{\"title\":\"%s\",\"readOnlyHint\":true,"
                            "\"openWorldHint\":%s}}", schema ? schema : "", row->title,
                         row->open_world ? "true" : "false");
    if (!schema)
        b->error = -ENOMEM;
}

char *tools_text_new(const struct server *s)
{
    size_t n;
    const struct fovea_tool *tools = fovea_tools(&n);
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    for (size_t i = 0; i < n; i++) {
        const struct row *row = row_find(s, tools[i].name);
        if (row)
            add_tool(&b, row, &tools[i]);
    }
    return buf_take(&b);
}

/* Not at the start: probes start servers only to ask who they are. When a client asks what there is, or, if it knows
 * that already, when its first picture is answered. */
void tools_warm_up(struct server *s)
{
    server_lock(s);
    bool first = !s->warm;
    s->warm = true;
    server_unlock(s);
    if (first)
        fovea_ready(s->f, s->room[LOAD_PIXELS]);
}

/* ---------------------------------------------------------------- calls */

static void run_tool(struct exchange *e)
{
    const json_t *arguments = json_object_get(e->message.params, "arguments");
    auto_free char *text = json_is_object(arguments) ? json_text_new(arguments, JSON_COMPACT) : strdup("{}");
    struct fovea_fault fault = {.code = -ENOMEM, .text = "out of memory"};
    fovea_session *session = NULL;
    fovea_result *result = NULL;
    int r = text ? client_session(e, &session, &fault) : -ENOMEM;
    if (!r)
        r = fovea_session_call(session, member_string(e->message.params, "name"), text, strlen(text), e->cancel, &result,
                               &fault);
    if (r < 0)
        content_of_fault(e, &fault);
    else
        content_of_result(e, result);
    fovea_result_free(result);
    fovea_session_free(session);
    const struct row *row = row_find(e->server, member_string(e->message.params, "name"));
    if (row && row->load == LOAD_PIXELS)
        tools_warm_up(e->server);
}

static void run_extension(struct exchange *e)
{
    const char *name = member_string(e->message.params, "name");
    json_t *arguments = json_object_get(e->message.params, "arguments");
    if (!e->server->options.extension->call(e, name, arguments))
        exchange_fail(e, RPC_PARAMS, "there is no tool \"%.80s\"", name);
}

/* The question for roots goes out before the call may wait in the queue. */
static void start_tool(struct exchange *e, const struct row *row)
{
    roots_ask(e);
    e->doing = row->doing;
    (void)exchange_queue(e, row->load, run_tool);
}

/* What the host runs now must be said as the library takes it, or not at all: passed over, it would go wrong unseen. */
static bool main_fits(const json_t *meta)
{
    const char *main = member_string(meta, "fovea/main"), *slash = main ? strchr(main, '/') : NULL;
    return !json_object_get(meta, "fovea/main") || (slash && slash > main && slash[1] && strlen(main) < LIMIT_CONFIG_VALUE);
}

void tools_call(struct exchange *e)
{
    const struct extension *x = e->server->options.extension;
    const json_t *arguments = json_object_get(e->message.params, "arguments");
    const char *name = member_string(e->message.params, "name");
    const struct row *row = name ? row_find(e->server, name) : NULL;
    if (!name)
        exchange_fail(e, RPC_PARAMS, "tools/call needs \"name\", a string");
    else if (!row && !(x && x->has(name)))
        exchange_fail(e, RPC_PARAMS, "there is no tool \"%.80s\"; tools/list says which there are", name);
    else if (arguments && !json_is_object(arguments))
        exchange_fail(e, RPC_PARAMS, "\"arguments\" must be an object");
    else if (!main_fits(e->message.meta))
        exchange_fail(e, RPC_PARAMS, "\"fovea/main\" in _meta must be a string, PROVIDER/MODEL");
    else if (row)
        start_tool(e, row);
    else
        (void)exchange_queue(e, LOAD_WAIT, run_extension);
}
