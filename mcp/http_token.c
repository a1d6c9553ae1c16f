/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bearer token: see http_token.h. A new one is written beside its place and linked there, so that a second server
 * that starts at the same time finds all of it or nothing.
 */
#include "http_token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/b64.h"
#include "base/buf.h"
#include "base/fault.h"
#include "base/io.h"
#include "base/limits.h"

enum { TOKEN_BYTES = 32, TOKEN_MIN = 32 };

static int state_path(struct buf *ret, struct fovea_fault *fault)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && *state == '/')
        (void)buf_add_str(ret, state);
    else if (home && *home == '/')
        (void)buf_add_format(ret, "%s/.local/state", home);
    else
        return fault_set(fault, ENOENT, "no place for the token: set HOME or XDG_STATE_HOME, or pass --no-token");
    (void)buf_add_str(ret, "/fovea");
    return ret->error ? fault_oom(fault) : 0;
}

/* mkdir -p; what is missing is made for the owner alone. */
static int make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int r = mkdir(path, 0700);
        *slash = '/';
        if (r < 0 && errno != EEXIST)
            return -errno;
    }
    return mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

/* Opens the folder; one in which others can put files is refused. */
static int open_folder(char *path, int *ret, struct fovea_fault *fault)
{
    int r = make_folders(path);
    if (r < 0)
        return fault_set(fault, r, "cannot make '%s' for the token: %s", path, strerror(-r));
    auto_close int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return fault_set(fault, errno, "cannot open '%s', the token's folder: %s", path, strerror(errno));
    if (st.st_uid != geteuid() || st.st_mode & 022)
        return fault_set(fault, EPERM, "'%s', the token's folder, is open to others: make it yours, with mode 0700", path);
    *ret = take_fd(&fd);
    return 0;
}

static bool token_is_sane(const char *s)
{
    size_t len = strlen(s);
    for (size_t i = 0; i < len; i++)
        if (s[i] <= ' ' || s[i] > '~')
            return false;
    return len >= TOKEN_MIN && len <= LIMIT_HTTP_TOKEN;
}

/* -ENOENT when there is none. */
static int read_token(int folder, const char *path, char **ret, struct fovea_fault *fault)
{
    auto_close int fd = openat(folder, "token", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return -ENOENT;
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return fault_set(fault, errno, "cannot open '%s/token': %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 077)
        return fault_set(fault, EPERM, "'%s/token' can be read by others: remove it, and a new one is made", path);
    char text[LIMIT_HTTP_TOKEN + 3]; /* one more than the longest with its newline: what goes on is no token */
    ssize_t n = read(fd, text, sizeof text - 1);
    if (n < 0)
        return fault_set(fault, errno, "cannot read '%s/token': %s", path, strerror(errno));
    size_t len = (size_t)n - (n && text[n - 1] == '\n');
    text[len] = '\0';
    if (strlen(text) != len || !token_is_sane(text))
        return fault_set(fault, EINVAL, "'%s/token' holds no token: remove it, and a new one is made", path);
    *ret = strdup(text);
    return *ret ? 0 : fault_oom(fault);
}

/* The url-safe alphabet, and no padding. */
static int random_token(char out[B64_LEN(TOKEN_BYTES) + 2])
{
    uint8_t bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return -EIO;
    b64_encode(bytes, sizeof bytes, out);
    out[B64_LEN(TOKEN_BYTES)] = '\0';
    for (char *c = out; *c; c++)
        *c = *c == '+' ? '-' : *c == '/' ? '_' : *c == '=' ? '\0' : *c;
    return 0;
}

/* -EEXIST when somebody else was faster. The draft's name is nobody else's: one that a crash left behind, by a process that had our
 * number, would keep every later one from starting. */
static int write_token(int folder, const char *token)
{
    char name[40], random[B64_LEN(TOKEN_BYTES) + 2];
    int r = random_token(random);
    if (r < 0)
        return r;
    (void)snprintf(name, sizeof name, "token.%.16s", random);
    auto_close int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    r = write_all(fd, token, strlen(token));
    r = r < 0 ? r : write_all(fd, "\n", 1);
    if (!r && (fsync(fd) < 0 || linkat(folder, name, folder, "token", 0) < 0))
        r = -errno;
    (void)unlinkat(folder, name, 0);
    if (!r)
        (void)fsync(folder);
    return r;
}

static int make_token(int folder, const char *path, char **ret, struct fovea_fault *fault)
{
    char token[B64_LEN(TOKEN_BYTES) + 2];
    int r = random_token(token);
    r = r < 0 ? r : write_token(folder, token);
    if (r == -EEXIST && (r = read_token(folder, path, ret, fault)) != -ENOENT)
        return r;
    if (r < 0) /* -ENOENT: it was there and is gone */
        return fault_set(fault, r, "cannot write '%s/token': %s", path, strerror(-r));
    *ret = strdup(token);
    if (!*ret)
        return fault_oom(fault);
    (void)fprintf(stderr, "fovea: made a token in %s/token; clients send this header:\n  Authorization: Bearer %s\n", path,
                  token);
    return 0;
}

int token_load(char **ret, struct fovea_fault *fault)
{
    auto_buf path = BUF_INIT(LIMIT_PATH_BYTES);
    auto_close int folder = -1;
    int r = state_path(&path, fault);
    r = r < 0 ? r : open_folder(path.data, &folder, fault);
    if (r < 0)
        return r;
    r = read_token(folder, path.data, ret, fault);
    if (r == -ENOENT)
        return make_token(folder, path.data, ret, fault);
    if (!r)
        (void)fprintf(stderr, "fovea: clients need the token in %s/token\n", path.data);
    return r;
}
