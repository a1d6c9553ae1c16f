/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a tool gave, as content that every client can use: one block of text, then at most one picture. No structured
 * content (clients then drop the picture or repeat it as text), nothing but text in errors (many drop the rest), and
 * the remedy in their first line.
 */
#include <errno.h>
#include <string.h>

#include "base/json_text.h"
#include "core.h"

static void add_text_block(struct buf *b, const char *text)
{
    (void)buf_add_str(b, "\"content\":[{\"type\":\"text\",\"text\":");
    (void)buf_add_json_str(b, text);
    (void)buf_add_str(b, "}");
}

static void finish_error(struct exchange *e, const char *text)
{
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    exchange_begin(e, &b);
    add_text_block(&b, text);
    (void)buf_add_str(&b, "],\"isError\":true");
    exchange_finish(e, &b);
}

void content_of_fault(struct exchange *e, const struct fovea_fault *fault)
{
    char text[sizeof fault->text + 16] = "";
    if (fault->code != -ECANCELED)
        (void)snprintf(text, sizeof text, "fault: %s", fault->text);
    finish_error(e, text);
}

static void add_image_block(struct buf *b, const struct exchange *e, const struct fovea_image *image)
{
    const char *detail = member_string(json_object_get(e->message.params, "arguments"), "detail");
    (void)buf_add_str(b, ",{\"type\":\"image\",\"data\":\"");
    (void)buf_add_base64(b, image->data, image->len);
    (void)buf_add_format(b, "\",\"mimeType\":\"%s\"", image->media_type);
    if (detail && !strcmp(detail, "full"))
        (void)buf_add_str(b, ",\"_meta\":{\"codex/imageDetail\":\"original\"}");
    (void)buf_add_str(b, "}");
}

static void finish_content(struct exchange *e, const fovea_result *result, const char *text)
{
    struct fovea_image image;
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    exchange_begin(e, &b);
    add_text_block(&b, text);
    if (!fovea_result_image(result, &image))
        add_image_block(&b, e, &image);
    (void)buf_add_str(&b, "]");
    exchange_finish(e, &b);
}

void content_of_result(struct exchange *e, const fovea_result *result)
{
    enum fovea_kind kind = fovea_result_kind(result);
    auto_free char *text = fovea_result_words_new(result);
    if (!text)
        content_of_fault(e, &(struct fovea_fault){.code = -ENOMEM, .text = "out of memory"});
    else if (kind == FOVEA_REFUSAL || kind == FOVEA_ERROR)
        finish_error(e, text);
    else
        finish_content(e, result, text);
}
