/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An entry into a TOML config: the table [servers.NAME], put at the end or in place of the one that is there. This is
 * no parser of TOML: it tells statements apart and reads their keys, which is enough to see whether the table is
 * there. Wherever the servers are written in another way it declines, and the user gets the lines to add by hand.
 */
#include <string.h>

#include "base/fault.h"
#include "base/json_text.h"
#include "out.h"
#include "setup.h"

#define BROKEN SIZE_MAX

struct key {
    size_t n;
    struct {
        const char *at;
        size_t len;
    } part[LIMIT_SETUP_KEYS]; /* without quotes; further ones are not kept */
    unsigned odd; /* a bit for each part with an escape in it: what that says is not known */
};

struct statement {
    bool header, list; /* [key], [[key]]; else key = value */
    struct key key;
    size_t start, value, end;
};

struct scan {
    const struct launch *l;
    const char *servers, *text;
    struct key table; /* that statements stand in */
    size_t start, end; /* our table, from its header to its last statement; start == end: none */
    bool beneath;      /* it has tables of its own */
    bool command, args; /* say the same */
    bool starved;      /* memory ran out while something was compared */
    const char *unsure; /* why this cannot be changed safely */
};

/* ---------------------------------------------------------------- statements */

static size_t skip_string(const char *t, size_t at)
{
    char quote = t[at];
    bool three = t[at + 1] == quote && t[at + 2] == quote;
    for (at += three ? 3 : 1; t[at]; at++) {
        if (t[at] == '\\' && quote == '"' && t[at + 1])
            at++;
        else if (t[at] == quote && !three)
            return at + 1;
        else if (t[at] == quote && t[at + 1] == quote && t[at + 2] == quote)
            return at + 3 + strspn(t + at + 3, quote == '"' ? "\"" : "'");
        else if (t[at] == '\n' && !three)
            return BROKEN;
    }
    return BROKEN;
}

static size_t skip_blank(const char *t, size_t at)
{
    return at + strspn(t + at, " \t");
}

/* Behind the list or inline table that opens here. They must close in the order they open; a table has no line ends outside its
 * lists. */
static size_t skip_nested(const char *t, size_t at)
{
    char closer[LIMIT_SETUP_DEPTH] = {t[at] == '[' ? ']' : '}'};
    size_t depth = 1;
    at++;
    while (depth) {
        char c = t[at];
        if (!c || (c == '\n' && closer[depth - 1] == '}') || depth == sizeof closer)
            return BROKEN;
        if (c == '"' || c == '\'') {
            if ((at = skip_string(t, at)) == BROKEN)
                return BROKEN;
            continue;
        }
        if (c == '#') {
            at += strcspn(t + at, "\n");
            continue;
        }
        if (c == '[' || c == '{')
            closer[depth++] = c == '[' ? ']' : '}';
        else if ((c == ']' || c == '}') && closer[--depth] != c)
            return BROKEN;
        at++;
    }
    return at;
}

/* Behind one value: a string, a list, a table, or a word (two of them may be a date and a time). */
static size_t skip_one(const char *t, size_t at)
{
    if (t[at] == '"' || t[at] == '\'')
        return skip_string(t, at);
    if (t[at] == '[' || t[at] == '{')
        return skip_nested(t, at);
    size_t n = strcspn(t + at, " \t\r\n#[]{}\"',=");
    if (n == 10 && t[at + 4] == '-' && t[at + n] == ' ' && t[at + n + 1] >= '0' && t[at + n + 1] <= '9')
        n += 1 + strcspn(t + at + n + 1, " \t\r\n#[]{}\"',=");
    return n ? at + n : BROKEN;
}

/* To the end of the line, on which nothing but a comment may follow. */
static size_t skip_rest(const char *t, size_t at)
{
    at = skip_blank(t, at);
    if (t[at] == '#')
        at += strcspn(t + at, "\n");
    at += t[at] == '\r';
    return !t[at] || t[at] == '\n' ? at : BROKEN;
}

