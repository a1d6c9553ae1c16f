/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea video`: a question about a video, put to a model that can watch; video_analyze for people. */
#include <string.h>

#include "options.h"
#include "out.h"
#include "question.h"

static int run(struct invocation *in)
{
    const struct question_values *v = in->values;
    struct fovea_video_request *request = in->request;
    struct fovea_fault fault;
    auto_fovea *f = NULL;
    const char *ref = in->args[0];
    enum ref_kind kind = ref_kind(ref);
    if (!strcmp(ref, "-") || kind == REF_DATA) {
        say("'video' takes a path or a URL, not the bytes themselves");
        return EXIT_USAGE;
    }
    request->file_path = kind == REF_PATH ? ref : NULL;
    request->file_url = kind == REF_URL ? ref : NULL;
    request->prompt = in->args[1];
    request->no_cache = v->no_cache;
    if (context_open(&in->common, &f, &fault) < 0)
        return out_fault(&fault, v->json, EXIT_FAULT);
    int bad = recording_check(f, &v->recording);
    return bad ? bad : question_run(f, in, request->model);
}

static const char *const fields[] = {"model", NULL};

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
    .options = question_options_without_schema,
    .values_size = sizeof(struct question_values),
    .min_args = 1,
    .max_args = 2,
    .context = true,
    .run = run,
};
