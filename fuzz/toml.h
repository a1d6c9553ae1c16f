/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TOML 1.0 read slowly, as its grammar is written: what a config says besides one entry, [servers.NAME], and what that entry says.
 * Words without quotes are not looked into, and a key that is there twice is seen only in the entry. For judging what `fovea setup` makes
 * of a config.
 */
#ifndef FOVEA_FUZZ_TOML_H
#define FOVEA_FUZZ_TOML_H

#include <ctype.h>

#include "base/buf.h"
#include "base/text.h"

enum { TOML_DEPTH = 40, TOML_ROOM = 1 << 20 };

struct toml {
    const char *at;
    const char *servers, *name;
    struct buf rest; /* every other statement: its path, each part behind its length, and its value as it is written */
    bool there;      /* the entry, in whatever form */
    bool clash;      /* the servers or the entry are no tables */
    bool commanded, listed;
    struct buf command, args; /* args: each with a NUL behind it */
    struct buf table; /* the path of the last header, as in rest */
    size_t depth;
};
#define TOML_INIT {.rest = BUF_INIT(TOML_ROOM), .command = BUF_INIT(TOML_ROOM), .args = BUF_INIT(TOML_ROOM), .table = BUF_INIT(TOML_ROOM)}

static void toml_done(struct toml *t)
{
    buf_done(&t->rest);
    buf_done(&t->command);
    buf_done(&t->args);
    buf_done(&t->table);
}

static bool toml_take(struct toml *t, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(t->at, word, n) != 0)
        return false;
    t->at += n;
    return true;
}

static void toml_blanks(struct toml *t)
{
    while (*t->at == ' ' || *t->at == '\t')
        t->at++;
}

static bool toml_newline(struct toml *t)
{
    return toml_take(t, "\n") || toml_take(t, "\r\n");
}

static bool toml_comment(struct toml *t)
{
    if (*t->at == '#')
        while (*t->at && *t->at != '\n' && strncmp(t->at, "\r\n", 2) != 0) {
            if (((unsigned char)*t->at < 0x20 && *t->at != '\t') || *t->at == 0x7f)
                return false;
            t->at++;
        }
    return true;
}

/* Blanks, comments and line ends. */
static bool toml_space(struct toml *t)
{
    do {
        toml_blanks(t);
        if (!toml_comment(t))
            return false;
    } while (toml_newline(t));
    return true;
}

/* ---------------------------------------------------------------- strings */

static bool toml_hex(struct toml *t, int digits, struct buf *to)
{
    uint32_t c = 0;
    for (; digits; digits--, t->at++) {
        if (!isxdigit((unsigned char)*t->at))
            return false;
        c = c * 16 + (uint32_t)(isdigit((unsigned char)*t->at) ? *t->at - '0' : (*t->at | 0x20) - 'a' + 10);
    }
    return c <= 0x10ffff && (c < 0xd800 || c > 0xdfff) && buf_add_char(to, c) == 0;
}

static bool toml_escape(struct toml *t, bool lines, struct buf *to)
{
    static const char names[] = "btnfr\"\\", values[] = "\b\t\n\f\r\"\\";
    const char *found = *t->at ? strchr(names, *t->at) : NULL;
    if (found) {
        t->at++;
        return buf_add(to, values + (found - names), 1) == 0;
    }
    if (toml_take(t, "u"))
        return toml_hex(t, 4, to);
    if (toml_take(t, "U"))
        return toml_hex(t, 8, to);
    toml_blanks(t);
    if (!lines || !toml_newline(t))
        return false;
    for (const char *was = NULL; was != t->at;) {
        was = t->at;
        toml_blanks(t);
        (void)toml_newline(t);
    }
    return true;
}

/* Up to two quotes may stand before the three that end it. */
static bool toml_closes(struct toml *t, char quote, bool lines, struct buf *to)
{
    char three[4] = {quote, quote, quote};
    if (!lines)
        return ++t->at;
    if (!toml_take(t, three))
        return false;
    for (int i = 0; i < 2 && *t->at == quote; i++, t->at++)
        (void)buf_add(to, &quote, 1);
    return true;
}

static bool toml_string(struct toml *t, bool lines_too, struct buf *to)
{
    char quote = *t->at, three[4] = {quote, quote, quote};
    bool lines = toml_take(t, three);
    if (lines && !lines_too)
        return false;
    if (lines)
        (void)toml_newline(t);
    else
        t->at++;
    while (*t->at) {
        const char *was = t->at;
        if (*t->at == quote && toml_closes(t, quote, lines, to))
            return true;
        if (quote == '"' && toml_take(t, "\\")) {
            if (!toml_escape(t, lines, to))
                return false;
        } else if (lines && toml_newline(t)) {
            (void)buf_add(to, was, (size_t)(t->at - was));
        } else if (((unsigned char)*t->at < 0x20 && *t->at != '\t') || *t->at == 0x7f) {
            return false;
        } else {
            (void)buf_add(to, t->at++, 1);
        }
    }
    return false;
}

/* ---------------------------------------------------------------- keys */

static void toml_add_part(struct buf *path, const struct buf *part)
{
    (void)buf_add_format(path, "%zu:", part->len);
    (void)buf_add(path, part->data, part->len);
}

