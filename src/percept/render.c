/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls and results as a terminal interface shows them: a preview, so that a transcript stays readable whatever a model
 * wrote. Only what is shown is cut; the results themselves are whole.
 */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "percept/columns.h"
#include "percept/json.h"
#include "percept/render.h"
#include "percept/result.h"

/* ---------------------------------------------------------------- a call */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void render_one_line(struct buf *b, const char *s, size_t len, size_t columns)
{
    auto_buf line = BUF_INIT(LIMIT_RENDER_BYTES);
    for (size_t i = 0; i < len; i++) {
        if (!is_blank(s[i]))
            (void)buf_add(&line, s + i, 1);
        else if (line.len && line.data[line.len - 1] != ' ')
            (void)buf_add(&line, " ", 1);
    }
    if (line.len && line.data[line.len - 1] == ' ')
        line.len--;
    (void)buf_add_columns(b, line.data, line.len, columns);
    if (line.error)
        b->error = line.error;
}

/* The first of the members (NULL-terminated) that is a string. */
static const json_t *first_of(const json_t *arguments, const char *const *names)
{
    for (; *names; names++) {
        const json_t *found = json_object_get(arguments, *names);
        if (json_is_string(found))
            return found;
    }
    return NULL;
}

/* Bytes given as text are no name. */
static void add_source(struct buf *b, const json_t *arguments)
{
    static const char *const names[] = {"path", "file_path", "file_url", NULL};
    const json_t *name = first_of(arguments, names);
    if (name && strncmp(json_string_value(name), "data:", 5) != 0) {
        (void)buf_add_str(b, " ");
        render_one_line(b, json_string_value(name), json_string_length(name), QUESTION_COLUMNS);
    } else if (name || json_object_get(arguments, "file_base64")) {
        (void)buf_add_str(b, " (inline data)");
    }
}

static void add_question(struct buf *b, const json_t *arguments)
{
    static const char *const names[] = {"question", "prompt", NULL};
    const json_t *question = first_of(arguments, names);
    if (!question)
        return;
    (void)buf_add_str(b, ": ");
    render_one_line(b, json_string_value(question), json_string_length(question), QUESTION_COLUMNS);
}

char *fovea_render_call_new(const char *tool, const char *arguments, size_t len)
{
    auto_buf b = BUF_INIT(LIMIT_RENDER_BYTES);
    auto_json *object = arguments && len <= LIMIT_JSON_BYTES ? json_read(arguments, len, JSON_ALLOW_NUL, NULL) : NULL;
    if (arguments && !object && errno == ENOMEM)
        return NULL;
    render_one_line(&b, tool, strlen(tool), QUESTION_COLUMNS);
    add_source(&b, object);
    add_question(&b, object);
    return buf_take(&b);
}

/* ---------------------------------------------------------------- a result */

/* The text, without blank lines at its ends. */
static const char *trimmed(const char *s, size_t *len)
{
    const char *start = s, *end = s + *len;
    for (const char *at = s; at < end && is_blank(*at); at++)
        start = *at == '\n' ? at + 1 : start;
    while (end > start && is_blank(end[-1]))
        end--;
    *len = (size_t)(end - start);
    return start;
}

/* One line, and where the next one begins; NULL at the end. */
static const char *add_line(struct buf *b, const char *s, const char *end, size_t columns)
{
    const char *newline = memchr(s, '\n', (size_t)(end - s)), *stop = newline ? newline : end;
    if (stop > s && newline && stop[-1] == '\r')
        stop--;
    (void)buf_add_columns(b, s, (size_t)(stop - s), columns);
    return newline ? newline + 1 : NULL;
}

static size_t count_lines(const char *s, const char *end)
{
    size_t n = 0;
    for (; s; n++)
        s = (s = memchr(s, '\n', (size_t)(end - s))) ? s + 1 : NULL;
    return n;
}

void render_lines(struct buf *b, const char *text, size_t len, unsigned most, const char *indent)
{
    const char *s = trimmed(text, &len), *end = s + len;
    size_t columns = most ? LINE_COLUMNS : SIZE_MAX;
    if (!len)
        (void)buf_add_format(b, "%s(no text)", indent);
    for (unsigned n = 0; s && len && (!most || n < most) && !b->error; n++) {
        (void)buf_add_format(b, "%s%s", n ? "\n" : "", indent);
        s = add_line(b, s, end, columns);
    }
    size_t more = s && len ? count_lines(s, end) : 0;
    if (more)
        (void)buf_add_format(b, "\n%s… %zu more line%s", indent, more, more > 1 ? "s" : "");
}

/* What it was made by or is, and its type. */
static void add_footer(struct buf *b, const fovea_result *r)
{
    struct fovea_answer a;
    struct fovea_image image;
    auto_buf words = BUF_INIT(64 * KIB);
    if (fovea_result_answer(r, &a) == 0) {
        (void)buf_add_format(&words, "%s/%s", a.provider, a.model);
        if (a.media_type)
            (void)buf_add_format(&words, " · %s", a.media_type);
    } else if (fovea_result_image(r, &image) == 0) {
        (void)buf_add_format(&words, "%s · %s", image.id, image.media_type);
    } else {
        return;
    }
    (void)buf_add_str(b, "\n");
    (void)buf_add_columns(b, words.data, words.len, LINE_COLUMNS);
}

char *fovea_render_result_new(const fovea_result *r, bool expanded)
{
    auto_buf b = BUF_INIT(LIMIT_RENDER_BYTES), words = BUF_INIT(LIMIT_RENDER_BYTES);
    struct fovea_text text;
    unsigned most = expanded ? LINES_EXPANDED : LINES;
    const char *reason = fovea_result_reason(r);
    if (fovea_result_lines(r, &text) == 0) {
        render_lines(&b, text.text, text.len, most, "");
        return buf_take(&b);
    }
    (void)buf_add_format(&words, "%s%s%s", reason ? reason : "", reason ? ": " : "", fovea_result_text(r));
    render_lines(&b, words.data ? words.data : "", words.len, most, "");
    add_footer(&b, r);
    if (words.error)
        return NULL;
    return buf_take(&b);
}
