/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each retention policy costs on generated sessions, as the section of docs/benchmarks.md: dollars of input for three models,
 * auto against the best of the others for more of them and over random sessions, and the time that decisions take. Nothing is
 * sent: prices are those of the table, tokens are estimates.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "lower/simulate.h"
#include "lower/trace.h"

enum { POLICIES = 5, OTHERS = 4, AUTO = 4, PRICED = 3, RANDOM = 40, RANDOM_SEED = 9000 };

static const char *const models[][2] = {{"anthropic", "claude-opus-4-7"}, {"openai", "gpt-6-sol"}, {"google", "gemini-2.5-pro"},
                                        {"anthropic", "claude-sonnet-5-5"}, {"openai", "gpt-5"}, {"google", "gemini-3.8-flash"},
                                        {"openai", "gpt-4-turbo"}};
enum { MODELS = COUNT(models) };

/* ---------------------------------------------------------------- sessions */

struct session {
    char **lines;
    size_t *lens;
    size_t n, room, next, images;
    struct entry_room parts;
};

static int keep(void *arg, const char *json, size_t len)
{
    struct session *s = arg;
    if (s->n == s->room) {
        s->room = s->room ? s->room * 2 : 256;
        s->lines = reallocarray(s->lines, s->room, sizeof *s->lines);
        s->lens = reallocarray(s->lens, s->room, sizeof *s->lens);
        if (!s->lines || !s->lens)
            err(1, "memory");
    }
    s->lens[s->n] = len;
    s->lines[s->n] = strndup(json, len);
    if (!s->lines[s->n++])
        err(1, "memory");
    return 0;
}

static struct session session_of(const char *name, uint64_t seed)
{
    struct session s = {0};
    struct trace_ask ask = {.name = name, .seed = seed};
    if (trace_make(&ask, keep, &s) < 0)
        errx(1, "no trace '%s'", name);
    return s;
}

static void session_done(struct session *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->lines[i]);
    free(s->lines);
    free(s->lens);
    entry_room_done(&s->parts);
}
#define auto_session cleanup(session_done) struct session

static int next_entry(void *arg, struct entry *ret)
{
    struct session *s = arg;
    if (s->next == s->n)
        return 0;
    size_t i = s->next++;
    int r = entry_read(s->lines[i], s->lens[i], (int64_t)i + 1, &s->parts, ret);
    for (size_t p = 0; r == 0 && p < ret->n_parts; p++)
        s->images += ret->parts[p].type == PART_IMAGE || ret->parts[p].type == PART_DOCUMENT;
    return r < 0 ? r : 1;
}

static struct simulation run(const struct target *t, struct session *s)
{
    struct simulation sim;
    struct sim_ask ask = {t, sim_policies, POLICIES, REPLAY_HOST_TOKENS, next_entry, s};
    s->next = s->images = 0;
    if (simulate(&ask, &sim) < 0)
        errx(1, "the simulation failed");
    return sim;
}

static struct target target_of(const struct models *m, size_t i)
{
    struct target t;
    if (target_make(m, &(struct target_ask){.provider = models[i][0], .model = models[i][1]}, &t, NULL) < 0)
        errx(1, "no target '%s'", models[i][1]);
    return t;
}

static double ratio(const struct simulation *s)
{
    double best = (double)s->runs[0].sum.units;
    for (size_t p = 1; p < OTHERS; p++)
        best = MIN(best, (double)s->runs[p].sum.units);
    return best > 0 ? (double)s->runs[AUTO].sum.units / best : 1;
}

/* ---------------------------------------------------------------- tables */

static void dollars(const char *first, const double cost[static POLICIES])
{
    double best = cost[0];
    printf("| %s ", first);
    for (size_t p = 0; p < POLICIES; p++) {
        best = p < OTHERS ? MIN(best, cost[p]) : best;
        printf("| %.4f ", cost[p] / 1e9);
    }
    printf("| %.3f |\n", cost[AUTO] / best);
}

