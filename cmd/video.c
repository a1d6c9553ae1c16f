/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea video`: a question about a video, put to a model that can watch; video_analyze for people. */
#include <string.h>

#include "question.h"
#include "options.h"
#include "out.h"

struct values {
    const char *session;
    bool json, no_cache;
};

static int run(struct invocation *in)
{
    const struct values *v = in->values;
    struct fovea_video_request *request = in->request;
    struct fovea_fault fault;
    auto_fovea *f = NULL;
    const char *ref = in->args[0];
    enum ref_kind kind = ref_kind(ref);
    int bad = session_check(v->session);
    if (bad)
        return bad;
    if (!strcmp(ref, "-") || kind == REF_DATA) {
        say("'video' takes a path or a URL, not the bytes themselves");
        return EXIT_USAGE;
    }
    request->file_path = kind == REF_PATH ? ref : NULL;
    request->file_url = kind == REF_URL ? ref : NULL;
    request->prompt = in->args[1];
    request->no_cache = v->no_cache;
    struct question question = {
        .tool = in->command->tool,
        .request = request,
        .model = request->model,
        .session = v->session,
        .json = v->json,
    };
    int r = context_open(&in->common, &f, &fault);
    return r < 0 ? out_fault(&fault, v->json, EXIT_FAULT) : question_run(f, &question);
}

static const char *const fields[] = {"model", NULL};

static const struct option options[] = {
    {"json", 0, OPTION_FLAG, NULL, offsetof(struct values, json), "one line of JSON: the answer with what it cost"},
    {"no-cache", 0, OPTION_FLAG, NULL, offsetof(struct values, no_cache), "ask, even where the answer is known"},
    {"session", 0, OPTION_STRING, "NAME", offsetof(struct values, session), "count what it costs under this name"},
    {0},
};

const struct command command_video = {
    .name = "video",
    .summary = "ask a model about a video",
    .arguments = "REF [QUESTION]",
    .about = "Puts a question about a video to a model that can watch it, and prints its answer as 'fovea ask' does. "
             "Without a question, the video is described.",
    .examples = "fovea video demo.mp4 'when does the dialog appear?'\n"
                "fovea video https://example.com/talk.mp4 --model gemini/gemini-2.5-flash\n",
    .tool = "video_analyze",
    .fields = fields,
    .reference = "the video: a path, file:///path, or https://host/path",
    .options = options,
    .values_size = sizeof(struct values),
    .min_args = 1,
    .max_args = 2,
    .context = true,
    .run = run,
};
