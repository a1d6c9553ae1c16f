/* SPDX-License-Identifier: Apache-2.0 */
/* The start of the HTTP server: addresses that are none or cannot be had, certificates that are not there, a library that does not
 * start. What fails is told, and no descriptor is left. */
#include "mcp/http.h"

#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "may_fail.h"
#include "mcp/http_bind.h"
#include "processes.h"
#include "test.h"
#include "tree.h"

/* The call of that name fails; see the Makefile. */
static struct {
    const char *call;
    int error;
} strike;

static bool fails(const char *call)
{
    if (!strike.call || strcmp(strike.call, call) != 0)
        return false;
    errno = strike.error;
    return true;
}

MAY_FAIL(int, -1, socket, (int domain, int type, int protocol), domain, type, protocol)
MAY_FAIL(int, -1, listen, (int fd, int n), fd, n)
MAY_FAIL(int, -1, getsockname, (int fd, struct sockaddr *a, socklen_t *len), fd, a, len)
MAY_FAIL(int, -1, epoll_create1, (int flags), flags)
MAY_FAIL(int, -1, eventfd, (unsigned n, int flags), n, flags)
MAY_FAIL(int, -1, getrlimit, (int what, struct rlimit *l), what, l)
MAY_FAIL(enum MHD_Result, MHD_NO, MHD_is_feature_supported, (enum MHD_FEATURE f), f)

/* ---------------------------------------------------------------- addresses */

