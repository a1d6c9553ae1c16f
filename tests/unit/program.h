/* SPDX-License-Identifier: Apache-2.0 */
/* A worker program, started as its parent starts it, and spoken to directly. */
#ifndef FOVEA_TEST_PROGRAM_H
#define FOVEA_TEST_PROGRAM_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "built.h"
#include "sandbox/proto.h"
#include "sandbox/serve.h"

struct child {
    pid_t pid;
    int socket;
};

/* Started, and its greeting heard. */
static struct child start(const char *name, const char *argument)
{
    int pair[2];
    struct work_hello hello = {0};
    const char *path = built(name);
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
    pid_t pid = fork();
    if (!pid) {
        (void)alarm(30);
        if (pair[1] == WORK_SOCKET)
            (void)fcntl(WORK_SOCKET, F_SETFD, 0);
        else
            (void)dup2(pair[1], WORK_SOCKET);
        (void)execl(path, path, argument, NULL);
        _exit(127);
    }
    (void)close(pair[1]);
    CHECK_MSG(recv(pair[0], &hello, sizeof hello, 0) == sizeof hello && hello.magic == WORK_MAGIC && !hello.error, "%s: %s", name, hello.layer);
    return (struct child){pid, pair[0]};
}

/* len bytes of the request, with the descriptors that are there. */
static void ask(const struct child *w, const struct work_request *q, size_t len, const int fds[SERVE_FDS])
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(SERVE_FDS * sizeof(int))];
    } control = {0};
    struct iovec part = {(void *)(uintptr_t)q, len};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
    size_t n = 0;
    while (fds && n < SERVE_FDS && fds[n] >= 0)
        n++;
    if (n) {
        m.msg_control = control.bytes;
        m.msg_controllen = CMSG_SPACE(n * sizeof(int));
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        *c = (struct cmsghdr){.cmsg_len = CMSG_LEN(n * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(c), fds, n * sizeof(int));
    }
    CHECK(sendmsg(w->socket, &m, MSG_NOSIGNAL) == (ssize_t)len);
}

static int end(struct child *w)
{
    int status = -1;
    close_fd(w->socket);
    CHECK(waitpid(w->pid, &status, 0) == w->pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int file_of(const void *data, size_t len)
{
    int fd = memfd_create("test", MFD_CLOEXEC);
    CHECK(fd >= 0 && write(fd, data, len) == (ssize_t)len);
    return fd;
}

#endif
