/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inject [POINTS] [SCENE [KIND[,KIND] [AT [once|forever]]]]: plays each scene with call 1, 2, 3 ... n of each kind failing, that one and
 * then that one and all after it. AT is a call's number, two with a dash between, or the name of a function of ours: the calls that are
 * made inside it, however far below. Every play is a process of its own, forked from one that has played the scene undisturbed, so that a
 * crash ends one play, and what libraries keep for ever is there already when blocks are counted. With POINTS (0: all) only so
 * many of each kind are played: the first call from each place in our code, as far as they go (from 100 on, every place), and others
 * spread over all of them; from 100 on all of a scene that is thorough.
 * Ends with 1 where one did not hold, 2 for a name that there is not, 4 where no call was of a kind that was named.
 * INJECT_LOUD=1 tells every outcome, and where the call was. After INJECT_SECONDS nothing more is begun, and it is told how far it came.
 */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "inject.h"
#include "processes.h"
#include "scenes.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>

/* What the loader keeps for libraries that were opened. */
const char *__lsan_default_suppressions(void);
__attribute__((visibility("default"), used)) const char *__lsan_default_suppressions(void)
{
    return "leak:dl_open_worker\nleak:_dl_open\n";
}
#endif

enum { PLAY_SECONDS = 30, MOST_SHOWN = 40, TRIES = 3 };
enum { BAD = 1, USAGE, NO_ROOM, NOTHING }; /* the status; the last: nothing came of what was named */

/* How a play ends. */
enum verdict { HELD, WRONG, UNSAID, UNTRUE, SPOILT, LEAKS, LEAKS_FD, LEAVES_CHILD, NOT_READY, SKIPPED = 77, HANGS = 98, CRASHED = 99 };

static const struct {
    const char *name;
    enum inject_kind kind;
    int error;
} faults[] = {
    {"alloc", INJECT_ALLOC, ENOMEM},
    {"own-alloc", INJECT_OWN_ALLOC, ENOMEM},
    {"mmap", INJECT_MMAP, ENOMEM},
    {"open", INJECT_OPEN, EMFILE},
    {"open-eio", INJECT_OPEN, EIO},
    {"read", INJECT_READ, EIO},
    {"read-eintr", INJECT_READ, EINTR},
    {"read-short", INJECT_READ, INJECT_SHORT},
    {"write", INJECT_WRITE, ENOSPC},
    {"write-eio", INJECT_WRITE, EIO},
    {"write-eintr", INJECT_WRITE, EINTR},
    {"write-short", INJECT_WRITE, INJECT_SHORT},
    {"recv", INJECT_RECV, ECONNRESET},
    {"recv-eintr", INJECT_RECV, EINTR},
    {"send", INJECT_SEND, ECONNRESET},
    {"send-eintr", INJECT_SEND, EINTR},
    {"send-eagain", INJECT_SEND, EAGAIN},
    {"clock", INJECT_CLOCK, ETIME},
    {"fsync", INJECT_SYNC, EIO},
    {"resize", INJECT_RESIZE, ENOSPC},
    {"fork", INJECT_FORK, EAGAIN},
    {"thread", INJECT_THREAD, EAGAIN},
    {"pipe", INJECT_PIPE, EMFILE},
    {"memfd", INJECT_MEMFD, EMFILE},
    {"poll", INJECT_POLL, ENOMEM},
    {"socket", INJECT_SOCKET, EMFILE},
    {"connect", INJECT_CONNECT, ECONNREFUSED},
    {"poll-eintr", INJECT_POLL, EINTR},
    {"dup", INJECT_DUP, EMFILE},
    {"stat", INJECT_STAT, EIO},
    {"access", INJECT_ACCESS, EIO},
    {"cwd", INJECT_CWD, ENOMEM},
    {"rename", INJECT_RENAME, EIO},
    {"link", INJECT_LINK, EIO},
    {"unlink", INJECT_UNLINK, EIO},
    {"mkdir", INJECT_MKDIR, ENOSPC},
    {"chmod", INJECT_CHMOD, EIO},
    {"lock", INJECT_LOCK, ENOLCK},
    {"random", INJECT_RANDOM, ENOSYS},
    {"epoll", INJECT_EPOLL, ENOMEM},
    {"bind", INJECT_BIND, ENOBUFS},
    {"exec", INJECT_EXEC, ENOMEM},
};
enum { FAULTS = sizeof faults / sizeof *faults };

