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

#include "power_work.h"

enum { SEEN_MOST = 1 << 20, IMAGES_MOST = 1 << 12, TELL_MOST = 10, WHOLE_EACH = 32, STATES_LEAST = 100000 };

struct seen {
    struct print of;
    uint8_t told[SHA256_LEN];
    bool used, goes_on;
};

/* Databases that were told in full. */
static struct image {
    struct print of;
    uint8_t told[SHA256_LEN];
} images[IMAGES_MOST];
static size_t n_images;

struct lab {
    const struct work *w;
    char place[256], state[300], folder[320];
    struct disk *d;
    struct fate *fates;
    size_t marks; /* that were said before this moment */
    size_t prefixes, states, distinct;
    size_t lost, torn, stuck; /* states: an older record; one that never was; one that takes no more */
    size_t killed; /* writers, of whose entries another made sure */
    size_t chances; /* subsets by chance at each prefix */
    size_t singles; /* operations that are lost alone at each prefix, the newest first */
    size_t cuts;    /* of the last write */
    uint64_t random;
    struct seen *seen;
    size_t whole; /* states that were told in full */
    struct told told;
    bool quiet;
    size_t enough; /* losses after which it ends; 0: never */
};

/* ---------------------------------------------------------------- judging one state */

static struct seen *seen_of(struct lab *l, struct print p)
{
    size_t i = p.a % SEEN_MOST;
    while (l->seen[i].used && (l->seen[i].of.a != p.a || l->seen[i].of.b != p.b))
        i = (i + 1) % SEEN_MOST;
    if (l->distinct > SEEN_MOST / 2)
        abort(); /* the table is made too small */
    return &l->seen[i];
}

static const struct image *image_known(struct print p)
{
    for (size_t i = 0; i < n_images; i++)
        if (images[i].of.a == p.a && images[i].of.b == p.b)
            return &images[i];
    return NULL;
}

/* As a program finds it. */
static void open_whole(struct lab *l, struct seen *s, const struct print *image)
{
    auto_fovea *f = context_in(l->state);
    if (!f)
        return;
    l->whole++;
    tell(f, &l->told);
    told_hash(&l->told, s->told);
    s->goes_on = can_go_on(f, &l->told);
    if (!image || image_known(*image) || n_images == IMAGES_MOST)
        return;
    images[n_images].of = *image;
    memcpy(images[n_images++].told, s->told, SHA256_LEN);
}

/* The record is opened, and so recovers, in each state. Where every page is then as it was in one that was told in full, it would tell
 * the same: it is asked to take more, in a session that is there or a new one, and not to tell again. One in 32 does it all. */
static void open_state(struct lab *l, struct seen *s, struct print p)
{
    struct print image;
    bool whole = (p.b >> 8) % WHOLE_EACH == 0, had = false;
    *s = (struct seen){.of = p, .used = true};
    l->distinct++;
    l->told.why[0] = '\0';
    if (!place_state(l->d, l->place, p.b % 4 == 0))
        abort(); /* no room: nothing can be said */
    if (!whole) {
        auto_record *r = record_in(l->folder);
        had = image_of(r, &image);
        const struct image *known = had ? image_known(image) : NULL;
        if (known) {
            memcpy(s->told, known->told, SHA256_LEN);
            s->goes_on = takes_more(r, p.b >> 4 & 1 ? "alpha" : "afterwards");
            return;
        }
    }
    open_whole(l, s, had ? &image : NULL);
}

static bool is_ref(const struct lab *l, size_t mark, const uint8_t *told)
{
    return mark <= l->w->marks && !memcmp(l->w->refs[mark], told, SHA256_LEN);
}

static void complain(struct lab *l, const char *what, size_t at)
{
    if (l->quiet || l->lost + l->torn + l->stuck > TELL_MOST)
        return;
    fprintf(stderr, "power: after operation %zu, %zu pending, %zu acknowledged: %s: %s\n", at, l->d->n, l->marks, what, l->told.why);
    for (size_t i = 0; i < l->d->n && i < 64; i++) {
        const struct op *op = &power_log.ops[l->d->pending[i]];
        fprintf(stderr, "  %zu kind %d node %d %s at %" PRId64 " len %zu: fate %d\n", l->d->pending[i], op->kind, op->node, op->name,
                op->at, op->len, l->fates[i].how);
    }
}

static void judge(struct lab *l, size_t at)
{
    disk_build(l->d, l->fates);
    struct print p = disk_print(l->d);
    struct seen *s = seen_of(l, p);
    l->states++;
    if (!s->used)
        open_state(l, s, p);
    bool older = false;
    if (!is_ref(l, l->marks, s->told) && !is_ref(l, l->marks + 1, s->told)) {
        for (size_t i = 0; i < l->marks; i++)
            older |= is_ref(l, i, s->told);
        l->lost += older;
        l->torn += !older;
        complain(l, older ? "lost" : "torn", at);
    } else if (!s->goes_on) {
        l->stuck++;
        complain(l, "stuck", at);
    }
}

