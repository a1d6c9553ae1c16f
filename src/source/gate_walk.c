/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk: a path followed one component at a time with O_PATH|O_NOFOLLOW, so that every folder and link on the way
 * is seen and judged, and the true path is known at the end. ".." goes back to the descriptor we came from, never to
 * where the folder may have been moved meanwhile. A link that leads out of its root is judged anew as an absolute
 * path.
 */
#include "source/gate_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#include "base/cleanup.h"

enum { MEANS = 3 }; /* the first of the table */
static const int troubles[] = {EMFILE, ENFILE, ENOMEM, EIO, EUCLEAN, EBADMSG, ENOTCONN, ESTALE, EREMOTEIO, ETIMEDOUT};

static bool is_among(int error, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (error == troubles[i])
            return true;
    return false;
}

bool gate_lacks_means(int error)
{
    return is_among(error, MEANS);
}

bool gate_is_trouble(int error)
{
    return is_among(error, COUNT(troubles));
}

/* What errno means to who walks. */
static int trouble(void)
{
    return gate_is_trouble(errno) ? -errno : -ENOENT;
}

static void drop_to(struct walk *w, size_t depth)
{
    for (; w->depth > depth; w->depth--)
        close_fd(w->dir[w->depth].fd);
    w->path[w->dir[depth].path_len] = '\0';
}

/* Starts, or starts again, at the root that an absolute path leads into. Counted, as every link is. */
static int enter(struct walk *w, const char *path)
{
    const char *rest;
    const struct gate_root *r = gate_locate(w->g, path, &rest);
    if (!r || w->hops++ > LIMIT_LINK_HOPS)
        return -ENOENT;
    drop_to(w, 0);
    w->root = r;
    w->dir[0] = (struct walk_dir){r->fd, strlen(r->path), r->dev};
    if (!gate_join(w->path, r->path, "", "") || !gate_join(w->todo, rest, "", "")) /* never: the first, which a walk once made */
        return -ENOENT;
    return 0;
}

static int go_up(struct walk *w)
{
    if (w->depth) {
        drop_to(w, w->depth - 1);
        return 0;
    }
    char *end = strrchr(w->path, '/');
    if (end)
        *end = '\0';
    if (!gate_join(w->scratch, w->path, "/", w->todo))
        return -ENOENT;
    return enter(w, w->scratch);
}

static int go_down(struct walk *w, int *fd)
{
    const struct walk_dir *here = &w->dir[w->depth];
    if (floor_has_folder(w->g, &w->st) || (w->st.st_dev != here->dev && floor_has_mount(*fd)))
        return -ENOENT;
    if (w->depth == LIMIT_WALK_DEPTH)
        return -ENOENT;
    w->dir[++w->depth] = (struct walk_dir){take_fd(fd), strlen(w->path), w->st.st_dev};
    return 0;
}

static int follow(struct walk *w, int link)
{
    char target[LIMIT_PATH_BYTES];
    ssize_t n = readlinkat(link, "", target, sizeof target);
    if ((size_t)n - 1 >= sizeof target - 1) /* an error, nothing, or maybe not all */
        return n < 0 ? trouble() : -ENOENT; /* never: no link is empty, or longer than any path */
    target[n] = '\0';
    w->path[w->dir[w->depth].path_len] = '\0';
    if (!gate_join(w->scratch, target, w->todo, ""))
        return -ENOENT;
    if (*target == '/')
        return enter(w, w->scratch);
    if (w->hops++ > LIMIT_LINK_HOPS)
        return -ENOENT;
    (void)gate_join(w->todo, w->scratch, "", ""); /* as long as it is */
    return 0;
}

/* Neither folder nor link: nothing may follow but what says "this is a folder", which is then remembered. */
static int arrive(struct walk *w, int *fd)
{
    if (w->todo[strspn(w->todo, "/.")] || strstr(w->todo, ".."))
        return -ENOENT;
    w->slash = *w->todo;
    w->name = strrchr(w->path, '/') + 1;
    w->fd = take_fd(fd);
    return 0;
}

/* Takes the next component off todo into name; 0 at the end. */
static size_t take_component(struct walk *w, char name[NAME_MAX + 2])
{
    const char *at = w->todo + strspn(w->todo, "/");
    size_t n = strcspn(at, "/"), kept = MIN(n, (size_t)NAME_MAX + 1);
    memcpy(name, at, kept);
    name[kept] = '\0';
    memmove(w->todo, at + n, strlen(at + n) + 1);
    return n;
}

static int step(struct walk *w, const char *name, size_t len)
{
    if (!strcmp(name, "."))
        return 0;
    if (!strcmp(name, ".."))
        return go_up(w);
    size_t at = w->dir[w->depth].path_len;
    if (len > NAME_MAX || at + 1 + len >= sizeof w->path)
        return -ENOENT;
    w->path[at] = '/';
    memcpy(w->path + at + 1, name, len + 1);
    auto_close int fd = openat(w->dir[w->depth].fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &w->st) < 0)
        return trouble();
    if (S_ISLNK(w->st.st_mode))
        return follow(w, fd);
    return S_ISDIR(w->st.st_mode) ? go_down(w, &fd) : arrive(w, &fd);
}

int walk_to(struct walk *w, const struct gate *g, const char *path)
{
    w->g = g;
    w->root = NULL;
    w->hops = 0;
    w->depth = 0;
    w->dir[0] = (struct walk_dir){-1, 0, 0};
    w->name = NULL;
    w->slash = false;
    w->fd = -1;
    w->top = -1;
    int r = enter(w, path);
    for (size_t steps = 0; !r && !w->name && steps < LIMIT_WALK_STEPS; steps++) {
        char name[NAME_MAX + 2];
        size_t len = take_component(w, name);
        if (!len)
            return fstat(w->dir[w->depth].fd, &w->st) < 0 ? trouble() : 0;
        r = step(w, name, len);
    }
    return r || w->name ? r : -ENOENT;
}

void walk_done(struct walk *w)
{
    drop_to(w, 0);
    close_fd(w->fd);
    close_fd(w->top);
    w->fd = w->top = -1;
}

int walk_anywhere(struct walk *w, const char *path)
{
    struct gate all = {.cwd = (char *)"", .home_fd = -1, .n_roots = 1, .root = {{.path = (char *)""}}};
    all.root[0].fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int error = all.root[0].fd < 0 ? errno : 0;
    int r = walk_to(w, &all, path);
    w->top = all.root[0].fd;
    return error ? -error : r;
}
