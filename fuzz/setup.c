/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other programs' configs, which `fovea setup` rewrites: refused in words, or there is nothing to do, or what comes out says all that was
 * there and the entry, as another reader of TOML and of JSON with comments sees it; every byte that was there still is, unless an entry
 * is replaced; and a second time there is nothing to do. The first byte says which agent, the first line what is to be started.
 * about: cmd/setup_toml.c cmd/setup_json.c cmd/jsonc.c
 */
#include "fuzz.h"

#include <jansson.h>

#include "base/cleanup.h"
#include "cmd/setup.h"
#include "toml.h"

static int change(const struct agent *a, const struct launch *l, const char *text, size_t len, struct buf *out, enum setup_state *ret)
{
    struct fovea_fault fault = {0};
    int r = (a->format == SETUP_TOML ? setup_toml : setup_json)(a, l, text, len, out, ret, &fault);
    CLAIM(r == 0 ? !fault.code : fault.code < 0 && fault.text[0]);
    return r;
}

/* Whether text is what is left of out when some bytes are taken away. */
static bool all_there(const char *text, size_t len, const struct buf *out)
{
    size_t at = 0;
    for (size_t i = 0; i < out->len && at < len; i++)
        at += out->data[i] == text[at];
    return at == len;
}

/* ---------------------------------------------------------------- TOML */

static void claim_entry(const struct toml *t, const struct launch *l)
{
    const char *at = t->args.data, *end = at ? at + t->args.len : NULL;
    CLAIM(t->commanded && t->listed && !t->clash);
    CLAIM(t->command.len == strlen(l->command[0]) && !memcmp(t->command.data, l->command[0], t->command.len));
    for (size_t i = 1; i < l->n; i++, at += strlen(at) + 1)
        CLAIM(at < end && !strcmp(at, l->command[i]));
    CLAIM(at == end);
}

static void check_toml(const struct agent *a, const struct launch *l, const char *text, const char *out, enum setup_state state)
{
    struct toml was = TOML_INIT, is = TOML_INIT;
    was.servers = is.servers = a->servers;
    was.name = is.name = l->name;
    if (toml_read(&was, text) && !was.clash) {
        CLAIM(was.there == (state != SETUP_NEW));
        if (state == SETUP_SAME)
            claim_entry(&was, l);
        if (out) {
            CLAIM(toml_read(&is, out));
            claim_entry(&is, l);
            CLAIM(is.rest.len == was.rest.len && (!is.rest.len || !memcmp(is.rest.data, was.rest.data, is.rest.len)));
        }
    }
    CLAIM(!out || !is.clash);
    toml_done(&was);
    toml_done(&is);
}

/* ---------------------------------------------------------------- JSON */

/* The text with a blank for each comment. */
static void bare(const char *s, struct buf *to)
{
    s += strncmp(s, "\xef\xbb\xbf", 3) ? 0 : 3;
    while (*s) {
        const char *end = s;
        if (*s == '"') {
            for (end++; *end && *end != '"'; end++)
                end += *end == '\\' && end[1];
            end += *end == '"';
            (void)buf_add(to, s, (size_t)(end - s));
        } else if (!strncmp(s, "//", 2)) {
            end = strchrnul(s, '\n');
        } else if (!strncmp(s, "/*", 2)) {
            end = strstr(s + 2, "*/");
            end = end ? end + 2 : strchr(s, 0);
        } else {
            (void)buf_add(to, strchr("\t\r\n", *s) ? " " : s, 1);
            end++;
        }
        if (*s == '/' && end > s + 1)
            (void)buf_add_str(to, " "); /* what it parted stays parted */
        s = end;
    }
}

static bool follows(const char *s, const char *which)
{
    s += strspn(s, " ");
    return *s && strchr(which, *s);
}

/* A comma behind the last member is one before which there is a value. */
static void without_commas(const struct buf *from, struct buf *to)
{
    char before = '[';
    for (const char *s = from->data; s && *s; s++) {
        const char *end = s + 1;
        if (*s == '"') {
            for (; *end && *end != '"'; end++)
                end += *end == '\\' && end[1];
            end += *end == '"';
        }
        bool last = *s == ',' && !strchr("[{,", before) && follows(end, "]}");
        (void)buf_add(to, last ? " " : s, (size_t)(end - s));
        before = *s == ' ' || last ? before : *s;
        s = end - 1;
    }
}

