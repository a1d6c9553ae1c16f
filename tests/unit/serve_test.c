/* SPDX-License-Identifier: Apache-2.0 */
/* A worker's side of the protocol: interrupted it goes on, and what is no request of ours it does not begin. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "sandbox/serve.h"

enum { GOOD = 40, BAD = 41, TICK_MS = 10, LATE_MS = 60 };

/* Runs worker where the socket has its number, and host at the other end; both are told false by a wrong outcome. */
static void play(const char *what, bool (*worker)(void), bool (*host)(int socket))
{
    int pair[2], status = -1;
    CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair));
    pid_t child = fork();
    if (!child) {
        alarm(20);
        (void)close(pair[0]);
        (void)dup2(pair[1], WORK_SOCKET);
        if (pair[1] != WORK_SOCKET)
            (void)close(pair[1]);
        _exit(worker() ? GOOD : BAD);
    }
    (void)close(pair[1]);
    CHECK_MSG(host(pair[0]), "%s: the host's end", what);
    (void)waitpid(child, &status, 0);
    (void)close(pair[0]);
    CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == GOOD, "%s: status 0x%x", what, status);
}

static volatile sig_atomic_t ticks;

static void tick(int signal)
{
    (void)signal;
    ticks = ticks + 1;
}

/* From now on signals come, and no call is gone on with by the kernel. */
static void be_interrupted(void)
{
    struct sigaction act = {.sa_handler = tick};
    const struct itimerval often = {{0, TICK_MS * 1000}, {0, TICK_MS * 1000}};
    (void)sigaction(SIGALRM, &act, NULL);
    (void)setitimer(ITIMER_REAL, &often, NULL);
}

/* ---------------------------------------------------------------- sending */

static const struct jail_report refused = {.layer = "landlock", .error = ENOSYS};

static bool greets_while_nobody_reads(void)
{
    const int little = 1;
    char some[512] = {0};
    (void)setsockopt(WORK_SOCKET, SOL_SOCKET, SO_SNDBUF, &little, sizeof little);
    while (send(WORK_SOCKET, some, 1, MSG_DONTWAIT) == 1)
        ;
    be_interrupted();
    return serve_hello(&refused, "none") == 0 && ticks > 0;
}

static bool reads_late(int socket)
{
    struct work_hello hello = {0};
    ssize_t n;
    (void)usleep(LATE_MS * 1000);
    do
        n = recv(socket, &hello, sizeof hello, 0);
    while (n == 1);
    return n == sizeof hello && hello.magic == WORK_MAGIC && hello.error == ENOSYS && !strcmp(hello.layer, "landlock") &&
           !strcmp(hello.codecs, "none");
}

TEST(a_greeting_that_signals_interrupt_arrives_whole)
{
    play("greeting", greets_while_nobody_reads, reads_late);
}

static bool replies_to_nobody(void)
{
    struct work_reply reply = {.magic = WORK_MAGIC};
    (void)usleep(LATE_MS * 1000);
    return serve_reply(&reply) == -EPIPE;
}

static bool leaves(int socket)
{
    return !shutdown(socket, SHUT_RDWR);
}

TEST(a_reply_to_nobody_is_an_error_and_no_signal)
{
    play("reply", replies_to_nobody, leaves);
}

/* ---------------------------------------------------------------- receiving */

static bool waits_for_a_request(void)
{
    struct work_request q;
    int fds[SERVE_FDS];
    be_interrupted();
    return serve_receive(&q, fds) == 0 && ticks > 0 && q.magic == WORK_MAGIC && fds[SERVE_INPUT] < 0;
}

static bool asks_late(int socket)
{
    struct work_request q = {.magic = WORK_MAGIC};
    (void)usleep(LATE_MS * 1000);
    return send(socket, &q, sizeof q, MSG_NOSIGNAL) == sizeof q;
}

TEST(a_wait_for_a_request_that_signals_interrupt_goes_on)
{
    play("request", waits_for_a_request, asks_late);
}

