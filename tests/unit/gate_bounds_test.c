/* SPDX-License-Identifier: Apache-2.0 */
/* The gate at its bounds: paths that are empty or too long, folders that are too many, given twice or not at all; and addresses
 * as a socket has them. */
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "source/gate.h"
#include "source/netaddr.h"
#include "tree.h"

static int opened(const struct gate *g, const char *path)
{
    struct stat st;
    int fd = -1;
    int v = gate_open(g, NULL, path, &fd, &st);
    close_fd(fd);
    return v;
}

static int make(const char *cwd, const char *const *reach, const char *home, struct gate **ret)
{
    struct fovea_fault fault = {0};
    struct gate_options o = {.cwd = cwd, .reach = reach, .home = home};
    int r = gate_new(&o, ret, &fault);
    CHECK(r == 0 || fault.text[0]);
    return r;
}

TEST(a_cwd_is_absolute_and_may_be_gone)
{
    struct gate *g = NULL;
    static char longer[LIMIT_PATH_BYTES + 2];
    memset(longer, 'a', sizeof longer - 1);
    longer[0] = '/';
    CHECK(make("relative", NULL, NULL, &g) == -EINVAL);
    CHECK(make("/not/there/../here", NULL, NULL, &g) == -EINVAL); /* where .. leads, nobody knows */
    static const char *const gone[] = {longer, "/not/./there//"}; /* a cwd may be gone; then nothing is found from it */
    for (size_t i = 0; i < COUNT(gone); i++) {
        CHECK(make(gone[i], NULL, "relative", &g) == 0);
        CHECK(opened(g, "a") == GATE_ABSENT);
        gate_free(take(g));
    }
}

TEST(paths_that_are_empty_or_too_long_are_absent)
{
    cleanup(tree_done) struct tree t;
    struct gate *g = NULL;
    static char longer[2 * LIMIT_PATH_BYTES];
    CHECK(!tree_init(&t, "R/a R/deep/b"));
    auto_free char *root = tree_text(&t, "@R");
    const char *reach[] = {root, NULL};
    CHECK(make(root, reach, NULL, &g) == 0);
    CHECK(opened(g, "a") == GATE_OPEN);
    CHECK(opened(g, "") == GATE_ABSENT);
    for (size_t n = LIMIT_PATH_BYTES - 300; n < sizeof longer - 1; n += 37) {
        memset(longer, '/', n);
        memcpy(longer, "deep/", 5);
        longer[n] = '\0';
        CHECK(opened(g, longer) != GATE_OPEN);
        memset(longer, 'x', n);
        CHECK(opened(g, longer) == GATE_ABSENT);
        for (size_t i = 0; i + 5 < n; i += 5)
            memcpy(longer + i, "a/../", 5);
        CHECK(opened(g, longer) == GATE_ABSENT); /* a is no folder */
    }
    gate_free(g);
}

TEST(links_that_are_long_or_many_lead_nowhere)
{
    cleanup(tree_done) struct tree t;
    struct gate *g = NULL;
    char target[LIMIT_PATH_BYTES];
    CHECK(!tree_init(&t, "R/a R/d/b loop->R/"));
    auto_free char *root = tree_text(&t, "@R"), *link = tree_text(&t, "@R/long"), *circle = tree_text(&t, "@R/circle");
    auto_free char *up = tree_text(&t, "@R/up");
    const char *reach[] = {root, NULL};
    CHECK(make(root, reach, NULL, &g) == 0);
    memset(target, 'y', sizeof target);
    for (size_t i = 0; i < sizeof target; i += 100)
        target[i] = '/';
    target[sizeof target - 1] = '\0';
    CHECK(!symlink(target, link) && !symlink("circle", circle) && !symlink("./d/.././a", up));
    CHECK(opened(g, "long") == GATE_ABSENT);
    CHECK(opened(g, "long/a") == GATE_ABSENT);
    CHECK(opened(g, "circle") == GATE_ABSENT);
    CHECK(opened(g, "circle/a") == GATE_ABSENT);
    CHECK(opened(g, "up") == GATE_OPEN);
    CHECK(opened(g, "d/../up") == GATE_OPEN);
    gate_free(g);
}

