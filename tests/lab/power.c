/* SPDX-License-Identifier: Apache-2.0 */
/*
 * power FOLDER [quick]: the power fails at every moment of the record's work, and everything that a disk may hold then is opened again.
 *
 * The work runs once, on real files, and each call that changes a file, a name or what is synced is noted (power_log.h). Then, for
 * every prefix of that log, states are built (power_disk.h): all that is not synced lost, all of it there, each single operation
 * lost or alone there, the last write torn at each sector, and subsets by chance from a fixed seed. In each the record is opened as
 * a program would that starts afterwards, and must tell (power_judge.h) exactly what it told after the last thing that was
 * acknowledged, or after the one that was under way: nothing else, to the byte, with what it is lowered to. Then it must take more.
 *
 * That the lab would see a loss is shown by losing: the same with syncs of the log, of the file, or of folders left undone.
 */
#include <time.h>

#include "power_states.h"

enum { STATES_LEAST = 100000 };

static void lab_done(struct lab *l)
{
    disk_free(l->d);
    free(l->fates);
    free(l->seen);
    buf_done(&l->told.text);
}
#define auto_lab cleanup(lab_done) struct lab

static bool lab_init(struct lab *l, const struct work *w, const char *place, unsigned lose)
{
    *l = (struct lab){.w = w, .random = 20261116, .told.text = BUF_INIT(TOLD_MOST)};
    (void)snprintf(l->place, sizeof l->place, "%s", place);
    (void)snprintf(l->state, sizeof l->state, "%s/state", place);
    (void)snprintf(l->folder, sizeof l->folder, "%s/fovea", l->state);
    l->d = disk_new(lose);
    l->fates = calloc(DISK_PENDING, sizeof *l->fates);
    l->seen = calloc(SEEN_MOST, sizeof *l->seen);
    return l->d && l->fates && l->seen;
}

/* Every step-th moment, and each at which something was just acknowledged. */
static void run_moments(struct lab *l, size_t step, bool marks_alone)
{
    time_t began = time(NULL), told = began;
    for (size_t at = 0; at < power_log.n && (!l->enough || l->lost + l->torn < l->enough); at++) {
        disk_step(l->d, at);
        bool mark = power_log.ops[at].kind == OP_MARK;
        if (mark)
            l->marks = (size_t)power_log.ops[at].at;
        if (mark || (!marks_alone && at % step == 0))
            judge_moment(l, at);
        if (!marks_alone)
            judge_killed(l, at);
        if (!l->quiet && time(NULL) > told + 20) {
            told = time(NULL);
            fprintf(stderr, "# %zu of %zu operations, %zu states, %lld s\n", at, power_log.n, l->distinct, (long long)(told - began));
        }
    }
}

static int tell_line(bool good, const char *what)
{
    printf("%s %s\n", good ? "ok" : "not ok", what);
    (void)fflush(stdout);
    return good ? 0 : 1;
}

