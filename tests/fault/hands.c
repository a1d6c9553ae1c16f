/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker can do with what it was handed: send descriptors back, and go on writing to an output that it has given. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fault.h"
#include "picture.h"

static void fds_with_reply(struct job *j)
{
    fault_send_descriptors(&j->reply, sizeof j->reply);
    fault_hang();
}
static void fd_bomb(struct job *j)
{
    for (int i = 0; i < 1000; i++)
        fault_send_descriptors("boom", 4);
    (void)j;
    fault_hang();
}
static void writable_mapping(struct job *j)
{
    char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, j->output, 0);
    fault_reply(j);
    for (volatile char *at = map;;)
        ++*at;
}
static void writes_on(struct job *j)
{
    fault_reply(j);
    for (;;)
        (void)!pwrite(j->output, "evil", 4, 0);
}
static void grows_on(struct job *j)
{
    fault_reply(j);
    for (off_t size = 4096;; size++)
        (void)!ftruncate(j->output, size % 8192);
}

static void shrinks_on(struct job *j)
{
    fault_reply(j);
    for (;;)
        (void)!ftruncate(j->output, 1);
}
/* The output comes after the word that it is there. */
static void writes_late(struct job *j)
{
    (void)!ftruncate(j->output, 0);
    fault_reply(j);
    fault_write_picture(j, PICTURE_SIDE);
    fault_hang();
}
/* So that nobody else can seal it. */
static void seals_it(struct job *j)
{
    (void)fcntl(j->output, F_ADD_SEALS, F_SEAL_SEAL);
    fault_reply(j);
    fault_hang();
}
static void closes_all(struct job *j)
{
    (void)close(j->input);
    (void)close(j->output);
    fault_reply(j);
    (void)close(WORK_SOCKET);
    fault_hang();
}

const struct fault fault_hands[] = {
    {"fds-with-reply", fds_with_reply}, {"fd-bomb", fd_bomb}, {"writable-mapping", writable_mapping}, {"writes-on", writes_on},
    {"grows-on", grows_on}, {"shrinks-on", shrinks_on}, {"writes-late", writes_late}, {"seals-it", seals_it},
    {"closes-all", closes_all}, {NULL, NULL},
};