TEST(folders_deeper_than_a_walk_goes_are_absent)
{
    cleanup(tree_done) struct tree t;
    struct gate *g = NULL;
    char path[LIMIT_PATH_BYTES] = "";
    CHECK(!tree_init(&t, "R/a"));
    auto_free char *root = tree_text(&t, "@R");
    const char *reach[] = {root, NULL};
    CHECK(make(root, reach, NULL, &g) == 0);
    auto_close int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    size_t n = 0;
    for (; n < 2 * (LIMIT_WALK_DEPTH + 10); n += 2) { /* each folder within the last */
        memcpy(path + n, "d/", 3);
        CHECK(!mkdirat(dir, "d", 0700));
        int next = openat(dir, "d", O_PATH | O_DIRECTORY | O_CLOEXEC);
        close_fd(dir);
        dir = next;
    }
    memcpy(path + n, "f", 2);
    close_fd(openat(dir, "f", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    CHECK(opened(g, path) == GATE_OPEN); /* the kernel goes there in one step */
    memmove(path + 2, path, n + 2);
    memcpy(path, "./", 2);
    CHECK(opened(g, path) == GATE_ABSENT); /* folder by folder it is too far */
    gate_free(g);
}

TEST(a_reach_is_counted_by_its_folders_and_not_by_their_names)
{
    cleanup(tree_done) struct tree t;
    struct gate *g = NULL;
    CHECK(!tree_init(&t, "R/a link->R/"));
    auto_free char *root = tree_text(&t, "@R"), *link = tree_text(&t, "@link");
    const char *twice[] = {root, root, link, link, "/", "/", NULL};
    CHECK(make("/", twice, NULL, &g) == 0);
    auto_free char *file = tree_text(&t, "@link/a");
    CHECK(opened(g, file) == GATE_OPEN);
    CHECK(opened(g, file + 1) == GATE_OPEN); /* from / on */
    gate_free(g);

    char *many[LIMIT_ROOTS + 2] = {NULL};
    for (size_t i = 0; i <= LIMIT_ROOTS; i++) {
        CHECK(asprintf(&many[i], "%s/%zu", root, i) > 0);
        CHECK(!mkdir(many[i], 0700));
    }
    CHECK(make("/", (const char *const *)many, NULL, &g) == -EINVAL);
    free(take(many[LIMIT_ROOTS]));
    CHECK(make("/", (const char *const *)many, NULL, &g) == 0);
    gate_free(g);
    for (size_t i = 0; i < LIMIT_ROOTS; i++)
        free(many[i]);
}

/* A folder whose path is just `len` bytes long, and a short link to it. */
static void make_deep(const struct tree *t, size_t len, char path[LIMIT_PATH_BYTES], const char *link)
{
    char name[NAME_MAX + 1];
    memset(name, 'd', sizeof name);
    size_t n = (size_t)snprintf(path, LIMIT_PATH_BYTES, "%sR", t->top);
    while (n < len) {
        size_t more = MIN(len - n - 1, 200);
        more -= len - n - 1 - more == 1; /* a slash alone cannot be the rest */
        n += (size_t)snprintf(path + n, LIMIT_PATH_BYTES - n, "/%.*s", (int)more, name);
        CHECK(!mkdir(path, 0700));
    }
    CHECK(!symlink(path, link));
}

TEST(what_lies_deeper_than_the_longest_path_is_absent)
{
    cleanup(tree_done) struct tree t;
    struct gate *g = NULL;
    struct fovea_fault fault = {0};
    char deep[LIMIT_PATH_BYTES];
    CHECK(!tree_init(&t, "-"));
    auto_free char *link = tree_text(&t, "@short");
    auto_free char *up = tree_text(&t, "@short/../{1900*./}x"), *denied = tree_text(&t, "@short/none/{200*n}");
    make_deep(&t, LIMIT_PATH_BYTES - 6, deep, link);
    const char *reach[] = {link, NULL}, *floor[] = {denied, NULL};
    CHECK(make("/", reach, NULL, &g) == 0); /* the names of the floor have no room there, so none is there */
    auto_free char *beneath = tree_text(&t, "@short/{200*n}"), *beyond = tree_text(&t, "@short/./{200*n}/..");
    CHECK(opened(g, beneath) == GATE_ABSENT);
    CHECK(opened(g, beyond) == GATE_ABSENT);
    CHECK(opened(g, up) == GATE_ABSENT);
    CHECK(opened(g, link) == GATE_NOT_REGULAR);
    gate_free(take(g));
    struct gate_options o = {.cwd = "/", .reach = reach, .floor = floor};
    CHECK(gate_new(&o, &g, &fault) == -ENAMETOOLONG && fault.text[0]);
}

TEST(a_folder_of_the_reach_or_the_floor_that_no_kernel_opens_is_a_fault)
{
    static char longer[LIMIT_PATH_BYTES + 2];
    const char *list[] = {longer, NULL};
    struct fovea_fault fault = {0};
    struct gate *g = NULL;
    for (size_t i = 0; i < sizeof longer - 1; i++)
        longer[i] = i % 2 ? '.' : '/';
    CHECK(make("/", list, NULL, &g) == -EINVAL);
    struct gate_options o = {.cwd = "/", .floor = list};
    CHECK(gate_new(&o, &g, &fault) == -ENAMETOOLONG && fault.text[0]);
}

TEST(files_in_shared_memory_are_files)
{
    char name[] = "/dev/shm/fovea-gate-XXXXXX";
    struct gate *g = NULL;
    const char *reach[] = {"/dev/shm", NULL};
    auto_close int fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0 || make("/", reach, NULL, &g) < 0)
        SKIP("no /dev/shm");
    CHECK(opened(g, name) == GATE_OPEN);
    gate_free(g);
    CHECK(!unlink(name));
}

/* What came to the floor after the gate was made. */
TEST(other_names_of_a_new_file_of_the_floor_are_found)
{
    cleanup(tree_done) struct tree t;
    struct gate *g = NULL;
    CHECK(!tree_init(&t, "R/a R/b R/c"));
    auto_free char *root = tree_text(&t, "@R"), *a = tree_text(&t, "@R/a"), *c = tree_text(&t, "@R/c");
    auto_free char *netrc = tree_text(&t, "@R/.netrc"), *ssh = tree_text(&t, "@R/.ssh"), *far = tree_text(&t, "@R/.ssh/1/2/3/4/c");
    const char *reach[] = {root, NULL};
    CHECK(make(root, reach, NULL, &g) == 0);
    CHECK(!link(a, netrc));
    CHECK(opened(g, "a") == GATE_ABSENT);
    CHECK(!unlink(netrc));
    CHECK(opened(g, "a") == GATE_OPEN);
    tree_folders(&t, far);
    CHECK(!link(c, far));
    CHECK(opened(g, "c") == GATE_OPEN); /* beneath the folders that are looked through */
    auto_close int dir = open(ssh, O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < LIMIT_FLOOR_ENTRIES; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "%d", 10 + i);
        CHECK(!mknodat(dir, name, S_IFREG | 0600, 0));
    }
    CHECK(opened(g, "b") == GATE_OPEN); /* it has one name */
    CHECK(opened(g, "c") == GATE_ABSENT); /* not all could be looked at */
    gate_free(g);
}

