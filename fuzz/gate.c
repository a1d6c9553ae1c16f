/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths through the gate, beside the kernel's own resolution of the same path in the same tree of files and links: what the gate opens
 * is the file that the kernel finds, and lies in the reach, in the roots and not on the floor; and a path without links and ".." to
 * such a file is opened. The first byte says which gate; a '@' at the start of a path is the folder of the tree.
 * about: src/source/gate.c src/source/gate_walk.c src/source/gate_where.c src/source/gate_floor.c src/source/gate_names.c
 * max_len: 512
 */
#include "fuzz.h"

#include "source/gate.h"
#include "tree.h"

static const char setup[] =
    "R/a R/d/b R/d/e/c R/d/up->.. R/d/out->../../O R/d/far->../../O/secret R/loop->loop R/self->. R/abs->@R/d/b R/gone->nothing "
    "R/back->../R/d R/two->d/up/a R/pipe| R/.ssh/id_rsa R/d/.env R/chain->d/up/self/d/e R2/x R2/in->../R/a O/secret O/in->../R/a "
    "R/denied/f R/hop->hop2 R/hop2->hop3 R/hop3->d/b R/slash->/ R/dots->d/../../R/a";

enum { GATES = 4 };
static struct tree tree;
static struct gate *gates[GATES];
static char *cwds[GATES], *reaches[GATES][3], *narrow[2];

static void tidy(void)
{
    for (size_t i = 0; i < GATES; i++)
        gate_free(gates[i]);
    tree_done(&tree);
}

static void add_gate(size_t i, const char *cwd, const char *one, const char *two)
{
    static char *floor[2];
    struct fovea_fault fault = {0};
    floor[0] = tree_text(&tree, "@R/denied");
    cwds[i] = tree_text(&tree, cwd);
    reaches[i][0] = tree_text(&tree, one);
    reaches[i][1] = two ? tree_text(&tree, two) : NULL;
    struct gate_options o = {.cwd = cwds[i], .reach = (const char *const *)reaches[i], .floor = (const char *const *)floor};
    CLAIM(gate_new(&o, &gates[i], &fault) == 0);
    free(floor[0]);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    CLAIM(tree_init(&tree, setup) == 0);
    (void)atexit(tidy);
    add_gate(0, "@R", "@R", NULL);
    add_gate(1, "@R/d", "@R", "@R2");
    add_gate(2, "@R", "@R/d", NULL);
    add_gate(3, "@O", "@R2", "@R/d/e");
    narrow[0] = tree_text(&tree, "@R/d");
    return 0;
}

static bool beneath(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    return !strncmp(path, folder, n) && (path[n] == '/' || !path[n]);
}

static bool in_any(const char *path, char *const *folders)
{
    for (; *folders; folders++)
        if (beneath(path, *folders))
            return true;
    return false;
}

/* Where the kernel ends up, and what is there. */
static bool kernel_finds(const char *path, char out[4096], struct stat *st)
{
    char link[64];
    auto_close int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0 || fstat(fd, st) < 0)
        return false;
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, out, 4095);
    CLAIM(n > 0);
    out[n] = '\0';
    return true;
}

/* No "..", and no link on the way: then the spelled path, less its doubled slashes and dots, is the true one. */
static bool is_plain(const char *path, const char *found)
{
    char spelled[4096] = "";
    size_t n = 0;
    for (const char *at = path; *at;) {
        size_t len = strcspn(at, "/");
        if (len == 2 && !memcmp(at, "..", 2))
            return false;
        if (len && !(len == 1 && *at == '.') && n + len + 2 < sizeof spelled) {
            spelled[n++] = '/';
            memcpy(spelled + n, at, len);
            n += len;
        }
        at += len + (at[len] == '/');
    }
    spelled[n] = '\0';
    return !strcmp(spelled, found);
}

static bool on_floor(const char *path)
{
    return strstr(path, "/R/denied") || strstr(path, "/.ssh");
}

static void check(size_t i, const char *path, bool narrowed)
{
    char *const *reach = reaches[i], found[4096];
    char *roots[2] = {narrow[0], NULL};
    struct stat want = {0}, got;
    int fd = -1;
    auto_free char *absolute = NULL;
    CLAIM(asprintf(&absolute, "%s%s%s", *path == '/' ? "" : cwds[i], *path == '/' ? "" : "/", path) >= 0);
    bool there = kernel_finds(absolute, found, &want);
    int v = gate_open(gates[i], narrowed ? (const char *const *)roots : NULL, path, &fd, &got);
    CLAIM(v >= 0);
    bool inside = there && in_any(found, reach) && (!narrowed || in_any(found, roots)) && !on_floor(found);
    if (v == GATE_OPEN) {
        CLAIM(there && S_ISREG(got.st_mode) && got.st_ino == want.st_ino && got.st_dev == want.st_dev);
        CLAIM(inside && !strstr(found, "secret"));
        CLAIM(close(fd) == 0);
    }
    /* "file/" is a file that was spelled as a folder, and said to be none; the kernel finds nothing there. */
    if (v == GATE_NOT_REGULAR && there)
        CLAIM(inside && !S_ISREG(want.st_mode));
    if (v == GATE_ABSENT && inside && *path && strlen(absolute) < 4000)
        CLAIM(!S_ISREG(want.st_mode) || !is_plain(absolute, found));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    uint8_t which = feed_u8(&f);
    auto_free char *text = feed_text(&f), *path = NULL;
    CLAIM(asprintf(&path, "%s%s", *text == '@' ? tree.top : "", text + (*text == '@')) >= 0);
    check(which % GATES, path, which & 4);
    return 0;
}
