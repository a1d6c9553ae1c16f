/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The injector's state: which call fails, how many there were, what is allocated. Everything here may run inside malloc, in a signal
 * handler and between clone and exec, so it is made of atomics in one shared page and asks libc for nothing. Under AddressSanitizer
 * allocations go on to its own functions, so that it still sees every block.
 */
#include "inject.h"

#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "inject_priv.h"

enum { TRACE = 24, DEEP = 64, WATCHED = 1 << 14, PLACE_DEPTH = 6 };

struct trace {
    _Atomic int n;
    void *at[TRACE];
};

static struct shared {
    _Atomic int kind, armed;
    _Atomic long at, count;
    _Atomic int error, crashes;
    _Atomic bool forever, struck, paused;
    struct trace where;
    _Atomic uint64_t places[2 * INJECT_PLACES]; /* a table of hashes; 0: free */
    _Atomic size_t n_places;
    long first[INJECT_PLACES];
    _Atomic uint64_t marked[INJECT_MARKED / 64];
} *shared;

static struct inject_range ranges[INJECT_RANGES];
static size_t n_ranges;

static struct watched {
    _Atomic(void *) block;
    struct trace where;
} watched[WATCHED];
static atomic_bool watching, resets;
static _Thread_local bool exempt;
static atomic_long live;

__attribute__((constructor(101))) static void make_shared(void)
{
    void *page = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared = page == MAP_FAILED ? NULL : page;
}

static void take_trace(struct trace *t)
{
    t->n = backtrace(t->at, TRACE);
}

static void tell_trace(const struct trace *t)
{
    if (t->n > 3)
        backtrace_symbols_fd(t->at + 2, t->n - 2, STDERR_FILENO);
}

static void say(const char *words)
{
    (void)!real_write(STDERR_FILENO, words, strlen(words));
}

/* Of the innermost functions of ours: what a library does in between tells nothing new. */
static uint64_t place_hash(void *const *at, int n)
{
    extern const char __executable_start[], etext[];
    uint64_t hash = 14695981039346656037u;
    for (int i = 0, depth = 0; i < n && depth < PLACE_DEPTH; i++)
        if ((const char *)at[i] >= __executable_start && (const char *)at[i] < etext) {
            hash = (hash ^ (uintptr_t)at[i]) * 1099511628211u;
            depth++;
        }
    return hash | 1;
}

static bool is_inside(void *const *at, int n)
{
    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < n_ranges; k++)
            if ((const char *)at[i] > ranges[k].low && (const char *)at[i] <= ranges[k].high)
                return true;
    return false;
}

static void note_place(long number)
{
    enum { OWN = 2 }; /* frames of the injector */
    void *at[OWN + DEEP];
    exempt = true; /* the trace's own calls */
    int n = backtrace(at, n_ranges ? OWN + DEEP : TRACE);
    exempt = false;
    if (number < INJECT_MARKED && is_inside(at + OWN, n - OWN))
        shared->marked[number / 64] |= 1ull << number % 64;
    uint64_t hash = place_hash(at + OWN, MIN(n, TRACE) - OWN);
    for (size_t i = 0; i < INJECT_PLACES / 2; i++) {
        uint64_t seen = 0;
        if (atomic_compare_exchange_strong(&shared->places[(hash + i) % (2 * INJECT_PLACES)], &seen, hash)) {
            size_t place = atomic_fetch_add(&shared->n_places, 1);
            if (place < INJECT_PLACES)
                shared->first[place] = number;
            return;
        }
        if (seen == hash)
            return;
    }
}

int inject_verdict(enum inject_kind kind)
{
    if (!shared || atomic_load_explicit(&shared->kind, memory_order_relaxed) != (int)kind || exempt || shared->paused)
        return 0;
    long n = atomic_fetch_add(&shared->count, 1) + 1;
    long at = shared->at;
    if (!at)
        note_place(n);
    if (!at || n < at || (n > at && !shared->forever))
        return 0;
    if (!atomic_exchange(&shared->struck, true)) {
        exempt = true; /* the trace's own calls */
        take_trace(&shared->where);
        exempt = false;
    }
    return shared->error;
}

