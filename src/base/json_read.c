/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole trees: see json_read.h. jansson's reading, copying and writing pass over an allocation that failed, so it is watched:
 * whatever gives out its memory (the host may have chosen it) is asked through a function that remembers, for each thread,
 * that it was refused.
 * Its lexer does worse: where the text of a token cannot grow it goes on with the part that it has, and copies from behind its
 * end. So room for all that can grow is taken before it reads, and given out when there is no other.
 */
#include "base/json_read.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static _Thread_local bool starved;
static _Thread_local struct {
    uintptr_t start, at, end; /* of what nobody else gives */
} spare;
static json_malloc_t give;
static json_free_t take_back;

/* What grows doubles. */
static void *watched(size_t size)
{
    void *p = give(size);
    if (p)
        return p;
    starved = true;
    if (size & (size - 1) || size > spare.end - spare.at)
        return NULL;
    p = (void *)spare.at;
    spare.at += MAX(size, alignof(max_align_t));
    return p;
}

static void taken_back(void *p)
{
    if ((uintptr_t)p < spare.start || (uintptr_t)p >= spare.end)
        take_back(p);
}

static void watch(void)
{
    json_get_alloc_funcs(&give, &take_back);
    json_set_alloc_funcs(watched, taken_back);
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

/* jansson takes a NUL for the end of a number or a word and drops it. It has no place in JSON. */
static bool has_nul(const char *text, size_t len, json_error_t *error)
{
    const char *nul = len ? memchr(text, '\0', len) : NULL, *line = text;
    if (!nul)
        return false;
    json_error_t e = {.line = 1, .position = (int)MIN(nul - text, INT_MAX)};
    for (const char *at; (at = memchr(line, '\n', (size_t)(nul - line))); line = at + 1)
        e.line++;
    e.column = (int)MIN(nul - line + 1, INT_MAX);
    (void)snprintf(e.text, sizeof e.text - 1, "a NUL byte");
    e.text[sizeof e.text - 1] = json_error_invalid_syntax;
    if (error)
        *error = e;
    return true;
}

/* All sizes of the longest token's text on its way, each twice the one before. */
static bool spare_take(size_t len)
{
    size_t room;
    void *p = __builtin_mul_overflow(len + 32, 4, &room) ? NULL : malloc(room);
    spare.start = spare.at = (uintptr_t)p;
    spare.end = p ? spare.start + room : 0;
    return p != NULL;
}

static void spare_drop(void)
{
    void *p = (void *)spare.start;
    spare.start = spare.at = spare.end = 0;
    free(p);
}

json_t *json_read(const char *text, size_t len, size_t flags, json_error_t *error)
{
    begin();
    if (has_nul(text, len, error)) {
        errno = EBADMSG;
        return NULL;
    }
    json_t *v = spare_take(len) ? json_loadb(text, len, flags, error) : NULL;
    bool whole = !starved && spare.start;
    if (!whole) {
        say_oom(error);
        v = json_if_whole(v, true);
    } else if (!v) {
        errno = EBADMSG;
    }
    int saved = errno;
    spare_drop();
    errno = saved;
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
