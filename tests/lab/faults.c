/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faults [COUNT [SEED]]: as many random faults from the fault worker, from several threads at once, through the pool and through
 * the public view, with honest jobs between them whose pictures are compared byte for byte, and real pictures beside them.
 * Each job must end as its row says, no later than its limit and a little, and leave nothing: no child, no zombie, no
 * descriptor, no thread, no memory.
 */
#include <poll.h>

#include "faults_job.h"
#include "faults_rows.h"
#include "faults_stage.h"

enum {
    ASKERS = 8, VIEWERS = 2, THREADS = ASKERS + VIEWERS + 1,
    STALL_LEAST_MS = 60, STALL_MOST_MS = 100,
    PATIENCE_MS = 10000, /* with those that should end by themselves */
    SLACK_US = JAIL_SANITIZED ? 1000000 : 50000, /* past a limit */
    CANCEL_SLACK_US = JAIL_SANITIZED ? 1000000 : 100000, /* past a cancel: what fovea.h promises */
    WINDOW_US = 1000000,
    CALM_US = 5000, /* a bare timer that was late by less saw a machine that had time for us */
    SAMPLE_MS = 250, SAMPLES = 8192,
    ZOMBIE_US = 1000000, /* a machine with other work may be slow to take one off; nothing else is */
    COMPLAINTS = 20,
};

static struct stage stage;

static struct {
    struct watch_timer timer;
    struct striker striker;
    unsigned seed;
    atomic_int left, number, whole_waits;
    atomic_bool over;
    atomic_int jobs_played[COUNT(fault_rows)], starts_played[COUNT(start_rows)];
} lab;

static struct {
    pthread_mutex_t lock;
    int faults, honest, real, cancelled, wrong, by[12];
    int64_t late, late_ours, cancel, cancel_ours, timer, starved; /* microseconds, at worst */
    int beyond, beyond_ours;
} tally = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---------------------------------------------------------------- judging */

static void complain(const char *fault, const struct run *r, const char *why)
{
    if (tally.wrong++ < COMPLAINTS)
        fprintf(stderr, "  %s (job %u): %s: ended %x after %d ms: %s\n", fault, r->number, why, r->how,
                (int)((r->ended - r->begun) / 1000), r->fault.text);
}

/* When it should have been over at the latest. */
static int64_t deadline_of(const struct run *r)
{
    if (r->how == CANCELLED)
        return r->struck;
    if (r->how & (LATE | NO_START | STRANGER | NO_JAIL | OTHER_FAULT))
        return MAX(r->begun, r->handed) + LIMIT_WORKER_START_MS * INT64_C(1000);
    return r->ready + r->limit_ms * INT64_C(1000);
}

static void judge_time(const char *fault, const struct run *r)
{
    bool cancelled = r->how == CANCELLED;
    int64_t deadline = deadline_of(r), late = r->ended - deadline, bound = cancelled ? CANCEL_SLACK_US : SLACK_US;
    if (late <= 0)
        return;
    /* Its own thread was without a processor, or whoever held a lock that it needed: for that one, what befell the timer
     * within the last second stands. They overlap, so the longer is taken off and not both; and nothing when there was time. */
    int64_t timer = watch_late(&lab.timer, r->ended - WINDOW_US, r->ended);
    int64_t ours = late - (timer < CALM_US ? 0 : MAX(timer, r->starved));
    int64_t *worst = cancelled ? &tally.cancel : &tally.late, *worst_ours = cancelled ? &tally.cancel_ours : &tally.late_ours;
    tally.timer = MAX(tally.timer, timer);
    tally.starved = MAX(tally.starved, r->starved);
    *worst = MAX(*worst, late);
    *worst_ours = MAX(*worst_ours, ours);
    tally.beyond += late > bound;
    tally.beyond_ours += ours > bound;
    if (ours > bound)
        complain(fault, r, "too late");
}

