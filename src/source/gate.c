/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate: see gate.h. A path spelled without detours is opened by openat2, which follows no link there; every other,
 * and all of them where the kernel or a container refuses openat2, by the walk. Both ways name the true path, which the
 * floor judges; then the file is opened for reading and must be the very file that was judged.
 */
#include "source/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "base/fault.h"
#include "source/gate_priv.h"
#include "source/reader.h"

#define READ_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

/* What an attempt may say besides a verdict or a negative errno. */
enum { TRY_WALK = GATE_NOT_REGULAR + 1, TRY_AGAIN };

static int open_beneath(int dir, const char *rest, int flags)
{
    struct open_how how = {
        .flags = (unsigned)flags,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    return (int)syscall(SYS_openat2, dir, rest, &how, sizeof how);
}

/* 0 when the kernel does not tell. */
static uint64_t mount_of(int fd)
{
    struct statx x = {0}; /* the kernel leaves 0 where it does not tell, too */
    (void)statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &x);
    return x.stx_mnt_id;
}

/* ASCII components only, none of them empty or dots: then the spelling is the true path if no link is on it. */
static bool is_direct(const char *rest)
{
    do {
        size_t n = strcspn(rest, "/");
        if (!n || (n < 3 && !strncmp(rest, "..", n)))
            return false;
        for (; n; n--, rest++)
            if (*rest & 0x80)
                return false;
    } while (*rest++);
    return true;
}

/* What is judged, before it is opened for reading. */
struct found {
    const char *const *roots;
    int dir, fd; /* fd is O_PATH */
    const char *name, *path; /* name is in dir */
    struct stat st;
};

/* Of what was judged by its path, so that it may be told. */
static int open_failed(void)
{
    return gate_is_trouble(errno) ? -errno : TRY_AGAIN;
}

static int open_found(const struct gate *g, const struct found *f, int *ret_fd, struct stat *ret_stat)
{
    struct stat st;
    if (!gate_within(f->path, f->roots) || floor_has_path(g, f->path))
        return GATE_ABSENT;
    if (fstat(f->dir, &st) < 0)
        return open_failed();
    if (floor_has_folder(g, &st))
        return GATE_ABSENT;
    if (!S_ISREG(f->st.st_mode))
        return GATE_NOT_REGULAR;
    if (floor_has_file(g, f->fd, &f->st))
        return GATE_ABSENT;
    auto_close int fd = openat(f->dir, f->name, READ_FLAGS | O_NOFOLLOW);
    if (fd < 0 || fstat(fd, &st) < 0)
        return open_failed();
    if (!gate_is(&st, f->st.st_dev, f->st.st_ino))
        return TRY_AGAIN;
    *ret_stat = st;
    *ret_fd = take_fd(&fd);
    return GATE_OPEN;
}

