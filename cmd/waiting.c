/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting: see waiting.h. One thread beside the call has both the signals, as a descriptor, and the clock. */
#include "waiting.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

#include "base/clock.h"
#include "base/fault.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/text.h"

struct waiting {
    fovea_cancel *cancel;
    int signals, end;
    sigset_t before;
    pthread_t thread;
    bool started, struck;
    char *doing; /* NULL: no line */
    int64_t since;
    pthread_mutex_t lock; /* of the line: */
    bool shown, hushed;
};

/* ---------------------------------------------------------------- the line, with its lock held */

static void erase(struct waiting *w)
{
    static const char line[] = "\r\033[K";
    if (w->shown)
        (void)write_all(STDERR_FILENO, line, sizeof line - 1);
    w->shown = false;
}

static void show(struct waiting *w)
{
    auto_buf b = BUF_INIT(4 * KIB);
    (void)buf_add_str(&b, "\r\033[K");
    (void)buf_add_shown(&b, w->doing, 60);
    (void)buf_add_format(&b, " %lld s", (long long)(clock_ms() - w->since) / 1000);
    if (!b.error)
        (void)write_all(STDERR_FILENO, b.data, b.len);
    w->shown = true;
}

static bool can_show(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

void waiting_hush(struct waiting *w, bool hush)
{
    if (!w)
        return;
    (void)pthread_mutex_lock(&w->lock);
    w->hushed = hush;
    erase(w);
    (void)pthread_mutex_unlock(&w->lock);
}

/* ---------------------------------------------------------------- the thread */

/* Whoever presses again means it. */
static void take_signal(struct waiting *w)
{
    struct signalfd_siginfo info;
    sigset_t one;
    if (read(w->signals, &info, sizeof info) != (ssize_t)sizeof info)
        return;
    if (!w->struck) {
        w->struck = true;
        fovea_cancel_now(w->cancel);
        return;
    }
    (void)sigemptyset(&one);
    (void)sigaddset(&one, (int)info.ssi_signo);
    (void)pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    (void)raise((int)info.ssi_signo);
}

static void *watch(void *arg)
{
    struct waiting *w = arg;
    struct pollfd p[] = {{.fd = w->end, .events = POLLIN}, {.fd = w->signals, .events = POLLIN}};
    int64_t next = w->since + LIMIT_CLI_PROGRESS_MS;
    while (!p[0].revents) {
        int n = poll(p, COUNT(p), clock_left(next));
        if (n > 0 && p[1].revents)
            take_signal(w);
        if (n > 0 || clock_left(next))
            continue;
        next += LIMIT_CLI_PROGRESS_MS;
        (void)pthread_mutex_lock(&w->lock);
        if (w->doing && !w->hushed)
            show(w);
        (void)pthread_mutex_unlock(&w->lock);
    }
    return NULL;
}

/* ---------------------------------------------------------------- public */

/* Those that would end us; what the caller of the program ignores is none of them. */
static void ending_signals(sigset_t *set)
{
    static const int ends[] = {SIGINT, SIGTERM};
    (void)sigemptyset(set);
    for (size_t i = 0; i < COUNT(ends); i++) {
        struct sigaction now;
        if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            (void)sigaddset(set, ends[i]);
    }
}

static int start(struct waiting *w)
{
    sigset_t ends, all;
    ending_signals(&ends);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &w->before);
    w->end = eventfd(0, EFD_CLOEXEC);
    w->signals = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
    int e = w->end < 0 || w->signals < 0 ? errno : pthread_create(&w->thread, NULL, watch, w);
    w->started = !e;
    (void)pthread_sigmask(SIG_SETMASK, &w->before, NULL);
    if (!e)
        (void)pthread_sigmask(SIG_BLOCK, &ends, NULL);
    return e;
}

int waiting_new(const char *doing, struct waiting **ret, struct fovea_fault *fault)
{
    struct waiting *w = calloc(1, sizeof *w);
    if (!w)
        return fault_oom(fault);
    *w = (struct waiting){.signals = -1, .end = -1, .since = clock_ms()};
    (void)pthread_mutex_init(&w->lock, NULL);
    w->doing = doing && can_show() ? strdup(doing) : NULL;
    int r = fovea_cancel_new(&w->cancel, fault);
    int e = r < 0 ? 0 : start(w);
    if (e)
        r = fault_set(fault, e, "cannot watch for signals: %s", strerrordesc_np(e));
    if (r < 0)
        waiting_free(w);
    else
        *ret = w;
    return r;
}

void waiting_free(struct waiting *w)
{
    if (!w)
        return;
    if (w->started) {
        (void)eventfd_write(w->end, 1);
        (void)pthread_join(w->thread, NULL);
        (void)pthread_sigmask(SIG_SETMASK, &w->before, NULL);
    }
    erase(w);
    close_fd(w->signals);
    close_fd(w->end);
    fovea_cancel_free(w->cancel);
    (void)pthread_mutex_destroy(&w->lock);
    free(w->doing);
    free(w);
}

fovea_cancel *waiting_cancel(struct waiting *w)
{
    return w->cancel;
}
