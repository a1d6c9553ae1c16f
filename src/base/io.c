/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors: see io.h. */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/limits.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

int write_all(int fd, const void *data, size_t len)
{
    const char *at = data;
    while (len) {
        ssize_t n = write(fd, at, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        at += n;
        len -= (size_t)n;
    }
    return 0;
}

/* Kernels before 6.3 do not know the flag that bars execution. */
int memory_open(const char *name)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    if (fd < 0 && errno == EINVAL)
        fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return fd < 0 ? -errno : fd;
}

/* The kernel says EBUSY also when it holds a page for a while itself (reclaim, migration), after waiting a little. Asking
 * again tells the two apart: a mapping stays. */
int memory_seal(int fd)
{
    int r = -EBUSY;
    for (int tries = 0; r == -EBUSY && tries < LIMIT_SEAL_TRIES; tries++)
        r = fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0 ? -errno : 0;
    return r;
}

bool memory_is_full(int error)
{
    return error == -ENOSPC || error == -ENOMEM;
}