static struct {
    bool loud;
    long points; /* of each kind; 0: all */
    const char *scene, *kinds, *mode;
    long at, to;          /* the first and the last call that fail; 0: as points say */
    const char *function; /* or those inside this one */
    struct inject_range code[INJECT_RANGES];
    size_t n_code;
    double until; /* nothing is begun later; 0: never */
    struct outcome right; /* of the scene that is played */
    struct counts {
        _Atomic long points, places, pieces, plays, missed, cut, struck, right, said, refused, bad, ends[100], of_kind[FAULTS], plays_of[FAULTS];
    } *counts; /* shared with the processes that play */
} lab;

static void on_alarm(void)
{
    (void)alarm(PLAY_SECONDS);
}

static double seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* What the scene left behind that a later play would meet: a child that nobody waited for. */
static bool child_left(void)
{
    for (int i = 0; i < 200; i++) {
        if (waitpid(-1, NULL, WNOHANG | __WALL) < 0 && errno == ECHILD)
            return false;
        (void)usleep(5000);
    }
    return true;
}

static bool same(const struct outcome *a, const struct outcome *b)
{
    return a->code == b->code && a->hash == b->hash && a->bytes == b->bytes;
}

static void complain(const char *what, const struct outcome *o)
{
    fprintf(stderr, "%s: %d \"%s\" (%zu bytes; right: %d, %zu bytes)\n", what, o->code, o->untrue[0] ? o->untrue : o->words, o->bytes,
            lab.right.code, lab.right.bytes);
}

/* Does a code speak of the source? What was asked for was right, and what there is of it is as it was. */
static bool is_untrue_code(enum inject_kind kind, int code)
{
    static const int of_source[] = {-EINVAL, -ENOENT, -EACCES, -EEXIST, -EBADMSG, -EUCLEAN};
    bool want = kind == INJECT_ALLOC || kind == INJECT_OWN_ALLOC || kind == INJECT_MMAP || kind == INJECT_OPEN || kind == INJECT_FORK ||
                kind == INJECT_THREAD || kind == INJECT_PIPE || kind == INJECT_MEMFD || kind == INJECT_SOCKET || kind == INJECT_DUP ||
                kind >= INJECT_ACCESS;
    bool of = false;
    for (size_t i = 0; i < COUNT(of_source); i++)
        of = of || code == of_source[i];
    return want && of;
}

/* Is the outcome right, or does it say what happened? */
static enum verdict judge(const struct outcome *o, enum inject_kind kind)
{
    struct counts *c = lab.counts;
    if (o->untrue[0]) {
        complain("untrue", o);
        return UNTRUE;
    }
    if (same(o, &lab.right)) {
        c->right += inject_struck();
        return HELD;
    }
    bool holds = answers_hold(o, &lab.right);
    if (o->code == 0 && o->refused && holds) {
        c->refused++;
        return HELD;
    }
    if (o->code == 0 || !holds) {
        complain("wrong", o);
        return WRONG;
    }
    c->said++;
    if (!o->words[0]) {
        complain("without words", o);
        return UNSAID;
    }
    if (!is_untrue_code(kind, o->code))
        return HELD;
    complain("untrue", o);
    return UNTRUE;
}

/* The whole of it once: struck, then undisturbed. */
static enum verdict play_once(const struct scene *s, size_t fault, long at, bool forever, bool *ret_struck)
{
    struct outcome o = {0}, again = {0}, settled = {0};
    if (s->setup && s->setup() < 0)
        return NOT_READY;
    inject_resets(s->calls == SCENE_THOROUGH);
    inject_arm(faults[fault].kind, at, faults[fault].error, forever);
    s->run(&o);
    inject_disarm();
    if (inject_struck())
        lab.counts->struck++;
    *ret_struck = *ret_struck || inject_struck();
    enum verdict v = judge(&o, faults[fault].kind);
    if (lab.loud)
        fprintf(stderr, "%s %s %ld %s: %d \"%s\"%s%s\n", s->name, faults[fault].name, at, forever ? "forever" : "once", o.code,
                o.words, o.refused ? " refused" : "", inject_struck() ? "" : " (nothing was struck)");
    if (lab.loud)
        inject_tell();
    if (v == HELD && s->settle)
        s->settle(&settled);
    if (v == HELD && settled.code < 0) {
        complain("spoilt", &settled);
        v = SPOILT;
    }
    s->run(&again);
    if (v == HELD && !same(&again, &lab.right)) {
        complain("afterwards", &again);
        v = SPOILT;
    }
    if (s->teardown)
        s->teardown();
    return v;
}

