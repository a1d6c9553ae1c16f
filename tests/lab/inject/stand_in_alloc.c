/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-ins for the functions that allocate. strdup, getline, fopen and the like call them from inside libc. */
#include <errno.h>

#include "inject_priv.h"

#define STAND_IN __attribute__((visibility("default"), used))

#ifdef UNDER_ASAN
#define REAL(name) __interceptor_##name
#else
#define REAL(name) __libc_##name
#endif

extern void *REAL(malloc)(size_t size);
extern void *REAL(calloc)(size_t n, size_t size);
extern void *REAL(realloc)(void *old, size_t size);
extern void *REAL(memalign)(size_t align, size_t size);
extern void REAL(free)(void *block);

/* Where the program itself begins and ends, as the linker says. */
extern const char __executable_start[], etext[];

void (*inject_no_memory)(void);

static bool fails(const void *caller)
{
    bool own = (const char *)caller >= __executable_start && (const char *)caller < etext;
    bool struck = inject_fails(INJECT_ALLOC) || (own && inject_fails(INJECT_OWN_ALLOC));
    if (struck && inject_no_memory)
        inject_no_memory();
    return struck;
}
#define FAILS() fails(__builtin_return_address(0))

STAND_IN void *malloc(size_t size)
{
    return FAILS() ? NULL : inject_born(REAL(malloc)(size));
}

STAND_IN void *calloc(size_t n, size_t size)
{
    return FAILS() ? NULL : inject_born(REAL(calloc)(n, size));
}

static void *resize(void *old, size_t size)
{
    void *block = REAL(realloc)(old, size);
    if (old && (block || !size))
        inject_died(old);
    return inject_born(block);
}

STAND_IN void *realloc(void *old, size_t size)
{
    return FAILS() ? NULL : resize(old, size);
}

STAND_IN void *reallocarray(void *old, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return FAILS() ? NULL : resize(old, bytes);
}

STAND_IN void *memalign(size_t align, size_t size);
void *memalign(size_t align, size_t size)
{
    return FAILS() ? NULL : inject_born(REAL(memalign)(align, size));
}

STAND_IN void *aligned_alloc(size_t align, size_t size)
{
    return FAILS() ? NULL : inject_born(REAL(memalign)(align, size));
}

STAND_IN int posix_memalign(void **ret, size_t align, size_t size)
{
    int saved = errno;
    void *block = FAILS() ? NULL : inject_born(REAL(memalign)(align, size));
    errno = saved;
    if (!block)
        return ENOMEM;
    *ret = block;
    return 0;
}

STAND_IN void free(void *block)
{
    inject_died(block);
    REAL(free)(block);
}
