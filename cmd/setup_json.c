/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An entry into a JSON config. The text is not written anew: the entry is put into it, so that comments, order and
 * layout stay the user's. What comes out is parsed again and must say what was there and the entry, nothing else.
 */
#include <jansson.h>
#include <string.h>

#include "base/fault.h"
#include "base/json_read.h"
#include "base/json_text.h"
#include "jsonc.h"
#include "out.h"
#include "setup.h"

static void unref_p(json_t **j)
{
    json_decref(*j);
}
#define auto_json cleanup(unref_p) json_t

struct layout {
    const char *newline;
    char unit[16]; /* one step of indentation */
};

/* ---------------------------------------------------------------- reading */

/* What a parser of the agent's format sees. `bare` gets the text without comments, trailing commas and all. */
static json_t *parse(const struct agent *a, const char *text, size_t len, struct buf *bare, struct buf *plain,
                     json_error_t *error)
{
    if (buf_add(bare, text, len) < 0 || buf_add(bare, "", 0) < 0 || !bare->data)
        return NULL;
    if (a->format == SETUP_JSONC)
        jsonc_blank_comments(bare->data, len);
    if (buf_add(plain, bare->data, len) < 0)
        return NULL;
    if (a->format == SETUP_JSONC)
        jsonc_blank_commas(plain->data, len);
    return json_read(plain->data, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, error);
}

/* ---------------------------------------------------------------- the entry */

