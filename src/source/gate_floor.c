/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The deny floor: files that stay closed whatever the reach says, because showing them to a model once is one time
 * too many. Judged by the names of the true path (without regard to case: some file systems have none), by identity
 * for folders that are reached under another name (a link, a bind mount), by file system for the kernel's own files,
 * and for files with several names by looking whether one of them lies in such a folder.
 */
#include "source/gate_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include "base/cleanup.h"
#include "base/path.h"

enum floor_kind {
    FLOOR_TREE,   /* these components in a row, anywhere in the path; and what is beneath */
    FLOOR_LOOSE,  /* the same, but too large to be searched for the other names of a file */
    FLOOR_LEAF,   /* the file's own name; "*" at its start stands for anything */
    FLOOR_PLACE,  /* this absolute path and what is beneath */
    FLOOR_EXCEPT, /* of a place above: not this part */
};

struct floor_row {
    enum floor_kind kind;
    const char *pattern, *why;
};

static const struct floor_row rows[] = {
    {FLOOR_TREE, ".ssh", "private keys and what they open"},
    {FLOOR_TREE, ".gnupg", "private keys"},
    {FLOOR_TREE, ".password-store", "pass: its tree of names alone tells where accounts are"},
    {FLOOR_TREE, ".local/share/keyrings", "GNOME keyring"},
    {FLOOR_TREE, ".local/share/kwalletd", "KDE wallet"},
    {FLOOR_TREE, ".pki", "NSS certificate and key store"},
    {FLOOR_TREE, ".aws", "cloud keys"},
    {FLOOR_TREE, ".azure", "cloud tokens"},
    {FLOOR_TREE, ".config/gcloud", "cloud tokens"},
    {FLOOR_TREE, ".oci", "cloud keys"},
    {FLOOR_TREE, ".boto", "cloud keys"},
    {FLOOR_TREE, ".s3cfg", "cloud keys"},
    {FLOOR_TREE, ".config/rclone", "cloud storage tokens"},
    {FLOOR_TREE, ".config/doctl", "cloud tokens"},
    {FLOOR_TREE, ".kube", "cluster credentials"},
    {FLOOR_TREE, ".docker/config.json", "registry logins"},
    {FLOOR_TREE, ".config/containers/auth.json", "registry logins"},
    {FLOOR_TREE, ".terraform.d/credentials.tfrc.json", "cloud tokens"},
    {FLOOR_TREE, ".vault-token", "secret store token"},
    {FLOOR_TREE, ".config/gh", "forge token"},
    {FLOOR_TREE, ".config/glab-cli", "forge token"},
    {FLOOR_TREE, ".git-credentials", "forge passwords in clear"},
    {FLOOR_TREE, ".config/git/credentials", "forge passwords in clear"},
    {FLOOR_TREE, ".netrc", "passwords in clear"},
    {FLOOR_TREE, ".pgpass", "database passwords in clear"},
    {FLOOR_TREE, ".my.cnf", "database password in clear"},
    {FLOOR_TREE, ".npmrc", "registry token"},
    {FLOOR_TREE, ".pypirc", "registry token"},
    {FLOOR_TREE, ".cargo/credentials", "registry token"},
    {FLOOR_TREE, ".cargo/credentials.toml", "registry token"},
    {FLOOR_TREE, ".gem/credentials", "registry token"},
    {FLOOR_TREE, ".config/op", "password manager session"},
    {FLOOR_LOOSE, ".mozilla", "saved logins and cookies"},
    {FLOOR_LOOSE, ".thunderbird", "saved logins and mail"},
    {FLOOR_LOOSE, ".config/google-chrome", "saved logins and cookies"},
    {FLOOR_LOOSE, ".config/chromium", "saved logins and cookies"},
    {FLOOR_LOOSE, ".config/bravesoftware", "saved logins and cookies"},
    {FLOOR_LOOSE, ".config/microsoft-edge", "saved logins and cookies"},
    {FLOOR_LEAF, "id_rsa", "private key outside its folder"},
    {FLOOR_LEAF, "id_dsa", "private key outside its folder"},
    {FLOOR_LEAF, "id_ecdsa", "private key outside its folder"},
    {FLOOR_LEAF, "id_ecdsa_sk", "private key outside its folder"},
    {FLOOR_LEAF, "id_ed25519", "private key outside its folder"},
    {FLOOR_LEAF, "id_ed25519_sk", "private key outside its folder"},
    {FLOOR_LEAF, "*.pem", "usually a private key"},
    {FLOOR_LEAF, "*.key", "usually a private key"},
    {FLOOR_LEAF, "*.ppk", "PuTTY private key"},
    {FLOOR_LEAF, "*.p12", "key store"},
    {FLOOR_LEAF, "*.pfx", "key store"},
    {FLOOR_LEAF, "*.jks", "key store"},
    {FLOOR_LEAF, "*.keystore", "key store"},
    {FLOOR_LEAF, "*.kdbx", "password safe"},
    {FLOOR_LEAF, "*.tfstate", "holds cloud secrets in clear"},
    {FLOOR_LEAF, ".bash_history", "typed passwords"},
    {FLOOR_LEAF, ".zsh_history", "typed passwords"},
    {FLOOR_LEAF, ".psql_history", "typed passwords"},
    {FLOOR_LEAF, ".mysql_history", "typed passwords"},
    {FLOOR_LEAF, "htpasswd", "password hashes"},
    {FLOOR_LEAF, ".htpasswd", "password hashes"},
    {FLOOR_PLACE, "/proc", "memory, environment and descriptors of processes"},
    {FLOOR_PLACE, "/sys", "the kernel's own"},
    {FLOOR_PLACE, "/dev", "devices; standard input is among them"},
    {FLOOR_EXCEPT, "/dev/shm", "ordinary files, kept in memory"},
    {FLOOR_PLACE, "/etc/shadow", "password hashes"},
    {FLOOR_PLACE, "/etc/gshadow", "password hashes"},
    {FLOOR_PLACE, "/etc/shadow-", "password hashes"},
    {FLOOR_PLACE, "/etc/gshadow-", "password hashes"},
    {FLOOR_PLACE, "/etc/ssl/private", "private keys"},
    {FLOOR_PLACE, "/run/secrets", "secrets handed to a container"},
};

