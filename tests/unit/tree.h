/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of files in a temporary folder, built from words: see tests/cases/path.tsv for the words. */
#ifndef FOVEA_TREE_H
#define FOVEA_TREE_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"

#define TREE_SECRET "secret: must never be read"
#define TREE_INSIDE "inside"

struct tree {
    char top[64]; /* with a slash at its end */
};

static inline int tree_remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st, (void)flag, (void)ftw;
    return remove(path);
}

/* A folder with all in it; what is mounted there stays. */
static inline void tree_remove(const char *folder)
{
    (void)nftw(folder, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static inline void tree_done(struct tree *t)
{
    tree_remove(t->top);
}

/* \n \xHH \uHHHH \\, {N*text} (innermost first) and @; the caller frees. */
static inline void tree_add_escape(struct buf *out, const char **s)
{
    char digits[5] = {0};
    size_t n = **s == 'x' ? 2 : **s == 'u' ? 4 : 0;
    if (!n) {
        (void)buf_add(out, **s == 'n' ? "\n" : *s, 1);
        return;
    }
    memcpy(digits, *s + 1, n);
    unsigned long v = strtoul(digits, NULL, 16);
    if (n == 2)
        (void)buf_add(out, &(char){(char)v}, 1);
    else
        (void)buf_add_char(out, (uint32_t)v);
    *s += n;
}

static inline void tree_expand(const struct tree *t, struct buf *out, const char *s, const char *end)
{
    for (; s < end; s++) {
        if (*s == '@') {
            (void)buf_add_str(out, t->top);
        } else if (*s == '\\') {
            s++;
            tree_add_escape(out, &s);
        } else if (*s == '{') {
            char *text;
            unsigned long times = strtoul(s + 1, &text, 10);
            const char *close = ++text;
            for (int depth = 1; (depth += *close == '{', depth -= *close == '}'); close++)
                ;
            while (times--)
                tree_expand(t, out, text, close);
            s = close;
        } else {
            (void)buf_add(out, s, 1);
        }
    }
}

static inline char *tree_text(const struct tree *t, const char *s)
{
    struct buf b = BUF_INIT(1 * MIB);
    tree_expand(t, &b, s, s + strlen(s));
    return buf_take(&b);
}

static inline char *tree_path(const struct tree *t, const char *name, size_t len)
{
    struct buf b = BUF_INIT(64 * KIB);
    if (*name != '@')
        (void)buf_add_str(&b, t->top);
    tree_expand(t, &b, name, name + len);
    return buf_take(&b);
}

static inline void tree_folders(const struct tree *t, char *path)
{
    for (char *p = path + strlen(t->top); (p = strchr(p, '/')); p++) {
        *p = '\0';
        (void)mkdir(path, 0755);
        *p = '/';
    }
}

static inline int tree_file(const char *path, const char *text)
{
    auto_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -errno;
}

static inline int tree_socket(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
    return bind(fd, (struct sockaddr *)&a, sizeof a) < 0 ? -errno : 0;
}

static inline int tree_node(const char *path, const char *kind)
{
    char *end;
    unsigned major = (unsigned)strtoul(kind + 1, &end, 10), minor = (unsigned)strtoul(end + 1, NULL, 10);
    return mknod(path, (*kind == 'c' ? S_IFCHR : S_IFBLK) | 0644, makedev(major, minor)) < 0 ? -errno : 0;
}

/* One word. -EPERM: this needs root. */
static inline int tree_make(const struct tree *t, const char *word)
{
    size_t len = strlen(word), n = strcspn(word, ">=|%#^");
    n -= word[n] == '>' ? 1 : 0; /* "->" */
    auto_free char *path = tree_path(t, word, n);
    tree_folders(t, path);
    int r = 0;
    switch (word[n]) {
    case '\0': {
        bool secret = strncmp(word, "R/", 2) && strstr(word, "secret");
        return word[len - 1] == '/' ? 0 : tree_file(path, secret ? TREE_SECRET : TREE_INSIDE);
    }
    case '-': {
        auto_free char *target = tree_text(t, word + n + 2);
        r = symlink(target, path);
        break;
    }
    case '=': {
        auto_free char *other = tree_path(t, word + n + 2, len - n - 2);
        r = link(other, path);
        break;
    }
    case '|':
        r = mkfifo(path, 0644);
        break;
    case '%':
        return tree_socket(path);
    case '#':
        return tree_node(path, word + n + 1);
    case '^':
        r = chown(path, (uid_t)strtoul(word + n + 1, NULL, 10), (gid_t)-1);
        break;
    }
    return r < 0 ? -errno : 0;
}

/* All words of setup. The folders R, R2 and O are always there. */
static inline int tree_init(struct tree *t, const char *setup)
{
    (void)snprintf(t->top, sizeof t->top, "/tmp/fovea-tree-XXXXXX");
    if (!mkdtemp(t->top))
        return -errno;
    t->top[strlen(t->top) + 1] = '\0';
    t->top[strlen(t->top)] = '/';
    auto_free char *words = NULL;
    if (asprintf(&words, "R/ R2/ O/ %s", strcmp(setup, "-") ? setup : "") < 0)
        return -ENOMEM;
    int r = 0;
    for (char *save = NULL, *w = strtok_r(words, " ", &save); w && !r; w = strtok_r(NULL, " ", &save))
        r = tree_make(t, w);
    return r;
}

#endif
