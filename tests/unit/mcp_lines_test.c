/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as lines, over each kind of stdin and stdout: sockets, pipes that nobody reads, ends that are closed; and the id of a
 * line that is too long to be read. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "mcp/find_id.h"
#include "mcp/lines.h"

#define PING "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n"

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
    b->ended_well = stdio_run(b->s, &b->io);
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