static void judge(const char *fault, unsigned may, const struct run *r)
{
    (void)pthread_mutex_lock(&tally.lock);
    for (unsigned i = 0; i < COUNT(tally.by); i++)
        tally.by[i] += r->how == 1u << i;
    tally.cancelled += r->how == CANCELLED;
    if (!(r->how & may))
        complain(fault, r, "not as it should");
    judge_time(fault, r);
    (void)pthread_mutex_unlock(&tally.lock);
}

static void count(int *what)
{
    (void)pthread_mutex_lock(&tally.lock);
    ++*what;
    (void)pthread_mutex_unlock(&tally.lock);
}

/* ---------------------------------------------------------------- one of each */

static struct run fresh(unsigned *seed, int limit_ms)
{
    (void)dice(seed);
    return (struct run){.number = (unsigned)(lab.number++ % (NOTES_ROWS - 1) + 1), .limit_ms = limit_ms, .notes = stage.notes};
}

static int stall_limit(unsigned *seed)
{
    return STALL_LEAST_MS + (int)(dice(seed) % (STALL_MOST_MS - STALL_LEAST_MS + 1));
}

static const struct fault_row *any_fault(unsigned *seed)
{
    size_t which = dice(seed) % COUNT(fault_rows);
    lab.jobs_played[which]++;
    return &fault_rows[which];
}

static void fault_in_pool(unsigned *seed, size_t slot)
{
    const struct fault_row *row = any_fault(seed);
    struct run r = fresh(seed, row->may & TIMED_OUT ? stall_limit(seed) : PATIENCE_MS);
    unsigned may = row->may;
    if (dice(seed) % 10 == 0) {
        r.strike_ms = (int)(dice(seed) % 60);
        may |= CANCELLED;
    }
    run_in_pool(&r, stage.busy[dice(seed) % 2], row->name, &lab.striker, slot);
    judge(row->name, may, &r);
}

/* Of those that never greet a few are waited for to the end. */
static void fault_of_start(unsigned *seed, size_t slot)
{
    size_t which = dice(seed) % COUNT(start_rows);
    const struct fault_row *row = &start_rows[which];
    lab.starts_played[which]++;
    struct start_place *place = &stage.starts[which];
    struct run r = fresh(seed, row->may & TIMED_OUT ? stall_limit(seed) : PATIENCE_MS);
    unsigned may = row->may;
    if (row->may & LATE && lab.whole_waits-- <= 0) {
        r.strike_ms = 20 + (int)(dice(seed) % 40);
        may = CANCELLED;
    }
    (void)pthread_mutex_lock(&place->lock);
    r.notes = place->notes;
    run_in_pool(&r, place->pool, row->name, &lab.striker, slot);
    (void)pthread_mutex_unlock(&place->lock);
    judge(row->name, may, &r);
}

static void honest_in_pool(unsigned *seed, size_t slot)
{
    struct run r = fresh(seed, PATIENCE_MS);
    run_in_pool(&r, stage.busy[dice(seed) % 2], "none", &lab.striker, slot);
    judge("none", RIGHT, &r);
    count(&tally.honest);
}

static void *asker(void *arg)
{
    size_t slot = (size_t)(intptr_t)arg;
    unsigned seed = lab.seed + (unsigned)slot * 7919u;
    while (lab.left-- > 0) {
        if (dice(&seed) % 10 == 0)
            fault_of_start(&seed, slot);
        else
            fault_in_pool(&seed, slot);
        count(&tally.faults);
        if (dice(&seed) % 3 == 0)
            honest_in_pool(&seed, slot);
    }
    return NULL;
}

/* The same through the public door; there a worker that eats memory or time is a refusal. */
static void *viewer(void *arg)
{
    unsigned seed = lab.seed + (unsigned)(intptr_t)arg * 104729u;
    while (lab.left-- > 0) {
        const struct fault_row *row = any_fault(&seed);
        bool stalls = row->may & TIMED_OUT;
        struct run r = fresh(&seed, stalls ? STALL_MOST_MS : PATIENCE_MS);
        run_in_view(&r, stalls ? stage.hurried : stage.patient, row->name);
        judge(row->name, row->may, &r);
        count(&tally.faults);
        struct run honest = fresh(&seed, PATIENCE_MS);
        run_in_view(&honest, stage.patient, "none");
        judge("none", RIGHT, &honest);
        count(&tally.honest);
    }
    return NULL;
}

