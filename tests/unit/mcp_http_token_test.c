/* SPDX-License-Identifier: Apache-2.0 */
/* The bearer token: where it lies, who may have put it there, what it is made of; and each call of making one that can fail. */
#include "mcp/http_token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/limits.h"
#include "may_fail.h"
#include "test.h"
#include "tree.h"

/* Lets the n-th call of a name fail; see the Makefile. */
static struct {
    const char *call;
    int error, nth;
} strike;

static bool fails(const char *call)
{
    if (!strike.call || strcmp(strike.call, call) != 0 || --strike.nth)
        return false;
    errno = strike.error;
    strike.call = NULL;
    return true;
}

MAY_FAIL(ssize_t, -1, getrandom, (void *to, size_t len, unsigned flags), to, len, flags)
MAY_FAIL(int, -1, openat, (int dir, const char *path, int flags, mode_t mode), dir, path, flags, mode)
MAY_FAIL(int, -1, fsync, (int fd), fd)
MAY_FAIL(int, -1, fstat, (int fd, struct stat *st), fd, st)
MAY_FAIL(int, -1, linkat, (int from, const char *a, int to, const char *b, int flags), from, a, to, b, flags)
MAY_FAIL(ssize_t, -1, read, (int fd, void *to, size_t len), fd, to, len)
MAY_FAIL(int, -EIO, write_all, (int fd, const void *data, size_t len), fd, data, len)
MAY_FAIL(char *, NULL, strdup, (const char *s), s)
MAY_FAIL(int, (b->error = -ENOMEM), buf_add_str, (struct buf *b, const char *s), b, s)

struct home {
    struct tree t;
    char *state, *folder, *token;
};

static void home_init(struct home *h, const char *setup)
{
    CHECK(!tree_init(&h->t, setup));
    h->state = tree_text(&h->t, "@state");
    h->folder = tree_text(&h->t, "@state/fovea");
    h->token = tree_text(&h->t, "@state/fovea/token");
    CHECK(!setenv("XDG_STATE_HOME", h->state, 1));
}

static void home_done(struct home *h)
{
    free(h->state);
    free(h->folder);
    free(h->token);
    tree_done(&h->t);
}

/* It says on stderr where the token is, which a test need not. */
static int silence_begin(void)
{
    int was = dup(STDERR_FILENO);
    auto_close int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    (void)fflush(stderr);
    (void)dup2(nowhere, STDERR_FILENO);
    return was;
}

static void silence_end(int was)
{
    (void)fflush(stderr);
    (void)dup2(was, STDERR_FILENO);
    close_fd(was);
}

/* The token, or the code of the fault, whose text must have these words. */
static int load(char **ret, const char *words)
{
    struct fovea_fault fault = {0};
    char *token = NULL;
    int silent = silence_begin();
    int r = token_load(&token, &fault);
    silence_end(silent);
    CHECK_MSG(r == 0 ? token != NULL : strstr(fault.text, words) != NULL, "%d %s", r, fault.text);
    if (ret)
        *ret = token;
    else
        free(token);
    return r;
}

