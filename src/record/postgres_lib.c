/* SPDX-License-Identifier: Apache-2.0 */
/* libpq by dlopen: see postgres_lib.h. */
#include "record/postgres_lib.h"

#include <pthread.h>

#include "base/symbol.h"

static struct pq_table table;
static bool loaded;

static void load(void)
{
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    bool all = library != NULL;
#define PQ_FIND(name) all = all && symbol_find(library, #name, &table.name);
    PQ_FUNCTIONS(PQ_FIND)
    loaded = all;
}

const struct pq_table *pq_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, load);
    return loaded ? &table : NULL;
}