/* File systems whose files are the kernel's own, wherever they are mounted. */
static const unsigned long kernel_mounts[] = {
    PROC_SUPER_MAGIC,  SYSFS_MAGIC,         DEVPTS_SUPER_MAGIC, DEBUGFS_MAGIC,  TRACEFS_MAGIC, SECURITYFS_MAGIC,
    SELINUX_MAGIC,     SMACK_MAGIC,         CGROUP_SUPER_MAGIC, BPF_FS_MAGIC,   NSFS_MAGIC,    CGROUP2_SUPER_MAGIC,
    BINFMTFS_MAGIC,    EFIVARFS_MAGIC,      PSTOREFS_MAGIC,     XENFS_SUPER_MAGIC,
    0x62656570ul, /* configfs */
    0x19800202ul, /* mqueue */
};

static bool has_components(const char *path, const char *pattern)
{
    for (; (path = strchr(path, '/')); )
        if (gate_beneath_nocase(++path, pattern))
            return true;
    return false;
}

static bool has_leaf(const char *path, const char *pattern)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (*pattern != '*')
        return gate_beneath_nocase(name, pattern);
    size_t have = strlen(name), want = strlen(++pattern);
    return have >= want && gate_beneath_nocase(name + have - want, pattern);
}

static bool (*const matches[])(const char *path, const char *pattern) = {
    [FLOOR_TREE] = has_components, [FLOOR_LOOSE] = has_components, [FLOOR_LEAF] = has_leaf,
    [FLOOR_PLACE] = path_beneath,  [FLOOR_EXCEPT] = path_beneath,
};

bool floor_has_path(const struct gate *g, const char *path)
{
    bool place = false;
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!matches[rows[i].kind](path, rows[i].pattern))
            continue;
        if (rows[i].kind == FLOOR_PLACE || rows[i].kind == FLOOR_EXCEPT)
            place = rows[i].kind == FLOOR_PLACE;
        else
            return true;
    }
    for (size_t i = 0; i < g->n_denied; i++)
        if (gate_beneath_nocase(path, g->denied[i].path))
            return true;
    return place;
}

bool floor_has_folder(const struct gate *g, const struct stat *st)
{
    for (size_t i = 0; i < g->n_denied; i++)
        if (gate_is(st, g->denied[i].dev, g->denied[i].ino))
            return true;
    return false;
}

/* A file's number goes to another one once it is deleted, and config files are replaced often: so only while it is the
 * file of that path. */
static bool is_denied_file(const struct gate *g, const struct stat *st)
{
    for (size_t i = 0; i < g->n_denied; i++) {
        struct stat now;
        if (gate_is(st, g->denied[i].dev, g->denied[i].ino) &&
            !fstatat(AT_FDCWD, g->denied[i].path, &now, AT_SYMLINK_NOFOLLOW) && gate_is(&now, st->st_dev, st->st_ino))
            return true;
    }
    return false;
}

