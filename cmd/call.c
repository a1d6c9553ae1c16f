/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea call`: any tool with its arguments as JSON, one JSON object back. The way to script fovea. */
#include <string.h>

#include "context.h"
#include "options.h"
#include "out.h"
#include "question.h"
#include "waiting.h"

struct values {
    struct recording recording;
    bool data;
};

static int take_json(const struct invocation *in, struct buf *b, struct fovea_fault *fault)
{
    bool from_stdin = in->n_args < 2 || !strcmp(in->args[1], "-");
    int r = from_stdin ? read_stdin(b) : buf_add_str(b, in->args[1]);
    if (r < 0) {
        fault->code = r;
        (void)snprintf(fault->text, sizeof fault->text, "cannot take the arguments: %s", strerror(-r));
    }
    return r;
}

/* What makes arguments so long is a file within them, where the tool takes one there. */
static bool takes_bytes(const char *tool)
{
    const struct fovea_tool *t = command_tool(tool);
    for (size_t i = 0; t && i < t->n_fields; i++)
        if (!strcmp(t->fields[i].name, "file_base64"))
            return true;
    return false;
}

/* In a session, so that a signal can end it. */
static int call(fovea *f, const struct invocation *in, const struct buf *json, fovea_result **ret,
                struct fovea_fault *fault)
{
    const struct values *v = in->values;
    struct fovea_session_options options = {.name = v->recording.session, .call = v->recording.call};
    auto_session *session = NULL;
    auto_waiting *waiting = NULL;
    int r = fovea_session_new(f, &options, &session, fault);
    r = r < 0 ? r : waiting_new(NULL, &waiting, fault);
    if (r < 0)
        return r;
    return fovea_session_call(session, in->args[0], json->data ? json->data : "", json->len, waiting_cancel(waiting), ret,
                              fault);
}

static int finish(const struct values *v, const fovea_result *result)
{
    int bad = out_json(fovea_result_json_new(result, v->data ? FOVEA_JSON_DATA : 0));
    enum fovea_kind kind = fovea_result_kind(result);
    return bad ? bad : kind == FOVEA_REFUSAL || kind == FOVEA_ERROR ? EXIT_REFUSED : EXIT_DONE;
}

/* Of a tool that is not there nothing is read; the library says which there are. */
static int run(struct invocation *in)
{
    const struct values *v = in->values;
    struct fovea_fault fault;
    auto_buf json = BUF_INIT(LIMIT_JSON_BYTES);
    auto_fovea *f = NULL;
    auto_result *result = NULL;
    if (context_open(&in->common, &f, &fault) < 0)
        return out_fault(&fault, true, EXIT_FAULT);
    int bad = recording_check(f, &v->recording);
    if (bad)
        return bad;
    bool known = fovea_tool_allowed(f, in->args[0]);
    int r = known ? take_json(in, &json, &fault) : 0;
    if (r == -EFBIG && takes_bytes(in->args[0]))
        return out_too_large("the arguments have more than 32 MiB; give the file as file_path", true);
    if (r < 0)
        return out_fault(&fault, true, r == -EFBIG ? EXIT_USAGE : EXIT_FAULT);
    r = call(f, in, &json, &result, &fault);
    if (r < 0)
        return out_fault(&fault, true, r == -ECANCELED ? EXIT_REFUSED : !known || r == -EBADMSG ? EXIT_USAGE : EXIT_FAULT);
    return finish(v, result);
}

static const struct option options[] = {
    {"data", 0, OPTION_FLAG, NULL, offsetof(struct values, data), "put the picture itself into the JSON, as base64"},
    RECORDING_OPTIONS(struct values),
    {0},
};

const struct command command_call = {
    .name = "call",
    .summary = "call a tool with JSON arguments",
    .arguments = "TOOL [JSON]",
    .about = "Calls a tool (view, read, inspect_image, vision_analyze, video_analyze) with its arguments as one JSON "
             "object, from the command line or, when JSON is left out or '-', from stdin. Prints one JSON object, "
             "whatever happens. Exit status 0 when it is ok, 1 for a refusal, an error or a call that a signal ended, 2 "
             "when the arguments are no JSON or there is no such tool, 3 for a fault.",
    .examples = "fovea call view '{\"path\":\"a.png\",\"max_edge\":800}'\n"
                "fovea call read '{\"path\":\"notes.txt\",\"limit\":20}'\n"
                "fovea call inspect_image '{\"path\":\"a.png\",\"question\":\"what does the sign say?\"}'\n",
    .options = options,
    .values_size = sizeof(struct values),
    .min_args = 1,
    .max_args = 2,
    .context = true,
    .run = run,
};
