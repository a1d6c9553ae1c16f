/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a tool gave, as content that every client can use: one block of text, then at most one picture. No structured
 * content (clients then drop the picture or repeat it as text), nothing but text in errors (many drop the rest), and
 * the remedy in their first line.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json_text.h"
#include "core.h"

static void add_text_block(struct buf *b, const struct buf *text)
{
    (void)buf_add_str(b, "\"content\":[{\"type\":\"text\",\"text\":");
    (void)buf_add_json(b, text->data ? text->data : "", text->len);
    (void)buf_add_str(b, "}");
    if (text->error)
        b->error = text->error;
}

static void finish_error(struct exchange *e, const struct buf *text)
{
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    exchange_begin(e, &b);
    add_text_block(&b, text);
    (void)buf_add_str(&b, "],\"isError\":true");
    exchange_finish(e, &b);
}

void content_of_fault(struct exchange *e, const struct fovea_fault *fault)
{
    auto_buf text = BUF_INIT(KIB);
    if (fault->code != -ECANCELED)
        (void)buf_add_format(&text, "fault: %s", fault->text);
    finish_error(e, &text);
}

static void finish_refusal(struct exchange *e, const fovea_result *result)
{
    auto_buf text = BUF_INIT(LIMIT_MCP_REPLY);
    const char *reason = fovea_result_reason(result);
    if (fovea_result_kind(result) == FOVEA_ERROR)
        content_add_error(&text, result);
    else
        (void)buf_add_format(&text, "%s%s%s", reason ? reason : "", reason ? ": " : "", fovea_result_text(result));
    finish_error(e, &text);
}

/* ---------------------------------------------------------------- view */

static void add_scale(struct buf *b, const double scale[2])
{
    (void)buf_add_format(b, "scale %.5g", scale[0]);
    if (fabs(scale[0] - scale[1]) > 0.0005)
        (void)buf_add_format(b, " by %.5g", scale[1]);
}

static void add_image_words(struct buf *b, const fovea_result *result, const struct fovea_image *image)
{
    (void)buf_add_format(b, "%s\n[1 image follows: %s, %ux%u, ", fovea_result_text(result), image->media_type,
                         image->width, image->height);
    add_scale(b, image->scale);
    (void)buf_add_format(b, ", %s", image->id);
    if (image->again)
        (void)buf_add_format(b, "; to zoom: view with \"path\":\"%s\", \"space\":\"view\" and \"region\":[x,y,w,h] in "
                            "pixels of this image", image->id);
    (void)buf_add_str(b, "]");
}

static void finish_image(struct exchange *e, const fovea_result *result, const struct fovea_image *image)
{
    auto_buf text = BUF_INIT(LIMIT_MCP_REPLY), b = BUF_INIT(LIMIT_MCP_REPLY);
    const char *detail = member_string(json_object_get(e->message.params, "arguments"), "detail");
    add_image_words(&text, result, image);
    if (image->question)
        content_add_question(&text, image->question);
    exchange_begin(e, &b);
    add_text_block(&b, &text);
    (void)buf_add_str(&b, ",{\"type\":\"image\",\"data\":\"");
    (void)buf_add_base64(&b, image->data, image->len);
    (void)buf_add_format(&b, "\",\"mimeType\":\"%s\"", image->media_type);
    if (detail && !strcmp(detail, "full"))
        (void)buf_add_str(&b, ",\"_meta\":{\"codex/imageDetail\":\"original\"}");
    (void)buf_add_str(&b, "}]");
    exchange_finish(e, &b);
}

/* ---------------------------------------------------------------- read */

static void add_lines_words(struct buf *b, const struct fovea_text *t)
{
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

static void finish_words(struct exchange *e, const struct buf *text)
{
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    exchange_begin(e, &b);
    add_text_block(&b, text);
    (void)buf_add_str(&b, "]");
    exchange_finish(e, &b);
}

static void finish_text(struct exchange *e, const struct fovea_text *t)
{
    auto_buf text = BUF_INIT(LIMIT_MCP_REPLY);
    (void)buf_add(&text, t->text, t->len);
    add_lines_words(&text, t);
    finish_words(e, &text);
}

/* ---------------------------------------------------------------- asking */

static void finish_answer(struct exchange *e, const fovea_result *result, const struct fovea_answer *answer)
{
    auto_buf text = BUF_INIT(LIMIT_MCP_REPLY);
    content_add_answer(&text, result, answer);
    finish_words(e, &text);
}

void content_of_result(struct exchange *e, const fovea_result *result)
{
    struct fovea_image image;
    struct fovea_text text;
    struct fovea_answer answer;
    if (!fovea_result_image(result, &image))
        finish_image(e, result, &image);
    else if (!fovea_result_answer(result, &answer))
        finish_answer(e, result, &answer);
    else if (!fovea_result_lines(result, &text))
        finish_text(e, &text);
    else
        finish_refusal(e, result);
}