/* As the agent would; NULL when it is none. Nothing at all is an empty object. */
static json_t *load(const struct agent *a, const char *text, bool *ret_blank)
{
    auto_buf plain = BUF_INIT(LIMIT_SETUP_BYTES), fit = BUF_INIT(LIMIT_SETUP_BYTES);
    if (a->format == SETUP_JSONC) {
        bare(text, &plain);
        without_commas(&plain, &fit);
    } else {
        (void)buf_add_str(&fit, text);
    }
    *ret_blank = !fit.len || fit.len == strspn(fit.data, " \t\r\n");
    return *ret_blank ? json_object() : json_loadb(fit.data, fit.len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
}

static json_t *words(const struct launch *l, size_t first)
{
    json_t *list = json_array();
    for (size_t i = first; i < l->n; i++)
        CLAIM(json_array_append_new(list, json_string(l->command[i])) == 0);
    return list;
}

static json_t *entry_of(const struct agent *a, const struct launch *l)
{
    json_t *e = json_object();
    if (a->type)
        (void)json_object_set_new(e, "type", json_string(a->type));
    (void)json_object_set_new(e, "command", a->one_list ? words(l, 0) : json_string(l->command[0]));
    if (!a->one_list)
        (void)json_object_set_new(e, "args", words(l, 1));
    if (a->tools)
        (void)json_object_set_new(e, "tools", json_pack("[s]", "*"));
    return e;
}

static void check_json(const struct agent *a, const struct launch *l, const char *text, const char *out, enum setup_state state)
{
    bool blank;
    json_t *was = load(a, text, &blank), *is = out ? load(a, out, &blank) : NULL, *servers = json_object_get(was, a->servers);
    CLAIM(json_is_object(was));
    CLAIM((json_object_get(servers, l->name) != NULL) == (state != SETUP_NEW));
    if (out) {
        if (!servers)
            CLAIM(json_object_set_new(was, a->servers, json_object()) == 0);
        CLAIM(json_object_set_new(json_object_get(was, a->servers), l->name, entry_of(a, l)) == 0);
        CLAIM(json_equal(was, is));
    }
    json_decref(was);
    json_decref(is);
}

/* What has nothing odd about it is never refused. A comment that does not end has: nothing can be put behind it. */
static void claim_odd(const struct agent *a, const char *text)
{
    bool blank;
    json_t *was = load(a, text, &blank), *servers = json_object_get(was, a->servers);
    CLAIM(strchr(text, '\\') || (blank && strstr(text, "/*")) || !json_is_object(was) || (servers && !json_is_object(servers)));
    json_decref(was);
}

/* ---------------------------------------------------------------- */

static void check(const struct agent *a, const struct launch *l, const char *text, size_t len)
{
    auto_buf out = BUF_INIT(LIMIT_SETUP_BYTES), again = BUF_INIT(LIMIT_SETUP_BYTES);
    enum setup_state state = SETUP_NEW, second = SETUP_NEW;
    if (change(a, l, text, len, &out, &state) < 0) {
        if (a->format != SETUP_TOML && !memchr(text, 0, len))
            claim_odd(a, text);
        return;
    }
    CLAIM(!memchr(text, 0, len));
    (a->format == SETUP_TOML ? check_toml : check_json)(a, l, text, state == SETUP_SAME ? NULL : out.data, state);
    CLAIM(state != SETUP_SAME || !out.len);
    CLAIM(state != SETUP_NEW || all_there(text, len, &out));
    if (state != SETUP_SAME)
        CLAIM(change(a, l, out.data, out.len, &again, &second) == 0 && second == SETUP_SAME);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    size_t count = 0, which = feed_u8(&f);
    while (agents[count].name)
        count++;
    auto_free char *text = feed_text(&f);
    char *line = memchr(text, '\n', f.left), *program = text;
    if (!line)
        return 0;
    *line++ = '\0';
    if (!*program || !utf8_valid(program, strlen(program)))
        return 0; /* as setup.c sees to it */
    struct launch l = {.name = "fovea", .command = {program, "mcp", "--root", program}, .n = which & 0x80 ? 4 : 2};
    check(&agents[(which & 0x7f) % count], &l, line, f.left - (size_t)(line - text));
    return 0;
}
