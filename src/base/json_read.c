/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole trees: see json_read.h. jansson's reading, copying and writing pass over an allocation that failed, so it is watched:
 * whatever gives out its memory (the host may have chosen it) is asked through a function that remembers, for each thread,
 * that it was refused.
 */
#include "base/json_read.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local bool starved;
static json_malloc_t give;

static void *watched(size_t size)
{
    void *p = give(size);
    starved |= !p;
    return p;
}

static void watch(void)
{
    json_free_t take_back;
    json_get_alloc_funcs(&give, &take_back);
    json_set_alloc_funcs(watched, take_back);
}

static void begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, watch);
    starved = false;
}

json_t *json_if_whole(json_t *value, int bad)
{
    if (value && !bad)
        return value;
    json_decref(value);
    errno = ENOMEM;
    return NULL;
}

static void say_oom(json_error_t *error)
{
    if (!error)
        return;
    *error = (json_error_t){.line = -1, .column = -1};
    (void)snprintf(error->text, sizeof error->text - 1, "out of memory");
    error->text[sizeof error->text - 1] = json_error_out_of_memory;
}

json_t *json_read(const char *text, size_t len, size_t flags, json_error_t *error)
{
    begin();
    json_t *v = json_loadb(text, len, flags, error);
    if (starved) {
        say_oom(error);
        return json_if_whole(v, true);
    }
    if (!v)
        errno = EBADMSG;
    return v;
}

json_t *json_copy_whole(const json_t *value)
{
    begin();
    json_t *copy = json_copy((json_t *)(uintptr_t)value); /* it asks nothing of what it copies */
    return json_if_whole(copy, starved);
}

json_t *json_deep_copy_whole(const json_t *value)
{
    begin();
    json_t *copy = json_deep_copy(value);
    return json_if_whole(copy, starved);
}

char *json_text_new(const json_t *value, size_t flags)
{
    begin();
    char *text = json_dumps(value, flags);
    if (!text || !starved)
        return text;
    free(text);
    return NULL;
}
