/* SPDX-License-Identifier: Apache-2.0 */
/* A file system that never answers. */
#ifndef FOVEA_SILENCE_H
#define FOVEA_SILENCE_H

#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>

#include "base/cleanup.h"

/* A FUSE mount whose other end says nothing; closing that end lets go of whoever waits. -1: no such mounts here. */
static inline int mount_silence(const char *path)
{
    char data[128];
    auto_close int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return -1;
    (void)snprintf(data, sizeof data, "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
    return mount("fovea-test", path, "fuse", MS_NOSUID | MS_NODEV, data) < 0 ? -1 : take_fd(&fd);
}

#endif