static void money_table(const struct models *m, size_t model)
{
    struct target t = target_of(m, model);
    double total[POLICIES] = {0};
    printf("### %s\n\n| | all | turns:1 | newest:3 | batch:20:8 | auto | auto ÷ the best other |\n"
           "| --- | --: | --: | --: | --: | --: | --: |\n", t.model);
    for (size_t n = 0; strcmp(trace_names[n], "random") != 0; n++) {
        auto_session s = session_of(trace_names[n], 1);
        struct simulation sim = run(&t, &s);
        double cost[POLICIES];
        for (size_t p = 0; p < POLICIES; p++) {
            cost[p] = (double)sim.runs[p].sum.cost_nano;
            total[p] += cost[p];
        }
        dollars(trace_names[n], cost);
        simulation_done(&sim);
    }
    dollars("**total**", total);
    printf("\n");
}

static void trace_table(const struct models *m)
{
    struct target t = target_of(m, 0);
    printf("| | what it is | requests | pictures and documents |\n| --- | --- | --: | --: |\n");
    for (size_t n = 0; strcmp(trace_names[n], "random") != 0; n++) {
        auto_session s = session_of(trace_names[n], 1);
        struct simulation sim = run(&t, &s);
        printf("| %s | %s | %zu | %zu |\n", trace_names[n], trace_words(trace_names[n]), sim.runs[0].n_rows, s.images);
        simulation_done(&sim);
    }
    printf("\n");
}

static void random_sums(const struct models *m, size_t model, double *ret_mean, double *ret_worst, double *ret_turns)
{
    struct target t = target_of(m, model);
    double sums[POLICIES] = {0};
    *ret_mean = *ret_worst = 0;
    for (uint64_t i = 0; i < RANDOM; i++) {
        auto_session s = session_of("random", RANDOM_SEED + i);
        struct simulation sim = run(&t, &s);
        *ret_mean += ratio(&sim) / RANDOM;
        *ret_worst = MAX(*ret_worst, ratio(&sim));
        for (size_t p = 0; p < POLICIES; p++)
            sums[p] += (double)sim.runs[p].sum.units;
        simulation_done(&sim);
    }
    double best = sums[0];
    for (size_t p = 1; p < OTHERS; p++)
        best = MIN(best, sums[p]);
    *ret_turns = sums[AUTO] / best;
}

static void ratio_table(const struct models *m)
{
    printf("| auto ÷ the best other ");
    for (size_t n = 0; strcmp(trace_names[n], "random") != 0; n++)
        printf("| %s ", trace_names[n]);
    printf("| random: mean | worst | sums |\n| --- |");
    for (size_t n = 0; strcmp(trace_names[n], "random") != 0; n++)
        printf(" --: |");
    printf(" --: | --: | --: |\n");
    for (size_t i = 0; i < MODELS; i++) {
        struct target t = target_of(m, i);
        printf("| %s%s ", t.model, t.cache.known ? "" : " (no cache)");
        for (size_t n = 0; strcmp(trace_names[n], "random") != 0; n++) {
            auto_session s = session_of(trace_names[n], 1);
            struct simulation sim = run(&t, &s);
            printf("| %.3f ", ratio(&sim));
            simulation_done(&sim);
        }
        double mean, worst, sums;
        random_sums(m, i, &mean, &worst, &sums);
        printf("| %.3f | %.3f | %.3f |\n", mean, worst, sums);
    }
    printf("\n");
}

/* ---------------------------------------------------------------- time */