static int run_honest(const struct work *w, const char *place, bool quick)
{
    auto_lab l;
    struct timespec from, to;
    if (!lab_init(&l, w, place, 0))
        return tell_line(false, "memory");
    l.chances = quick ? 1 : 40;
    l.singles = quick ? 2 : DISK_PENDING;
    l.cuts = quick ? 1 : 9;
    (void)clock_gettime(CLOCK_MONOTONIC, &from);
    run_moments(&l, quick ? 4 : 1, false);
    (void)clock_gettime(CLOCK_MONOTONIC, &to);
    printf("figure moments %zu of %zu\n", l.prefixes, power_log.n);
    printf("figure states %zu\nfigure distinct_states %zu\n", l.states, l.distinct);
    printf("figure told_in_full %zu\nfigure databases_after_recovery %zu\n", l.whole, n_images);
    printf("figure killed_before_the_sync %zu\n", l.killed);
    printf("figure lost %zu\nfigure torn %zu\nfigure not_appendable %zu\n", l.lost, l.torn, l.stuck);
    printf("figure replay %.1f s\n", (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9);
    return tell_line(!l.lost, "no_acknowledged_record_is_lost_with_the_power") +
           tell_line(!l.torn, "no_record_is_torn_and_each_is_lowered_to_the_same_bytes_after_power_loss") +
           tell_line(!l.stuck, "a_record_takes_more_after_power_loss") +
           (quick ? 0 : tell_line(l.distinct >= STATES_LEAST, "a_hundred_thousand_states_were_opened"));
}

static const struct {
    unsigned lose;
    const char *name;
} losers[] = {
    {LOSE_LOG, "the_lab_sees_a_loss_when_syncs_of_the_log_are_not_honoured"},
    {LOSE_FILE, "the_lab_sees_a_loss_when_syncs_of_the_file_are_not_honoured"},
    {LOSE_FOLDER, "the_lab_sees_a_loss_when_syncs_of_folders_are_not_honoured"},
};

static int run_loser(const struct work *w, const char *place, size_t which, bool quick)
{
    auto_lab l;
    if (!lab_init(&l, w, place, losers[which].lose))
        return tell_line(false, "memory");
    l.quiet = true;
    l.enough = quick ? 20 : 0;
    l.chances = 1;
    run_moments(&l, 1, true);
    printf("figure self_check_%u_losses %zu of %zu states\n", losers[which].lose, l.lost + l.torn, l.states);
    return tell_line(l.lost + l.torn > 0, losers[which].name);
}

/* How the log was folded in, and how often it began anew beside what was left of the one before. */
static void tell_folds(void)
{
    size_t anew = 0, emptied = 0, shrunk = 0;
    for (size_t i = 0; i < power_log.n; i++) {
        const struct op *op = &power_log.ops[i];
        bool log = (op->kind == OP_WRITE || op->kind == OP_TRUNCATE) && !strcmp(power_log.nodes[op->node].end, "-wal");
        anew += log && op->kind == OP_WRITE && op->at == 0;
        emptied += log && op->kind == OP_TRUNCATE;
        shrunk += !log && op->kind == OP_TRUNCATE && op->at > 0;
    }
    printf("figure log_begun_anew %zu times, %zu of them after it was emptied; the file shrank %zu times\n", anew, emptied, shrunk);
}

static void tell_log(const struct work *w)
{
    size_t counts[OP_MARK + 1] = {0}, bytes = 0;
    for (size_t i = 0; i < power_log.n; i++) {
        counts[power_log.ops[i].kind]++;
        bytes += power_log.ops[i].len;
    }
    printf("figure operations %zu (%zu writes, %zu truncations, %zu names made, %zu removed, %zu syncs)\n", power_log.n - counts[OP_MARK],
           counts[OP_WRITE], counts[OP_TRUNCATE], counts[OP_LINK], counts[OP_UNLINK], counts[OP_SYNC]);
    printf("figure written %zu bytes\nfigure acknowledged %zu\n", bytes, w->marks);
    tell_folds();
}

int main(int argc, char **argv)
{
    char live[200], place[200];
    bool quick = argc > 2 && !strcmp(argv[2], "quick");
    if (argc < 2)
        return 2;
    (void)snprintf(live, sizeof live, "%s/live", argv[1]);
    (void)snprintf(place, sizeof place, "%s/after", argv[1]);
    if (mkdir(live, 0700) < 0 || mkdir(place, 0700) < 0)
        return 3;
    struct work *w = work_new(live);
    int bad = tell_line(w && work_all(w, quick ? 32 : 64) == 0, "the_log_of_the_work_gives_the_very_files_that_the_work_left");
    if (!bad) {
        tell_log(w);
        bad += run_honest(w, place, quick);
        for (size_t i = 0; i < COUNT(losers); i++)
            bad += run_loser(w, place, i, quick);
    }
    clear_place(live, NULL);
    clear_place(place, NULL);
    work_free(w);
    power_log_done();
    return bad != 0;
}