/* Who sent it is told beside the message; that is no descriptor. */
static bool is_told_who_asks(void)
{
    const int yes = 1;
    struct work_request q;
    int fds[SERVE_FDS];
    return !setsockopt(WORK_SOCKET, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes) && serve_receive(&q, fds) == 0 &&
           fds[SERVE_INPUT] == -1 && fds[SERVE_OUTPUT] == -1 && fds[SERVE_OTHER] == -1;
}

TEST(only_descriptors_are_taken_for_descriptors)
{
    play("credentials", is_told_who_asks, asks_late);
}

static bool gets_no_request(void)
{
    struct work_request q;
    int fds[SERVE_FDS];
    return serve_receive(&q, fds) == -EPIPE;
}

static bool nobody_asks(int socket)
{
    return leaves(socket);
}

TEST(a_host_that_leaves_without_asking_ends_the_wait)
{
    play("nobody", gets_no_request, nobody_asks);
}

/* ---------------------------------------------------------------- the input */

TEST(an_input_that_is_not_what_the_request_says_is_refused_in_words)
{
    char name[] = "/tmp/fovea-serve-XXXXXX";
    auto_close int input = memfd_create("input", MFD_CLOEXEC), blind = mkstemp(name), unreadable = open(name, O_WRONLY | O_CLOEXEC);
    int pipes[2];
    CHECK(!pipe2(pipes, O_CLOEXEC) && write(input, "bytes", 5) == 5 && write(blind, "bytes", 5) == 5 && !unlink(name));
    const struct {
        uint32_t magic;
        uint64_t len;
        int fds[SERVE_FDS];
        enum work_status status;
        const char *detail;
    } rows[] = {
        {WORK_MAGIC, 5, {input, 0, -1}, WORK_OK, ""},
        {WORK_MAGIC + 1, 5, {input, 0, -1}, WORK_UNSUPPORTED, "not a request of this version"},
        {WORK_MAGIC, 5, {-1, 0, -1}, WORK_UNSUPPORTED, "not a request of this version"},
        {WORK_MAGIC, 5, {input, -1, -1}, WORK_UNSUPPORTED, "not a request of this version"},
        {WORK_MAGIC, 0, {input, 0, -1}, WORK_MALFORMED, "the input is shorter than it was"},
        {WORK_MAGIC, 6, {input, 0, -1}, WORK_MALFORMED, "the input is shorter than it was"},
        {WORK_MAGIC, 5, {pipes[0], 0, -1}, WORK_MALFORMED, "the input is shorter than it was"},
        {WORK_MAGIC, 5, {unreadable, 0, -1}, WORK_NO_MEMORY, "cannot map the input"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct work_request q = {.magic = rows[i].magic, .input_len = rows[i].len};
        struct work_reply reply = {.status = WORK_OK};
        const void *data = NULL;
        int e = serve_map(&q, rows[i].fds, &data, &reply);
        CHECK_MSG(reply.status == rows[i].status && !strcmp(reply.detail, rows[i].detail), "%zu: status %u '%s'", i, reply.status,
                  reply.detail);
        CHECK_MSG(rows[i].status == WORK_OK ? e == 0 && data && !memcmp(data, "bytes", 5) : e == -EBADMSG && !data, "%zu", i);
        if (data)
            (void)munmap((void *)data, 5);
    }
    (void)close(pipes[0]);
    (void)close(pipes[1]);
}

TEST(the_other_input_is_mapped_only_where_there_is_one)
{
    auto_close int other = memfd_create("other", MFD_CLOEXEC);
    CHECK(write(other, "more", 4) == 4);
    const int fds[SERVE_FDS] = {-1, -1, other};
    struct work_request q = {.magic = WORK_MAGIC};
    struct work_reply reply = {.status = WORK_OK};
    const void *data = &q;
    CHECK(serve_map_other(&q, fds, &data, &reply) == 0 && !data);
    q.other_len = 4;
    CHECK(serve_map_other(&q, fds, &data, &reply) == 0 && data && !memcmp(data, "more", 4));
    (void)munmap((void *)data, 4);
    q.other_len = 5;
    CHECK(serve_map_other(&q, fds, &data, &reply) == -EBADMSG && reply.status == WORK_MALFORMED);
}
