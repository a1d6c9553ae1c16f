/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as lines, over each kind of stdin and stdout: sockets, pipes that nobody reads, ends that are closed; and the id of a
 * line that is too long to be read. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/limits.h"
#include "mcp/find_id.h"
#include "mcp/core.h"
#include "mcp/lines.h"

#define PING "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n"

/* Fails the next call of that kind, once: what it returns, with what errno. */
static struct fault {
    const char *call;
    int error;
    size_t size; /* of malloc and calloc: only such a block */
} fault_next;

static bool fails(const char *call, size_t size)
{
    bool now = fault_next.call && !strcmp(fault_next.call, call) && (!fault_next.size || fault_next.size == size);
    if (now) {
        errno = fault_next.error;
        fault_next.call = NULL;
    }
    return now;
}

#define MAY_FAIL(type, failed, name, params, size, ...)              \
    type __real_##name params;                                       \
    type __wrap_##name params;                                       \
    type __wrap_##name params                                        \
    {                                                                \
        return fails(#name, size) ? (failed) : __real_##name(__VA_ARGS__); \
    }
MAY_FAIL(int, -1, poll, (struct pollfd *fds, nfds_t n, int ms), n, fds, n, ms)
MAY_FAIL(ssize_t, -1, writev, (int fd, const struct iovec *v, int n), 0, fd, v, n)
MAY_FAIL(ssize_t, -1, read, (int fd, void *to, size_t len), 0, fd, to, len)
MAY_FAIL(int, -1, eventfd, (unsigned n, int flags), 0, n, flags)
MAY_FAIL(int, -1, dup2, (int from, int to), 0, from, to)
MAY_FAIL(void *, NULL, malloc, (size_t size), size, size)
MAY_FAIL(void *, NULL, calloc, (size_t n, size_t size), n * size, n, size)
MAY_FAIL(struct client *, NULL, client_new, (struct server *s), 0, s)
MAY_FAIL(int, -ENOMEM, buf_add, (struct buf *b, const void *data, size_t len), 0, b, data, len)
MAY_FAIL(int, (b->error = -ENOMEM), buf_add_str, (struct buf *b, const char *s), strlen(s), b, s)

struct bench {
    fovea *f;
    struct server *s;
    struct stdio io;
    int stdin_was;
    bool ended_well;
};

/* Its stdin has these words and then ends; its answers go to out, which is taken. */
static struct bench begin(const char *words, int out)
{
    static const struct server_options options = {0};
    const struct fovea_options quiet = {.config_file = "", .cwd = "/"};
    struct fovea_fault fault;
    struct bench b = {.io = {.out = out, .stop = eventfd(0, EFD_CLOEXEC), .broken = eventfd(0, EFD_CLOEXEC)}};
    int in[2];
    CHECK_MSG(!fovea_new(&quiet, &b.f, &fault) && !server_new(b.f, &options, &b.s, &fault), "%s", fault.text);
    CHECK(!pipe2(in, O_CLOEXEC) && write(in[1], words, strlen(words)) == (ssize_t)strlen(words));
    b.stdin_was = dup(STDIN_FILENO);
    CHECK(dup2(in[0], STDIN_FILENO) == STDIN_FILENO);
    close_fd(in[0]);
    close_fd(in[1]);
    return b;
}

static void end(struct bench *b)
{
    CHECK(server_free(b->s, 0, NULL, NULL));
    fovea_free(b->f);
    (void)dup2(b->stdin_was, STDIN_FILENO);
    close_fd(b->stdin_was);
    close_fd(b->io.stop);
    stdio_done(&b->io);
}

static void *run(void *arg)
{
    struct bench *b = arg;
    b->ended_well = stdio_run(b->s, &b->io) > 0;
    return NULL;
}

TEST(a_socket_gets_the_answers_that_a_pipe_gets)
{
    int pair[2], ends[2];
    char line[2][256] = {{0}};
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) && !pipe2(ends, O_CLOEXEC));
    const int out[2][2] = {{pair[0], pair[1]}, {ends[1], ends[0]}};
    for (size_t i = 0; i < 2; i++) {
        struct bench b = begin(" \t\r\n\n" PING, out[i][0]);
        CHECK(stdio_run(b.s, &b.io));
        CHECK(!stdio_over(&b.io));
        CHECK(read(out[i][1], line[i], sizeof line[i] - 1) > 0);
        end(&b);
        close_fd(out[i][1]);
    }
    CHECK(strstr(line[0], "\"id\":7") && line[0][strlen(line[0]) - 1] == '\n');
    CHECK_STR(line[0], line[1]);
}