static int opened_with_few(const struct gate *g, const char *path)
{
    struct rlimit old, few;
    CHECK(!getrlimit(RLIMIT_NOFILE, &old));
    int next = dup(0);
    close_fd(next);
    few = (struct rlimit){(rlim_t)next, old.rlim_max};
    CHECK(!setrlimit(RLIMIT_NOFILE, &few));
    int v = opened(g, path);
    CHECK(!setrlimit(RLIMIT_NOFILE, &old));
    return v;
}

/* "Not found" made a caller look elsewhere for what was there. */
TEST(without_descriptors_a_file_is_not_said_to_be_absent)
{
    cleanup(tree_done) struct tree t;
    struct gate *g = NULL;
    CHECK(!tree_init(&t, "R/a R/d/b R/.ssh/id R/link->d/b"));
    auto_free char *root = tree_text(&t, "@R"), *outside = tree_text(&t, "@O/x"), *key = tree_text(&t, "@R/./.ssh/id");
    const char *reach[] = {root, NULL};
    CHECK(make(root, reach, NULL, &g) == 0);
    static const char *const inside[] = {"a", "d/b", "./d/b", "link", "none"};
    for (size_t i = 0; i < COUNT(inside); i++)
        CHECK_MSG(opened_with_few(g, inside[i]) == -EMFILE, "%s", inside[i]);
    CHECK(opened_with_few(g, outside) == GATE_ABSENT);
    CHECK(opened_with_few(g, key) == GATE_ABSENT);
    CHECK(opened(g, "link") == GATE_OPEN && opened(g, "none") == GATE_ABSENT);
    const char *narrow[] = {outside, NULL};
    struct stat st;
    struct rlimit old, few;
    int fd = -1, next = dup(0);
    close_fd(next);
    CHECK(!getrlimit(RLIMIT_NOFILE, &old));
    few = (struct rlimit){(rlim_t)next, old.rlim_max};
    CHECK(!setrlimit(RLIMIT_NOFILE, &few));
    int narrowed = gate_open(g, narrow, "a", &fd, &st); /* what a call may not see is absent to it */
    CHECK(!setrlimit(RLIMIT_NOFILE, &old));
    CHECK(narrowed == GATE_ABSENT);
    gate_free(g);
}