TEST(an_address_is_numbers_and_a_port_and_nothing_else)
{
    static const struct {
        const char *address;
        bool open;
        int code;
        const char *host;
    } rows[] = {
        {"127.0.0.1:0", false, 0, "127.0.0.1"},
        {"localhost:0", false, 0, "127.0.0.1"},
        {"127.9.9.9:0", false, 0, "127.9.9.9"},
        {"0.0.0.0:0", true, 0, "0.0.0.0"},
        {"0.0.0.0:0", false, -EACCES, NULL},
        {"[::1]:0", false, 0, "[::1]"},
        {"[::]:0", false, -EACCES, NULL},
        {"[::]:0", true, 0, "[::]"},
        {"", false, -EINVAL, NULL},
        {"127.0.0.1", false, -EINVAL, NULL},
        {"127.0.0.1:", false, -EINVAL, NULL},
        {":80", false, -EINVAL, NULL},
        {"127.0.0.1:123456", false, -EINVAL, NULL},
        {"127.0.0.1:65536", false, -EINVAL, NULL},
        {"127.0.0.1:8x", false, -EINVAL, NULL},
        {"127.0.0.1:-1", false, -EINVAL, NULL},
        {"::1:80", false, -EINVAL, NULL},
        {"[::1:80", false, -EINVAL, NULL},
        {"[]:80", false, -EINVAL, NULL},
        {"[127.0.0.1]:80", false, -EINVAL, NULL},
        {"example.com:80", false, -EINVAL, NULL},
        {"0000000000000000000000000000000000000000000000000000000000000000001:80", false, -EINVAL, NULL},
        {"192.0.2.1:0", true, -EADDRNOTAVAIL, NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct place p = {.fd = -1};
        struct fovea_fault fault = {0};
        int before = fds_of(getpid()), code = place_open(rows[i].address, rows[i].open, &p, &fault);
        if (code == -EAFNOSUPPORT || (code == -EADDRNOTAVAIL && rows[i].address[0] == '['))
            continue; /* no IPv6 here */
        CHECK_MSG(code == rows[i].code && (code == 0 || fault.text[0]), "'%s': %d %s", rows[i].address, code, fault.text);
        if (code == 0) {
            CHECK_STR(p.host, rows[i].host);
            CHECK(p.port > 0);
            close_fd(p.fd);
        }
        CHECK(fds_of(getpid()) == before);
    }
}

/* ---------------------------------------------------------------- starting */

static int run(const struct http_options *o, const char *words)
{
    struct fovea_fault fault = {0};
    auto_close int stop = eventfd(1, EFD_CLOEXEC), was = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const char *call = strike.call;
    strike.call = NULL;
    stop = stop < 0 ? eventfd(1, EFD_CLOEXEC) : stop;
    strike.call = call;
    (void)dup2(nowhere, STDERR_FILENO);
    int r = http_run(NULL, o, stop, &fault);
    (void)dup2(was, STDERR_FILENO);
    CHECK_MSG(r == 0 || strstr(fault.text, words), "%d %s", r, fault.text);
    return r;
}

TEST(a_server_told_to_stop_starts_and_ends_well)
{
    int before = fds_of(getpid());
    struct rlimit old, few;
    CHECK(!getrlimit(RLIMIT_NOFILE, &old));
    few = (struct rlimit){256, old.rlim_max};
    CHECK(!setrlimit(RLIMIT_NOFILE, &few));
    CHECK(run(&(struct http_options){.address = "127.0.0.1:0", .no_token = true}, "") == 0);
    CHECK(!getrlimit(RLIMIT_NOFILE, &few) && few.rlim_cur > 256); /* as many as connections need */
    CHECK(!setrlimit(RLIMIT_NOFILE, &old));
    CHECK(run(&(struct http_options){.address = "127.0.0.1:0", .no_token = true}, "") == 0);
    CHECK_MSG(fds_of(getpid()) == before, "%d instead of %d", fds_of(getpid()), before);
}

TEST(what_keeps_a_server_from_starting_is_told_and_nothing_is_left)
{
    static const struct {
        const char *call;
        int error, code;
        const char *words;
    } rows[] = {
        {"socket", EMFILE, -EMFILE, "cannot listen"},
        {"listen", EADDRINUSE, -EADDRINUSE, "cannot listen"},
        {"getsockname", ENOBUFS, -ENOBUFS, "cannot listen"},
        {"epoll_create1", EMFILE, -EMFILE, "cannot watch connections"},
        {"eventfd", EMFILE, -EMFILE, "cannot watch connections"},
        {"getrlimit", EPERM, 0, ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        int before = fds_of(getpid());
        strike.call = rows[i].call;
        strike.error = rows[i].error;
        int code = run(&(struct http_options){.address = "127.0.0.1:0", .no_token = true}, rows[i].words);
        strike.call = NULL;
        CHECK_MSG(code == rows[i].code && fds_of(getpid()) == before, "row %zu: %d, %d files", i, code, fds_of(getpid()) - before);
    }
}

TEST(a_certificate_and_its_key_must_both_be_there_and_be_some)
{
    cleanup(tree_done) struct tree t;
    CHECK(!tree_init(&t, "empty large words folder/"));
    auto_free char *empty = tree_text(&t, "@empty"), *large = tree_text(&t, "@large"), *words = tree_text(&t, "@words"),
                   *folder = tree_text(&t, "@folder"), *none = tree_text(&t, "@none");
    CHECK(!tree_file(empty, "") && !truncate(large, 2 * LIMIT_HTTP_PEM));
    const struct {
        const char *cert, *key, *call;
        int code;
        const char *words;
    } rows[] = {
        {words, NULL, NULL, -EINVAL, "TLS needs both"},
        {NULL, words, NULL, -EINVAL, "TLS needs both"},
        {none, words, NULL, -ENOENT, "cannot open"},
        {words, none, NULL, -ENOENT, "cannot open"},
        {empty, words, NULL, -EINVAL, "is empty"},
        {large, words, NULL, -EFBIG, "too large"},
        {folder, words, NULL, -EISDIR, "cannot read"},
        {words, words, "MHD_is_feature_supported", -ENOTSUP, "without TLS"},
        {words, words, NULL, -EIO, "does not start"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        int before = fds_of(getpid());
        strike.call = rows[i].call;
        int code = run(&(struct http_options){.address = "127.0.0.1:0", .no_token = true, .tls_cert = rows[i].cert, .tls_key = rows[i].key},
                       rows[i].words);
        strike.call = NULL;
        CHECK_MSG(code == rows[i].code && fds_of(getpid()) == before, "row %zu: %d, %d files", i, code, fds_of(getpid()) - before);
    }
}

TEST(without_a_token_nobody_listens_to_other_machines)
{
    CHECK(run(&(struct http_options){.address = "0.0.0.0:0"}, "other machines") == -EACCES);
    CHECK(run(&(struct http_options){.address = "0.0.0.0:0", .no_token = true, .insecure = true}, "") == 0);
}