/* Opens the folder first and then the file in it, to judge both. */
static int try_direct(const struct gate *g, const char *const *roots, const char *path, int *ret_fd,
                      struct stat *ret_stat)
{
    char true_path[LIMIT_PATH_BYTES], folder[LIMIT_PATH_BYTES];
    const char *rest;
    const struct gate_root *r = gate_locate(g, path, &rest);
    if (!r)
        return GATE_ABSENT;
    if (!is_direct(rest) || !gate_join(true_path, r->path, "/", rest))
        return TRY_WALK;
    (void)gate_join(folder, rest, "", ""); /* shorter */
    char *slash = strrchr(folder, '/');
    auto_close int parent = -1;
    if (slash) {
        *slash = '\0';
        parent = open_beneath(r->fd, folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (parent < 0)
            return errno == ENOENT ? GATE_ABSENT : TRY_WALK;
    }
    struct found f = {
        .roots = roots, .dir = slash ? parent : r->fd, .name = slash ? slash + 1 : folder, .path = true_path};
    auto_close int fd = open_beneath(f.dir, f.name, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? GATE_ABSENT : TRY_WALK;
    f.fd = fd;
    /* Through another mount the same folder has another path: only the walk sees its identity. */
    if (!r->mount || mount_of(fd) != r->mount || fstat(fd, &f.st) < 0)
        return TRY_WALK;
    return open_found(g, &f, ret_fd, ret_stat);
}

/* Where a walk ended early: may it be told that something is amiss there? Not of what would be closed by its name. */
static bool is_closed(const struct gate *g, const char *const *roots, struct walk *w)
{
    return !gate_fold(w->path, w->todo) || !gate_within(w->path, roots) || floor_has_path(g, w->path);
}

static int try_walk(const struct gate *g, const char *const *roots, const char *path, int *ret_fd,
                    struct stat *ret_stat)
{
    cleanup(walk_done) struct walk w;
    int found = walk_to(&w, g, path);
    if (found < 0)
        return found == -ENOENT || is_closed(g, roots, &w) ? (int)GATE_ABSENT : found;
    struct found f = {
        .roots = roots, .dir = w.dir[w.depth].fd, .fd = w.fd, .name = w.name, .path = w.path, .st = w.st};
    if (!w.name || w.slash)
        return floor_has_path(g, w.path) || !gate_within(w.path, roots) ? GATE_ABSENT : GATE_NOT_REGULAR;
    return open_found(g, &f, ret_fd, ret_stat);
}

int gate_open(const struct gate *g, const char *const *roots, const char *path, int *ret_fd, struct stat *ret_stat)
{
    char absolute[LIMIT_PATH_BYTES];
    if (!*path || !gate_join(absolute, *path == '/' ? "" : g->cwd, *path == '/' ? "" : "/", path))
        return GATE_ABSENT;
    for (unsigned tries = 0; tries < LIMIT_OPEN_RETRIES; tries++) {
        int r = try_direct(g, roots, absolute, ret_fd, ret_stat);
        if (r == TRY_WALK)
            r = try_walk(g, roots, absolute, ret_fd, ret_stat);
        if (r != TRY_AGAIN)
            return r;
    }
    return GATE_ABSENT;
}

/* ---------------------------------------------------------------- set-up */

static const char *or_empty(const char *s)
{
    return s ? s : "";
}

static bool has_root(const struct gate *g, const struct gate_root *r)
{
    for (size_t i = 0; i < g->n_roots; i++)
        if (!strcmp(g->root[i].path, r->path) && !strcmp(or_empty(g->root[i].spelled), or_empty(r->spelled)))
            return true;
    return false;
}

static void root_done(struct gate_root *r)
{
    close_fd(r->fd);
    free(r->spelled);
    free(r->path);
}

/* called: what faults call the reach. */
static int add_root(struct gate *g, const char *called, const char *folder, const char *where, struct fovea_fault *fault)
{
    if (*folder != '/')
        return fault_set(fault, EINVAL, "%s \"%.150s\" is relative: write it from / on", called, folder);
    if (g->n_roots == LIMIT_ROOTS)
        return fault_set(fault, EINVAL, "%s has more than %d folders", called, LIMIT_ROOTS);
    cleanup(walk_done) struct walk w;
    int found = walk_anywhere(&w, folder);
    if (found < 0 && found != -ENOENT)
        return fault_set(fault, found, "cannot look at %s \"%.150s\": %s", called, folder, strerrordesc_np(-found));
    if (found < 0 || w.name)
        return fault_set(fault, EINVAL, "%s \"%.150s\" is no folder that can be read", called, folder);
    if (where && strcmp(where, *w.path ? w.path : "/") != 0)
        return fault_set(fault, EINVAL, "%s \"%.150s\" was moved while it was looked at", called, folder);
    cleanup(root_done) struct gate_root r = {.fd = -1, .dev = w.st.st_dev};
    r.path = strdup(w.path);
    if (!r.path || gate_plain(folder, &r.spelled) == -ENOMEM)
        return fault_oom(fault);
    r.fd = fcntl(w.dir[w.depth].fd, F_DUPFD_CLOEXEC, 0);
    if (r.fd < 0)
        return fault_set(fault, errno, "cannot hold %s \"%.150s\" open: %m", called, folder);
    r.mount = mount_of(r.fd);
    if (!has_root(g, &r)) {
        g->root[g->n_roots++] = r;
        r = (struct gate_root){.fd = -1};
    }
    return 0;
}

static int set_cwd(struct gate *g, const char *cwd, struct fovea_fault *fault)
{
    if (*cwd != '/')
        return fault_set(fault, EINVAL, "cwd \"%.150s\" is relative: write it from / on", cwd);
    cleanup(walk_done) struct walk w;
    int found = walk_anywhere(&w, cwd);
    int r = found < 0 ? gate_plain(cwd, &g->cwd) : (g->cwd = strdup(w.path)) ? 0 : -ENOMEM;
    if (r == -ENOMEM)
        return fault_oom(fault);
    return r < 0 ? fault_set(fault, EINVAL, "cwd \"%.150s\" is no folder", cwd) : 0;
}

static int set_up(struct gate *g, const struct gate_options *options, struct fovea_fault *fault)
{
    int r = set_cwd(g, options->cwd, fault);
    for (size_t i = 0; r >= 0 && options->reach && options->reach[i]; i++)
        r = add_root(g, options->called ? options->called : "fs_reach", options->reach[i],
                     options->where ? options->where[i] : NULL, fault);
    if (r < 0)
        return r;
    if (options->home && *options->home == '/')
        g->home_fd = open(options->home, O_PATH | O_DIRECTORY | O_CLOEXEC);
    r = floor_find(g, g->home_fd >= 0 ? options->home : NULL, options->floor);
    if (r == -ENOMEM)
        return fault_oom(fault);
    if (r == -EINVAL)
        return fault_set(fault, EINVAL, "a path of the deny floor is relative: write it from / on");
    return r < 0 ? fault_set(fault, r, "cannot find the paths of the deny floor: %s", strerrordesc_np(-r)) : 0;
}

int gate_new(const struct gate_options *options, struct gate **ret, struct fovea_fault *fault)
{
    struct gate *g = calloc(1, sizeof *g);
    if (!g)
        return fault_oom(fault);
    g->home_fd = -1;
    g->readers = readers_new();
    int r = g->readers ? set_up(g, options, fault) : fault_oom(fault);
    if (r < 0)
        gate_free(g);
    else
        *ret = g;
    return r;
}

void gate_free(struct gate *g)
{
    if (!g)
        return;
    readers_free(g->readers);
    for (size_t i = 0; i < g->n_roots; i++)
        root_done(&g->root[i]);
    for (size_t i = 0; i < g->n_denied; i++)
        free(g->denied[i].path);
    free(g->denied);
    free(g->cwd);
    close_fd(g->home_fd);
    free(g);
}
