/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read before edit: whether a file still holds what this session has last read of it. The path is found and the file hashed as
 * `read` does both, so that the two can be compared. Whatever cannot be read now was not read either. A file that was read under
 * another name (a link, a way with ".." in it) is known by being the same file when that name is opened now.
 */
#include <errno.h>
#include <string.h>

#include "api/recorded.h"
#include "api/session.h"
#include "base/fault.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "percept/json.h"

struct now {
    char *path; /* NULL: it is not there, not in reach, or no text */
    char sha256[SHA256_HEX_LEN + 1];
    uint64_t dev, ino;
};

enum { MOST_NAMES = 8 }; /* of one file, that are tried */

static int look_now(const struct call *c, const struct ref_variants *variants, struct now *ret, struct fovea_fault *fault)
{
    struct snapshot_lines lines = {.window = {.fd = -1}};
    enum snapshot_verdict verdict;
    int r = snapshot_take_lines(c->f->gate, variants, &c->scope, 1, 1, &verdict, &lines, fault);
    if (r == 0 && verdict == SNAPSHOT_TAKEN && !lines.bad_at) {
        sha256_hex(lines.sha256, ret->sha256);
        ret->dev = lines.window.dev;
        ret->ino = lines.window.ino;
        ret->path = absolute_new(variants->path[lines.window.variant]);
        r = ret->path ? 0 : fault_oom(fault);
    }
    snapshot_lines_done(&lines);
    return r;
}

static int find_now(const struct call *c, const char *path, struct now *ret, struct fovea_fault *fault)
{
    struct ref_variants variants = {0};
    int r = ref_is_url(path) ? -EINVAL : call_spellings(c, path, &variants);
    if (r == 0)
        r = look_now(c, &variants, ret, fault);
    else if (r == -ENOMEM)
        r = fault_oom(fault);
    else
        r = 0;
    ref_variants_done(&variants);
    return r;
}

/* Whether what was last read under a name is what the file holds now: 1, 0, or -ENOENT when none was. */
static int read_last(const struct session_place *at, const char *path, const struct now *now, struct fovea_fault *fault)
{
    auto_json *entry = NULL;
    auto_buf mark = BUF_INIT(LIMIT_MARK_BYTES);
    int bad = buf_add_format(&mark, "read:%s", path);
    if (bad < 0)
        return bad == -ENOMEM ? fault_oom(fault) : -ENOENT;
    int r = recorded_entry(at->record, at->name, mark.data, &entry, fault);
    const char *read = json_string_value(json_object_get(json_object_get(entry, "result"), "sha256"));
    return r < 0 ? r : !read ? -ENOENT : !strcmp(read, now->sha256);
}

/* ---------------------------------------------------------------- under another name */

struct names {
    const struct now *now;
    char *list[MOST_NAMES];
    size_t n;
};

static void names_done(struct names *s)
{
    while (s->n)
        free(s->list[--s->n]);
}

/* A name under which the same text was read. */
static int take_name(const struct record_entry *e, void *arg)
{
    struct names *to = arg;
    if (!memmem(e->body, e->len, to->now->sha256, SHA256_HEX_LEN))
        return 0;
    auto_json *entry = json_read(e->body, e->len, JSON_ALLOW_NUL, NULL);
    if (!entry && errno == ENOMEM)
        return -ENOMEM;
    const json_t *result = json_object_get(entry, "result");
    const char *path = json_string_value(json_object_get(result, "path")), *kind = json_string_value(json_object_get(result, "kind"));
    if (!path || !kind || strcmp(kind, "text") != 0)
        return 0;
    for (size_t i = 0; i < to->n; i++)
        if (!strcmp(to->list[i], path))
            return 0;
    if (!(to->list[to->n] = strdup(path)))
        return -ENOMEM;
    return ++to->n == MOST_NAMES;
}

static int read_as(const struct call *c, const struct session_place *at, const char *path, const struct now *now,
                   struct fovea_fault *fault)
{
    struct now other = {0};
    int r = read_last(at, path, now, fault);
    if (r != 1)
        return r == -ENOENT ? 0 : r;
    r = find_now(c, path, &other, fault);
    bool same = r == 0 && other.path && other.dev == now->dev && other.ino == now->ino;
    free(other.path);
    return r < 0 ? r : same;
}

static int read_otherwise(const struct call *c, const struct session_place *at, const struct now *now, struct fovea_fault *fault)
{
    cleanup(names_done) struct names names = {.now = now};
    struct record_point from = {0};
    int r = record_read(at->record, at->name, &from, take_name, &names, fault);
    if (r < 0)
        return r == -ENOENT ? 0 : r == -ENOMEM ? fault_oom(fault) : r;
    for (size_t i = 0; r == 0 && i < names.n; i++)
        r = read_as(c, at, names.list[i], now, fault);
    return r;
}

int fovea_session_fresh(fovea_session *s, const char *path, struct fovea_fault *fault)
{
    struct session_place at;
    struct now now = {0};
    auto_call c = {0};
    int r = session_place(s, &at, fault);
    if (r == 0)
        r = call_init(&c, at.f, s, NULL, fault);
    if (r == 0)
        r = find_now(&c, path, &now, fault);
    auto_free char *found = now.path;
    if (r < 0 || !found)
        return r;
    r = read_last(&at, found, &now, fault);
    return r == -ENOENT ? read_otherwise(&c, &at, &now, fault) : r;
}
