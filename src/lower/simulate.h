/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a session would have cost under several policies: every request that it had is decided and priced under each of them.
 * Nothing is sent and nothing is written; prices are the model's own, and tokens are estimates.
 */
#ifndef FOVEA_SIMULATE_H
#define FOVEA_SIMULATE_H

#include "base/buf.h"
#include "lower/replay.h"

struct sim_ask {
    const struct target *target;
    const char *const *policies; /* in words */
    size_t n_policies;           /* up to LIMIT_SIM_POLICIES */
    int64_t base_tokens;
    /* The next entry: 1, 0 at the end, or a negative code, which ends the simulation. */
    int (*next)(void *arg, struct entry *ret);
    void *arg;
};

struct sim_run {
    const char *policy;
    struct request_figures *rows;
    size_t n_rows, room;
    struct request_figures sum; /* tokens, cache, units and cost added up; images and live: the most; elided, refit, stubbed: at the end */
};

struct simulation {
    const struct target *target;
    struct sim_run runs[LIMIT_SIM_POLICIES];
    size_t n_runs;
};

/* all, turns:1, newest:3, batch:20:8, auto; NULL-terminated. */
extern const char *const sim_policies[];

/* 0; -EINVAL: a policy that is none, or too many; -ENOMEM; what next returned. The caller ends it with simulation_done. */
int simulate(const struct sim_ask *ask, struct simulation *ret);
void simulation_done(struct simulation *s);

/* One line for each policy; with rows, one for each request too. They fail as buf does. */
int simulation_table(const struct simulation *s, bool rows, struct buf *to);
/* An SVG: cost so far of each policy over the requests, and below it the pictures that are live. */
int simulation_plot(const struct simulation *s, const char *title, struct buf *to);

#endif
