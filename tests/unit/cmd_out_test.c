/* SPDX-License-Identifier: Apache-2.0 */
/* What goes to stdout: exact where a program reads it, harmless on a terminal, and told by the exit code where it cannot be written. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/out.h"
#include "cmd/sink.h"

TEST(json_on_a_terminal_says_the_same_and_acts_on_nothing)
{
    static const struct {
        const char *json, *shown;
        bool last;
        size_t taken; /* 0: all */
    } rows[] = {
        {"{\"a\":1}\n", "{\"a\":1}\n", true, 0},
        {"\"\x1b[2J\"", "\"\\u001b[2J\"", true, 0},
        {"\"\u202e\"", "\"\\u202e\"", true, 0},
        {"\"\U000e0001\"", "\"\\udb40\\udc01\"", true, 0},
        {"\"\u00e9\xff\"", "\"\u00e9\xff\"", true, 0},
        {"ab\xe2\x80", "ab", false, 2},
        {"ab\xe2\x80", "ab\xe2\x80", true, 0},
        {"ab\x80", "ab\x80", false, 0},
        {"\xf0xyz!", "\xf0xyz!", false, 0},
        {"", "", true, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_buf b = BUF_INIT(100);
        size_t len = strlen(rows[i].json);
        CHECK(buf_add_json_shown(&b, rows[i].json, len, rows[i].last) == (rows[i].taken ? rows[i].taken : len));
        CHECK_STR(b.data ? b.data : "", rows[i].shown);
    }
    auto_buf small = BUF_INIT(4);
    CHECK(buf_add_json_shown(&small, "abcdefgh\u202e", 11, true) < 11 || small.error == -EFBIG);
}

/* ---------------------------------------------------------------- streams */

static int kept_out = -1, kept_err = -1;

static void streams_to(int out_fd)
{
    kept_out = dup(1);
    kept_err = dup(2);
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    CHECK(dup2(out_fd, 1) == 1 && dup2(null, 2) == 2);
    (void)close(null);
}

static void streams_back(void)
{
    CHECK(dup2(kept_out, 1) == 1 && dup2(kept_err, 2) == 2);
    (void)close(kept_out);
    (void)close(kept_err);
}

/* A terminal that passes on what it gets. */
static int open_terminal(int *ret_slave)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    struct termios t;
    if (master < 0 || grantpt(master) || unlockpt(master))
        return -1;
    *ret_slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    CHECK(tcgetattr(*ret_slave, &t) == 0);
    cfmakeraw(&t);
    CHECK(tcsetattr(*ret_slave, TCSANOW, &t) == 0);
    return master;
}

TEST(words_on_a_terminal_are_shown_not_sent)
{
    char got[200] = "";
    int slave, master = open_terminal(&slave);
    if (master < 0)
        SKIP("no terminal can be made");
    struct sink s;
    struct fovea_fault fault = {0};
    streams_to(slave);
    int json = out_json(strdup("\"\u202e\""));
    sink_init(&s);
    bool terminal = s.terminal;
    int sunk = sink_write(&s, "a\xe2\x80", 3) + sink_write(&s, "\xae" "b", 2), ended = sink_end(&s, 0, "\n", &fault);
    sink_done(&s);
    streams_back();
    CHECK(json == EXIT_DONE && terminal && sunk == 0 && ended == EXIT_DONE);
    static const char want[] = "\"\\u202e\"\na\\u202eb\n";
    ssize_t n = 1;
    for (size_t have = 0; n > 0 && have < sizeof want - 1; have += (size_t)MAX(n, 0)) /* a terminal gives what it has */
        n = read(master, got + have, sizeof got - 1 - have);
    CHECK_STR(got, want);
    close_fd(master);
    close_fd(slave);
}

TEST(pieces_of_any_length_arrive_whole)
{
    static char large[3 * LIMIT_CLI_PIECE];
    static const size_t pieces[] = {1, LIMIT_CLI_PIECE - 1, LIMIT_CLI_PIECE, 2, 3 * LIMIT_CLI_PIECE, 0, 7};
    struct fovea_fault fault = {0};
    size_t all = 1;
    int file = memfd_create("out", MFD_CLOEXEC), bad = 0;
    memset(large, 'x', sizeof large);
    for (int terminal = 0; terminal < 2; terminal++) {
        struct sink s;
        streams_to(file);
        sink_init(&s);
        s.terminal = terminal;
        for (size_t i = 0; i < COUNT(pieces); i++)
            bad |= sink_write(&s, large, pieces[i]);
        bad |= sink_end(&s, 0, "\n", &fault);
        sink_done(&s);
        streams_back();
    }
    for (size_t i = 0; i < COUNT(pieces); i++)
        all += pieces[i];
    CHECK(bad == 0 && lseek(file, 0, SEEK_END) == (off_t)(2 * all));
    close_fd(file);
}

TEST(what_cannot_be_written_is_told_by_the_exit_code)
{
    static char large[2 * LIMIT_CLI_PIECE];
    struct fovea_fault fault = {.code = -ENOENT, .text = "no such session"};
    auto_buf failed = BUF_INIT(2), empty = BUF_INIT(2);
    int pipe_fd[2], codes[8] = {0};
    (void)signal(SIGPIPE, SIG_IGN);
    CHECK(pipe(pipe_fd) == 0 && close(pipe_fd[0]) == 0);
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    (void)buf_add_str(&failed, "abc");
    for (int i = 0; i < 2; i++) {
        struct sink s;
        streams_to(i ? pipe_fd[1] : full);
        sink_init(&s);
        codes[i] = out_str("a");
        (void)sink_write(&s, large, sizeof large);
        (void)sink_write(&s, "a", 1);
        codes[2 + i] = sink_end(&s, -ENOENT, "", &fault);
        sink_done(&s);
        streams_back();
    }
    streams_to(full);
    struct sink s;
    sink_init(&s);
    codes[4] = sink_end(&s, -ENOENT, "", &fault);
    codes[5] = out_json(NULL);
    codes[6] = out_buf(&failed);
    codes[7] = out_buf(&empty);
    sink_done(&s);
    streams_back();
    CHECK(codes[0] == EXIT_FAULT && codes[1] == EXIT_REFUSED && codes[2] == EXIT_FAULT && codes[3] == EXIT_REFUSED);
    CHECK(codes[4] == EXIT_REFUSED && codes[5] == EXIT_FAULT && codes[6] == EXIT_FAULT && codes[7] == EXIT_DONE);
    CHECK(part_of(&empty, &failed) != NULL && empty.error == -EFBIG);
    close_fd(full);
    close_fd(pipe_fd[1]);
}

TEST(streams_that_were_closed_stay_unusable_and_are_nobody_elses)
{
    pid_t pid = fork();
    if (!pid) {
        for (int fd = 0; fd <= 2; fd++)
            (void)close(fd);
        streams_init();
        char c;
        bool good = read(0, &c, 1) < 0 && write(1, "a", 1) < 0 && write(2, "a", 1) < 0 && open("/dev/null", O_RDONLY) == 3;
        _exit(good ? 0 : 1);
    }
    int status = 1;
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}
