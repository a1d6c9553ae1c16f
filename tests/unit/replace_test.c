/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is replaced: nobody may read the new one who could not read the old one, and no other file is lost. */
#include "cmd/replace.c"

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
