/* SPDX-License-Identifier: Apache-2.0 */
/* One moment at which the power fails: which states there may be, and whether each is right. A state that was opened once is known by
 * its bytes; what it has to hold is asked anew, since more may have been acknowledged meanwhile. */
#ifndef FOVEA_POWER_STATES_H
#define FOVEA_POWER_STATES_H

#include "power_work.h"

enum { SEEN_MOST = 1 << 20, IMAGES_MOST = 1 << 12, TELL_MOST = 10, WHOLE_EACH = 32 };

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

#endif
