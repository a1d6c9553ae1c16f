/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea call`: any tool with its arguments as JSON, one JSON object back. The way to script fovea. */
#include <string.h>

#include "context.h"
#include "options.h"
#include "out.h"

struct values {
    bool data;
};

static int take_json(const struct invocation *in, struct buf *b, struct fovea_fault *fault)
{
    bool from_stdin = in->n_args < 2 || !strcmp(in->args[1], "-");
    int r = from_stdin ? read_stdin(b) : buf_add_str(b, in->args[1]);
    if (r < 0) {
        fault->code = r == -EFBIG ? -EBADMSG : r;
        (void)snprintf(fault->text, sizeof fault->text, "cannot take the arguments: %s", strerror(-r));
    }
    return r < 0 ? fault->code : 0;
}

static int run(struct invocation *in)
{
    const struct values *v = in->values;
    struct fovea_fault fault;
    auto_buf json = BUF_INIT(LIMIT_JSON_BYTES);
    auto_fovea *f = NULL;
    auto_result *result = NULL;
    int r = take_json(in, &json, &fault);
    r = r < 0 ? r : context_open(&in->common, &f, &fault);
    if (r < 0)
        return out_fault(&fault, true, r == -EBADMSG ? EXIT_USAGE : EXIT_FAULT);
    r = fovea_call(f, in->args[0], json.data ? json.data : "", json.len, &result, &fault);
    if (r < 0)
        return out_fault(&fault, true, r == -ENOENT || r == -EBADMSG ? EXIT_USAGE : EXIT_FAULT);
    int bad = out_json(fovea_result_json_new(result, v->data ? FOVEA_JSON_DATA : 0));
    enum fovea_kind kind = fovea_result_kind(result);
    return bad ? bad : kind == FOVEA_REFUSAL || kind == FOVEA_ERROR ? EXIT_REFUSED : EXIT_DONE;
}

static const struct option options[] = {
    {"data", 0, OPTION_FLAG, NULL, offsetof(struct values, data), "put the picture itself into the JSON, as base64"},
    {0},
};

const struct command command_call = {
    .name = "call",
    .summary = "call a tool with JSON arguments",
    .arguments = "TOOL [JSON]",
    .about = "Calls a tool (view, read) with its arguments as one JSON object, from the command line or, when JSON is "
             "left out or '-', from stdin. Prints one JSON object, whatever happens. Exit status 0 when it is ok, 1 "
             "for a refusal or an error, 2 when the arguments are no JSON or there is no such tool, 3 for a fault.",
    .examples = "fovea call view '{\"path\":\"a.png\",\"max_edge\":800}'\n"
                "fovea call read '{\"path\":\"notes.txt\",\"limit\":20}'\n",
    .options = options,
    .values_size = sizeof(struct values),
    .min_args = 1,
    .max_args = 2,
    .context = true,
    .run = run,
};
