/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fetches URLs for the lab: fetchlab [OPTION VALUE]... URL, prints for each fetch one line of verdict, milliseconds, bytes,
 * redirects and the first bytes of the body. Options: -a CA file, -c cap, -n times, -k cancel after so many ms, -s an
 * address of ours, -A and -D allowed and denied host, -C so many threads that fetch the URL given with -u meanwhile.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "source/fetch.h"

struct lab {
    struct fetch_policy policy;
    struct netaddr self;
    const char *allow[2], *deny[2];
    const char *crowd_url, *url;
    uint64_t cap;
    long times, cancel_ms, crowd;
    fovea_cancel *cancel;
    pthread_mutex_t lock;
};

static void print_body(const struct snapshot *s)
{
    char head[24] = "";
    ssize_t n = pread(s->fd, head, sizeof head - 1, 0);
    for (ssize_t i = 0; i < n; i++)
        putchar(head[i] > ' ' && head[i] < 0x7f ? head[i] : '.');
}

static void fetch_one(struct lab *l, const char *url)
{
    struct fetch_result r = {.body = {.fd = -1}};
    struct fovea_fault fault = {0};
    int64_t start = clock_ms();
    int error = fetch_url(&l->policy, url, l->cap, l->cancel, &r, &fault);
    int64_t ms = clock_ms() - start;
    (void)pthread_mutex_lock(&l->lock);
    if (error < 0)
        printf("FAULT:%d\t%lld\t0\t0\t%s\n", -error, (long long)ms, fault.text);
    else {
        printf("%s%s\t%lld\t%llu\t%u\t", r.reason ? "DENY:" : "ALLOW", r.reason ? net_reason_code(r.reason) : "",
               (long long)ms, (unsigned long long)r.body.size, r.redirects);
        if (!r.reason)
            print_body(&r.body);
        printf("\n");
    }
    fflush(stdout);
    (void)pthread_mutex_unlock(&l->lock);
    fetch_result_done(&r);
}

static void *crowd_member(void *arg)
{
    struct lab *l = arg;
    struct fetch_result r = {.body = {.fd = -1}};
    if (fetch_url(&l->policy, l->crowd_url, l->cap, NULL, &r, NULL) == 0)
        fetch_result_done(&r);
    return NULL;
}

static void *cancel_later(void *arg)
{
    struct lab *l = arg;
    struct timespec t = {.tv_sec = l->cancel_ms / 1000, .tv_nsec = l->cancel_ms % 1000 * 1000000};
    (void)nanosleep(&t, NULL);
    fovea_cancel_now(l->cancel);
    return NULL;
}

static int set(struct lab *l, char option, const char *value)
{
    size_t n = strlen(value);
    switch (option) {
    case 'a': l->policy.ca_file = value; return 0;
    case 'c': l->cap = strtoull(value, NULL, 10); return 0;
    case 'n': l->times = strtol(value, NULL, 10); return 0;
    case 'k': l->cancel_ms = strtol(value, NULL, 10); return 0;
    case 'u': l->crowd_url = value; return 0;
    case 'C': l->crowd = strtol(value, NULL, 10); return 0;
    case 'A': l->allow[0] = value; return 0;
    case 'D': l->deny[0] = value; return 0;
    case 's':
        l->policy.n_self = netaddr_parse4(value, n, &l->self) || netaddr_parse6(value, n, &l->self);
        return l->policy.n_self ? 0 : -EINVAL;
    default: return -EINVAL;
    }
}

static int read_options(struct lab *l, int argc, char **argv)
{
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2)
        if (set(l, argv[i][1], argv[i + 1]) < 0)
            return -EINVAL;
    l->url = i < argc ? argv[i] : NULL;
    l->policy.self = &l->self;
    l->policy.allow = l->allow;
    l->policy.deny = l->deny;
    return l->url ? 0 : -EINVAL;
}

int main(int argc, char **argv)
{
    struct lab l = {.times = 1, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread, crowd[256];
    long n = 0;
    if (read_options(&l, argc, argv) < 0 || fovea_cancel_new(&l.cancel, NULL) < 0)
        return 2;
    while (n < MIN(l.crowd, 256) && pthread_create(&crowd[n], NULL, crowd_member, &l) == 0)
        n++;
    if (n)
        (void)nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    if (l.cancel_ms && pthread_create(&thread, NULL, cancel_later, &l))
        return 3;
    for (long i = 0; i < l.times; i++)
        fetch_one(&l, l.url);
    if (l.cancel_ms)
        (void)pthread_join(thread, NULL);
    /* The crowd is left to the end of the process: it is slow by design. */
    if (n)
        _exit(0);
    fovea_cancel_free(l.cancel);
    return 0;
}
