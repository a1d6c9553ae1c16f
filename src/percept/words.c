/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A result in words for the model that called the tool: what the MCP server answers with, and what the record keeps as the
 * tool's answer. One block of text; a picture goes beside it. What a vision model said is not to be trusted: the envelope of the
 * analyze tools says so in itself, and the bare words of inspect_image stand in a fence that they cannot close.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "base/text.h"
#include "percept/fence.h"
#include "percept/note.h"

/* The name of a model, which a config gave, within quotes. */
static void add_model(struct buf *b, const struct fovea_answer *a)
{
    auto_buf name = BUF_INIT(KIB * 4), shown = BUF_INIT(KIB * 32);
    (void)buf_add_format(&name, "%s/%s", a->provider, a->model);
    for (char *c = name.data; c && *c; c++)
        *c = strchr("\"<>", *c) ? '\'' : *c;
    (void)buf_add_shown(&shown, name.data ? name.data : "", LIMIT_MODEL_ID);
    fence_add(b, shown.data ? shown.data : "");
}

static void add_inspected(struct buf *b, const struct fovea_answer *a)
{
    (void)buf_add_str(b, "<" FENCE " source=\"vision model ");
    add_model(b, a);
    (void)buf_add_str(b, "\" tool=\"inspect_image\">\n");
    fence_add(b, a->text);
    (void)buf_add_str(b, "\n</" FENCE ">\n");
    add_model(b, a);
    (void)buf_add_format(b, "%s%s", a->media_type ? " · " : "", a->media_type ? a->media_type : "");
}

static int add_envelope(struct buf *b, const fovea_result *result)
{
    auto_free char *json = fovea_result_json_new(result, 0);
    return json ? buf_add_str(b, json) : (b->error = -ENOMEM);
}

static void add_answer(struct buf *b, const fovea_result *result, const struct fovea_answer *answer)
{
    if (answer->inspected)
        add_inspected(b, answer);
    else
        (void)add_envelope(b, result);
}

/* An error of inspect_image is words alone. Those that a model or its provider chose are data, like an answer. */
static void add_error(struct buf *b, const fovea_result *result)
{
    if (fovea_result_code(result)) {
        (void)add_envelope(b, result);
        return;
    }
    if (!fovea_result_untrusted(result)) {
        (void)buf_add_str(b, fovea_result_text(result));
        return;
    }
    (void)buf_add_str(b, "the vision model or its provider answered:\n<" FENCE " tool=\"inspect_image\">\n");
    fence_add(b, fovea_result_text(result));
    (void)buf_add_str(b, "\n</" FENCE ">");
}

/* ---------------------------------------------------------------- view */

/* The numbers that the note has. */
static void add_scale(struct buf *b, const struct perception *p)
{
    double scale[2];
    unsigned n = perception_factors(p, scale);
    (void)buf_add_str(b, "scale ");
    note_number(b, scale[0], scale_places(scale[0]));
    if (n == 1)
        return;
    (void)buf_add_str(b, " by ");
    note_number(b, scale[1], scale_places(scale[1]));
}

static void add_image(struct buf *b, const fovea_result *result, const struct fovea_image *image)
{
    (void)buf_add_format(b, "%s\n[1 image follows: %s, %ux%u, ", fovea_result_text(result), image->media_type,
                         image->width, image->height);
    if (image->maps) {
        add_scale(b, &result->perception);
        (void)buf_add_str(b, ", ");
    }
    (void)buf_add_str(b, image->id);
    if (image->again && image->sheet)
        (void)buf_add_format(b, "; to see one of them: view with \"path\":\"%s\" and its %s", image->id,
                             perception_single(&result->perception));
    else if (image->again && image->maps)
        (void)buf_add_format(b, "; to zoom: view with \"path\":\"%s\", \"space\":\"view\" and \"region\":[x,y,w,h] in "
                            "pixels of this image", image->id);
    (void)buf_add_str(b, "]");
    if (image->question)
        (void)buf_add_format(b, "\nYou can see the picture now; answer from it.\nQuestion: %s", image->question);
}

/* ---------------------------------------------------------------- read */

static void add_lines(struct buf *b, const struct fovea_text *t)
{
    (void)buf_add(b, t->text, t->len);
    if (t->len && t->text[t->len - 1] != '\n')
        (void)buf_add_str(b, "\n");
    if (!t->total) {
        (void)buf_add_str(b, "[the file is empty]");
        return;
    }
    (void)buf_add_format(b, "[lines %" PRIu64 "–%" PRIu64 " of %" PRIu64, t->first, t->last, t->total);
    if (t->last < t->total)
        (void)buf_add_format(b, ", next offset %" PRIu64, t->last + 1);
    if (t->cut)
        (void)buf_add_format(b, "; line %" PRIu64 " is cut: it has %" PRIu64 " more bytes", t->last, t->cut);
    (void)buf_add_str(b, "]");
}

char *fovea_result_words_new(const fovea_result *r)
{
    struct fovea_image image;
    struct fovea_text text;
    struct fovea_answer answer;
    const char *reason = fovea_result_reason(r);
    auto_buf b = BUF_INIT(LIMIT_RENDER_BYTES);
    if (!fovea_result_image(r, &image))
        add_image(&b, r, &image);
    else if (!fovea_result_answer(r, &answer))
        add_answer(&b, r, &answer);
    else if (!fovea_result_lines(r, &text))
        add_lines(&b, &text);
    else if (fovea_result_kind(r) == FOVEA_PERCEPTION)
        (void)buf_add_format(&b, "%s\n[0 images follow]", fovea_result_text(r));
    else if (fovea_result_kind(r) == FOVEA_ERROR)
        add_error(&b, r);
    else
        (void)buf_add_format(&b, "%s: %s", reason, fovea_result_text(r));
    return buf_take(&b);
}