/* Real pictures by the real worker: as they were when nothing else went on. */
static void *looker(void *arg)
{
    static const char *const names[] = {"png-rgb-8.png", "jpeg-baseline.jpg", "webp-lossy.webp", "gif-still.gif"};
    static struct shown first[COUNT(names)];
    bool learn = !arg;
    for (size_t i = 0; learn ? i < COUNT(names) : !lab.over; i++) {
        struct shown now, *was = &first[i % COUNT(names)];
        if (!show_file(stage.real, stage.build, names[i % COUNT(names)], &now) || (!learn && !shown_same(was, &now))) {
            fprintf(stderr, "  %s: not shown as before\n", names[i % COUNT(names)]);
            count(&tally.wrong);
        }
        if (learn)
            *was = now;
        count(&tally.real);
        (void)poll(NULL, 0, learn ? 0 : 20);
    }
    return NULL;
}

/* ---------------------------------------------------------------- watching */

static struct {
    long memory[SAMPLES];
    int n, zombies; /* at once, at most */
    int64_t stayed; /* the longest of them */
} seen;

static void sample(void)
{
    static struct watch_family before, now;
    watch_family(&now);
    seen.stayed = MAX(seen.stayed, watch_stayed(&before, &now));
    seen.zombies = MAX(seen.zombies, now.zombies);
    before = now;
    if (seen.n < SAMPLES)
        seen.memory[seen.n++] = watch_memory_kib();
}

/* Until as many children wait as before (or, not known: as many as a while ago): those that were killed take a moment to go. */
static struct census settle(int children)
{
    struct watch_family f = {.children = -1};
    int same = 0, was = children;
    for (int i = 0; i < 1000 && same < 15; i++, (void)poll(NULL, 0, 10)) {
        watch_family(&f);
        same = f.children == was && !f.zombies ? same + 1 : 0;
        was = children < 0 ? f.children : children;
    }
    return (struct census){watch_fds(), watch_threads(), f.children, f.zombies};
}

/* With fewer threads than wanted it is not what it is called; those that there are play on. */
static bool run_all(int faults, pthread_t *threads)
{
    size_t n = 0;
    lab.left = faults;
    lab.whole_waits = faults >= 1000 ? 3 : 0;
    while (n < THREADS && !pthread_create(&threads[n], NULL, n < ASKERS ? asker : n < ASKERS + VIEWERS ? viewer : looker,
                                          (void *)(intptr_t)(n + 1)))
        n++;
    while (n && lab.left > 0) {
        sample();
        (void)poll(NULL, 0, SAMPLE_MS);
    }
    for (size_t i = 0; i < n && i < THREADS - 1; i++)
        (void)pthread_join(threads[i], NULL);
    lab.over = true;
    if (n == THREADS)
        (void)pthread_join(threads[THREADS - 1], NULL);
    return n == THREADS;
}

static size_t kinds_played(void)
{
    size_t n = 0;
    for (size_t i = 0; i < COUNT(fault_rows); i++)
        n += lab.jobs_played[i] > 0;
    for (size_t i = 0; i < COUNT(start_rows); i++)
        n += lab.starts_played[i] > 0;
    return n;
}

static int bad;

static void said(const char *name, bool good, const char *why)
{
    printf(good ? "ok %s\n" : "not ok %s: %s\n", name, why);
    bad += !good;
}

static void figure(const char *name, double value, const char *unit)
{
    printf("figure %s %.*f %s\n", name, *unit && strcmp(unit, "KiB") ? 1 : 0, value, unit);
}