/* What grows with each play is a leak; what grew once was first needed now. */
static enum verdict play(const struct scene *s, size_t fault, long at, bool forever)
{
    enum verdict v = HELD;
    bool blocks = true, files = true, struck = false;
    for (int i = 0; i < TRIES && v == HELD && (blocks || files); i++) {
        long live = inject_live();
        int open = fds_of(getpid());
        if (i == TRIES - 1)
            inject_watch();
        v = play_once(s, fault, at, forever, &struck);
        if (v == HELD && child_left())
            v = LEAVES_CHILD;
        blocks = inject_live() > live;
        files = fds_of(getpid()) > open;
    }
    if (v == HELD && files)
        v = LEAKS_FD;
    if (v == HELD && blocks) {
        inject_tell_watched();
        v = LEAKS;
    }
#ifdef __SANITIZE_ADDRESS__
    if (v == HELD && __lsan_do_recoverable_leak_check())
        v = LEAKS;
#endif
    if (v == HELD && inject_crashes())
        v = CRASHED;
    if (v != HELD)
        inject_tell();
    lab.counts->missed += v == HELD && !struck;
    return v;
}

static const char *verdict_name(int v)
{
    static const char *const names[] = {[WRONG] = "wrong answer", [UNSAID] = "error without words", [UNTRUE] = "untrue words",
                                        [SPOILT] = "wrong afterwards",
                                        [LEAKS] = "leak", [LEAKS_FD] = "descriptor left", [LEAVES_CHILD] = "child left",
                                        [NOT_READY] = "could not be set up", [HANGS] = "hang", [CRASHED] = "crash"};
    return v >= 0 && (size_t)v < COUNT(names) && names[v] ? names[v] : "died";
}

static void play_apart(const struct scene *s, size_t fault, long at, bool forever)
{
    int status = 0;
    (void)fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        on_alarm();
        _exit((int)play(s, fault, at, forever));
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    int v = WIFEXITED(status) ? WEXITSTATUS(status) : CRASHED;
    lab.counts->plays++;
    lab.counts->plays_of[fault]++;
    lab.counts->ends[v < 100 ? v : CRASHED]++;
    if (v == HELD)
        return;
    if (lab.counts->bad++ < MOST_SHOWN)
        printf("not ok inject_%s_%s_%ld_%s: %s\n", s->name, faults[fault].name, at, forever ? "forever" : "once", verdict_name(v));
    drop_folder();
}

/* How often the scene makes calls of that kind; negative: it could not be set up once more. */
static long count_calls(const struct scene *s, enum inject_kind kind)
{
    struct outcome o = {0};
    if (s->setup && s->setup() < 0)
        return -1;
    inject_arm(kind, 0, 0, false);
    s->run(&o);
    inject_disarm();
    if (s->teardown)
        s->teardown();
    return inject_count();
}

enum { MOST_CALLS = INJECT_MARKED - 1, EVERY_PLACE = 100 };
static bool chosen[MOST_CALLS + 1];

/* Whether every call is played though only so many were asked for. */
static bool plays_all(const struct scene *s)
{
    return (lab.points > 1 && s->calls == SCENE_SMALL) || (lab.points >= EVERY_PLACE && s->calls == SCENE_THOROUGH);
}

/* Those inside the function that was named: all, or so many of them. */
static void choose_inside(long n)
{
    long inside = 0, seen = 0;
    for (long at = 1; at <= n; at++)
        inside += inject_is_marked(at);
    long step = lab.points ? MAX(1, inside / lab.points) : 1;
    for (long at = 1; at <= n; at++)
        chosen[at] = inject_is_marked(at) && seen++ % step == 0;
}

/* Which calls fail. Different ones for each scene, so that few points see beginnings, middles and ends. */
static void choose(const struct scene *s, long n, size_t number)
{
    const long *first;
    long places = (long)inject_places(&first);
    long step = lab.points && lab.points < EVERY_PLACE ? MAX(1, (places + lab.points - 1) / lab.points) : 1;
    memset(chosen, lab.points == 0 || plays_all(s), sizeof chosen);
    for (long i = (long)number % step; i < places && lab.points; i += step)
        chosen[MIN(first[i], MOST_CALLS)] = true;
    long more = lab.points - places;
    for (long i = 0, at; i < more && (at = 1 + n * i / more) <= n; i++)
        chosen[MIN(at, MOST_CALLS)] = true;
    lab.counts->places += places;
    if (lab.function)
        choose_inside(n);
    for (long at = 1; at <= n && lab.at; at++)
        chosen[at] = at >= lab.at && at <= lab.to;
}

/* Those that a machine has hardly ever are for scenes that are thorough. */
static bool is_rare(size_t fault)
{
    return faults[fault].kind == INJECT_CLOCK || (faults[fault].kind == INJECT_POLL && faults[fault].error == ENOMEM);
}

