/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea ask`: a question about a picture or a PDF, put to a vision model; vision_analyze for people. */
#include <string.h>

#include "options.h"
#include "out.h"
#include "question.h"
#include "schema.h"

static void fill(struct fovea_analyze_request *request, const char *ref, const struct source *source)
{
    enum ref_kind kind = ref_kind(ref);
    request->file_path = kind == REF_PATH ? ref : NULL;
    request->file_url = kind == REF_URL ? ref : NULL;
    request->file_base64 = kind == REF_DATA ? ref : NULL;
    request->data = source->data;
    request->data_len = source->len;
    request->no_native = true; /* there is no host whose model could look */
}

/* The schema and the source, as far as they are for us to read: nothing where pictures are blocked. 0 or an exit code. */
static int take_input(const struct invocation *in, struct buf *format, struct source *source)
{
    const struct question_values *v = in->values;
    struct fovea_fault fault;
    int bad = v->schema && !fovea_blocked(source->f) ? schema_read(v->schema, format) : 0;
    if (bad)
        return bad;
    int r = source_read(source, in->args[0], &fault);
    if (r == -EFBIG)
        return out_too_large("stdin holds more than 32 MiB; make it smaller, or give the path of a file", v->json);
    return r < 0 ? out_fault(&fault, v->json, EXIT_FAULT) : 0;
}

static int run(struct invocation *in)
{
    const struct question_values *v = in->values;
    struct fovea_analyze_request *request = in->request;
    struct fovea_fault fault;
    auto_buf format = BUF_INIT(LIMIT_SCHEMA_BYTES + KIB);
    auto_source source = {.input = BUF_INIT(LIMIT_CLI_ASK_STDIN), .picture = true};
    if (v->schema && !strcmp(v->schema, "-") && !strcmp(in->args[0], "-")) {
        say("REF and --schema both want stdin");
        return EXIT_USAGE;
    }
    if (context_open(&in->common, &source.f, &fault) < 0)
        return out_fault(&fault, v->json, EXIT_FAULT);
    int bad = recording_check(source.f, &v->recording);
    bad = bad ? bad : take_input(in, &format, &source);
    if (bad)
        return bad;
    fill(request, in->args[0], &source);
    request->prompt = in->args[1];
    request->format = format.data;
    request->no_cache = v->no_cache;
    return question_run(source.f, in, request->model);
}

static const char *const fields[] = {"model", "region", "page", NULL};

const struct command command_ask = {
    .name = "ask",
    .summary = "ask a vision model about a picture or a PDF",
    .arguments = "REF QUESTION",
    .about = "Puts a question about a picture or a PDF to a vision model and prints its answer; what it cost goes to "
             "stderr. With no key configured, the text of a picture is read on this machine (local/ocr). On a terminal "
             "the answer appears as it is made, with control characters made visible; elsewhere it is the exact text. "
             "What a model says about a picture may be what the picture's author wants it to say.",
    .examples = "fovea ask shot.png 'what error is shown?'\n"
                "fovea ask https://example.com/chart.png 'which bar is highest?' --model anthropic/claude-opus-4-7\n"
                "fovea ask invoice.pdf 'what is the total?' --schema total.json\tan object that fits the schema\n",
    .tool = "vision_analyze",
    .fields = fields,
    .reference = "what to ask about: a path, file:///path, https://host/path, data:TYPE;base64,..., or '-' for stdin",
    .options = question_options,
    .values_size = sizeof(struct question_values),
    .min_args = 2,
    .max_args = 2,
    .context = true,
    .run = run,
};
