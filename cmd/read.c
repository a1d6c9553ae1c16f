/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea read`: the exact text of a file, or of some of its lines. */
#include <inttypes.h>
#include <string.h>

#include "context.h"
#include "options.h"
#include "out.h"

struct values {
    struct recording recording;
    bool json;
};

static int print_text(const fovea_result *result)
{
    struct fovea_text t;
    if (fovea_result_lines(result, &t) < 0)
        return EXIT_FAULT;
    int bad = out(t.text, t.len);
    if (!bad && t.last < t.total)
        say_plain("lines %" PRIu64 "-%" PRIu64 " of %" PRIu64 "; next: --offset %" PRIu64, t.first, t.last, t.total,
                  t.last + 1);
    return bad;
}

static int run(struct invocation *in)
{
    const struct values *v = in->values;
    struct fovea_read_request *request = in->request;
    struct fovea_fault fault;
    auto_source source = {.input = BUF_INIT(LIMIT_STDIN_BYTES)};
    auto_result *result = NULL;
    request->path = in->args[0];
    int r = source_open(&in->common, request->path, &source, &fault);
    if (r == -EFBIG)
        return refuse_long_stdin(v->json);
    request->data = source.data;
    request->data_len = source.len;
    int bad = r < 0 ? 0 : recording_check(source.f, &v->recording);
    if (bad)
        return bad;
    r = r < 0 ? r : call_recorded(source.f, &v->recording, "read", request, &result, &fault);
    if (r < 0)
        return out_fault(&fault, v->json, EXIT_FAULT);
    if (fovea_result_kind(result) == FOVEA_REFUSAL)
        return out_refusal(result, v->json);
    return v->json ? out_json(fovea_result_json_new(result, 0)) : print_text(result);
}

static const struct option options[] = {
    {"json", 0, OPTION_FLAG, NULL, offsetof(struct values, json), "one line of JSON, with the file's sha256"},
    RECORDING_OPTIONS(struct values),
    {0},
};

const struct command command_read = {
    .name = "read",
    .summary = "print the text of a file",
    .arguments = "REF",
    .about = "Prints the text of a file exactly as it is, all of it or some lines. When there is more, stderr says "
             "where to go on. A picture or a binary file is refused. REF '-' is stdin.",
    .examples = "fovea read notes.txt\n"
                "fovea read server.log --offset 5000 --limit 50\tfifty lines from line 5000\n",
    .tool = "read",
    .options = options,
    .values_size = sizeof(struct values),
    .min_args = 1,
    .max_args = 1,
    .context = true,
    .run = run,
};