static double now_us(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static struct replay *replay_of(const struct target *t)
{
    struct replay *r;
    if (replay_new(t, &(struct policy){.kind = POLICY_AUTO}, &r) < 0)
        errx(1, "memory");
    return r;
}

/* The least time for one more turn, fed and decided on, when so many came before it; the entries are those of a trace, again
 * and again. */
static double turn_us(const struct target *t, struct session *s, size_t turns)
{
    struct replay *r = replay_of(t);
    double best = 1e12, from = now_us();
    size_t seen = 0;
    for (int64_t seq = 1; seen <= turns + 50; seq++) {
        size_t i = (size_t)(seq - 1) % s->n;
        struct entry e;
        if (entry_read(s->lines[i], s->lens[i], seq, &s->parts, &e) < 0)
            errx(1, "an entry is bad");
        if (e.starts_turn) {
            double now = now_us();
            best = seen > turns ? MIN(best, now - from) : best;
            from = now;
            seen++;
        }
        e.at = seq * 4000;
        if (replay_feed(r, &e) < 0 || replay_now(r) < 0)
            errx(1, "memory");
        (void)replay_changed(r);
    }
    replay_free(r);
    return best;
}

/* All of a session of 1,000 turns and 300 pictures, from its first entry to the decision. Every 16th picture of a trace that has
 * five in each turn is kept. */
static double whole_us(const struct target *t, double *ret_decide)
{
    double best = 1e12;
    auto_session s = session_of("images200", 1);
    *ret_decide = 1e12;
    for (int round = 0; round < 5; round++) {
        struct replay *r = replay_of(t);
        size_t turns = 0, pictures = 0;
        double from = now_us();
        for (int64_t seq = 1; turns <= 1000; seq++) {
            size_t i = (size_t)(seq - 1) % s.n;
            struct entry e;
            if (entry_read(s.lines[i], s.lens[i], seq, &s.parts, &e) < 0)
                errx(1, "an entry is bad");
            if (e.n_parts > 1 && e.parts[1].type == PART_IMAGE && pictures++ % 16 != 0)
                e.n_parts = 1;
            turns += e.starts_turn;
            e.at = seq * 4000;
            if (replay_feed(r, &e) < 0)
                errx(1, "memory");
        }
        double fed = now_us();
        (void)replay_now(r);
        best = MIN(best, now_us() - from);
        *ret_decide = MIN(*ret_decide, now_us() - fed);
        replay_free(r);
    }
    return best;
}

static void time_table(const struct models *m)
{
    struct target t = target_of(m, 0);
    auto_session s = session_of("screenshots", 1);
    static const size_t turns[] = {10, 100, 1000, 10000};
    double least[COUNT(turns)];
    for (int round = 0; round < 3; round++) /* in turns, so that a slow moment falls on all alike */
        for (size_t i = 0; i < COUNT(turns); i++) {
            double us = turn_us(&t, &s, turns[i]);
            least[i] = round ? MIN(least[i], us) : us;
        }
    printf("| turns before it | 10 | 100 | 1,000 | 10,000 |\n| --- | --: | --: | --: | --: |\n| µs for one more turn ");
    for (size_t i = 0; i < COUNT(turns); i++)
        printf("| %.1f ", least[i]);
    double decide, whole = whole_us(&t, &decide);
    printf("|\n\nA turn here is 12 to 18 entries, each read, fed and decided on. A session of 1,000 turns (12,000 entries) with 300 pictures is read and\n"
           "decided on from its start in %.1f ms, nearly all of it reading; the last decision alone takes %.1f µs. Processor time, the least of several.\n\n",
           whole / 1e3, decide);
}

int main(void)
{
    struct models *m = models_new();
    if (!m)
        errx(1, "memory");
    printf("## Retention\n\nWhat a session costs under each policy, in dollars of input, over every request that it has (`fovea lower --simulate`). The\n"
           "sessions are generated; %d tokens of instructions and tools stand before each. Less is better.\n\n", REPLAY_HOST_TOKENS);
    trace_table(m);
    for (size_t i = 0; i < PRICED; i++)
        money_table(m, i);
    printf("### More models, and sessions that nobody chose\n\nThe last three columns are %d random sessions: the mean and the worst ratio, and the sum of auto ÷ the "
           "least sum of\nanother policy. `auto` keeps the current turn whole, as it must, where newest:3 keeps three pictures.\n\n", RANDOM);
    ratio_table(m);
    printf("### Time to decide\n\n");
    time_table(m);
    models_free(m);
    return 0;
}