TEST(a_token_is_made_once_and_kept_for_its_owner_alone)
{
    cleanup(home_done) struct home h;
    struct stat st;
    char *first = NULL, *second = NULL;
    home_init(&h, "-");
    CHECK(load(&first, "") == 0 && load(&second, "") == 0);
    CHECK_STR(first, second);
    CHECK(strlen(first) == 43 && strspn(first, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == 43);
    CHECK(!stat(h.token, &st) && (st.st_mode & 0777) == 0600 && !stat(h.folder, &st) && (st.st_mode & 0777) == 0700);
    free(first);
    free(second);
}

TEST(a_token_lies_in_the_state_folder_or_beneath_home)
{
    cleanup(home_done) struct home h;
    home_init(&h, "-");
    auto_free char *was = getenv("HOME") ? strdup(getenv("HOME")) : NULL, *path = tree_text(&h.t, "@.local/state/fovea/token");
    static const char *const no_states[] = {NULL, "", "relative"};
    for (size_t i = 0; i < COUNT(no_states); i++) {
        CHECK(no_states[i] ? !setenv("XDG_STATE_HOME", no_states[i], 1) : !unsetenv("XDG_STATE_HOME"));
        CHECK(!setenv("HOME", h.t.top, 1) && load(NULL, "") == 0 && access(path, F_OK) == 0);
        CHECK(!setenv("HOME", "relative", 1) && load(NULL, "no place for the token") == -ENOENT);
        CHECK(!unsetenv("HOME") && load(NULL, "no place for the token") == -ENOENT);
    }
    if (was)
        (void)setenv("HOME", was, 1);
}

TEST(a_folder_or_token_that_others_can_change_or_read_is_refused)
{
    cleanup(home_done) struct home h;
    home_init(&h, "state/fovea/token");
    CHECK(!chmod(h.folder, 0770) && load(NULL, "open to others") == -EPERM);
    CHECK(!chmod(h.folder, 0700) && !chmod(h.token, 0640) && load(NULL, "read by others") == -EPERM);
    CHECK(!unlink(h.token) && !mkdir(h.token, 0700) && load(NULL, "read by others") == -EPERM);
    CHECK(!rmdir(h.token) && !symlink("elsewhere", h.token) && load(NULL, "cannot open") == -ELOOP);
    if (geteuid() == 0) {
        CHECK(!unlink(h.token) && !tree_file(h.token, "x") && !chmod(h.token, 0600) && !chown(h.token, 65534, 65534));
        CHECK(load(NULL, "read by others") == -EPERM);
        CHECK(!chown(h.folder, 65534, 65534) && load(NULL, "open to others") == -EPERM);
    }
}

TEST(a_folder_that_cannot_be_made_or_opened_is_told)
{
    cleanup(home_done) struct home h;
    home_init(&h, "state");
    CHECK(load(NULL, "cannot make") == -ENOTDIR);
    CHECK(!unlink(h.state) && !mkdir(h.state, 0700) && !tree_file(h.folder, "x") && load(NULL, "cannot open") == -ENOTDIR);
    auto_free char *deep = tree_text(&h.t, "@state/{300*x}");
    CHECK(!setenv("XDG_STATE_HOME", deep, 1) && load(NULL, "cannot make") == -ENAMETOOLONG);
    auto_free char *name = tree_text(&h.t, "/{4096*x}");
    CHECK(!setenv("XDG_STATE_HOME", name, 1) && load(NULL, "") < 0);
}

TEST(a_file_that_holds_no_token_is_told)
{
    static const char good[] = "0123456789abcdef0123456789abcdef";
    cleanup(home_done) struct home h;
    home_init(&h, "state/fovea/token");
    auto_free char *longer = tree_text(&h.t, "{3000*x}");
    const char *const bad[] = {"", "\n", "short\n", "0123456789abcdef 0123456789abcdef\n", "0123456789abcdef\x7f""0123456789abcdef\n",
                               "0123456789abcdef0123456789abcdef\n\n", longer};
    CHECK(!chmod(h.folder, 0700));
    for (size_t i = 0; i < COUNT(bad); i++)
        CHECK_MSG(!tree_file(h.token, bad[i]) && !chmod(h.token, 0600) && load(NULL, "holds no token") == -EINVAL, "row %zu", i);
    auto_close int fd = open(h.token, O_WRONLY | O_TRUNC | O_CLOEXEC);
    CHECK(write(fd, "0123456789abcdef0123456789abcdef\0x\n", 35) == 35 && load(NULL, "holds no token") == -EINVAL);
    char *token = NULL;
    CHECK(!tree_file(h.token, good) && load(&token, "") == 0); /* the end of the line may be missing */
    CHECK_STR(token, good);
    free(token);
}

/* Nothing half-made stays behind, and the next start makes one. */
TEST(whatever_fails_while_a_token_is_made_is_told_and_leaves_nothing)
{
    static const struct {
        const char *call;
        int nth, error, code;
        const char *words;
    } rows[] = {
        {"getrandom", 1, EIO, -EIO, "cannot write"},
        {"getrandom", 2, EIO, -EIO, "cannot write"},
        {"openat", 2, EDQUOT, -EDQUOT, "cannot write"},
        {"write_all", 1, EIO, -EIO, "cannot write"},
        {"write_all", 2, EIO, -EIO, "cannot write"},
        {"fsync", 1, EIO, -EIO, "cannot write"},
        {"linkat", 1, EPERM, -EPERM, "cannot write"},
        {"linkat", 1, EEXIST, -ENOENT, "cannot write"}, /* somebody was faster, and then took it away: without a word */
        {"strdup", 1, ENOMEM, -ENOMEM, "out of memory"},
        {"fstat", 1, EIO, -EIO, "the token's folder"},
        {"buf_add_str", 1, ENOMEM, -ENOMEM, "out of memory"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        cleanup(home_done) struct home h;
        home_init(&h, "-");
        strike.call = rows[i].call;
        strike.nth = rows[i].nth;
        strike.error = rows[i].error;
        int code = load(NULL, rows[i].words);
        CHECK_MSG(code == rows[i].code && !strike.call, "row %zu: %d", i, code);
        CHECK_MSG(load(NULL, "") == 0, "row %zu", i);
    }
}

TEST(whatever_fails_while_a_token_is_read_is_told)
{
    static const struct {
        const char *call;
        int nth, error;
        const char *words;
    } rows[] = {{"fstat", 2, EIO, "cannot open"}, {"read", 1, EIO, "cannot read"}, {"strdup", 1, ENOMEM, "out of memory"}};
    cleanup(home_done) struct home h;
    home_init(&h, "-");
    CHECK(load(NULL, "") == 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        strike.call = rows[i].call;
        strike.nth = rows[i].nth;
        strike.error = rows[i].error;
        CHECK_MSG(load(NULL, rows[i].words) == -rows[i].error, "row %zu", i);
    }
}

/* In a container every server may have the same number, and one draft left by a crash kept all later ones from starting. */
TEST(a_draft_left_by_a_crash_does_not_keep_the_next_from_starting)
{
    cleanup(home_done) struct home h;
    home_init(&h, "state/fovea/");
    auto_free char *draft = NULL;
    CHECK(!mkdir(h.folder, 0700) || errno == EEXIST);
    CHECK(!chmod(h.folder, 0700) && asprintf(&draft, "%s.%ld", h.token, (long)getpid()) > 0 && !tree_file(draft, "half a tok"));
    CHECK(load(NULL, "") == 0);
}
