/* SPDX-License-Identifier: Apache-2.0 */
/* The gate at its bounds: paths that are empty or too long, folders that are too many, given twice or not at all; and addresses
 * as a socket has them. */
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "source/gate.h"
#include "source/netaddr.h"
#include "tree.h"

static enum gate_verdict opened(const struct gate *g, const char *path)
{
    struct stat st;
    int fd = -1;
    enum gate_verdict v = gate_open(g, NULL, path, &fd, &st);
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
