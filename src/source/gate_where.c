/* SPDX-License-Identifier: Apache-2.0 */
/* Where an absolute path leads, judged on its spelling alone: what is outside must be refused without touching the
 * file system, or the time it takes would tell whether something is there. */
#include "source/gate_priv.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/path.h"

struct component {
    const char *at;
    size_t len;
};

/* The next component of path, and path moved behind it; len 0 at the end. */
static struct component next_component(const char **path)
{
    while (**path == '/')
        (*path)++;
    struct component c = {*path, strcspn(*path, "/")};
    *path += c.len;
    return c;
}

static bool is_dots(struct component c, size_t n)
{
    return c.len == n && !memcmp(c.at, "..", n);
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool gate_beneath_nocase(const char *path, const char *folder)
{
    while (*folder && lower(*path) == lower(*folder))
        path++, folder++;
    return !*folder && (*path == '/' || *path == '\0');
}

bool gate_within(const char *path, const char *const *roots)
{
    for (; roots && *roots; roots++)
        if (path_beneath(path, *roots))
            return true;
    return !roots;
}

bool gate_join(char *out, const char *a, const char *b, const char *c)
{
    size_t n[3] = {strlen(a), strlen(b), strlen(c)};
    if (n[0] + n[1] + n[2] >= LIMIT_PATH_BYTES)
        return false;
    memmove(out, a, n[0]);
    memmove(out + n[0], b, n[1]);
    memmove(out + n[0] + n[1], c, n[2] + 1);
    return true;
}

int gate_plain(const char *path, char **ret)
{
    auto_free char *out = malloc(strlen(path) + 1);
    if (!out)
        return -ENOMEM;
    size_t n = 0;
    for (struct component c; (c = next_component(&path)).len;) {
        if (is_dots(c, 2))
            return -EINVAL;
        if (is_dots(c, 1))
            continue;
        out[n++] = '/';
        memcpy(out + n, c.at, c.len);
        n += c.len;
    }
    out[n] = '\0';
    *ret = take(out);
    return 0;
}

bool gate_fold(char *path, const char *rest)
{
    size_t n = strlen(path);
    for (struct component c; (c = next_component(&rest)).len;) {
        if (is_dots(c, 1))
            continue;
        if (is_dots(c, 2)) {
            while (n && path[--n] != '/')
                ;
        } else {
            if (n + 1 + c.len >= LIMIT_PATH_BYTES)
                return false;
            path[n++] = '/';
            memcpy(path + n, c.at, c.len);
            n += c.len;
        }
        path[n] = '\0';
    }
    return true;
}

static const struct gate_root *root_named(const struct gate *g, const char *prefix)
{
    for (size_t i = 0; i < g->n_roots; i++) {
        const struct gate_root *r = &g->root[i];
        if (!strcmp(prefix, r->path) || (r->spelled && !strcmp(prefix, r->spelled)))
            return r;
    }
    return NULL;
}

/* Folders above a root or the cwd are known to be no links, so ".." may be taken off there without looking. */
static bool is_known(const struct gate *g, const char *prefix)
{
    if (path_beneath(g->cwd, prefix))
        return true;
    for (size_t i = 0; i < g->n_roots; i++)
        if (path_beneath(g->root[i].path, prefix))
            return true;
    return false;
}

const struct gate_root *gate_locate(const struct gate *g, const char *path, const char **ret_rest)
{
    char prefix[LIMIT_PATH_BYTES] = "";
    size_t n = 0;
    for (;;) {
        const struct gate_root *r = root_named(g, prefix);
        if (r) {
            *ret_rest = path + strspn(path, "/");
            return r;
        }
        struct component c = next_component(&path);
        if (!c.len)
            return NULL;
        if (is_dots(c, 1))
            continue;
        if (is_dots(c, 2)) {
            if (!is_known(g, prefix))
                return NULL;
            while (n && prefix[--n] != '/')
                ;
        } else {
            if (n + 1 + c.len >= sizeof prefix) /* never: no caller has a longer path, and one from the top stops at once */
                return NULL;
            prefix[n++] = '/';
            memcpy(prefix + n, c.at, c.len);
            n += c.len;
        }
        prefix[n] = '\0';
    }
}