/* ---------------------------------------------------------------- the states of one moment */

static void set_all(struct lab *l, struct fate f)
{
    for (size_t i = 0; i < l->d->n; i++)
        l->fates[i] = f;
}

static const struct fate lost = {.how = FATE_LOST}, done = {.how = FATE_DONE};

/* Each one lost and all others there; the last one alone there: the others were when they were the last. */
static void judge_singles(struct lab *l, size_t at)
{
    for (size_t k = 0; k < l->singles && k < l->d->n; k++) {
        set_all(l, done);
        l->fates[l->d->n - 1 - k] = lost;
        judge(l, at);
    }
    set_all(l, lost);
    l->fates[l->d->n - 1] = done;
    judge(l, at);
}

/* The last write in part: its first sectors, its last ones, and with a file that grew without its bytes. */
static void judge_cuts(struct lab *l, size_t at)
{
    static const unsigned units[] = {512, 4096};
    const struct op *op = &power_log.ops[l->d->pending[l->d->n - 1]];
    for (size_t u = 0; op->kind == OP_WRITE && u < COUNT(units); u++) {
        unsigned n = (unsigned)(((size_t)op->at % units[u] + op->len + units[u] - 1) / units[u]);
        for (unsigned k = 0; k < n && k < l->cuts; k++) {
            set_all(l, done);
            l->fates[l->d->n - 1] = (struct fate){FATE_TORN, .unit = units[u], .count = k, .grown = true};
            judge(l, at);
            l->fates[l->d->n - 1] = (struct fate){FATE_TORN, .unit = units[u], .count = k};
            judge(l, at);
            l->fates[l->d->n - 1] = (struct fate){FATE_TORN, .unit = units[u], .first = k + 1, .count = n};
            judge(l, at);
        }
    }
}

static struct fate fate_by_chance(uint64_t *state, uint64_t lean)
{
    uint64_t r = disk_random(state);
    if (r % 8 < lean)
        return r >> 8 & 1 ? done : lost;
    return (struct fate){FATE_TORN, .unit = r >> 8 & 1 ? 512 : 4096, .random = r | 1, .grown = r >> 9 & 1};
}

static void judge_chances(struct lab *l, size_t at)
{
    for (size_t c = 0; c < l->chances && l->d->n; c++) {
        for (size_t i = 0; i < l->d->n; i++)
            l->fates[i] = fate_by_chance(&l->random, c % 8);
        judge(l, at);
    }
}

static void judge_moment(struct lab *l, size_t at)
{
    l->prefixes++;
    set_all(l, lost);
    judge(l, at);
    set_all(l, done);
    judge(l, at);
    if (!l->d->n)
        return;
    if (power_log.ops[at].kind != OP_SYNC && power_log.ops[at].kind != OP_MARK) {
        judge_singles(l, at);
        judge_cuts(l, at);
    }
    judge_chances(l, at);
}

/* ---------------------------------------------------------------- killed first */

struct finding {
    const struct disk *d;
    const char *top;
    bool synced[LOG_NODES];
};

static void find_synced(const char *path, const struct disk_node *n, void *arg)
{
    struct finding *f = arg;
    char full[640];
    struct stat st;
    (void)snprintf(full, sizeof full, "%s%s", f->top, path);
    for (size_t i = 0; stat(full, &st) == 0 && i < power_log.n_synced; i++)
        if (power_log.synced[i].st_ino == st.st_ino && power_log.synced[i].st_dev == st.st_dev)
            f->synced[n - f->d->built] = true;
}

/* What is pending lives in memory: another process sees all of it, and makes sure of what it sees. True when that is what was under
 * way; then only what it synced is kept. */
static bool make_sure(struct lab *l)
{
    struct print image;
    struct finding f = {.d = l->d, .top = l->place};
    set_all(l, done);
    disk_build(l->d, l->fates);
    if (!place_state(l->d, l->place, false))
        abort();
    auto_record *r = record_in(l->folder);
    const struct image *known = image_of(r, &image) ? image_known(image) : NULL;
    if (!known || !is_ref(l, l->marks + 1, known->told))
        return false;
    power_log.watch = true;
    power_log.n_synced = 0;
    bool sure = record_sync(r, NULL) == 0;
    power_log.watch = false;
    disk_walk(l->d, 0, "", find_synced, &f);
    for (size_t i = 0; i < l->d->n; i++)
        l->fates[i] = f.synced[power_log.ops[l->d->pending[i]].node] ? done : lost;
    return sure;
}

/* The writer is killed between the log's last write and its sync; another process finds the entries and says that they are there; then
 * the power fails. */
static void judge_killed(struct lab *l, size_t at)
{
    if (at + 1 == power_log.n || power_log.ops[at + 1].kind != OP_SYNC || l->marks < 1 || !make_sure(l))
        return;
    l->killed++;
    l->marks++;
    judge(l, at);
    l->marks--;
}

/* ---------------------------------------------------------------- runs */

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
