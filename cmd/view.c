/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea view`: look at a picture. On a terminal it is drawn first; the words under it are what a model would get. */
#include <string.h>

#include "context.h"
#include "draw.h"
#include "options.h"
#include "out.h"
#include "save.h"

struct values {
    const char *output;
    struct recording recording;
    bool json, data;
};

static bool to_stdout(const struct values *v)
{
    return v->output && !strcmp(v->output, "-");
}

/* Wanting to draw is no reason to fail: without libchafa there is a hint and the words. */
static void plan_drawing(const struct values *v, struct fovea_view_request *request, struct drawing **ret)
{
    if (v->json || v->data || to_stdout(v) || !isatty(STDOUT_FILENO))
        return;
    int r = drawing_new(ret);
    if (r == 0)
        drawing_box(*ret, &request->preview_width, &request->preview_height);
    else if (r == -ENOENT)
        say("install libchafa0 to see the picture here");
}

static int print_words(const fovea_result *result, const struct fovea_image *image, bool on_stderr)
{
    if (on_stderr) {
        say_plain("%s", fovea_result_text(result));
        return EXIT_DONE;
    }
    auto_buf b = BUF_INIT(LIMIT_CLI_TEXT);
    (void)buf_add_format(&b, "%s\n", fovea_result_text(result));
    if (image)
        (void)buf_add_format(&b, "%s  %s %ux%u, %zu bytes\n", image->id, image->media_type, image->width, image->height,
                             image->len);
    return out_buf(&b);
}

static int print_drawing(const fovea_result *result, struct drawing *drawing)
{
    struct fovea_pixels pixels;
    auto_buf b = BUF_INIT(LIMIT_DRAW_BYTES);
    if (!drawing || fovea_result_preview(result, &pixels) < 0 || drawing_add(drawing, &pixels, &b) < 0)
        return EXIT_DONE;
    return out_buf(&b);
}

static int show(const struct values *v, const fovea_result *result, struct drawing *drawing)
{
    struct fovea_image image;
    struct fovea_fault fault = {0};
    int bad = 0;
    bool shown = fovea_result_image(result, &image) == 0;
    if (v->output && !shown)
        say("nothing is written to '%s': there is no picture", v->output);
    if (v->output && shown)
        bad = save_image(&image, v->output, &fault);
    if (fault.code)
        return out_fault(&fault, v->json || v->data, EXIT_FAULT);
    if (!bad && (v->json || v->data))
        return out_json(fovea_result_json_new(result, v->data ? FOVEA_JSON_DATA : 0));
    bad = bad ? bad : print_drawing(result, drawing);
    return bad ? bad : print_words(result, shown ? &image : NULL, to_stdout(v));
}

static bool is_stdin(const char *ref)
{
    return ref && !strcmp(ref, "-");
}

/* Two that want one stream; false after saying so. */
static bool streams_suffice(const struct values *v, const struct fovea_view_request *q)
{
    if ((v->json || v->data) && to_stdout(v))
        say("--json and -o - both want stdout");
    else if (is_stdin(q->path) && is_stdin(q->against))
        say("REF and --against both want stdin");
    else
        return true;
    return false;
}

/* What came over stdin is the picture, or the one before it. */
static void take_stdin(const struct source *s, struct fovea_view_request *q)
{
    bool before = is_stdin(q->against);
    *(before ? &q->against_data : &q->data) = s->data;
    *(before ? &q->against_len : &q->data_len) = s->len;
}

static int run(struct invocation *in)
{
    const struct values *v = in->values;
    struct fovea_view_request *request = in->request;
    struct fovea_fault fault;
    auto_source source = {.input = BUF_INIT(LIMIT_STDIN_BYTES), .picture = true};
    auto_result *result = NULL;
    auto_drawing *drawing = NULL;
    bool json = v->json || v->data;
    request->path = in->args[0];
    if (!streams_suffice(v, request))
        return EXIT_USAGE;
    plan_drawing(v, request, &drawing);
    int r = source_open(&in->common, is_stdin(request->against) ? request->against : request->path, &source, &fault);
    if (r == -EFBIG)
        return refuse_long_stdin(json);
    take_stdin(&source, request);
    int bad = r < 0 ? 0 : recording_check(source.f, &v->recording);
    if (bad)
        return bad;
    r = r < 0 ? r : call_recorded(source.f, &v->recording, "view", request, &result, &fault);
    if (r < 0)
        return out_fault(&fault, json, EXIT_FAULT);
    if (fovea_result_kind(result) != FOVEA_PERCEPTION)
        return out_refusal(result, json);
    return show(v, result, drawing);
}

static const struct option options[] = {
    {"output", 'o', OPTION_STRING, "FILE", offsetof(struct values, output), "write the picture to FILE; '-' is stdout"},
    {"json", 0, OPTION_FLAG, NULL, offsetof(struct values, json), "one line of JSON instead of words"},
    {"data", 0, OPTION_FLAG, NULL, offsetof(struct values, data),
     "the same with the picture itself in it, as base64"},
    RECORDING_OPTIONS(struct values),
    {0},
};

const struct command command_view = {
    .name = "view",
    .summary = "look at a picture, a document, code or a video",
    .arguments = "REF",
    .about = "Turns a picture, an SVG, a page of a PDF or of text, Markdown or a video into pixels that any vision model "
             "accepts, or says why that cannot be done and what to do instead. Prints a note, the view's id, its type and size; "
             "on a terminal the picture comes first. "
             "REF '-' is stdin, for one of the two where --against is given.",
    .examples = "fovea view shot.png\n"
                "fovea view shot.png -o small.webp\tkeep what a model would get\n"
                "fovea view shot.png --region 100,200,640,480\tlook closer at a part\n"
                "fovea view paper.pdf --page 2\tone page; 1-6 shows several on a sheet\n"
                "fovea view clip.mp4 --time 1:23.5\tone frame; without it, a sheet of frames\n"
                "fovea view after.png --against before.png\twhat changed, and where\n"
                "fovea view photo.jpg --json --data\tall of it, for a program\n",
    .tool = "view",
    .options = options,
    .values_size = sizeof(struct values),
    .min_args = 1,
    .max_args = 1,
    .context = true,
    .run = run,
};
