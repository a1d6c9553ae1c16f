/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over the entries; each policy has a replay of its own, which tells of every request. The last request may have no
 * answer yet: it is counted too. */
#include "lower/simulate.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/limits.h"

const char *const sim_policies[] = {"all", "turns:1", "newest:3", "batch:20:8", "auto", NULL};

struct teller {
    struct sim_run *run;
    struct replay *replay;
    int failed;
};

static void add_up(struct request_figures *sum, const struct request_figures *f)
{
    sum->turn = f->turn;
    sum->request = f->request;
    sum->tokens += f->tokens;
    sum->cache_read += f->cache_read;
    sum->cache_write += f->cache_write;
    sum->plain += f->plain;
    sum->units += f->units;
    sum->cost_nano = f->cost_nano < 0 ? -1 : sum->cost_nano + f->cost_nano;
    sum->images = MAX(sum->images, f->images);
    sum->live = MAX(sum->live, f->live);
    sum->elided = f->elided;
    sum->refit = f->refit;
    sum->stubbed = f->stubbed;
    sum->request_bytes = MAX(sum->request_bytes, f->request_bytes);
}

static void tell(void *arg, const struct request_figures *f)
{
    struct teller *t = arg;
    struct sim_run *run = t->run;
    if (run->n_rows == run->room) {
        size_t more = run->room ? run->room * 2 : 64;
        struct request_figures *rows = reallocarray(run->rows, more, sizeof *rows);
        if (!rows) {
            t->failed = -ENOMEM;
            return;
        }
        run->rows = rows;
        run->room = more;
    }
    run->rows[run->n_rows++] = *f;
    add_up(&run->sum, f);
}

static int feed_all(struct teller *tellers, size_t n, const struct entry *e)
{
    for (size_t i = 0; i < n; i++) {
        int r = replay_feed(tellers[i].replay, e);
        r = r == 0 ? tellers[i].failed : r;
        if (r < 0)
            return r;
    }
    return 0;
}

/* A question that nobody has answered yet is a request all the same. */
static int ask_last(struct teller *tellers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int r = replay_now(tellers[i].replay);
        if (r < 0)
            return r;
        struct request_figures f = replay_figures(tellers[i].replay);
        tell(&tellers[i], &f);
        if (tellers[i].failed < 0)
            return tellers[i].failed;
    }
    return 0;
}

static int run_all(const struct sim_ask *ask, struct teller *tellers)
{
    struct entry e;
    bool waits = false;
    int r;
    while ((r = ask->next(ask->arg, &e)) > 0) {
        r = feed_all(tellers, ask->n_policies, &e);
        if (r < 0)
            return r;
        waits = entry_is_said(&e) ? e.kind != ENTRY_ASSISTANT : waits;
    }
    return r == 0 && waits ? ask_last(tellers, ask->n_policies) : r;
}

static int start(const struct sim_ask *ask, size_t i, struct simulation *s, struct teller *t)
{
    struct policy policy;
    int r = policy_parse(ask->policies[i], &policy);
    r = r == 0 ? replay_new(ask->target, &policy, &t->replay) : r;
    if (r < 0)
        return r;
    s->runs[i].policy = ask->policies[i];
    t->run = &s->runs[i];
    replay_base(t->replay, ask->base_tokens);
    replay_watch(t->replay, tell, t);
    return 0;
}

int simulate(const struct sim_ask *ask, struct simulation *ret)
{
    struct simulation s = {.target = ask->target, .n_runs = ask->n_policies};
    struct teller tellers[LIMIT_SIM_POLICIES] = {0};
    int r = ask->n_policies > LIMIT_SIM_POLICIES ? -EINVAL : 0;
    for (size_t i = 0; r == 0 && i < ask->n_policies; i++)
        r = start(ask, i, &s, &tellers[i]);
    r = r == 0 ? run_all(ask, tellers) : r;
    for (size_t i = 0; i < LIMIT_SIM_POLICIES; i++)
        replay_free(tellers[i].replay);
    if (r < 0) {
        simulation_done(&s);
        return r;
    }
    *ret = s;
    return 0;
}

void simulation_done(struct simulation *s)
{
    for (size_t i = 0; i < LIMIT_SIM_POLICIES; i++)
        free(s->runs[i].rows);
    *s = (struct simulation){0};
}

/* ---------------------------------------------------------------- the table */

enum { UNITS_PER_TOKEN = 1000, NANO_PER_TEN_THOUSANDTH = 100000 };

static void add_cost(const struct request_figures *f, struct buf *to)
{
    int64_t shown = f->cost_nano / NANO_PER_TEN_THOUSANDTH;
    if (f->cost_nano < 0)
        (void)buf_add_format(to, " %12lld", (long long)(f->units / UNITS_PER_TOKEN));
    else
        (void)buf_add_format(to, " %7lld.%04lld", (long long)(shown / 10000), (long long)(shown % 10000));
}

static void add_figures(const struct request_figures *f, struct buf *to)
{
    (void)buf_add_format(to, " %12lld %12lld %12lld %12lld", (long long)f->tokens, (long long)f->cache_read,
                         (long long)f->cache_write, (long long)f->plain);
    add_cost(f, to);
    (void)buf_add_format(to, " %6lld %6lld %6lld %6lld\n", (long long)f->live, (long long)f->elided, (long long)f->refit,
                         (long long)f->stubbed);
}

static void add_head(const struct simulation *s, const char *first, const char *live, struct buf *to)
{
    bool priced = s->n_runs && s->runs[0].sum.cost_nano >= 0;
    (void)buf_add_format(to, "%-24s %12s %12s %12s %12s %12s %6s %6s %6s %6s\n", first, "input", "cache read", "cache write",
                         "plain", priced ? "cost USD" : "cost tokens", live, "elided", "refit", "stub");
}

static void add_rows(const struct simulation *s, struct buf *to)
{
    for (size_t i = 0; i < s->n_runs; i++) {
        const struct sim_run *run = &s->runs[i];
        (void)buf_add_format(to, "%s\n", run->policy);
        for (size_t n = 0; n < run->n_rows && !to->error; n++) {
            const struct request_figures *f = &run->rows[n];
            (void)buf_add_format(to, "%6lld %4lld %-12s", (long long)f->request, (long long)f->turn, f->reason ? f->reason : "");
            add_figures(f, to);
        }
    }
}

int simulation_table(const struct simulation *s, bool rows, struct buf *to)
{
    if (rows) {
        add_head(s, "request turn elided for", "live", to);
        add_rows(s, to);
        (void)buf_add_str(to, "\n");
    }
    add_head(s, "policy", "most", to);
    for (size_t i = 0; i < s->n_runs; i++) {
        (void)buf_add_format(to, "%-24s", s->runs[i].policy);
        add_figures(&s->runs[i].sum, to);
    }
    return to->error;
}
