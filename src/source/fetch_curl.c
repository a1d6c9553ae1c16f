/* SPDX-License-Identifier: Apache-2.0 */
/* libcurl by dlopen: see fetch_curl.h. */
#include "source/fetch_curl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

static struct fetch_curl api;
static bool loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool find_all(void *library)
{
#define FIND(name)                                        \
    if (!(*(void **)&api.name = dlsym(library, #name)))   \
        return false;
    FETCH_CURL_FUNCTIONS(FIND)
    return true;
}

static void load(void)
{
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    loaded = library && find_all(library) && api.curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

const struct fetch_curl *fetch_curl(void)
{
    (void)pthread_once(&once, load);
    return loaded ? &api : NULL;
}
