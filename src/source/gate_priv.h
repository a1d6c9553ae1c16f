/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the gate: a path is located (which root, and what is left beneath it), then walked, then judged by the floor.
 * Paths in here are "plain": absolute, no ".", "..", doubled or trailing slashes; the root of the tree is "".
 * All that gate_open calls makes system calls only.
 */
#ifndef FOVEA_GATE_PRIV_H
#define FOVEA_GATE_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "source/gate.h"

struct gate_root {
    int fd;         /* pinned: a later rename of the folder changes nothing */
    char *spelled;  /* plain form of what was configured; NULL when that has ".." in it */
    char *path;     /* plain, free of links when it was pinned */
    dev_t dev;
    uint64_t mount; /* 0 when the kernel does not tell */
};

/* One thing on the floor that exists, or a path of our own that may come to exist. */
struct gate_denied {
    char *path; /* plain, free of links */
    dev_t dev;  /* dev and ino are 0, 0 when it does not exist */
    ino_t ino;
};

struct gate {
    char *cwd;   /* plain, free of links where it could be resolved */
    int home_fd; /* -1 none */
    size_t n_roots;
    struct gate_root root[LIMIT_ROOTS];
    size_t n_denied;
    struct gate_denied *denied;
    size_t n_extra; /* the first of denied: options.floor */
    struct readers *readers; /* owned */
};

/* Is it that file? Nothing else, of whatever type, has both numbers as long as it is held open. */
static inline bool gate_is(const struct stat *st, dev_t dev, ino_t ino)
{
    return !((st->st_dev ^ dev) | (st->st_ino ^ ino));
}

/* ---- gate_where.c: strings only, no file system */

/* The root that an absolute path leads into and what is left of the path; NULL: outside, whatever may be there. */
const struct gate_root *gate_locate(const struct gate *g, const char *path, const char **ret_rest);

/* The plain form of an absolute path (caller frees), -EINVAL when it has "..", -ENOMEM. */
int gate_plain(const char *path, char **ret);

/* path_beneath, with ASCII letters alike in both cases. Both plain. */
bool gate_beneath_nocase(const char *path, const char *folder);

/* Is a plain path beneath one of some canonical folders (NULL-terminated), or roots NULL? */
bool gate_within(const char *path, const char *const *roots);

/* Appends rest to the plain path[LIMIT_PATH_BYTES], "." and ".." taken off unseen; false when it is too long. */
bool gate_fold(char *path, const char *rest);

/* a + b + c into out[LIMIT_PATH_BYTES]; false when it is too long. The parts may not lie inside out. */
bool gate_join(char *out, const char *a, const char *b, const char *c);

/* ---- gate_walk.c */

struct walk_dir {
    int fd;
    size_t path_len; /* of the true path up to here */
    dev_t dev;
};

struct walk {
    const struct gate *g;
    const struct gate_root *root; /* owner of dir[0].fd */
    unsigned hops;
    size_t depth; /* dir[depth] is where we stand */
    struct walk_dir dir[LIMIT_WALK_DEPTH + 1];
    char todo[LIMIT_PATH_BYTES];
    char scratch[LIMIT_PATH_BYTES];
    /* What was found: */
    char path[LIMIT_PATH_BYTES]; /* true path: plain, free of links */
    const char *name;            /* last component of path, to be opened beneath dir[depth]; NULL for a folder */
    bool slash;                  /* a file was spelled as if it were a folder: "a.png/", "a.png/." */
    int fd;                      /* O_PATH, -1 for a folder (then it is dir[depth]) */
    struct stat st;
    int top; /* owned by walk_anywhere */
};

/* Errors that say nothing of whether something is there: means that ran out, ... */
bool gate_lacks_means(int error);
/* ... or those and a file system that fails. */
bool gate_is_trouble(int error);

/* Follows an absolute path, links and ".." included, never leaving the roots. 0, or -ENOENT for every failure but such trouble; then
 * path and todo are where it was met. To be ended by walk_done, also when it failed. */
int walk_to(struct walk *w, const struct gate *g, const char *path);
/* The same from the top of the tree, for our own set-up: nothing is outside. */
int walk_anywhere(struct walk *w, const char *path);
void walk_done(struct walk *w);

/* ---- gate_floor.c */

/* Finds the floor's folders beneath home and the roots, and options.floor. 0, -EINVAL when one of these is relative,
 * or what kept us from looking: then there is no floor to rely on. */
int floor_find(struct gate *g, const char *home, const char *const *extra);

/* Is a folder met on the way on the floor, by identity? */
bool floor_has_folder(const struct gate *g, const struct stat *st);

/* Does a mount (named by any descriptor in it) hold the kernel's own files? True also when that cannot be told. */
bool floor_has_mount(int fd);

/* The names and places of a true path, and the file behind it. fd may be O_PATH. */
bool floor_has_path(const struct gate *g, const char *path);
bool floor_has_file(const struct gate *g, int fd, const struct stat *st);

/* ---- gate_names.c */

struct floor_search {
    dev_t dev;
    ino_t ino;
    size_t left; /* entries that may still be looked at */
};

/* Is the file at path beneath base, or beneath that? The path may be a link: floors are often synchronised folders. */
bool floor_search(struct floor_search *s, int base, const char *path);

#endif
