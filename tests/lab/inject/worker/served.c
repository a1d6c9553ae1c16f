/* SPDX-License-Identifier: Apache-2.0 */
/* See served.h. */
#include "served.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "inject.h"
#include "sandbox/jail.h"
#include "sandbox/serve.h"

bool served_child;

/* The jail is not played: it would end a process for the injector's own calls. Its limits are nobody's then, and no memory is short
 * before it. */
const struct jail_limits jail_usual;
int jail_enter(pid_t parent, int keep_fd, const struct jail_limits *limits, struct jail_report *ret)
{
    (void)parent, (void)keep_fd, (void)limits;
    *ret = (struct jail_report){0};
    inject_exempt(false);
    return 0;
}

/* The folder of main.c's runs: there is none. */
void drop_folder(void)
{
}

/* ---------------------------------------------------------------- the child */

static void run_child(const int pair[2], const char *word)
{
    char *words[] = {(char *)"fovea-worker", (char *)word, NULL};
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)close(pair[0]);
    (void)dup2(pair[1], WORK_SOCKET);
    served_child = true;
    if (inject_kind() == INJECT_ALLOC)
        inject_no_memory = serve_no_memory; /* as allocate.c does, in whose place the injector stands */
    inject_exempt(inject_kind() == INJECT_ALLOC);
    _exit(program_main(word ? 2 : 1, words));
}

/* ---------------------------------------------------------------- its parent, whose calls do not fail */

static int file_of(const void *data, size_t len)
{
    auto_close int fd = memfd_create("inject", MFD_CLOEXEC);
    return fd < 0 || (len && write(fd, data, len) != (ssize_t)len) ? -1 : take_fd(&fd);
}

static int send_request(int socket, const struct work_request *q, const int *fds, size_t n)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(SERVE_FDS * sizeof(int))];
    } control = {0};
    struct iovec part = {(void *)q, sizeof *q};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = CMSG_SPACE(n * sizeof *fds)};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    *c = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(n * sizeof *fds)};
    memcpy(CMSG_DATA(c), fds, n * sizeof *fds);
    return sendmsg(socket, &m, MSG_NOSIGNAL) == (ssize_t)sizeof *q ? 0 : -1;
}

static bool converse(int socket, const struct served *s, int output, struct work_reply *ret)
{
    struct work_hello hello;
    auto_close int input = file_of(s->data, s->request.input_len), other = s->other ? file_of(s->other, s->request.other_len) : -1;
    int fds[SERVE_FDS] = {[SERVE_INPUT] = input, [SERVE_OUTPUT] = output, [SERVE_OTHER] = other};
    return recv(socket, &hello, sizeof hello, 0) == (ssize_t)sizeof hello && hello.magic == WORK_MAGIC && !hello.error &&
           send_request(socket, &s->request, fds, s->other ? SERVE_FDS : SERVE_OTHER) == 0 &&
           recv(socket, ret, sizeof *ret, 0) == (ssize_t)sizeof *ret;
}

static void tell_output(int fd, struct outcome *o)
{
    struct stat st;
    void *data = fstat(fd, &st) < 0 || !st.st_size ? MAP_FAILED : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
        return;
    tell_bytes(o, data, (size_t)st.st_size);
    (void)munmap(data, (size_t)st.st_size);
}

void tell_status(struct outcome *o, uint32_t status, const char *detail)
{
    bool of_source = status != WORK_NO_MEMORY && status != WORK_TIMED_OUT;
    tell_refusal(o, of_source ? "malformed" : "", detail);
}

static void tell_reply(const struct work_reply *reply, int output, struct outcome *o)
{
    tell_bytes(o, &reply->status, sizeof reply->status);
    if (reply->status == WORK_OK) {
        tell_bytes(o, (uint32_t[]){reply->width, reply->height, reply->frames, reply->pages, reply->facts}, 20);
        tell_output(output, o);
        if (reply->missing) /* which is said of the picture */
            tell_refusal(o, "", "characters have no font");
        return;
    }
    tell_status(o, reply->status, reply->detail);
    if (!reply->detail[0]) {
        o->code = -EBADMSG; /* a refusal without words */
        o->words[0] = '\0';
    }
}

void served_run(const struct served *s, struct outcome *o)
{
    struct work_reply reply = {0};
    int pair[2], status = 0;
    inject_exempt(true);
    auto_close int output = file_of(NULL, 0);
    pid_t pid = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0 ? -1 : fork();
    if (pid == 0)
        run_child(pair, s->word);
    (void)close(pair[1]);
    bool answered = pid > 0 && converse(pair[0], s, output, &reply);
    (void)close(pair[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (answered) {
        tell_reply(&reply, output, o);
        tell_answer(o);
    } else {
        o->code = -EPIPE;
        (void)snprintf(o->words, sizeof o->words, "the worker ended without a reply (%d)", status);
        if (inject_kind() == INJECT_ALLOC || inject_kind() == INJECT_OWN_ALLOC)
            tell_status(o, WORK_MALFORMED, o->words); /* of what it was given, as far as anybody knows */
    }
    inject_exempt(false);
}