bool floor_has_mount(int fd)
{
    struct statfs fs;
    if (fstatfs(fd, &fs) < 0)
        return true;
    for (size_t i = 0; i < COUNT(kernel_mounts); i++)
        if ((unsigned long)fs.f_type == kernel_mounts[i])
            return true;
    return false;
}

static bool search_base(struct floor_search *s, int base)
{
    for (size_t i = 0; base >= 0 && i < COUNT(rows); i++)
        if (rows[i].kind == FLOOR_TREE && floor_search(s, base, rows[i].pattern))
            return true;
    return false;
}

bool floor_has_file(const struct gate *g, int fd, const struct stat *st)
{
    if (floor_has_mount(fd) || is_denied_file(g, st))
        return true;
    if (st->st_nlink < 2)
        return false;
    if (st->st_uid != geteuid())
        return true; /* somebody may have linked what only they may read */
    struct floor_search s = {st->st_dev, st->st_ino, LIMIT_FLOOR_ENTRIES};
    if (search_base(&s, g->home_fd))
        return true;
    for (size_t i = 0; i < g->n_roots; i++)
        if (search_base(&s, g->root[i].fd))
            return true;
    for (size_t i = 0; i < g->n_extra; i++)
        if (floor_search(&s, AT_FDCWD, g->denied[i].path)) /* not "": then nothing is open at all */
            return true;
    return false;
}

/* ---------------------------------------------------------------- set-up */

static int add_denied(struct gate *g, const char *path, const struct stat *st)
{
    if (!(g->n_denied & (g->n_denied + 1))) { /* 0, 1, 3, 7 ...: as many as there is room for */
        struct gate_denied *more = realloc(g->denied, (2 * g->n_denied + 1) * sizeof *more);
        if (!more)
            return -ENOMEM;
        g->denied = more;
    }
    struct gate_denied *d = &g->denied[g->n_denied];
    *d = (struct gate_denied){strdup(path), st ? st->st_dev : 0, st ? st->st_ino : 0};
    if (!d->path)
        return -ENOMEM;
    g->n_denied++;
    return 0;
}

/*
 * A path of our own is denied before it exists, too: by the true path of as much of it as there is, and the rest as it
 * is spelled.
 */
static int add_extra(struct gate *g, struct walk *w, const char *path)
{
    char head[LIMIT_PATH_BYTES];
    if (*path != '/')
        return -EINVAL;
    if (!gate_join(head, path, "", ""))
        return -ENAMETOOLONG;
    int r = walk_anywhere(w, head);
    if (!r)
        return add_denied(g, w->path, &w->st);
    for (size_t n = strlen(path); !gate_lacks_means(-r) && n > 1;) {
        while (n > 1 && head[n - 1] != '/')
            n--;
        while (n > 1 && head[n - 1] == '/')
            n--;
        head[n] = '\0';
        walk_done(w);
        r = walk_anywhere(w, head);
        if (!r)
            return gate_fold(w->path, path + n) ? add_denied(g, w->path, NULL) : -ENAMETOOLONG;
    }
    return r;
}

/* A root's own row that is a link to the root or above it would close everything: a prank, and by name it stays
 * closed. */
static bool covers_a_root(const struct gate *g, const char *path)
{
    for (size_t i = 0; i < g->n_roots; i++)
        if (path_beneath(g->root[i].path, path))
            return true;
    return false;
}

static int add_base(struct gate *g, struct walk *w, const char *base, bool is_home)
{
    int r = 0;
    for (size_t i = 0; !r && i < COUNT(rows); i++) {
        char path[LIMIT_PATH_BYTES];
        if ((rows[i].kind != FLOOR_TREE && rows[i].kind != FLOOR_LOOSE) || !gate_join(path, base, "/", rows[i].pattern))
            continue;
        if (access(path, F_OK) != 0)
            continue;
        r = walk_anywhere(w, path);
        if (!r && (is_home || !covers_a_root(g, w->path)))
            r = add_denied(g, w->path, &w->st);
        walk_done(w);
        r = r == -ENOENT ? 0 : r; /* a link to the kernel's own: closed anyway */
    }
    return r;
}

int floor_find(struct gate *g, const char *home, const char *const *extra)
{
    struct walk w = {.fd = -1, .top = -1};
    int r = 0;
    for (; !r && extra && *extra; extra++) {
        r = add_extra(g, &w, *extra);
        walk_done(&w);
    }
    g->n_extra = g->n_denied;
    if (!r && home)
        r = add_base(g, &w, home, true);
    for (size_t i = 0; !r && i < g->n_roots; i++)
        r = add_base(g, &w, g->root[i].path, false);
    return r;
}