TEST(a_last_line_without_an_end_is_answered_too)
{
    int ends[2];
    char line[256] = {0};
    CHECK(!pipe2(ends, O_CLOEXEC));
    char words[] = PING;
    words[sizeof words - 2] = '\0';
    struct bench b = begin(words, ends[1]);
    CHECK(stdio_run(b.s, &b.io));
    CHECK(read(ends[0], line, sizeof line - 1) > 0 && strstr(line, "\"id\":7"));
    end(&b);
    close_fd(ends[0]);
}

/* full: no byte more goes in. */
static int full_pipe(int *ret_reader)
{
    int ends[2];
    CHECK(!pipe2(ends, O_CLOEXEC | O_NONBLOCK));
    while (write(ends[1], "0123456789abcdef", 16) > 0)
        ;
    while (write(ends[1], "0", 1) > 0)
        ;
    *ret_reader = ends[0];
    return ends[1];
}

TEST(who_waits_for_a_reader_ends_when_told_to)
{
    int reader;
    pthread_t thread;
    struct bench b = begin(PING, full_pipe(&reader));
    CHECK(!pthread_create(&thread, NULL, run, &b));
    (void)usleep(50000); /* until it waits; if it is told before that, it ends all the same */
    CHECK(!eventfd_write(b.io.stop, 1));
    CHECK(!pthread_join(thread, NULL));
    CHECK(!b.ended_well && stdio_over(&b.io));
    end(&b);
    close_fd(reader);
}

TEST(who_waits_for_a_reader_goes_on_when_there_is_room)
{
    int reader;
    pthread_t thread;
    char all[4096];
    struct bench b = begin(PING, full_pipe(&reader));
    CHECK(!pthread_create(&thread, NULL, run, &b));
    (void)usleep(20000);
    (void)fcntl(reader, F_SETFL, 0);
    bool answered = false;
    for (int i = 0; i < 100 && !answered; i++) { /* a pipe holds 64 KiB */
        ssize_t n = read(reader, all, sizeof all - 1);
        all[MAX(n, 0)] = '\0';
        answered = n > 0 && strchr(all, '\n');
    }
    CHECK(answered);
    CHECK(!pthread_join(thread, NULL));
    CHECK(b.ended_well);
    end(&b);
    close_fd(reader);
}

TEST(a_reader_that_left_ends_it)
{
    int ends[2];
    (void)signal(SIGPIPE, SIG_IGN);
    CHECK(!pipe2(ends, O_CLOEXEC));
    close_fd(ends[0]);
    struct bench b = begin(PING PING, ends[1]);
    CHECK(!stdio_run(b.s, &b.io));
    CHECK(stdio_over(&b.io));
    end(&b);
}

/* A file is always ready to be written, so only the write tells. */
TEST(an_answer_that_cannot_be_written_ends_it)
{
    struct bench b = begin(PING PING, open("/dev/full", O_WRONLY | O_CLOEXEC));
    (void)stdio_run(b.s, &b.io);
    CHECK(stdio_over(&b.io));
    end(&b);
}

TEST(a_stdin_that_cannot_be_read_has_ended)
{
    struct bench b = begin("", open("/dev/null", O_WRONLY | O_CLOEXEC));
    int only_written = open("/dev/null", O_WRONLY | O_CLOEXEC);
    CHECK(dup2(only_written, STDIN_FILENO) == STDIN_FILENO);
    close_fd(only_written);
    CHECK(stdio_run(b.s, &b.io));
    end(&b);
}

/* What stdio_take makes of a stdout; the descriptor given is taken, below 0 leaves none. */
static int taken(int out, struct stdio *ret)
{
    int was = dup(STDOUT_FILENO);
    (void)fflush(stdout);
    if (out >= 0)
        (void)dup2(out, STDOUT_FILENO);
    else
        (void)close(STDOUT_FILENO);
    int r = stdio_take(-1, ret);
    (void)dup2(was, STDOUT_FILENO);
    close_fd(was);
    close_fd(out);
    return r;
}

TEST(a_pipe_is_taken_so_that_writing_never_waits_and_others_as_they_are)
{
    int ends[2];
    struct stdio io;
    CHECK(!pipe2(ends, O_CLOEXEC));
    CHECK(!taken(ends[1], &io));
    CHECK(fcntl(io.out, F_GETFL) & O_NONBLOCK);
    stdio_done(&io);
    close_fd(ends[0]);
    CHECK(!taken(open("/dev/null", O_WRONLY | O_CLOEXEC), &io));
    CHECK(!(fcntl(io.out, F_GETFL) & O_NONBLOCK));
    stdio_done(&io);
    CHECK(taken(-1, &io) == -EBADF);
}