/* Who is interrupted for ever tries for ever, and is right; SQLite waits for a lock, and each time as long as it may; and hardly anything
 * is rare for ever. */
static bool is_tried_again(size_t fault)
{
    return faults[fault].error == EINTR || faults[fault].error == ENOLCK || (faults[fault].kind == INJECT_SEND && faults[fault].error == EAGAIN) || is_rare(fault);
}

static void play_fault(const struct scene *s, size_t fault, size_t number)
{
    if (is_rare(fault) && s->calls != SCENE_THOROUGH)
        return;
    long n = MIN(count_calls(s, faults[fault].kind), MOST_CALLS);
    if (n < 0) {
        lab.counts->bad++;
        printf("not ok inject_%s_%s: %s\n", s->name, faults[fault].name, verdict_name(NOT_READY));
        return;
    }
    lab.counts->points += n;
    lab.counts->of_kind[fault] += n;
    choose(s, n, number);
    for (long at = 1; at <= n; at++) {
        if (!chosen[at])
            continue;
        if (lab.until > 0 && seconds() > lab.until) {
            printf("# inject_%s %s: the time is over before call %ld of %ld\n", s->name, faults[fault].name, at, n);
            lab.counts->cut++;
            return;
        }
        if (!lab.mode || !strcmp(lab.mode, "once"))
            play_apart(s, fault, at, false);
        if (!is_tried_again(fault) && (!lab.mode || !strcmp(lab.mode, "forever")))
            play_apart(s, fault, at, true);
    }
}

/* Is it in the list of kinds? */
static bool is_wanted(const char *kind)
{
    size_t len = strlen(kind);
    for (const char *p = lab.kinds; p && (p = strstr(p, kind)); p++)
        if ((p == lab.kinds || p[-1] == ',') && (!p[len] || p[len] == ','))
            return true;
    return !lab.kinds;
}

/* In a process of its own: the scene undisturbed, twice, then with failures. */
static int play_scene(const struct scene *s, size_t number)
{
    for (int i = 0; i < 2; i++) {
        struct outcome o = {0};
        on_alarm();
        if (s->setup && s->setup() < 0) {
            printf("skip inject_%s it cannot be set up here\n", s->name);
            return SKIPPED;
        }
        s->run(&o);
        if (s->teardown)
            s->teardown();
        if (o.code < 0 || o.refused || (i && !same(&o, &lab.right))) {
            printf("not ok inject_%s undisturbed: %d %s\n", s->name, o.code, o.words);
            return 1;
        }
        lab.right = o;
    }
    (void)alarm(0);
    for (size_t i = 0; i < COUNT(faults); i++)
        if (is_wanted(faults[i].name))
            play_fault(s, i, number);
    return 0;
}

/* A call that one run makes and the next does not is not played: threads meet otherwise, a worker that starts ahead is not there yet. They
 * are few, or what is played is not what was counted. */
static bool misses_many(long missed, long plays)
{
    enum { FEW = 6, ONE_IN = 4 };
    return missed > FEW && missed * ONE_IN > plays;
}

/* What came of a scene, since before. */
static void tell_piece(const struct scene *s, const struct counts *before, bool failed, double took)
{
    struct counts *c = lab.counts;
    long points = c->points - before->points, places = c->places - before->places, plays = c->plays - before->plays;
    long missed = c->missed - before->missed;
    bool whole = c->cut == before->cut, many = misses_many(missed, plays), bad = failed || c->bad != before->bad;
    c->pieces++;
    if (whole && !bad && !points && lab.kinds) {
        printf("# inject_%s makes no call of %s\n", s->name, lab.kinds);
        return;
    }
    bool nothing = whole && !points; /* no call of it comes by the stand-ins */
    c->bad += failed || nothing || many;
    printf("%s inject_%s # %ld points from %ld places, %ld plays, %ld of them struck nothing, %.1f s%s\n",
           bad || nothing || many ? "not ok" : "ok", s->name, points, places, plays, missed, took, whole ? "" : ", not all");
}

static void play_scene_apart(const struct scene *s, size_t number)
{
    struct counts before = *lab.counts;
    double began = seconds();
    int status = 1;
    (void)fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        int bad = play_scene(s, number);
        (void)fflush(NULL);
        _exit(bad);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != SKIPPED)
        tell_piece(s, &before, status != 0, seconds() - began);
    (void)fflush(stdout);
}