TEST(a_floor_file_that_is_gone_denies_no_other_name_of_it)
{
    cleanup(tree_done) struct tree t;
    struct gate *g = NULL;
    struct fovea_fault fault = {0};
    CHECK(!tree_init(&t, "R/state R/b==R/state"));
    auto_free char *root = tree_text(&t, "@R"), *state = tree_text(&t, "@R/state");
    const char *reach[] = {root, NULL}, *floor[] = {state, NULL};
    struct gate_options o = {.cwd = root, .reach = reach, .floor = floor};
    CHECK_MSG(gate_new(&o, &g, &fault) == 0, "%s", fault.text);
    CHECK(opened(g, "b") == GATE_ABSENT);
    CHECK(!unlink(state) && opened(g, "b") == GATE_OPEN);
    gate_free(g);
}

/* ---------------------------------------------------------------- addresses */

TEST(an_address_is_read_from_a_socket_of_its_own_family_and_size_only)
{
    const struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x01020304)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    CHECK(inet_pton(AF_INET6, "2001:db8::1", &six.sin6_addr) == 1);
    const struct sockaddr other = {.sa_family = AF_UNIX};
    struct netaddr a, b;
    char text[NETADDR_TEXT];
    CHECK(netaddr_of((const struct sockaddr *)&four, sizeof four, &a) && !a.v6);
    netaddr_format(&a, text);
    CHECK_STR(text, "1.2.3.4");
    CHECK(netaddr_of((const struct sockaddr *)&six, sizeof six, &b) && b.v6);
    netaddr_format(&b, text);
    CHECK_STR(text, "2001:db8::1");
    CHECK(!netaddr_of((const struct sockaddr *)&four, sizeof four - 1, &a));
    CHECK(!netaddr_of((const struct sockaddr *)&six, sizeof six - 1, &a));
    CHECK(!netaddr_of(&other, sizeof other, &a));
    CHECK(!netaddr_equal(&a, &b) && netaddr_equal(&a, &a) && netaddr_equal(&b, &b));
    struct netaddr c = b;
    c.bytes[15] = 2;
    CHECK(!netaddr_equal(&b, &c));
}

TEST(an_address_has_one_spelling_and_no_bytes_behind_it)
{
    struct netaddr a;
    CHECK(netaddr_parse4("1.2.3.4", 7, &a));
    CHECK(!netaddr_parse4("1.2.3\0004", 7, &a));
    CHECK(!netaddr_parse4("1.2.3.04", 8, &a));
    CHECK(!netaddr_parse6("::1\0", 4, &a));
    CHECK(netaddr_parse6("::1", 3, &a));
}