static bool toml_key(struct toml *t, struct buf *path)
{
    do {
        auto_buf part = BUF_INIT(TOML_ROOM);
        toml_blanks(t);
        if (*t->at == '"' || *t->at == '\'') {
            if (!toml_string(t, false, &part))
                return false;
        } else {
            for (; isalnum((unsigned char)*t->at) || *t->at == '_' || *t->at == '-'; t->at++)
                (void)buf_add(&part, t->at, 1);
            if (!part.len)
                return false;
        }
        toml_add_part(path, &part);
        toml_blanks(t);
    } while (toml_take(t, "."));
    return true;
}

/* ---------------------------------------------------------------- values */

static bool toml_value(struct toml *t);

static bool toml_list(struct toml *t)
{
    bool comma = true;
    for (t->at++; toml_space(t);) {
        if (toml_take(t, "]"))
            return true;
        if (!comma || !toml_value(t) || !toml_space(t))
            return false;
        comma = toml_take(t, ",");
    }
    return false;
}

static bool toml_table(struct toml *t)
{
    t->at++;
    toml_blanks(t);
    if (toml_take(t, "}"))
        return true;
    do {
        auto_buf key = BUF_INIT(TOML_ROOM);
        if (!toml_key(t, &key) || !toml_take(t, "="))
            return false;
        toml_blanks(t);
        if (!toml_value(t))
            return false;
        toml_blanks(t);
    } while (toml_take(t, ","));
    return toml_take(t, "}");
}

static bool toml_value(struct toml *t)
{
    auto_buf said = BUF_INIT(TOML_ROOM);
    if (*t->at == '"' || *t->at == '\'')
        return toml_string(t, true, &said);
    if (*t->at == '[' || *t->at == '{') {
        bool fine = ++t->depth < TOML_DEPTH && (*t->at == '[' ? toml_list : toml_table)(t);
        t->depth--;
        return fine;
    }
    const char *was = t->at;
    while (isalnum((unsigned char)*t->at) || (*t->at && strchr("+-_.:", *t->at)) ||
           (*t->at == ' ' && t->at - was == 10 && was[4] == '-' && isdigit((unsigned char)t->at[1])))
        t->at++;
    return t->at > was;
}

/* ---------------------------------------------------------------- statements */

static bool toml_words(struct toml *t, struct buf *to)
{
    if (*t->at++ != '[')
        return false;
    while (toml_space(t) && *t->at != ']') {
        if ((*t->at != '"' && *t->at != '\'') || !toml_string(t, true, to) || buf_add(to, "", 1) < 0 || !toml_space(t))
            return false;
        (void)toml_take(t, ",");
    }
    return true;
}

/* What is said of the entry; its value is known to be one. */
static bool toml_ours(struct toml *t, const char *what, const char *value)
{
    struct toml in = {.at = value};
    bool *seen = !strcmp(what, "7:command") ? &t->commanded : !strcmp(what, "4:args") ? &t->listed : NULL;
    if (!seen)
        return true;
    if (*seen)
        return false;
    *seen = seen == &t->listed ? toml_words(&in, &t->args) : (*value == '"' || *value == '\'') && toml_string(&in, true, &t->command);
    return true;
}

static bool toml_note(struct toml *t, const struct buf *path, const char *value, size_t len, bool list)
{
    char servers[200], entry[400];
    (void)snprintf(servers, sizeof servers, "%zu:%s", strlen(t->servers), t->servers);
    (void)snprintf(entry, sizeof entry, "%s%zu:%s", servers, strlen(t->name), t->name);
    size_t n = strlen(entry);
    bool ours = path->len >= n && !memcmp(path->data, entry, n);
    t->clash |= (value || list) && (!strcmp(path->data, servers) || !strcmp(path->data, entry));
    t->there |= ours;
    if (ours)
        return !value || toml_ours(t, path->data + n, value);
    (void)buf_add(&t->rest, path->data, path->len);
    (void)buf_add_str(&t->rest, value ? "=" : list ? "[[" : "[");
    (void)buf_add(&t->rest, value ? value : "", len);
    return buf_add_str(&t->rest, "\n") == 0;
}

static bool toml_header(struct toml *t)
{
    bool list = toml_take(t, "[[") || (t->at++, false);
    buf_done(&t->table);
    t->table = (struct buf)BUF_INIT(TOML_ROOM);
    return toml_key(t, &t->table) && toml_take(t, list ? "]]" : "]") && toml_note(t, &t->table, NULL, 0, list);
}

static bool toml_pair(struct toml *t)
{
    auto_buf path = BUF_INIT(TOML_ROOM);
    (void)buf_add(&path, t->table.len ? t->table.data : "", t->table.len);
    if (!toml_key(t, &path) || !toml_take(t, "="))
        return false;
    toml_blanks(t);
    const char *value = t->at;
    return toml_value(t) && toml_note(t, &path, value, (size_t)(t->at - value), false);
}

/* All of it; false when it is no TOML. */
static bool toml_read(struct toml *t, const char *text)
{
    t->at = text;
    while (toml_space(t) && *t->at) {
        if (!(*t->at == '[' ? toml_header : toml_pair)(t))
            return false;
        toml_blanks(t);
        if (!toml_comment(t) || (*t->at && !toml_newline(t)))
            return false;
    }
    return !*t->at;
}

#endif
