/* SPDX-License-Identifier: Apache-2.0 */
/* libcurl by dlopen: see curl.h. */
#include "base/curl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

static struct curl_table table;
static bool loaded;

/* POSIX lets dlsym give functions; ISO C has no cast for it, so the address is copied. */
static bool find(void *library, const char *name, void *to)
{
    void *symbol = dlsym(library, name);
    memcpy(to, &symbol, sizeof symbol);
    return symbol != NULL;
}

static void load(void)
{
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    bool all = library != NULL;
#define CURL_FIND(name) all = all && find(library, #name, &table.name);
    CURL_FUNCTIONS(CURL_FIND)
    loaded = all && table.curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

const struct curl_table *curl_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, load);
    return loaded ? &table : NULL;
}
