/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The injector: lets the k-th call of a kind fail, that one or it and all after it. Its functions stand in the program under the names
 * of libc's, so every library in the process calls them, not only our own objects. Calls are counted in memory that forked children
 * share: a reader's calls count as those of its parent. A program that is started by exec is not reached.
 */
#ifndef FOVEA_INJECT_H
#define FOVEA_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum inject_kind {
    INJECT_NONE,
    INJECT_ALLOC,
    INJECT_OWN_ALLOC, /* asked for by the program itself, not by a library */
    INJECT_MMAP,
    INJECT_OPEN,
    INJECT_READ,
    INJECT_WRITE,
    INJECT_RECV,
    INJECT_SEND,
    INJECT_SYNC,
    INJECT_CLOCK, /* does not fail: it is an hour later */
    INJECT_RESIZE,
    INJECT_FORK,
    INJECT_THREAD,
    INJECT_PIPE,
    INJECT_MEMFD,
    INJECT_SOCKET,
    INJECT_CONNECT,
    INJECT_POLL,
    INJECT_DUP,
    INJECT_STAT,
    INJECT_ACCESS,
    INJECT_CWD,
    INJECT_RENAME,
    INJECT_LINK,
    INJECT_UNLINK,
    INJECT_MKDIR,
    INJECT_CHMOD,
    INJECT_LOCK,
    INJECT_RANDOM,
    INJECT_EPOLL,
    INJECT_BIND,
    INJECT_EXEC,
    INJECT_KINDS,
};

enum { INJECT_SHORT = -1 }; /* instead of an error: one byte less, or half of them, is read or written */

/* From now on call `at` (from 1) of that kind fails with error, and with `forever` all after it. at 0: only counts. */
void inject_arm(enum inject_kind kind, long at, int error, bool forever);
void inject_disarm(void);
void inject_resets(bool really); /* a connection that fails with ECONNRESET is gone */
extern void (*inject_no_memory)(void); /* told of each allocation that fails; NULL: nobody is */
void inject_exempt(bool yes); /* calls of this thread neither count nor fail: it plays somebody else */
/* Nothing fails until it is resumed, with what pausing returned. */
bool inject_pause(void);
void inject_resume(bool paused);
enum inject_kind inject_kind(void); /* that was armed last; INJECT_NONE: nothing was to fail */
long inject_count(void);  /* calls since it was armed */
bool inject_struck(void); /* something failed since then */
int inject_crashes(void); /* in forked children too, since then */

/* Places in our own code that calls came from while they were only counted: the number of the first call from each, in order. Two
 * places differ when one of the innermost functions that lead there does. */
enum { INJECT_PLACES = 1 << 13 };
size_t inject_places(const long **ret);

/* While calls are only counted: those that come from inside such a function are marked, however far below it. */
struct inject_range {
    const char *low, *high; /* of its code */
};
enum { INJECT_RANGES = 8, INJECT_MARKED = 1 << 20 };
void inject_mark(const struct inject_range *ranges, size_t n); /* as long as it is not called again with others; n 0: none */
bool inject_is_marked(long number);
/* The code of a function of this program, by its name: its pieces, where the compiler made several. */
size_t inject_function(const char *name, struct inject_range ret[INJECT_RANGES]);

/* The trace of the call that failed last, to stderr. */
void inject_tell(void);

/* Blocks that are allocated now by this process; and those that were allocated since inject_watch, with their traces, to stderr. */
long inject_live(void);
void inject_watch(void);
void inject_tell_watched(void);

/* Crashes are counted and told with a trace. */
void inject_catch(void);

#endif