TEST(the_id_of_a_line_that_is_too_long_is_found_or_nothing_is)
{
    static const struct {
        const char *line;
        const char *id; /* NULL: none */
    } rows[] = {
        {"{\"id\":5,", "5"},
        {"{ \"id\"\n:\r\n\t-12 ,", "-12"},
        {"{\"id\":\"a\\\"b\",", "\"a\\\"b\""},
        {"{\"id\":[5],", NULL},
        {"{\"id\":,", NULL},
        {"{\"params\":{\"id\":5},", NULL},
        {"{\"idx\":5,", NULL},
        {"{\"id\":1.5,", NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct id_finder f = {0};
        id_finder_take(&f, rows[i].line, strlen(rows[i].line));
        auto_json *id = id_finder_id(&f);
        auto_free char *text = id ? json_dumps(id, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
        CHECK_MSG(!text == !rows[i].id && (!text || !strcmp(text, rows[i].id)), "row %zu: %s", i, text ? text : "none");
    }
}

TEST(an_id_longer_than_any_is_none)
{
    static const size_t lengths[] = {LIMIT_MCP_ID + 1, 2 * sizeof(((struct id_finder *)0)->value)};
    for (size_t n = 0; n < COUNT(lengths); n++) {
        struct id_finder f = {0};
        id_finder_take(&f, "{\"id\":\"", 7);
        for (size_t i = 0; i < lengths[n]; i++)
            id_finder_take(&f, "x", 1);
        id_finder_take(&f, "\",", 2);
        CHECK(!id_finder_id(&f));
    }
}

/* ---------------------------------------------------------------- when the system or memory fails */

/* What comes back for the words, with that failure. */
static void answer_to(const char *words, struct fault f, bool well, char *to, size_t room)
{
    int ends[2];
    memset(to, 0, room);
    CHECK(!pipe2(ends, O_CLOEXEC | O_NONBLOCK));
    struct bench b = begin(words, ends[1]);
    fault_next = f;
    CHECK_MSG((stdio_run(b.s, &b.io) > 0) == well, "%s", f.call);
    CHECK_MSG(!fault_next.call, "%s was not called", fault_next.call);
    fault_next.call = NULL;
    (void)!read(ends[0], to, room - 1);
    end(&b);
    close_fd(ends[0]);
}

TEST(what_was_interrupted_is_done_again)
{
    static const struct fault rows[] = {{"poll", EINTR, 4}, {"read", EINTR, 0}, {"read", EAGAIN, 0}, {"writev", EINTR, 0}, {"writev", EAGAIN, 0}};
    char line[256];
    for (size_t i = 0; i < COUNT(rows); i++) {
        answer_to(PING, rows[i], true, line, sizeof line);
        CHECK_MSG(strstr(line, "\"id\":7") && strstr(line, "result"), "%s %d: %s", rows[i].call, rows[i].error, line);
    }
}

TEST(a_server_that_cannot_wait_or_has_no_memory_to_begin_ends_it)
{
    static const struct fault rows[] = {{"poll", ENOMEM, 4}, {"client_new", 0, 0}, {"malloc", ENOMEM, LIMIT_READ_PIECE}, {"calloc", ENOMEM, 0}};
    char line[256];
    for (size_t i = 0; i < COUNT(rows); i++) {
        answer_to(PING, rows[i], false, line, sizeof line);
        CHECK_STR(line, "");
    }
}

/* It said that the message was too long. */
TEST(a_line_for_which_there_is_no_memory_is_told_so)
{
    char line[256];
    answer_to(PING PING, (struct fault){"buf_add", ENOMEM, 0}, true, line, sizeof line);
    CHECK_MSG(strstr(line, "\"id\":7") && strstr(line, "-32603") && strstr(line, "out of memory"), "%s", line);
    CHECK(strstr(line, "result")); /* the next is answered */
}

TEST(a_stdout_that_is_closed_ends_it)
{
    struct bench b = begin(PING, -1);
    (void)stdio_run(b.s, &b.io);
    CHECK(stdio_over(&b.io));
    end(&b);
}

static int wait_full(const struct fault *f, bool *ended_well)
{
    int reader;
    pthread_t thread;
    struct bench b = begin(PING, full_pipe(&reader));
    fault_next = *f;
    CHECK(!pthread_create(&thread, NULL, run, &b));
    const char *volatile *waits = (const char *volatile *)&fault_next.call;
    for (int i = 0; i < 5000 && *waits; i++)
        (void)usleep(1000);
    int failed = !*waits;
    (void)eventfd_write(b.io.stop, 1);
    CHECK(!pthread_join(thread, NULL));
    *ended_well = b.ended_well;
    fault_next.call = NULL;
    end(&b);
    close_fd(reader);
    return failed;
}

TEST(who_waits_for_a_reader_and_cannot_ends)
{
    static const struct fault rows[] = {{"poll", EINTR, 2}, {"poll", ENOMEM, 2}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        bool well = true;
        CHECK_MSG(wait_full(&rows[i], &well) && !well, "row %zu", i);
    }
}

TEST(a_stdout_that_cannot_be_taken_is_left_as_it_was)
{
    struct stdio io;
    int ends[2];
    for (int i = 0; i < 2; i++) {
        CHECK(!pipe2(ends, O_CLOEXEC));
        int was = dup(STDOUT_FILENO);
        (void)fflush(stdout);
        CHECK(dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO);
        fault_next = (struct fault){i ? "dup2" : "eventfd", EMFILE, 0};
        int r = stdio_take(-1, &io);
        CHECK(write(STDOUT_FILENO, "x", 1) == 1);
        (void)dup2(was, STDOUT_FILENO);
        CHECK(r == -EMFILE && read(ends[0], &(char){0}, 1) == 1);
        close_fd(was);
        close_fd(ends[0]);
        close_fd(ends[1]);
    }
}

/* ---------------------------------------------------------------- batches */

static struct heard {
    struct outlet outlet;
    char text[256];
    size_t len;
    int notes, last, ends, http;
} heard;

static bool hear(struct outlet *o, const char *text, size_t len, bool last, int http)
{
    struct heard *h = (struct heard *)o;
    h->len = len;
    (void)snprintf(h->text, sizeof h->text, "%.*s", (int)MIN(len, sizeof h->text - 1), text);
    h->http = http;
    last ? h->last++ : h->notes++;
    return true;
}

static void hear_end(struct outlet *o)
{
    ((struct heard *)o)->ends++;
}

static void hear_free(struct outlet *o)
{
    (void)o;
}

static const struct outlet_kind hearing = {hear, hear_end, hear_free};

static struct outlet *new_batch(unsigned n)
{
    heard = (struct heard){.outlet = {.kind = &hearing, .refs = 1}};
    return batch_outlet_new(&heard.outlet, n);
}

TEST(notes_pass_a_batch_and_what_has_no_room_in_it_is_sent_back)
{
    struct outlet *b = new_batch(2);
    auto_free char *large = calloc(1, LIMIT_MCP_REPLY);
    CHECK(b->kind->send(b, "note", 4, false, 0) && heard.notes == 1 && !strcmp(heard.text, "note"));
    memset(large, ' ', LIMIT_MCP_REPLY);
    CHECK(!b->kind->send(b, large, LIMIT_MCP_REPLY, true, 200));
    CHECK(b->kind->send(b, "1", 1, true, 200));
    b->kind->end(b);
    CHECK(!heard.last && !heard.ends);
    CHECK(b->kind->send(b, "2", 1, true, 200));
    b->kind->end(b);
    CHECK_STR(heard.text, "[1,2]");
    CHECK(heard.last == 1 && heard.ends == 1);
    outlet_unref(b);
}

TEST(a_batch_of_which_all_was_cancelled_sends_nothing)
{
    struct outlet *b = new_batch(1);
    b->kind->end(b);
    CHECK(!heard.last && heard.ends == 1);
    outlet_unref(b);
}

/* It ended without a word, and its sender waited. */
TEST(a_batch_without_memory_for_its_answers_says_so)
{
    fault_next = (struct fault){"calloc", ENOMEM, 0};
    CHECK(!new_batch(1) && !fault_next.call);
    struct outlet *b = new_batch(1);
    CHECK(b->kind->send(b, "1", 1, true, 200));
    fault_next = (struct fault){"buf_add_str", ENOMEM, 1};
    b->kind->end(b);
    CHECK(!fault_next.call && strstr(heard.text, "-32603") && heard.http == 500 && heard.last == 1 && heard.ends == 1);
    outlet_unref(b);
    b = new_batch(1);
    fault_next = (struct fault){"buf_add_str", ENOMEM, 1};
    CHECK(b->kind->send(b, "1", 1, true, 200) && !fault_next.call);
    b->kind->end(b);
    CHECK(strstr(heard.text, "-32603") && heard.last == 1 && heard.ends == 1);
    outlet_unref(b);
}
