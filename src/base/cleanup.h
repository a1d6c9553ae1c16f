/* SPDX-License-Identifier: Apache-2.0 */
/* Cleanup attributes: a local marked with one is released on every way out. `take` hands it on instead. */
#ifndef FOVEA_CLEANUP_H
#define FOVEA_CLEANUP_H

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define cleanup(f) __attribute__((cleanup(f)))

static inline void free_p(void *p)
{
    free(*(void **)p);
}
#define auto_free cleanup(free_p)

/* Closes, keeps errno, and is content with a negative descriptor. */
static inline void close_fd(int fd)
{
    int saved = errno;
    if (fd >= 0)
        (void)close(fd);
    errno = saved;
}
static inline void close_p(int *fd)
{
    close_fd(*fd);
}
#define auto_close cleanup(close_p)

/* Gives the pointer away and leaves NULL behind, so that the cleanup finds nothing. */
#define take(p)                 \
    ({                          \
        __typeof__(p) got_ = (p); \
        (p) = NULL;             \
        got_;                   \
    })

static inline int take_fd(int *fd)
{
    int got = *fd;
    *fd = -1;
    return got;
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#endif
