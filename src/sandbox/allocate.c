/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What worker programs allocate by, all their libraries too: libc's own allocator, which says so when it has nothing left. Libraries do
 * not: without memory one goes on without the colour profile, the next calls the picture damaged, others end the process. A worker has
 * one request, so what cannot be had is the answer to it, whoever asked. A block larger than the memory of the largest worker is no want of
 * memory but a claim of the file, and its decoder's to refuse. Linked into those programs alone.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "filter.h"
#include "sandbox/serve.h"

#if !JAIL_SANITIZED

#define STANDS_FOR_LIBC __attribute__((visibility("default"), used))

/* libc's own names. */
/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

#define MOST_MEMORY MAX(MAX(LIMIT_WORKER_MEMORY, LIMIT_VIDEO_MEMORY), LIMIT_OCR_MEMORY)

static void *had(void *block, size_t size)
{
    if (!block && size && size <= MOST_MEMORY)
        serve_no_memory();
    return block;
}

STANDS_FOR_LIBC void *malloc(size_t size)
{
    return had(__libc_malloc(size), size);
}

STANDS_FOR_LIBC void *calloc(size_t n, size_t size)
{
    size_t bytes;
    return had(__libc_calloc(n, size), __builtin_mul_overflow(n, size, &bytes) ? SIZE_MAX : bytes);
}

STANDS_FOR_LIBC void *realloc(void *old, size_t size)
{
    return had(__libc_realloc(old, size), size);
}

STANDS_FOR_LIBC void *reallocarray(void *old, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return had(__libc_realloc(old, bytes), bytes);
}

STANDS_FOR_LIBC void *memalign(size_t align, size_t size);
void *memalign(size_t align, size_t size)
{
    return had(__libc_memalign(align, size), size);
}

STANDS_FOR_LIBC void *aligned_alloc(size_t align, size_t size)
{
    return memalign(align, size);
}

STANDS_FOR_LIBC int posix_memalign(void **ret, size_t align, size_t size)
{
    int saved = errno;
    void *block = NULL;
    if (align < sizeof(void *) || align & (align - 1))
        return EINVAL;
    block = memalign(align, size);
    errno = saved;
    if (!block)
        return ENOMEM;
    *ret = block;
    return 0;
}

#endif