static void tell_times(void)
{
    const struct {
        const char *name;
        int64_t us;
    } rows[] = {
        {"past_limit_at_worst", tally.late},
        {"past_limit_less_starvation_at_worst", tally.late_ours},
        {"past_cancel_at_worst", tally.cancel},
        {"past_cancel_less_starvation_at_worst", tally.cancel_ours},
        {"timer_late_at_worst", tally.timer},
        {"without_processor_at_worst", tally.starved},
        {"zombie_seen_longest", seen.stayed},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        figure(rows[i].name, (double)rows[i].us / 1000, "ms");
    figure("jobs_past_their_bound", tally.beyond, "");
    figure("jobs_past_their_bound_less_starvation", tally.beyond_ours, "");
}

static void tell_counts(double seconds)
{
    static const char *const ends[] = {"right", "refused", "died", "timed_out", "no_start", "stranger", "no_jail", "late_start",
                                       "cancelled", "other", "wrong"};
    char name[32];
    figure("kinds_of_fault", COUNT(fault_rows) + COUNT(start_rows), "");
    figure("faults", tally.faults, "");
    figure("seed", lab.seed, "");
    figure("honest_pictures", tally.honest, "");
    figure("real_pictures", tally.real, "");
    figure("seconds", seconds, "s");
    for (size_t i = 0; i < COUNT(ends); i++) {
        (void)snprintf(name, sizeof name, "ended_%s", ends[i]);
        figure(name, tally.by[i], "");
    }
    figure("zombies_at_once_at_most", seen.zombies, "");
}

static void tell(const struct census *before, const struct census *idle, const struct census *after, const struct census *end)
{
    long middle = third_median(seen.memory, seen.n, 1), last = third_median(seen.memory, seen.n, 2);
    said("each_fault_ends_as_it_should_and_each_honest_picture_is_right", !tally.wrong, "see above");
    said("no_job_outlives_its_limit_by_more_than_50_ms_that_are_ours", !tally.beyond_ours, "see above");
    said("no_child_descriptor_or_thread_is_left_when_all_wait", census_same(idle, after), census_words(idle, after));
    said("no_child_descriptor_or_thread_is_left_at_the_end", census_same(before, end), census_words(before, end));
    said("no_zombie_stays", seen.stayed < ZOMBIE_US, "see the figures");
    said("memory_is_flat", JAIL_SANITIZED || seen.n < 30 || last * 20 < middle * 21 + 5120, "see the figures");
    said("each_kind_of_fault_was_played", tally.faults < 5000 || kinds_played() == COUNT(fault_rows) + COUNT(start_rows),
         "some were not");
    figure("memory_middle_third", (double)middle, "KiB");
    figure("memory_last_third", (double)last, "KiB");
    printf("figure descriptors_before_and_after %d %d\n", before->fds, end->fds);
    printf("figure threads_before_and_after %d %d\n", before->threads, end->threads);
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int faults = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 10000;
    lab.seed = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : (unsigned)watch_us();
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    (void)snprintf(stage.dir, sizeof stage.dir, "/tmp/fovea-faults-XXXXXX");
    if (!mkdtemp(stage.dir) || !find_build(stage.build, sizeof stage.build) || !watch_timer_start(&lab.timer) ||
        !striker_start(&lab.striker)) {
        printf("not ok faults: cannot begin\n");
        return 1;
    }
    struct census before = settle(0);
    if (!stage_open(&stage)) {
        printf("not ok faults: cannot set up\n");
        return 1;
    }
    (void)looker(NULL);
    for (unsigned i = 0, seed = 1; i < 4; i++)
        honest_in_pool(&seed, 0);
    struct census idle = settle(-1);
    int64_t begun = watch_us();
    said("all_threads_were_started", run_all(faults, threads), "no room for one");
    double seconds = (double)(watch_us() - begun) / 1e6;
    struct census after = settle(idle.children);
    stage_close(&stage);
    struct census end = settle(0);
    striker_end(&lab.striker);
    watch_timer_end(&lab.timer);
    remove_tree(stage.dir);
    said("as_many_faults_were_played_as_were_asked_for", faults > 0 && tally.faults == faults, "see the figures");
    tell(&before, &idle, &after, &end);
    tell_counts(seconds);
    tell_times();
    return bad != 0;
}