static void figures(void)
{
    const struct counts *c = lab.counts;
    const struct {
        const char *what;
        long n;
    } rows[] = {
        {"calls", c->points},
        {"places", c->places},
        {"plays", c->plays},
        {"plays_struck", c->struck},
        {"plays_that_struck_nothing", c->missed},
        {"answers_right", c->right},
        {"errors_with_words", c->said},
        {"refusals", c->refused},
        {"crashes", c->ends[CRASHED]},
        {"hangs", c->ends[HANGS]},
        {"leaks", c->ends[LEAKS]},
        {"descriptors_and_children_left", c->ends[LEAKS_FD] + c->ends[LEAVES_CHILD]},
        {"wrong_answers", c->ends[WRONG]},
        {"errors_without_words", c->ends[UNSAID]},
        {"untrue_words", c->ends[UNTRUE]},
        {"spoilt_afterwards", c->ends[SPOILT]},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        printf("figure %s %ld\n", rows[i].what, rows[i].n);
    for (size_t i = 0; i < FAULTS; i++)
        if (is_wanted(faults[i].name))
            printf("figure kind_%s %ld calls, %ld plays\n", faults[i].name, c->of_kind[i], c->plays_of[i]);
}

/* Was something of each kind that was named played, as far as anything could be? */
static bool all_played(void)
{
    const struct counts *c = lab.counts;
    bool all = c->plays > 0;
    for (size_t i = 0; i < FAULTS && lab.kinds; i++)
        all = all && (c->of_kind[i] || !is_wanted(faults[i].name));
    return all || c->cut || !c->pieces;
}

/* AT: a number, two with a dash, or a name. */
static bool read_calls(const char *word)
{
    char *end;
    lab.at = lab.to = strtol(word, &end, 10);
    if (*end == '-')
        lab.to = end[1] ? strtol(end + 1, &end, 10) : MOST_CALLS;
    if (end != word)
        return true;
    lab.function = word;
    lab.n_code = inject_function(word, lab.code);
    inject_mark(lab.code, lab.n_code);
    return lab.n_code > 0;
}

static bool is_kind(const char *name, size_t len)
{
    for (size_t i = 0; i < FAULTS; i++)
        if (strlen(faults[i].name) == len && !strncmp(faults[i].name, name, len))
            return true;
    return false;
}

static bool is_scene(const char *name)
{
    for (size_t i = 0; scenes[i]; i++)
        if (!strcmp(scenes[i]->name, name))
            return true;
    return !strcmp(name, "all");
}

/* Is there what was named? If not it is told what there is. */
static bool knows_names(void)
{
    if (lab.scene && !is_scene(lab.scene)) {
        printf("not ok inject: there is no scene '%s', but all", lab.scene);
        for (size_t i = 0; scenes[i]; i++)
            printf(", %s", scenes[i]->name);
        printf("\n");
        return false;
    }
    for (const char *p = lab.kinds; p; p = p[strcspn(p, ",")] ? p + strcspn(p, ",") + 1 : NULL) {
        size_t len = strcspn(p, ",");
        if (is_kind(p, len))
            continue;
        printf("not ok inject: there is no kind '%.*s', but", (int)len, p);
        for (size_t i = 0; i < FAULTS; i++)
            printf("%s %s", i ? "," : "", faults[i].name);
        printf("\n");
        return false;
    }
    if (!lab.mode || !strcmp(lab.mode, "once") || !strcmp(lab.mode, "forever"))
        return true;
    printf("not ok inject: a call fails once or forever, not '%s'\n", lab.mode);
    return false;
}

int main(int argc, char **argv)
{
    int at = 1;
    lab.points = argc > at ? strtol(argv[at], NULL, 10) : 0;
    at += lab.points > 0 || (argc > at && !strcmp(argv[at], "0"));
    lab.scene = argc > at ? argv[at++] : NULL;
    lab.kinds = argc > at ? argv[at++] : NULL;
    const char *calls = argc > at ? argv[at++] : NULL;
    lab.mode = argc > at ? argv[at] : NULL;
    lab.loud = getenv("INJECT_LOUD") != NULL;
    lab.counts = mmap(NULL, sizeof *lab.counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (lab.counts == MAP_FAILED)
        return NO_ROOM;
    if (!knows_names())
        return USAGE;
    if (calls && !read_calls(calls)) {
        printf("not ok inject: there is no function '%s' in this program\n", calls);
        return USAGE;
    }
    if (getenv("INJECT_SECONDS"))
        lab.until = seconds() + strtod(getenv("INJECT_SECONDS"), NULL);
    inject_catch();
    (void)signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; scenes[i]; i++)
        if (!lab.scene || !strcmp(lab.scene, "all") || !strcmp(lab.scene, scenes[i]->name))
            play_scene_apart(scenes[i], i);
    drop_folder();
    figures();
    return lab.counts->bad ? BAD : all_played() ? 0 : NOTHING;
}
