/* SPDX-License-Identifier: Apache-2.0 */
/* What worker programs allocate by: whatever cannot be had, by whoever, is the answer to the request; what no worker could ever have
 * is not. */
#include "test.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "filter.h"
#include "sandbox/serve.h"

enum { PIECE = 1 << 20, SMALL = 24, ROOM = 64 << 20 };

static void *take_malloc(size_t n)
{
    return malloc(n);
}

static void *take_calloc(size_t n)
{
    return calloc(n / 8, 8);
}

static void *take_realloc(size_t n)
{
    return realloc(NULL, n);
}

static void *take_reallocarray(size_t n)
{
    return reallocarray(NULL, n / 8, 8);
}

static void *take_memalign(size_t n)
{
    return memalign(64, n);
}

static void *take_aligned(size_t n)
{
    return aligned_alloc(64, n);
}

static void *take_posix(size_t n)
{
    void *p;
    return posix_memalign(&p, 64, n) ? NULL : p;
}

/* libc itself allocates here. */
static void *take_text(size_t n)
{
    static char text[PIECE + 1];
    memset(text, 'x', n - 1);
    text[n - 1] = '\0';
    return strdup(text);
}

static const struct way {
    const char *name;
    void *(*ask)(size_t n);
    bool any_size;
} ways[] = {
    {"malloc", take_malloc, true},      {"calloc", take_calloc, true},     {"realloc", take_realloc, true}, {"reallocarray", take_reallocarray, true},
    {"memalign", take_memalign, true},  {"aligned_alloc", take_aligned, true}, {"posix_memalign", take_posix, true}, {"strdup", take_text, false},
};

static void leave_room(void)
{
    const struct rlimit few = {ROOM, ROOM};
    (void)setrlimit(RLIMIT_AS, &few);
}

/* Never sees that anything failed. */
static void take_all(const void *way, const struct work_request *q, const int fds[SERVE_FDS], struct work_reply *reply)
{
    const struct way *w = way;
    (void)fds, (void)reply;
    for (size_t n = 0; n < 2 * (ROOM / q->input_len); n++)
        if (!w->ask((size_t)q->input_len))
            _exit(40);
    _exit(41);
}

static void take_too_much(const void *way, const struct work_request *q, const int fds[SERVE_FDS], struct work_reply *reply)
{
    const struct way *w = way;
    (void)fds;
    (void)serve_refuse(reply, w->ask((size_t)q->input_len) ? WORK_OK : WORK_MALFORMED, "not had");
}

static void do_nothing(const void *none, const struct work_request *q, const int fds[SERVE_FDS], struct work_reply *reply)
{
    (void)none, (void)q, (void)fds, (void)reply;
}

static void fall_short(void)
{
    void *volatile block;
    leave_room();
    block = malloc(2 * ROOM);
    free(block);
}

/* What makes ready may end the process for want of memory, as GLib does. */
static void greet_and_fall_short(void)
{
    const struct jail_report jail = {0};
    if (serve_hello(&jail, ""))
        _exit(42);
    fall_short();
    abort();
}

/* Serves one request of `size` in a child; before tells what happens there first. Returns how it ended. */
static int served(serve_work *work, const struct way *w, uint64_t size, void (*before)(void), struct work_reply *ret)
{
    struct work_request q = {.magic = WORK_MAGIC, .input_len = size};
    int pair[2], status = -1;
    CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair));
    pid_t child = fork();
    if (!child) {
        alarm(20);
        (void)dup2(pair[1], WORK_SOCKET);
        before();
        serve_one(work, w);
    }
    (void)close(pair[1]);
    CHECK(send(pair[0], &q, sizeof q, MSG_NOSIGNAL) == sizeof q);
    struct work_hello hello;
    if (before == greet_and_fall_short)
        CHECK(recv(pair[0], &hello, sizeof hello, 0) == sizeof hello);
    CHECK(recv(pair[0], ret, sizeof *ret, 0) == sizeof *ret);
    (void)waitpid(child, &status, 0);
    (void)close(pair[0]);
    return status;
}

TEST(want_of_memory_is_the_answer_whoever_asked_for_it)
{
    if (JAIL_SANITIZED)
        SKIP("a sanitizer allocates itself");
    for (size_t i = 0; i < COUNT(ways); i++)
        for (size_t size = PIECE; size > SMALL; size = size == PIECE ? 4096 : SMALL) {
            struct work_reply reply = {0};
            int status = served(take_all, &ways[i], size, leave_room, &reply);
            CHECK_MSG(reply.magic == WORK_MAGIC && reply.status == WORK_NO_MEMORY && !strcmp(reply.detail, "out of memory"),
                      "%s of %zu: status %u '%s'", ways[i].name, size, reply.status, reply.detail);
            CHECK_MSG(status == 0, "%s of %zu: 0x%x", ways[i].name, size, status);
        }
}

TEST(a_block_larger_than_a_worker_is_the_decoders_to_refuse)
{
    if (JAIL_SANITIZED)
        SKIP("a sanitizer allocates itself");
    for (size_t i = 0; i < COUNT(ways); i++) {
        struct work_reply reply = {0};
        if (!ways[i].any_size)
            continue;
        int status = served(take_too_much, &ways[i], 2 * LIMIT_VIDEO_MEMORY, leave_room, &reply);
        CHECK_MSG(status == 0 && reply.status == WORK_MALFORMED, "%s: 0x%x, status %u", ways[i].name, status, reply.status);
    }
}

TEST(what_was_short_before_the_request_is_the_answer_to_it)
{
    if (JAIL_SANITIZED)
        SKIP("a sanitizer allocates itself");
    struct work_reply reply = {0};
    int status = served(do_nothing, NULL, 1, fall_short, &reply);
    CHECK_MSG(status == 0 && reply.status == WORK_NO_MEMORY, "0x%x, status %u", status, reply.status);
    reply = (struct work_reply){0};
    status = served(do_nothing, NULL, 1, greet_and_fall_short, &reply);
    CHECK_MSG(status == 0 && reply.status == WORK_NO_MEMORY, "0x%x, status %u", status, reply.status);
}

TEST(what_was_short_before_the_greeting_greets_nobody)
{
    if (JAIL_SANITIZED)
        SKIP("a sanitizer allocates itself");
    static const struct jail_report jail = {0};
    int status = -1;
    pid_t child = fork();
    if (!child) {
        fall_short();
        _exit(serve_hello(&jail, "") == -ENOMEM ? 43 : 44);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 43);
}

TEST(blocks_are_as_asked_for)
{
    void *p = NULL;
    CHECK(posix_memalign(&p, 3, 8) == EINVAL && !p && posix_memalign(&p, 256, 100) == 0 && (uintptr_t)p % 256 == 0);
    free(p);
    CHECK((p = aligned_alloc(128, 256)) && (uintptr_t)p % 128 == 0);
    free(p);
    unsigned char *zero = calloc(1000, 3);
    CHECK(zero);
    for (size_t i = 0; i < 3000; i++)
        CHECK(!zero[i]);
    zero[2999] = 7;
    CHECK((zero = realloc(zero, 100000)) && zero[2999] == 7);
    free(zero);
    errno = 0;
    volatile size_t many = SIZE_MAX / 4;
    void *volatile none = calloc(many, 8); /* looked at: a compiler may leave out a block that is only compared, and say that there is one */
    CHECK(!none && !reallocarray(NULL, many, 8) && errno == ENOMEM);
    CHECK((p = malloc(0)));
    free(p);
}
