/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is replaced: nobody may read the new one who could not read the old one, and no other file is lost. */
#include "cmd/replace.c"

#include <dirent.h>
#include <grp.h>
#include <sys/wait.h>

#include "test.h"
#include "tree.h"

enum { OTHER_GROUP = 12345, OTHER_USER = 23456 };

/* u::rw- u:23456:r-- g::r-- m::r-- o::--- as the kernel keeps it */
static const uint8_t acl[] = {2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2,    0, 4, 0, 0xa0, 0x5b, 0,   0,   4,   0,
                              4, 0, 255, 255, 255, 255, 16, 0, 4, 0, 255, 255, 255, 255, 32, 0, 0, 0, 255, 255, 255, 255};

static struct stat stat_of(const char *path)
{
    struct stat st = {0};
    CHECK_MSG(lstat(path, &st) == 0, "%s", path);
    return st;
}

static int replace(const char *path)
{
    struct stat before = stat_of(path);
    return replace_file(path, "new", 3, &before, 0666, true);
}

static void tree_done_p(struct tree *t)
{
    tree_done(t);
}

TEST(group_and_mode_are_kept)
{
    cleanup(tree_done_p) struct tree t;
    CHECK(!tree_init(&t, "R/a"));
    auto_free char *path = tree_text(&t, "@R/a");
    if (chown(path, OTHER_USER, OTHER_GROUP) < 0)
        SKIP("needs root");
    CHECK(chmod(path, 0660) == 0 && replace(path) == 0);
    struct stat st = stat_of(path);
    CHECK(st.st_uid == OTHER_USER && st.st_gid == OTHER_GROUP && (st.st_mode & 07777) == 0660 && st.st_size == 3);
    CHECK(chown(path, 0, OTHER_GROUP) == 0 && replace(path) == 0);
    CHECK(stat_of(path).st_gid == OTHER_GROUP && stat_of(path).st_uid == 0);
}