bool inject_fails(enum inject_kind kind)
{
    int error = inject_verdict(kind);
    if (error)
        errno = error;
    return error != 0;
}

void *inject_born(void *block)
{
    if (!block)
        return NULL;
    (void)atomic_fetch_add(&live, 1);
    if (!atomic_load_explicit(&watching, memory_order_relaxed))
        return block;
    atomic_store(&watching, false); /* the trace's own */
    for (size_t i = 0, h = (uintptr_t)block >> 4; i < WATCHED; i++) {
        struct watched *w = &watched[(h + i) % WATCHED];
        void *none = NULL;
        if (atomic_compare_exchange_strong(&w->block, &none, block)) {
            take_trace(&w->where);
            break;
        }
    }
    atomic_store(&watching, true);
    return block;
}

void inject_died(void *block)
{
    if (!block)
        return;
    (void)atomic_fetch_sub(&live, 1);
    if (!atomic_load_explicit(&watching, memory_order_relaxed))
        return;
    for (size_t i = 0, h = (uintptr_t)block >> 4; i < WATCHED; i++) {
        void *same = block;
        if (atomic_compare_exchange_strong(&watched[(h + i) % WATCHED].block, &same, NULL))
            break;
    }
}

void inject_arm(enum inject_kind kind, long at, int error, bool forever)
{
    shared->kind = INJECT_NONE;
    shared->at = at;
    shared->count = 0;
    shared->error = error;
    shared->forever = forever;
    shared->struck = shared->paused = false;
    shared->crashes = 0;
    if (!at) {
        memset(shared->places, 0, sizeof shared->places);
        memset(shared->marked, 0, sizeof shared->marked);
        shared->n_places = 0;
    }
    shared->armed = at ? (int)kind : INJECT_NONE;
    shared->kind = (int)kind;
}

void inject_disarm(void)
{
    shared->kind = shared->armed = INJECT_NONE;
}

void inject_resets(bool really)
{
    resets = really;
}

bool inject_is_reset(int error)
{
    return error == ECONNRESET && resets;
}

bool inject_pause(void)
{
    return atomic_exchange(&shared->paused, true);
}

void inject_resume(bool paused)
{
    shared->paused = paused;
}

enum inject_kind inject_kind(void)
{
    return (enum inject_kind)shared->armed;
}

void inject_exempt(bool yes)
{
    exempt = yes;
}

long inject_count(void)
{
    return shared->count;
}

size_t inject_places(const long **ret)
{
    *ret = shared->first;
    return shared->n_places < INJECT_PLACES ? shared->n_places : INJECT_PLACES;
}

void inject_mark(const struct inject_range *r, size_t n)
{
    n_ranges = MIN(n, (size_t)INJECT_RANGES);
    if (n_ranges)
        memcpy(ranges, r, n_ranges * sizeof *r);
}

bool inject_is_marked(long number)
{
    return number < INJECT_MARKED && shared->marked[number / 64] >> number % 64 & 1;
}

bool inject_struck(void)
{
    return shared->struck;
}

int inject_crashes(void)
{
    return shared->crashes;
}

void inject_tell(void)
{
    if (shared->struck)
        tell_trace(&shared->where);
}

long inject_live(void)
{
    return live;
}

void inject_watch(void)
{
    watching = true;
}

void inject_tell_watched(void)
{
    watching = false;
    for (size_t i = 0, told = 0; i < WATCHED && told < 4; i++)
        if (watched[i].block) {
            say("left:\n");
            tell_trace(&watched[i].where);
            told++;
        }
}

static void crashed(int sig)
{
    void *at[TRACE];
    int n;
    shared->kind = INJECT_NONE;
    shared->crashes++;
    say(sig == SIGALRM ? "hangs at:\n" : "crashed at:\n");
    n = backtrace(at, TRACE);
    backtrace_symbols_fd(at, n, STDERR_FILENO);
    say("after this failed:\n");
    tell_trace(&shared->where);
    _exit(sig == SIGALRM ? 98 : 99);
}

void inject_catch(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM};
    void *at[4];
    (void)backtrace(at, 4); /* loads what it needs now */
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        (void)signal(signals[i], crashed);
}