static size_t read_part(const char *t, size_t at, struct key *ret)
{
    bool quoted = t[at] == '"' || t[at] == '\'';
    size_t end = quoted ? skip_string(t, at) : at + strspn(t + at, SETUP_BARE);
    if (end == BROKEN || end == at)
        return BROKEN;
    size_t from = at + quoted, len = end - at - 2 * quoted;
    if (ret->n == LIMIT_SETUP_KEYS)
        return end;
    if (t[at] == '"' && memchr(t + from, '\\', len))
        ret->odd |= 1u << ret->n;
    ret->part[ret->n].at = t + from;
    ret->part[ret->n++].len = len;
    return end;
}

static size_t read_key(const char *t, size_t at, struct key *ret)
{
    for (;;) {
        at = read_part(t, skip_blank(t, at), ret);
        if (at == BROKEN)
            return at;
        at = skip_blank(t, at);
        if (t[at] != '.')
            return at;
        at++;
    }
}

/* The statement at or behind *at. 1 and *ret; 0 at the end; -EINVAL with *at where it is broken. */
static int next_statement(const char *t, size_t *at, struct statement *ret)
{
    size_t p = *at;
    for (;; p += strcspn(t + p, "\n")) {
        p += strspn(t + p, " \t\r\n");
        if (t[p] != '#')
            break;
    }
    *at = p;
    if (!t[p])
        return 0;
    *ret = (struct statement){.start = p, .header = t[p] == '[', .list = t[p] == '[' && t[p + 1] == '['};
    p = read_key(t, p + ret->header + ret->list, &ret->key);
    if (p == BROKEN || t[p] != (ret->header ? ']' : '=') || (ret->list && t[p + 1] != ']'))
        return -EINVAL;
    p += 1u + ret->list;
    ret->value = p;
    if (!ret->header)
        p = skip_one(t, skip_blank(t, p));
    if (p == BROKEN || (p = skip_rest(t, p)) == BROKEN)
        return -EINVAL;
    ret->end = p + (t[p] == '\n');
    *at = ret->end;
    return 1;
}

/* ---------------------------------------------------------------- what they say */

static bool is(const struct key *k, size_t i, const char *word)
{
    return i < k->n && k->part[i].len == strlen(word) && !memcmp(k->part[i].at, word, k->part[i].len);
}

/* Behind the string when it says `want`; 0 otherwise. */
static size_t match_string(struct scan *s, size_t at, const char *want)
{
    const char *t = s->text;
    auto_buf shown = BUF_INIT(LIMIT_CLI_TEXT);
    at += strspn(t + at, " \t\r\n");
    if (t[at] != '"' && t[at] != '\'')
        return 0;
    size_t end = skip_string(t, at), len = strlen(want);
    s->starved |= buf_add_json_str(&shown, want) == -ENOMEM;
    if (end == BROKEN || shown.error)
        return 0;
    bool plain = t[at] == '\'' || !memchr(t + at, '\\', end - at);
    bool same = plain ? end - at == len + 2 && !memcmp(t + at + 1, want, len)
                      : end - at == shown.len && !memcmp(t + at, shown.data, shown.len);
    return same ? end : 0;
}

static bool match_list(struct scan *s, size_t at)
{
    const char *t = s->text;
    const struct launch *l = s->l;
    at = skip_blank(t, at);
    if (t[at++] != '[')
        return false;
    for (size_t i = 1; i < l->n; i++) {
        at = match_string(s, at, l->command[i]);
        if (!at)
            return false;
        at += strspn(t + at, " \t\r\n");
        at += t[at] == ',';
    }
    at += strspn(t + at, " \t\r\n");
    return t[at] == ']';
}

static void note_header(struct scan *s, const struct statement *st)
{
    const struct key *k = &st->key;
    s->table = *k;
    if (k->odd & 1)
        s->unsure = "the name of a table is not understood";
    if (!is(k, 0, s->servers))
        return;
    if (st->list || k->odd & 2)
        s->unsure = "the servers are written in an unusual way";
    if (!is(k, 1, s->l->name))
        return;
    if (k->n > 2)
        s->beneath = true;
    else if (s->end > s->start)
        s->unsure = "the table is there twice";
    else
        s->start = st->start;
    if (k->n == 2)
        s->end = st->end;
}

