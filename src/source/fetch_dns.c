/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lookups: see fetch_dns.h. getaddrinfo cannot be stopped, so it runs in a thread that can be left behind: both sides
 * hold the job, and who lets go last frees it. The resolver's own time-outs end such a thread, but over TCP it has none: how
 * many may be left behind is limited.
 */
#include "source/fetch_dns.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <resolv.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>

/* <resolv.h> brings its own. */
#undef MIN
#undef MAX

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "source/host.h"

struct job {
    _Atomic int holders;
    int done; /* eventfd */
    char name[LIMIT_HOST_BYTES];
    enum net_reason reason;
    struct answers answers;
};

static _Atomic int at_work; /* in the whole process, those left behind included */

static void job_unref(struct job *j)
{
    if (!j || atomic_fetch_sub(&j->holders, 1) > 1)
        return;
    close_fd(j->done);
    free(j);
}

static void job_unref_p(struct job **j)
{
    job_unref(*j);
}

static struct job *job_new(const char *name)
{
    struct job *j = calloc(1, sizeof *j);
    if (!j)
        return NULL;
    j->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    j->holders = 1;
    (void)snprintf(j->name, sizeof j->name, "%s", name);
    if (j->done >= 0)
        return j;
    free(j);
    return NULL;
}

/* ---------------------------------------------------------------- in the thread */

/* The verdict on all answers; a canonical name for private use counts as a private answer. */
static enum net_reason judge(const struct addrinfo *list, struct answers *out)
{
    enum net_reason worst = NET_OK;
    if (list->ai_canonname && strcmp(list->ai_canonname, "") != 0) {
        struct url_host canonical;
        if (host_parse(list->ai_canonname, strlen(list->ai_canonname), &canonical) == NET_HOST_NAME)
            worst = NET_DNS_PRIVATE;
    }
    for (const struct addrinfo *i = list; i; i = i->ai_next) {
        if (out->n == LIMIT_DNS_ANSWERS)
            return NET_DNS_FAIL;
        struct netaddr *a = &out->addr[out->n];
        if (!netaddr_of(i->ai_addr, i->ai_addrlen, a))
            return NET_DNS_FAIL;
        out->n++;
        worst = netaddr_judge_answer(a) ? NET_DNS_PRIVATE : worst;
    }
    return worst;
}

/* A search list would ask for another name than the one that was judged. The resolver's state is this thread's own. */
static void forget_search_list(void)
{
    if (res_init() == 0)
        _res.options &= ~(unsigned long)(RES_DNSRCH | RES_DEFNAMES);
}

static void *look_up(void *arg)
{
    struct job *j = arg;
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_CANONNAME}, *list = NULL;
    forget_search_list();
    j->reason = NET_DNS_FAIL;
    if (getaddrinfo(j->name, NULL, &hints, &list) == 0 && list) {
        j->reason = judge(list, &j->answers);
        freeaddrinfo(list);
    }
    (void)eventfd_write(j->done, 1);
    job_unref(j);
    atomic_fetch_sub(&at_work, 1);
    return NULL;
}

/* ---------------------------------------------------------------- */

static int start_thread(struct job *j)
{
    pthread_t thread;
    pthread_attr_t attr;
    (void)pthread_attr_init(&attr);
    (void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    atomic_fetch_add(&j->holders, 1);
    int e = thread_start(&thread, &attr, look_up, j);
    (void)pthread_attr_destroy(&attr);
    if (e)
        atomic_fetch_sub(&j->holders, 1);
    return e ? -ENOMEM : 0;
}

/* 0 when the thread is done, -ETIMEDOUT, -ECANCELED. */
static int wait_for(const struct job *j, int64_t deadline, const fovea_cancel *cancel)
{
    struct pollfd p[] = {{.fd = j->done, .events = POLLIN}, {.fd = cancel_fd(cancel), .events = POLLIN}};
    for (;;) {
        int n = poll(p, 2, clock_left(deadline));
        if (n < 0 && errno != EINTR)
            return -errno;
        if (cancel_struck(cancel))
            return -ECANCELED;
        if (n > 0)
            return 0;
        if (!clock_left(deadline))
            return -ETIMEDOUT;
    }
}

int dns_look_up(const char *name, int64_t deadline, const fovea_cancel *cancel, enum net_reason *ret_reason,
                struct answers *ret)
{
    if (atomic_fetch_add(&at_work, 1) >= LIMIT_FETCHES + LIMIT_STRAY_LOOKUPS) {
        atomic_fetch_sub(&at_work, 1);
        *ret_reason = NET_DNS_FAIL;
        return 0;
    }
    cleanup(job_unref_p) struct job *j = job_new(name);
    int r = j ? start_thread(j) : -ENOMEM;
    if (r < 0) {
        atomic_fetch_sub(&at_work, 1);
        return r;
    }
    r = wait_for(j, deadline, cancel);
    if (r < 0 && r != -ETIMEDOUT)
        return r;
    *ret_reason = r ? NET_TIMEOUT_DNS : j->reason;
    if (!*ret_reason)
        *ret = j->answers;
    return 0;
}

/* When the interfaces cannot be listed there is nothing to compare with; the address is a public one. */
bool dns_is_own_address(const struct netaddr *a)
{
    struct ifaddrs *all = NULL;
    bool own = false;
    if (getifaddrs(&all) < 0)
        return false;
    for (const struct ifaddrs *i = all; i && !own; i = i->ifa_next) {
        struct netaddr mine;
        if (!i->ifa_addr || i->ifa_flags & IFF_LOOPBACK)
            continue;
        size_t len = i->ifa_addr->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
        own = netaddr_of(i->ifa_addr, len, &mine) && netaddr_equal(&mine, a);
    }
    freeifaddrs(all);
    return own;
}
