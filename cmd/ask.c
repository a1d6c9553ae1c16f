/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea ask`: a question about a picture or a PDF, put to a vision model; vision_analyze for people. */
#include <string.h>

#include "question.h"
#include "options.h"
#include "out.h"
#include "schema.h"

struct values {
    const char *schema, *session;
    bool json, no_cache;
};

/* What the tool itself would say of a file of that length. */
static int too_long(bool json)
{
    static const char words[] = "FILE_TOO_LARGE: stdin holds more than 32 MiB; make it smaller, or give the path of a file";
    auto_buf b = BUF_INIT(LIMIT_CLI_WORDS);
    if (!json) {
        say("%s", words);
        return EXIT_REFUSED;
    }
    (void)buf_add_format(&b, "{\"ok\":false,\"kind\":\"error\",\"code\":\"input_invalid\",\"error\":\"%s\",\"cost_usd\":0}\n",
                         words);
    int bad = out_buf(&b);
    return bad ? bad : EXIT_REFUSED;
}

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

/* What can be told from the command line alone; 0 or an exit code. */
static int check(const struct invocation *in, const struct values *v, struct buf *format)
{
    int bad = session_check(v->session);
    if (!bad && v->schema && !strcmp(v->schema, "-") && !strcmp(in->args[0], "-")) {
        say("REF and --schema both want stdin");
        return EXIT_USAGE;
    }
    return bad || !v->schema ? bad : schema_read(v->schema, format);
}

static int run(struct invocation *in)
{
    const struct values *v = in->values;
    struct fovea_analyze_request *request = in->request;
    struct fovea_fault fault;
    auto_buf format = BUF_INIT(LIMIT_SCHEMA_BYTES + KIB);
    auto_source source = {.input = BUF_INIT(LIMIT_CLI_ASK_STDIN)};
    int r = check(in, v, &format);
    if (r)
        return r;
    r = source_open(&in->common, in->args[0], &source, &fault);
    if (r == -EFBIG)
        return too_long(v->json);
    if (r < 0)
        return out_fault(&fault, v->json, EXIT_FAULT);
    fill(request, in->args[0], &source);
    request->prompt = in->args[1];
    request->format = v->schema ? format.data : NULL;
    request->no_cache = v->no_cache;
    struct question question = {
        .tool = in->command->tool,
        .request = request,
        .model = request->model,
        .session = v->session,
        .json = v->json,
        .parsed = v->schema,
    };
    return question_run(source.f, &question);
}

static const char *const fields[] = {"model", "region", "page", NULL};

static const struct option options[] = {
    {"schema", 0, OPTION_STRING, "FILE", offsetof(struct values, schema),
     "the answer is to be a JSON object that fits this JSON Schema (2020-12); '-' is stdin"},
    {"json", 0, OPTION_FLAG, NULL, offsetof(struct values, json), "one line of JSON: the answer with what it cost"},
    {"no-cache", 0, OPTION_FLAG, NULL, offsetof(struct values, no_cache), "ask, even where the answer is known"},
    {"session", 0, OPTION_STRING, "NAME", offsetof(struct values, session), "count what it costs under this name"},
    {0},
};

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
    .reference = "what to ask about: a path, file:///path, view:ID, https://host/path, data:TYPE;base64,..., or '-' for "
                 "stdin",
    .options = options,
    .values_size = sizeof(struct values),
    .min_args = 2,
    .max_args = 2,
    .context = true,
    .run = run,
};
