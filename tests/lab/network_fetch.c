/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fetches the URLs of its input in one process, with THREADS at once, and compares how each ended: network_fetch CA THREADS
 * [GRACE [BESIDE]]. A line is "VERDICTS AT_MOST URL": the URL is fetched once for each verdict ("ALLOW", a reason's code, "!"
 * any reason, "-" anything, or "|" between some that will do; several with a comma between), and none may take longer than AT_MOST ms
 * (0: any time) and GRACE more. Prints what was not so, then how many fetches there were, how they ended, the longest, and how many descriptors and
 * threads are left over that were not there before. With BESIDE, the first THREADS lines have a thread each, and BESIDE more
 * threads share the rest.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "source/fetch.h"

#define THREADS 256
#define LINE (LIMIT_URL_BYTES + 256)
#define SHOWN 20

struct crowd {
    struct fetch_policy policy;
    pthread_mutex_t lock;
    unsigned long fetches, wrong, faults, ended[NET_REASONS];
    int64_t longest, grace;
};

/* How many there are of the process's threads, or of its descriptors with the one that looks. */
static int entries(const char *name)
{
    int n = 0;
    const struct dirent *e;
    DIR *d = opendir(name);
    if (!d)
        return -1;
    while ((e = readdir(d)))
        n += e->d_name[0] != '.';
    (void)closedir(d);
    return n;
}

/* Whether it ended as wanted: "-" in any way, "!" with any reason, otherwise with one of these, "|" between them. */
static bool is_wanted(const char *want, const char *got)
{
    size_t len = strlen(got);
    if (!strcmp(want, "-") || !strcmp(want, "!"))
        return *want == '-' || strcmp(got, "ALLOW") != 0;
    for (const char *at = want; len && (at = strstr(at, got)); at += len)
        if ((at == want || at[-1] == '|') && (!at[len] || at[len] == '|'))
            return true;
    return false;
}

static void judge(struct crowd *c, const char *url, const char *want, const char *got, int64_t ms, int64_t at_most)
{
    bool late = at_most && ms > at_most + c->grace;
    c->fetches++;
    c->longest = MAX(c->longest, ms);
    if (is_wanted(want, got) && !late)
        return;
    if (c->wrong++ < SHOWN)
        printf("wrong %s: got %s after %lld ms, want %s within %lld ms\n", url, got, (long long)ms, want, (long long)at_most);
}

static void fetch_one(struct crowd *c, const char *url, const char *want, int64_t at_most)
{
    struct fetch_result r = {.body = {.fd = -1}};
    struct fovea_fault fault = {0};
    int64_t start = clock_ms();
    int error = fetch_url(&c->policy, url, 0, NULL, &r, &fault);
    int64_t ms = clock_ms() - start;
    (void)pthread_mutex_lock(&c->lock);
    if (error < 0) {
        if (c->faults++ < SHOWN)
            printf("fault %s: %s\n", url, fault.text);
        judge(c, url, want, fault.text, ms, at_most);
    } else {
        c->ended[r.reason]++;
        judge(c, url, want, r.reason ? net_reason_code(r.reason) : "ALLOW", ms, at_most);
    }
    (void)pthread_mutex_unlock(&c->lock);
    fetch_result_done(&r);
}

static bool next_line(struct crowd *c, char line[LINE])
{
    (void)pthread_mutex_lock(&c->lock);
    bool got = fgets(line, LINE, stdin);
    (void)pthread_mutex_unlock(&c->lock);
    return got;
}

static void do_line(struct crowd *c, char *line)
{
    char *rest = line, *verdicts = strsep(&rest, " "), *at_most = strsep(&rest, " "), *url = strsep(&rest, "\n");
    const char *want;
    while (url && (want = strsep(&verdicts, ",")))
        fetch_one(c, url, want, strtoll(at_most, NULL, 10));
}

static void *member(void *arg)
{
    struct crowd *c = arg;
    char line[LINE];
    while (next_line(c, line))
        do_line(c, line);
    return NULL;
}

struct loner {
    struct crowd *crowd;
    char line[LINE];
};

static void *do_one(void *arg)
{
    struct loner *l = arg;
    do_line(l->crowd, l->line);
    return NULL;
}

static void run(struct crowd *c, long threads, long beside)
{
    static struct loner loners[THREADS];
    pthread_t thread[2 * THREADS];
    long n = 0;
    for (long i = 0; beside && i < MIN(threads, THREADS) && next_line(c, loners[i].line); i++) {
        loners[i].crowd = c;
        n += pthread_create(&thread[n], NULL, do_one, &loners[i]) == 0;
    }
    for (long i = 0; i < MIN(beside ? beside : threads, THREADS); i++)
        n += pthread_create(&thread[n], NULL, member, c) == 0;
    while (n > 0)
        (void)pthread_join(thread[--n], NULL);
}

/* Lookups that were left behind end a little later than their fetch: they are given the time that the resolver takes. */
static int left_over(const char *folder, int before)
{
    int left = entries(folder) - before;
    for (int i = 0; left > 0 && i < 250; i++) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        left = entries(folder) - before;
    }
    return left;
}

int main(int argc, char **argv)
{
    static struct crowd c = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct fetch_result first = {.body = {.fd = -1}};
    if (argc < 3)
        return 2;
    c.policy.ca_file = argv[1];
    c.grace = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
    /* One before the count, refused at connect: whatever libraries open for good is open then. */
    if (fetch_url(&c.policy, "https://refused.test/", 0, NULL, &first, NULL) == 0)
        fetch_result_done(&first);
    /* Its lookup may still be ending: what is counted before is this thread alone. */
    int tasks = 1 + left_over("/proc/self/task", 1);
    int fds = entries("/proc/self/fd");
    run(&c, strtol(argv[2], NULL, 10), argc > 4 ? strtol(argv[4], NULL, 10) : 0);
    printf("fetches %lu\nwrong %lu\nfaults %lu\nlongest %lld\ndescriptors %d\n", c.fetches, c.wrong, c.faults,
           (long long)c.longest, left_over("/proc/self/fd", fds));
    printf("threads %d\n", left_over("/proc/self/task", tasks));
    for (int i = 0; i < NET_REASONS; i++)
        if (c.ended[i])
            printf("ended %s %lu\n", i ? net_reason_code((enum net_reason)i) : "ALLOW", c.ended[i]);
    return 0;
}