static void note_value(struct scan *s, const struct statement *st)
{
    bool top = s->table.n == 0, servers = s->table.n == 1 && is(&s->table, 0, s->servers);
    bool ours = s->table.n == 2 && is(&s->table, 0, s->servers) && is(&s->table, 1, s->l->name);
    if ((top && is(&st->key, 0, s->servers)) || (servers && is(&st->key, 0, s->l->name)) ||
        ((top || servers) && st->key.odd & 1))
        s->unsure = "the servers are not written as tables";
    if (!ours)
        return;
    s->end = st->end;
    if (st->key.n == 1 && is(&st->key, 0, "command"))
        s->command = match_string(s, st->value, s->l->command[0]) != 0;
    if (st->key.n == 1 && is(&st->key, 0, "args"))
        s->args = match_list(s, st->value);
}

static int scan(const char *text, struct scan *s, struct fovea_fault *fault)
{
    struct statement st;
    size_t at = 0;
    int r;
    s->text = text;
    while ((r = next_statement(text, &at, &st)) > 0) {
        if (st.header)
            note_header(s, &st);
        else
            note_value(s, &st);
    }
    size_t line = 1;
    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    if (s->starved)
        return fault_oom(fault);
    return r < 0 ? fault_set(fault, EINVAL, "line %zu: no valid TOML", line) : 0;
}

/* ---------------------------------------------------------------- the change */

static void add_table(struct buf *out, const struct agent *a, const struct launch *l)
{
    (void)buf_add_format(out, "[%s.%s]\ncommand = ", a->servers, l->name); /* the name is bare: setup.c sees to it */
    (void)buf_add_json_str(out, l->command[0]);
    (void)buf_add_str(out, "\nargs = [");
    for (size_t i = 1; i < l->n; i++) {
        (void)buf_add_str(out, i > 1 ? ", " : "");
        (void)buf_add_json_str(out, l->command[i]);
    }
    (void)buf_add_str(out, "]\n");
}

static int append(const struct agent *a, const struct launch *l, const char *text, size_t len, struct buf *out)
{
    (void)buf_add(out, text, len);
    if (len && text[len - 1] != '\n')
        (void)buf_add_str(out, "\n");
    if (len)
        (void)buf_add_str(out, "\n");
    add_table(out, a, l);
    return out->error;
}

int setup_toml(const struct agent *a, const struct launch *l, const char *text, size_t len, struct buf *out,
               enum setup_state *ret, struct fovea_fault *fault)
{
    struct scan s = {.l = l, .servers = a->servers}, again = s;
    if (memchr(text, 0, len))
        return fault_set(fault, EINVAL, "it holds a NUL byte");
    int r = scan(text, &s, fault);
    if (r < 0)
        return r;
    if (s.unsure || (s.beneath && s.start == s.end))
        return fault_set(fault, EINVAL, "%s", s.unsure ? s.unsure : "the server has tables beneath it and none itself");
    *ret = s.start == s.end ? SETUP_NEW : s.command && s.args ? SETUP_SAME : SETUP_DIFFERS;
    if (*ret == SETUP_SAME)
        return 0;
    if (*ret == SETUP_DIFFERS && s.beneath)
        return fault_set(fault, EINVAL, "[%s.%s] says something else and has tables beneath it", a->servers, l->name);
    if (*ret == SETUP_NEW) {
        r = append(a, l, text, len, out);
    } else {
        (void)buf_add(out, text, s.start);
        add_table(out, a, l);
        r = buf_add(out, text + s.end, len - s.end);
    }
    if (r < 0)
        return setup_unmade(r, fault);
    r = scan(out->data, &again, fault);
    if (r == -ENOMEM)
        return r;
    return r < 0 || again.unsure || !again.command || !again.args
               ? fault_set(fault, EINVAL, "this layout cannot be changed safely")
               : 0;
}