/* As somebody who may not give files away. */
TEST(what_cannot_keep_its_group_becomes_private)
{
    cleanup(tree_done_p) struct tree t;
    CHECK(!tree_init(&t, "R/a R/b"));
    auto_free char *path = tree_text(&t, "@R/a"), *listed = tree_text(&t, "@R/b"), *folder = tree_text(&t, "@R");
    if (chown(path, OTHER_USER, OTHER_GROUP) < 0)
        SKIP("needs root");
    CHECK(chmod(path, 0664) == 0 && chown(folder, OTHER_USER, OTHER_USER) == 0 && chmod(t.top, 0755) == 0);
    bool lists = setxattr(listed, acl_name, acl, sizeof acl, 0) == 0;
    CHECK(chown(listed, OTHER_USER, OTHER_GROUP) == 0);
    pid_t child = fork();
    if (!child) {
        bool good = setgroups(0, NULL) == 0 && setgid(OTHER_USER) == 0 && setuid(OTHER_USER) == 0 && replace(path) == 0;
        _exit(good && (!lists || replace(listed) == -EPERM) ? 0 : 1);
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    struct stat st = stat_of(path);
    CHECK_MSG(st.st_gid == OTHER_USER && (st.st_mode & 07777) == 0600, "%o", st.st_mode);
    CHECK(stat_of(listed).st_gid == OTHER_GROUP && stat_of(listed).st_size == (off_t)strlen(TREE_INSIDE));
}

TEST(acl_is_kept_and_none_is_picked_up_from_the_folder)
{
    cleanup(tree_done_p) struct tree t;
    uint8_t got[128];
    CHECK(!tree_init(&t, "R/a R/b"));
    auto_free char *a = tree_text(&t, "@R/a"), *b = tree_text(&t, "@R/b"), *folder = tree_text(&t, "@R");
    if (setxattr(a, acl_name, acl, sizeof acl, 0) < 0 || setxattr(folder, "system.posix_acl_default", acl, sizeof acl, 0) < 0)
        SKIP("no ACLs here");
    CHECK(replace(a) == 0 && getxattr(a, acl_name, got, sizeof got) == sizeof acl && !memcmp(got, acl, sizeof acl));
    CHECK(chmod(b, 0644) == 0 && replace(b) == 0 && (stat_of(b).st_mode & 07777) == 0644);
    CHECK(getxattr(b, acl_name, got, sizeof got) < 0 && errno == ENODATA);
}

TEST(new_file_takes_nobodys_place_and_follows_the_umask)
{
    cleanup(tree_done_p) struct tree t;
    CHECK(!tree_init(&t, "R/a"));
    auto_free char *a = tree_text(&t, "@R/a"), *b = tree_text(&t, "@R/b");
    mode_t mask = umask(027);
    CHECK(replace_file(a, "new", 3, NULL, 0666, false) == -EEXIST);
    CHECK(stat_of(a).st_size == (off_t)strlen(TREE_INSIDE));
    CHECK(replace_file(b, "new", 3, NULL, 0666, true) == 0 && (stat_of(b).st_mode & 07777) == 0640);
    CHECK(umask(mask) == 027);
}

/* ---------------------------------------------------------------- calls that fail */

static struct failing {
    const char *name;
    int error; /* 0: it is left out, and says that all went well */
    int from;  /* the first of its calls that fails, from 1 */
} failing[2];

static bool fails(const char *name)
{
    for (size_t i = 0; i < COUNT(failing); i++)
        if (failing[i].name && !strcmp(failing[i].name, name) && --failing[i].from <= 0) {
            errno = failing[i].error;
            return true;
        }
    return false;
}

#define STAND_IN(type, name, params, ...)                            \
    type __real_##name params;                                       \
    type __wrap_##name params;                                       \
    type __wrap_##name params                                        \
    {                                                                \
        return !fails(#name) ? __real_##name(__VA_ARGS__) : errno ? (type)-1 : (type)1; \
    }
STAND_IN(ssize_t, getrandom, (void *to, size_t len, unsigned flags), to, len, flags)
STAND_IN(int, fstat, (int fd, struct stat *st), fd, st)
STAND_IN(int, fchown, (int fd, uid_t u, gid_t g), fd, u, g)
STAND_IN(ssize_t, lgetxattr, (const char *path, const char *name, void *to, size_t room), path, name, to, room)
STAND_IN(int, fremovexattr, (int fd, const char *name), fd, name)
STAND_IN(int, fsetxattr, (int fd, const char *name, const void *from, size_t len, int flags), fd, name, from, len, flags)
STAND_IN(int, fchmod, (int fd, mode_t mode), fd, mode)
STAND_IN(int, renameat2, (int a, const char *from, int b, const char *to, unsigned flags), a, from, b, to, flags)
STAND_IN(int, link, (const char *from, const char *to), from, to)
STAND_IN(int, rename, (const char *from, const char *to), from, to)
STAND_IN(int, fsync, (int fd), fd)
STAND_IN(int, open, (const char *path, int flags, mode_t mode), path, flags, mode)

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    int r = __real_close(fd);
    return fails("close") ? -1 : r;
}

static size_t files_in(const char *folder)
{
    size_t n = 0;
    DIR *d = opendir(folder);
    while (d && readdir(d))
        n++;
    if (d)
        (void)closedir(d);
    return n;
}

static const struct {
    struct failing first, second;
    bool fresh;  /* there is no file yet */
    bool others; /* the file belongs to somebody else */
    int code;
} calls[] = {
    {{"getrandom", EIO, 1}, {0}, false, false, -EIO},
    {{"open", EEXIST, 1}, {0}, false, false, -EEXIST},
    {{"open", EROFS, 1}, {0}, false, false, -EROFS},
    {{"fstat", EIO, 1}, {0}, false, false, -EIO},
    {{"fchown", EIO, 1}, {0}, false, true, -EIO},
    {{"fchown", EPERM, 1}, {0}, false, true, 0},
    {{"fchown", EINVAL, 1}, {0}, false, true, 0},
    {{"lgetxattr", EIO, 1}, {0}, false, false, -EIO},
    {{"lgetxattr", EOPNOTSUPP, 1}, {"fremovexattr", EOPNOTSUPP, 1}, false, false, 0},
    {{"lgetxattr", ENODATA, 1}, {"fremovexattr", ENODATA, 1}, false, false, 0},
    {{"lgetxattr", ENODATA, 1}, {"fremovexattr", EIO, 1}, false, false, -EIO},
    {{"lgetxattr", 0, 1}, {"fsetxattr", EIO, 1}, false, false, -EIO},
    {{"fchmod", EIO, 1}, {0}, false, false, -EIO},
    {{"fchmod", EIO, 1}, {0}, true, false, -EIO},
    {{"renameat2", EINVAL, 1}, {0}, true, false, 0},
    {{"renameat2", ENOSYS, 1}, {0}, true, false, 0},
    {{"renameat2", EIO, 1}, {0}, true, false, -EIO},
    {{"renameat2", ENOSYS, 1}, {"link", EEXIST, 1}, true, false, -EEXIST},
    {{"rename", EIO, 1}, {0}, false, false, -EIO},
    {{"fsync", EIO, 1}, {0}, false, false, -EIO},
    {{"fsync", EINVAL, 1}, {0}, false, false, 0},
    {{"close", EIO, 1}, {0}, false, false, -EIO},
    {{"open", EACCES, 2}, {0}, false, false, 0},
    {{"fsync", ENOSPC, 1}, {"close", EIO, 1}, false, false, -ENOSPC},
};

TEST(whatever_fails_the_old_file_or_the_new_one_is_there_and_nothing_else)
{
    for (size_t i = 0; i < COUNT(calls); i++) {
        cleanup(tree_done_p) struct tree t;
        CHECK(!tree_init(&t, "R/a"));
        auto_free char *path = tree_text(&t, calls[i].fresh ? "@R/b" : "@R/a"), *folder = tree_text(&t, "@R");
        struct stat before = {0};
        if (!calls[i].fresh)
            before = stat_of(path);
        before.st_gid += calls[i].others;
        failing[0] = calls[i].first;
        failing[1] = calls[i].second;
        int r = replace_file(path, "new", 3, calls[i].fresh ? NULL : &before, 0666, true);
        failing[0] = failing[1] = (struct failing){0};
        CHECK_MSG(r == calls[i].code, "%s %d: %d", calls[i].first.name, calls[i].first.error, r);
        CHECK_MSG(files_in(folder) == (calls[i].fresh && r == 0 ? 4u : 3u), "%s: %zu files", calls[i].first.name, files_in(folder));
        off_t size = calls[i].fresh && r < 0 ? -1 : stat_of(path).st_size;
        CHECK_MSG(size == (r == 0 ? 3 : calls[i].fresh ? -1 : (off_t)strlen(TREE_INSIDE)), "%s", calls[i].first.name);
        if (r == 0 && calls[i].others)
            CHECK((stat_of(path).st_mode & 077) == 0);
    }
}

/* The new one is in its place already; only that it lasts cannot be said. */
TEST(a_folder_that_cannot_be_synced_is_told)
{
    cleanup(tree_done_p) struct tree t;
    CHECK(!tree_init(&t, "R/a"));
    auto_free char *path = tree_text(&t, "@R/a");
    static const struct failing rows[] = {{"open", EMFILE, 2}, {"fsync", EIO, 2}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        failing[0] = rows[i];
        CHECK(replace(path) == -rows[i].error);
        failing[0] = (struct failing){0};
        CHECK(stat_of(path).st_size == 3);
    }
}

TEST(a_name_too_long_is_refused)
{
    static char path[LIMIT_PATH_BYTES];
    memset(path, '/', sizeof path - 1);
    CHECK(replace_file(path, "new", 3, NULL, 0600, false) == -ENAMETOOLONG);
}
