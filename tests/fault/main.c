/* SPDX-License-Identifier: Apache-2.0 */
/* The life of the worker that misbehaves: its start, its one job, and the tables in which each finds its fault. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/media.h"
#include "fault.h"
#include "notes.h"
#include "picture.h"
#include "sandbox/jail.h"

static struct note *notes; /* NOTES_ROWS of them, shared with who measures; NULL: nobody does */

static int64_t now_us(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void open_notes(const char *dir)
{
    char path[LIMIT_PATH_BYTES + 8];
    (void)snprintf(path, sizeof path, "%s/notes", dir);
    auto_close int fd = open(path, O_RDWR | O_CLOEXEC);
    void *map = fd < 0 ? MAP_FAILED : mmap(NULL, NOTES_ROWS * sizeof *notes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    notes = map == MAP_FAILED ? NULL : map;
}

/* The folder of the program, in room; returns its last name. */
static const char *folder_of(const char *program, char *room, size_t size)
{
    (void)snprintf(room, size, "%s", program);
    char *end = strrchr(room, '/');
    if (!end)
        return "";
    *end = 0;
    char *name = strrchr(room, '/');
    return name ? name + 1 : "";
}

static void act_at_birth(const struct birth_fault *table, const char *name)
{
    for (; table->name; table++)
        if (!strcmp(name, table->name))
            table->act();
}

static bool receive_job(struct job *j)
{
    int fds[3] = {-1, -1, -1};
    union {
        char bytes[CMSG_SPACE(sizeof fds)];
        struct cmsghdr align;
    } control;
    struct iovec words = {.iov_base = &j->request, .iov_len = sizeof j->request};
    struct msghdr m = {
        .msg_iov = &words, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct cmsghdr *c;
    if (recvmsg(WORK_SOCKET, &m, 0) != sizeof j->request || !(c = CMSG_FIRSTHDR(&m)))
        return false;
    memcpy(fds, CMSG_DATA(c), MIN(c->cmsg_len - CMSG_LEN(0), sizeof fds));
    j->input = fds[0];
    j->output = fds[1];
    j->other = fds[2];
    return true;
}

static struct work_reply honest(void)
{
    enum { SIDE = PICTURE_SIDE };
    return (struct work_reply){.magic = WORK_MAGIC, .status = WORK_OK, .source_w = SIDE, .source_h = SIDE, .extent_w = SIDE,
                               .extent_h = SIDE, .unit_w = 1, .unit_h = 1, .frames = 1, .pages = 1, .orientation = 1, .media = MEDIA_PNG, .width = SIDE,
                               .height = SIDE, .crop = {0, 0, SIDE, SIDE}};
}

/* One that is not known is said so, lest a name that is written wrong pass for a death. */
static void act(struct job *j, const char *name)
{
    static const struct fault *const tables[] = {fault_answers, fault_ends, fault_hands};
    for (size_t i = 0; i < COUNT(tables); i++)
        for (const struct fault *f = tables[i]; f->name; f++)
            if (!strcmp(name, f->name)) {
                f->act(j);
                return;
            }
    j->reply = (struct work_reply){.magic = WORK_MAGIC, .status = WORK_UNSUPPORTED, .detail = "no such fault"};
    fault_reply(j);
}

static void work(struct job *j, int64_t greeted)
{
    char text[256] = {0};
    ssize_t n = pread(j->input, text, sizeof text - 1, 0);
    char *name = n > 0 ? memmem(text, (size_t)n, "FAULT:", 6) : NULL;
    char *number = name ? strchr(name + 6, ':') : NULL;
    if (number) {
        *number = 0;
        j->number = (uint32_t)strtoul(number + 1, NULL, 10);
    }
    if (notes)
        notes[j->number % NOTES_ROWS] = (struct note){greeted, now_us()};
    j->reply = honest();
    fault_write_picture(j, PICTURE_SIDE);
    if (name)
        act(j, name + 6);
}

int main(int argc, char **argv)
{
    struct jail_report report;
    struct work_hello hello = {.magic = WORK_MAGIC, .codecs = "nothing but faults"};
    static struct job job;
    char dir[LIMIT_PATH_BYTES] = "";
    fault_note_birth();
    const char *name = folder_of(argc ? argv[0] : "", dir, sizeof dir);
    open_notes(dir);
    act_at_birth(fault_births, name);
    if (jail_enter(getppid(), WORK_SOCKET, &jail_usual, &report)) {
        hello.error = report.error;
        (void)snprintf(hello.layer, sizeof hello.layer, "%s", report.layer);
    }
    hello.landlock_abi = (uint32_t)report.landlock_abi;
    int64_t greeted = now_us();
    if (notes)
        notes[0].greeted = greeted;
    fault_send(&hello, sizeof hello);
    act_at_birth(fault_after, name);
    if (!hello.error && receive_job(&job))
        work(&job, greeted);
    _exit(0);
}
