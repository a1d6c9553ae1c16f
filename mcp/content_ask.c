/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a vision model said, as text for another model. The envelope of the analyze tools says in itself that it is not to
 * be trusted; the bare words of inspect_image stand in a fence that they cannot close.
 */
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "core.h"

#define FENCE "untrusted"

/* "<", blanks, perhaps "/", blanks, and the fence's name: an end or a beginning of it. */
static bool is_fence(const char *s)
{
    if (*s++ != '<')
        return false;
    s += strspn(s, " \t\r\n");
    s += *s == '/';
    s += strspn(s, " \t\r\n");
    return !strncasecmp(s, FENCE, strlen(FENCE));
}

static void add_fenced(struct buf *b, const char *s)
{
    while (*s) {
        size_t plain = *s == '<' ? 1 : strcspn(s, "<");
        if (is_fence(s))
            (void)buf_add_str(b, "&lt;");
        else
            (void)buf_add(b, s, plain);
        s += plain;
    }
}

/* The name of a model, which a config gave, within quotes. */
static void add_model(struct buf *b, const struct fovea_answer *a)
{
    auto_buf name = BUF_INIT(KIB * 4);
    (void)buf_add_format(&name, "%s/%s", a->provider, a->model);
    for (char *c = name.data; c && *c; c++)
        *c = strchr("\"<>", *c) ? '\'' : *c;
    (void)buf_add_shown(b, name.data ? name.data : "", LIMIT_MODEL_ID);
}

static void add_inspected(struct buf *b, const struct fovea_answer *a)
{
    (void)buf_add_str(b, "<" FENCE " source=\"vision model ");
    add_model(b, a);
    (void)buf_add_str(b, "\" tool=\"inspect_image\">\n");
    add_fenced(b, a->text);
    (void)buf_add_str(b, "\n</" FENCE ">\n");
    add_model(b, a);
    (void)buf_add_format(b, "%s%s", a->media_type ? " · " : "", a->media_type ? a->media_type : "");
}

static int add_envelope(struct buf *b, const fovea_result *result)
{
    auto_free char *json = fovea_result_json_new(result, 0);
    return json ? buf_add_str(b, json) : (b->error = -ENOMEM);
}

void content_add_answer(struct buf *b, const fovea_result *result, const struct fovea_answer *answer)
{
    if (answer->inspected)
        add_inspected(b, answer);
    else
        (void)add_envelope(b, result);
}

/* An error of inspect_image is words alone. Those that a model or its provider chose are data, like an answer. */
void content_add_error(struct buf *b, const fovea_result *result)
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
    add_fenced(b, fovea_result_text(result));
    (void)buf_add_str(b, "\n</" FENCE ">");
}

void content_add_question(struct buf *b, const char *question)
{
    (void)buf_add_format(b, "\nYou can see the picture now; answer from it.\nQuestion: %s", question);
}
