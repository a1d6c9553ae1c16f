/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a library that is loaded when it is wanted. */
#ifndef FOVEA_SYMBOL_H
#define FOVEA_SYMBOL_H

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* Puts the function of that name into the pointer at to, NULL when there is none. POSIX lets dlsym give functions; ISO C has no cast
 * for it, so the address is copied. */
static inline bool symbol_find(void *library, const char *name, void *to)
{
    void *symbol = dlsym(library, name);
    memcpy(to, &symbol, sizeof symbol);
    return symbol != NULL;
}

#endif