static json_t *words_from(const struct launch *l, size_t first)
{
    json_t *list = json_array();
    for (size_t i = first; list && i < l->n; i++)
        if (json_array_append_new(list, json_string(l->command[i])) < 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *make_entry(const struct agent *a, const struct launch *l)
{
    json_t *e = json_object();
    int bad = 0;
    if (e && a->type)
        bad |= json_object_set_new(e, "type", json_string(a->type));
    if (e && a->one_list)
        bad |= json_object_set_new(e, "command", words_from(l, 0));
    if (e && !a->one_list) {
        bad |= json_object_set_new(e, "command", json_string(l->command[0]));
        bad |= json_object_set_new(e, "args", words_from(l, 1));
    }
    if (e && a->tools)
        bad |= json_object_set_new(e, "tools", json_pack("[s]", "*"));
    if (!bad)
        return e;
    json_decref(e);
    return NULL;
}

/* Whatever else the user keeps in the entry, such as a time-out, is no difference: what would be started counts. Cline
 * also has a form with one object more. */
static bool says_the_same(const json_t *existing, const json_t *entry)
{
    const json_t *transport = json_object_get(existing, "transport");
    const json_t *given = transport ? transport : existing;
    const json_t *args = json_object_get(entry, "args");
    return json_equal(json_object_get(given, "command"), json_object_get(entry, "command")) &&
           (!args || json_equal(json_object_get(given, "args"), args));
}

/* ---------------------------------------------------------------- putting it in */

static size_t line_start(const char *text, size_t at)
{
    while (at && text[at - 1] != '\n')
        at--;
    return at;
}

static size_t leading(const char *text, size_t start)
{
    return strspn(text + start, " \t");
}

static bool starts_line(const char *text, size_t at)
{
    size_t start = line_start(text, at);
    return start + leading(text, start) >= at;
}

static struct layout layout_of(const char *text, const struct jsonc_object *root)
{
    struct layout l = {.newline = strstr(text, "\r\n") ? "\r\n" : "\n", .unit = "  "};
    size_t start = line_start(text, root->first);
    if (root->first < root->close && start && starts_line(text, root->first) && root->first > start &&
        root->first - start < sizeof l.unit)
        (void)snprintf(l.unit, sizeof l.unit, "%.*s", (int)(root->first - start), text + start);
    return l;
}

/* The value on several lines; those behind the first stand `indent` deep and more. */
static int add_value(struct buf *out, const json_t *value, const struct layout *l, const char *indent,
                     size_t indent_len)
{
    auto_free char *dump = json_text_new(value, JSON_INDENT(1));
    if (!dump)
        return out->error = -ENOMEM;
    for (const char *at = dump; *at;) {
        size_t line = strcspn(at, "\n"), steps = at == dump ? 0 : strspn(at, " ");
        if (at != dump) {
            (void)buf_add_str(out, l->newline);
            (void)buf_add(out, indent, indent_len);
        }
        for (size_t i = 0; i < steps; i++)
            (void)buf_add_str(out, l->unit);
        (void)buf_add(out, at + steps, line - steps);
        at += line + (at[line] == '\n');
    }
    return out->error;
}

/* A new last member. It stands on lines of its own, behind whatever comment stands at the end of the object. */
static int insert(const char *text, size_t len, const char *bare, const struct jsonc_object *o,
                  const struct layout *l, const char *key, const json_t *value, struct buf *out)
{
    bool any = o->first < o->close, alone = starts_line(text, o->close);
    size_t outer = line_start(text, o->open), first = line_start(text, o->first);
    auto_buf indent = BUF_INIT(LIMIT_SETUP_BYTES);
    if (any && starts_line(text, o->first)) {
        (void)buf_add(&indent, text + first, o->first - first);
    } else {
        (void)buf_add(&indent, text + outer, leading(text, outer));
        (void)buf_add_str(&indent, l->unit);
    }
    size_t at = alone ? line_start(text, o->close) : o->close;
    while (!alone && at > o->last_end && strchr(" \t", text[at - 1]))
        at--;
    (void)buf_add(out, text, o->last_end);
    if (any && !memchr(bare + o->last_end, ',', o->close - o->last_end))
        (void)buf_add_str(out, ",");
    (void)buf_add(out, text + o->last_end, at - o->last_end);
    if (!alone)
        (void)buf_add_str(out, l->newline);
    (void)buf_add(out, indent.data, indent.len);
    (void)buf_add_json_str(out, key);
    (void)buf_add_str(out, ": ");
    (void)add_value(out, value, l, indent.data, indent.len);
    (void)buf_add_str(out, l->newline);
    if (!alone)
        (void)buf_add(out, text + outer, leading(text, outer));
    return buf_add(out, text + at, len - at);
}

static int replace(const char *text, size_t len, const struct jsonc_object *o, const struct layout *l,
                   const json_t *value, struct buf *out)
{
    size_t start = line_start(text, o->key);
    (void)buf_add(out, text, o->value);
    (void)add_value(out, value, l, text + start, leading(text, start));
    return buf_add(out, text + o->value_end, len - o->value_end);
}

static int write_new(const char *text, size_t len, const json_t *whole, struct buf *out)
{
    const struct layout l = {.newline = "\n", .unit = "  "};
    (void)buf_add(out, text, len);
    if (len && text[len - 1] != '\n')
        (void)buf_add_str(out, "\n");
    (void)add_value(out, whole, &l, "", 0);
    return buf_add_str(out, "\n");
}

static int edit(const struct agent *a, const struct launch *l, const char *text, size_t len, const char *bare,
                const char *plain, const json_t *entry, struct buf *out)
{
    size_t open = jsonc_skip_blank(plain, 0);
    auto_json *servers = json_object();
    if (!servers || json_object_set(servers, l->name, (json_t *)entry) < 0)
        return -ENOMEM;
    if (!plain[open]) {
        auto_json *whole = json_object();
        if (!whole || json_object_set(whole, a->servers, servers) < 0)
            return -ENOMEM;
        return write_new(text, len, whole, out);
    }
    struct jsonc_object root = jsonc_object(plain, open, a->servers);
    struct layout layout = layout_of(text, &root);
    if (!root.found)
        return insert(text, len, bare, &root, &layout, a->servers, servers, out);
    struct jsonc_object list = jsonc_object(plain, root.value, l->name);
    return list.found ? replace(text, len, &list, &layout, entry, out)
                      : insert(text, len, bare, &list, &layout, l->name, entry, out);
}

/* ---------------------------------------------------------------- all of it */

int setup_unmade(int error, struct fovea_fault *fault)
{
    return error == -EFBIG ? fault_set(fault, EFBIG, "with that it would be larger than %d MiB", (int)(LIMIT_SETUP_BYTES / MIB)) : fault_oom(fault);
}

static int broken(const struct agent *a, const json_error_t *e, struct fovea_fault *fault)
{
    if (json_error_code(e) == json_error_out_of_memory)
        return fault_oom(fault);
    return fault_set(fault, EINVAL, "line %d, column %d: no valid JSON%s: %s", e->line, e->column,
                     a->format == SETUP_JSONC ? " even without its comments" : "", e->text);
}

/* Old and entry, as values. NULL: out of memory. */
static json_t *with_entry(const struct agent *a, const struct launch *l, const json_t *old, json_t *entry)
{
    auto_json *want = json_deep_copy_whole(old);
    json_t *servers = json_object_get(want, a->servers);
    if (want && !servers && json_object_set_new(want, a->servers, json_object()) == 0)
        servers = json_object_get(want, a->servers);
    return servers && json_object_set(servers, l->name, entry) == 0 ? take(want) : NULL;
}

static int check(const struct agent *a, const struct buf *out, const json_t *want, struct fovea_fault *fault)
{
    auto_buf bare = BUF_INIT(LIMIT_SETUP_BYTES), plain = BUF_INIT(LIMIT_SETUP_BYTES);
    json_error_t error = {0};
    auto_json *now = out->error ? NULL : parse(a, out->data, out->len, &bare, &plain, &error);
    if (now && json_equal(now, want))
        return 0;
    if (out->error == -ENOMEM || bare.error == -ENOMEM || plain.error == -ENOMEM || json_error_code(&error) == json_error_out_of_memory)
        return fault_oom(fault);
    return fault_set(fault, EINVAL, "this layout cannot be changed safely");
}

int setup_json(const struct agent *a, const struct launch *l, const char *text, size_t len, struct buf *out,
               enum setup_state *ret, struct fovea_fault *fault)
{
    auto_buf bare = BUF_INIT(LIMIT_SETUP_BYTES), plain = BUF_INIT(LIMIT_SETUP_BYTES);
    json_error_t error = {.text = "it holds a NUL byte", .line = 1};
    if (memchr(text, 0, len))
        return broken(a, &error, fault);
    auto_json *old = parse(a, text, len, &bare, &plain, &error), *entry = make_entry(a, l);
    bool blank = plain.data && !plain.data[jsonc_skip_blank(plain.data, 0)];
    if (!entry || bare.error || plain.error)
        return fault_oom(fault);
    if (!old && len && !blank)
        return broken(a, &error, fault);
    if (!old)
        old = json_object();
    if (old && !json_is_object(old))
        return fault_set(fault, EINVAL, "line 1: not a JSON object");
    const json_t *servers = json_object_get(old, a->servers);
    if (servers && !json_is_object(servers))
        return fault_set(fault, EINVAL, "\"%s\" is not an object", a->servers);
    auto_json *want = with_entry(a, l, old, entry);
    if (!want)
        return fault_oom(fault);
    json_t *existing = json_object_get(json_object_get(old, a->servers), l->name);
    *ret = !existing ? SETUP_NEW : says_the_same(existing, entry) ? SETUP_SAME : SETUP_DIFFERS;
    if (*ret == SETUP_SAME)
        return 0;
    int r = edit(a, l, text, len, bare.data ? bare.data : "", plain.data ? plain.data : "", entry, out);
    return r < 0 ? setup_unmade(r, fault) : check(a, out, want, fault);
}
