/* SPDX-License-Identifier: Apache-2.0 */
/* An eventfd that nobody reads while it counts: once written, it stays readable for every wait that looks at it. */
#include "base/cancel.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/eventfd.h>

#include "base/cleanup.h"
#include "base/fault.h"

struct fovea_cancel {
    int fd;
    _Atomic bool struck; /* the same, without a system call */
};

int fovea_cancel_new(fovea_cancel **ret, struct fovea_fault *fault)
{
    fovea_cancel *c = calloc(1, sizeof *c);
    if (!c)
        return fault_oom(fault);
    c->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (c->fd < 0) {
        int e = errno;
        free(c);
        return fault_set(fault, e, "cannot make a way to cancel: %s", strerrordesc_np(e));
    }
    *ret = c;
    return 0;
}

void fovea_cancel_free(fovea_cancel *c)
{
    if (!c)
        return;
    close_fd(c->fd);
    free(c);
}

void fovea_cancel_now(fovea_cancel *c)
{
    atomic_store(&c->struck, true);
    (void)eventfd_write(c->fd, 1);
}

void fovea_cancel_reset(fovea_cancel *c)
{
    eventfd_t count;
    (void)eventfd_read(c->fd, &count);
    atomic_store(&c->struck, false);
}

int cancel_fd(const fovea_cancel *c)
{
    return c ? c->fd : -1;
}

bool cancel_struck(const fovea_cancel *c)
{
    return c && atomic_load(&c->struck);
}

int fault_cancelled(struct fovea_fault *f)
{
    return fault_set(f, ECANCELED, "the call was cancelled");
}
