/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas: see schema.h. The text is passed on as it is, and an answer is only set in lines, so that no number changes. */
#include "schema.h"

#include <jansson.h>
#include <string.h>

#include "base/json_read.h"
#include "base/limits.h"
#include "command.h"
#include "context.h"
#include "out.h"

static int no_memory(const char *file)
{
    say("--schema '%s': out of memory", file);
    return EXIT_FAULT;
}

static int wrong(const char *file, const char *text, size_t len)
{
    json_error_t where;
    json_t *schema = json_read(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &where);
    json_decref(schema);
    /* What only is too large a number for us may be none for the one who judges it. */
    if (schema || json_error_code(&where) == json_error_numeric_overflow)
        return 0;
    if (json_error_code(&where) == json_error_out_of_memory)
        return no_memory(file);
    say("--schema '%s', line %d: not JSON: %s", file, where.line, where.text);
    return EXIT_USAGE;
}

int schema_read(const char *file, struct buf *format)
{
    auto_buf text = BUF_INIT(LIMIT_SCHEMA_BYTES);
    int r = read_named(file, &text);
    if (r == -ENOMEM)
        return no_memory(file);
    if (r < 0) {
        say("--schema '%s': %s", file, r == -EFBIG ? "more than 1 MiB" : strerror(-r));
        return EXIT_USAGE;
    }
    const char *start = text.data ? text.data : "";
    start += strncmp(start, "\xef\xbb\xbf", 3) ? 0 : 3; /* a byte order mark */
    size_t len = text.len - (size_t)(start - (text.data ? text.data : start));
    int bad = wrong(file, start, len);
    (void)buf_add_str(format, "{\"type\":\"json_schema\",\"schema\":");
    (void)buf_add(format, start, len);
    (void)buf_add_str(format, "}");
    /* Asking without it would be asking for something else. */
    return bad || !format->error ? bad : no_memory(file);
}

/* ---------------------------------------------------------------- answers */

static size_t string_len(const char *s)
{
    size_t n = 1;
    while (s[n] && s[n] != '"')
        n += s[n] == '\\' && s[n + 1] ? 2 : 1;
    return s[n] ? n + 1 : n;
}

static void add_break(struct buf *b, unsigned depth)
{
    (void)buf_add_format(b, "\n%*s", (int)(2 * depth), "");
}

void buf_add_pretty(struct buf *b, const char *json)
{
    unsigned depth = 0;
    for (size_t n; *json && !b->error; json += n) {
        n = *json == '"' ? string_len(json) : 1;
        size_t next = n + strspn(json + n, " \t\r\n");
        bool opens = *json == '{' || *json == '[', closes = *json == '}' || *json == ']';
        bool empty = opens && (json[next] == '}' || json[next] == ']');
        if (strchr(" \t\r\n", *json))
            continue;
        if (closes && depth)
            add_break(b, --depth);
        (void)buf_add(b, json, n);
        if (empty) {
            (void)buf_add(b, json + next, 1);
            n = next + 1;
        } else if (opens || *json == ',') {
            depth += opens;
            add_break(b, depth);
        } else if (*json == ':') {
            (void)buf_add(b, " ", 1);
        }
    }
}
