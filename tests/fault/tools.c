/* SPDX-License-Identifier: Apache-2.0 */
/* What every fault is made of. */
#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fault.h"
#include "picture.h"

void fault_doze(long ms)
{
    static uint32_t never;
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)syscall(SYS_futex, &never, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0);
}

void fault_hang(void)
{
    for (;;)
        fault_doze(1000000);
}

void fault_spin(void)
{
    for (volatile unsigned on = 1;; on++)
        ;
}

void fault_stop(void)
{
    (void)syscall(SYS_tgkill, getpid(), gettid(), SIGSTOP);
}

void fault_crash(void)
{
    int *volatile nowhere = NULL;
    *nowhere = 1;
}

void fault_send(const void *data, size_t len)
{
    (void)send(WORK_SOCKET, data, len, MSG_NOSIGNAL);
}

void fault_reply(const struct job *j)
{
    fault_send(&j->reply, sizeof j->reply);
}

void fault_send_descriptors(const void *data, size_t len)
{
    int fds[100];
    union {
        char bytes[CMSG_SPACE(sizeof fds)];
        struct cmsghdr align;
    } control = {{0}};
    struct iovec words = {.iov_base = (void *)data, .iov_len = len};
    struct msghdr m = {
        .msg_iov = &words, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    memset(fds, 0, sizeof fds);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fds);
    memcpy(CMSG_DATA(c), fds, sizeof fds);
    (void)sendmsg(WORK_SOCKET, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void fault_write_picture(struct job *j, uint32_t side)
{
    uint8_t png[PICTURE_ROOM];
    j->reply.image_len = picture_make(png, side, j->number);
    (void)!pwrite(j->output, png, (size_t)j->reply.image_len, 0);
}
