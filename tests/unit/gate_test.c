/* SPDX-License-Identifier: Apache-2.0 */
/* The gate: every row of tests/cases/path.tsv, with openat2 and without it. Races are in gate_race_test.c. */
#include "source/gate.h"

#include <seccomp.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "source/ref.h"
#include "test.h"
#include "tree.h"

#define MAX_LIST 8

struct row {
    char *id, *setup, *gate, *input, *verdict, *why;
};

struct gate_words {
    char *cwd, *home, *reach[MAX_LIST], *floor[MAX_LIST];
};

static void split(const struct tree *t, const char *list, char **out)
{
    size_t n = 0;
    auto_free char *copy = strdup(list);
    for (char *save = NULL, *w = strtok_r(copy, ",", &save); w && n + 1 < MAX_LIST; w = strtok_r(NULL, ",", &save))
        out[n++] = tree_text(t, w);
    out[n] = NULL;
}

static void gate_words_init(struct gate_words *g, const struct tree *t, const char *words)
{
    *g = (struct gate_words){.cwd = tree_text(t, "@R")};
    split(t, "@R,@R2", g->reach);
    auto_free char *copy = strdup(words);
    for (char *save = NULL, *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        if (!strncmp(w, "cwd=", 4)) {
            free(g->cwd);
            g->cwd = tree_text(t, w + 4);
        } else if (!strncmp(w, "home=", 5)) {
            g->home = tree_text(t, w + 5);
        } else if (!strncmp(w, "reach=", 6)) {
            for (char **p = g->reach; *p; p++)
                free(*p);
            split(t, w + 6, g->reach);
        } else if (!strncmp(w, "floor=", 6)) {
            split(t, w + 6, g->floor);
        }
    }
}

static void gate_words_done(struct gate_words *g)
{
    free(g->cwd);
    free(g->home);
    for (char **p = g->reach; *p; p++)
        free(*p);
    for (char **p = g->floor; *p; p++)
        free(*p);
}

static struct gate *gate_of(const struct gate_words *w)
{
    struct gate *g = NULL;
    struct fovea_fault fault = {0};
    struct gate_options o = {.cwd = w->cwd,
                             .home = w->home,
                             .reach = (const char *const *)w->reach,
                             .floor = (const char *const *)w->floor};
    if (gate_new(&o, &g, &fault) < 0)
        CHECK(fault.code == -EINVAL && fault.text[0]);
    return g;
}

/* As a snapshot does: the first spelling that exists. What is opened must not be the secret. */
static const char *judge(const struct gate *g, const char *ref, const char *home)
{
    struct ref_variants v;
    const char *verdict = "absent";
    if (ref_variants(ref, home, &v) < 0)
        return "input";
    for (size_t i = 0; i < v.n && !strcmp(verdict, "absent"); i++) {
        char text[sizeof TREE_SECRET] = "";
        struct stat st;
        int fd = -1;
        int got = gate_open(g, NULL, v.path[i], &fd, &st);
        verdict = got == GATE_OPEN ? "open" : got == GATE_ABSENT ? "absent" : "not_regular";
        if (got == GATE_OPEN) {
            CHECK(read(fd, text, sizeof text - 1) >= 0);
            CHECK_MSG(strcmp(text, TREE_SECRET), "%s", v.path[i]);
            CHECK(S_ISREG(st.st_mode));
            close_fd(fd);
        }
    }
    ref_variants_done(&v);
    return verdict;
}

static void check_row(const struct row *row)
{
    cleanup(tree_done) struct tree t;
    int r = tree_init(&t, row->setup);
    if (r == -EPERM && geteuid())
        return; /* device nodes and foreign owners need root */
    CHECK_MSG(!r, "%s: cannot build '%s': %s", row->id, row->setup, strerror(-r));
    cleanup(gate_words_done) struct gate_words w;
    gate_words_init(&w, &t, row->gate);
    struct gate *g = gate_of(&w);
    auto_free char *input = tree_text(&t, row->input);
    const char *got = !g ? "refused" : !strcmp(input, "(start)") ? "started" : judge(g, input, w.home);
    CHECK_MSG(!strcmp(got, row->verdict), "%s '%s': got %s, want %s (%s)", row->id, row->input, got, row->verdict, row->why);
    gate_free(g);
}

static void check_table(void)
{
    FILE *f = fopen("tests/cases/path.tsv", "re");
    auto_free char *line = NULL;
    size_t room = 0, rows = 0;
    CHECK(f);
    if (!f)
        return;
    while (getline(&line, &room, f) > 0) {
        char *field[6], *rest = line;
        size_t n = 0;
        line[strcspn(line, "\n")] = '\0';
        while (n < 6 && (field[n] = strsep(&rest, "\t")))
            n++;
        if (*line == '#' || n < 6 || !strcmp(field[0], "id"))
            continue;
        check_row(&(struct row){field[0], field[1], field[2], field[3], field[4], field[5]});
        rows++;
    }
    CHECK(rows > 100);
    (void)fclose(f);
}

TEST(every_row_of_the_path_table)
{
    check_table();
}

/* Runs the table where openat2 answers with an error, as in some containers. */
static void check_without_openat2(int error)
{
    (void)fflush(NULL);
    pid_t pid = fork();
    if (!pid) {
        scmp_filter_ctx c = seccomp_init(SCMP_ACT_ALLOW);
        if (!c || seccomp_rule_add(c, SCMP_ACT_ERRNO((uint32_t)error), SCMP_SYS(openat2), 0) < 0 || seccomp_load(c) < 0)
            _exit(2);
        test_failed = false;
        check_table();
        _exit(test_failed);
    }
    int status = -1;
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    if (WEXITSTATUS(status) == 2)
        SKIP("no seccomp");
    CHECK(!WEXITSTATUS(status));
}

TEST(every_row_where_openat2_is_unknown)
{
    check_without_openat2(ENOSYS);
}

TEST(every_row_where_openat2_is_forbidden)
{
    check_without_openat2(EPERM);
}

/* ---------------------------------------------------------------- */

static struct gate *plain_gate(const struct tree *t)
{
    cleanup(gate_words_done) struct gate_words w;
    gate_words_init(&w, t, "-");
    return gate_of(&w);
}

/* Another mount of a folder is the same folder, whatever it is called there. */
TEST(a_floor_folder_mounted_under_another_name_stays_closed)
{
    cleanup(tree_done) struct tree t;
    CHECK(!tree_init(&t, "R/.ssh/id R/m/ R/a.png"));
    auto_free char *from = tree_text(&t, "@R/.ssh"), *to = tree_text(&t, "@R/m");
    if (mount(from, to, NULL, MS_BIND, NULL) < 0)
        SKIP("cannot mount here");
    struct gate *g = plain_gate(&t);
    CHECK_STR(judge(g, "m/id", NULL), "absent");
    CHECK_STR(judge(g, "./m/id", NULL), "absent");
    CHECK_STR(judge(g, "a.png", NULL), "open");
    gate_free(g);
    CHECK(!umount2(to, MNT_DETACH));
}

/* A file has no folder of its own by which it could be known. */
TEST(a_floor_file_mounted_under_another_name_stays_closed)
{
    cleanup(tree_done) struct tree t;
    CHECK(!tree_init(&t, "R/conf.yaml R/m.png"));
    auto_free char *from = tree_text(&t, "@R/conf.yaml"), *to = tree_text(&t, "@R/m.png");
    if (mount(from, to, NULL, MS_BIND, NULL) < 0)
        SKIP("cannot mount here");
    cleanup(gate_words_done) struct gate_words w;
    gate_words_init(&w, &t, "floor=@R/conf.yaml");
    struct gate *g = gate_of(&w);
    CHECK_STR(judge(g, "m.png", NULL), "absent");
    CHECK_STR(judge(g, "./m.png", NULL), "absent");
    gate_free(g);
    CHECK(!umount2(to, MNT_DETACH));
}

TEST(a_floor_folder_that_was_renamed_stays_closed)
{
    cleanup(tree_done) struct tree t;
    CHECK(!tree_init(&t, "R/state/db R/other/db"));
    auto_free char *from = tree_text(&t, "@R/state"), *to = tree_text(&t, "@R/moved");
    cleanup(gate_words_done) struct gate_words w;
    gate_words_init(&w, &t, "floor=@R/state");
    struct gate *g = gate_of(&w);
    CHECK(!rename(from, to));
    CHECK_STR(judge(g, "moved/db", NULL), "absent");
    CHECK_STR(judge(g, "./moved/db", NULL), "absent");
    CHECK_STR(judge(g, "other/db", NULL), "open");
    gate_free(g);
}

/* Editors write a new file over the old one, whose number the next file may get. */
TEST(a_floor_file_that_was_replaced_denies_no_other)
{
    cleanup(tree_done) struct tree t;
    CHECK(!tree_init(&t, "R/conf.yaml R/new"));
    auto_free char *from = tree_text(&t, "@R/new"), *to = tree_text(&t, "@R/conf.yaml"), *old = tree_text(&t, "@R/old");
    cleanup(gate_words_done) struct gate_words w;
    gate_words_init(&w, &t, "floor=@R/conf.yaml");
    struct gate *g = gate_of(&w);
    CHECK(!rename(to, old) && !rename(from, to));
    CHECK_STR(judge(g, "conf.yaml", NULL), "absent");
    CHECK_STR(judge(g, "old", NULL), "open");
    gate_free(g);
}

static double us(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

TEST(many_detours_take_less_than_five_milliseconds)
{
    cleanup(tree_done) struct tree t;
    CHECK(!tree_init(&t, "R/sub/ R/a.png"));
    struct gate *g = plain_gate(&t);
    auto_free char *path = tree_text(&t, "@R/{500*sub/../}a.png");
    double best = 1e9;
    for (int i = 0; i < 5; i++) {
        struct stat st;
        int fd = -1;
        double start = us();
        CHECK(gate_open(g, NULL, path, &fd, &st) == GATE_OPEN);
        best = MIN(best, us() - start);
        close_fd(fd);
    }
    CHECK_MSG(best < 5000, "%.0f us", best);
    gate_free(g);
}

TEST(a_pipe_is_refused_at_once)
{
    cleanup(tree_done) struct tree t;
    CHECK(!tree_init(&t, "R/fifo|"));
    struct gate *g = plain_gate(&t);
    double start = us();
    CHECK(!strcmp(judge(g, "fifo", NULL), "not_regular"));
    CHECK(us() - start < 50000);
    gate_free(g);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

TEST(outside_takes_the_same_time_whether_it_exists_or_not)
{
    enum { N = 1001 };
    static double took[2][N];
    cleanup(tree_done) struct tree t;
    CHECK(!tree_init(&t, "O/exists"));
    struct gate *g = plain_gate(&t);
    auto_free char *exists = tree_text(&t, "@O/exists"), *none = tree_text(&t, "@O/none");
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 2; k++) {
            double start = us();
            CHECK(!strcmp(judge(g, k ? exists : none, NULL), "absent"));
            took[k][i] = us() - start;
        }
    qsort(took[0], N, sizeof took[0][0], by_value);
    qsort(took[1], N, sizeof took[1][0], by_value);
    double difference = took[0][N / 2] - took[1][N / 2];
    CHECK_MSG(difference < 100 && difference > -100, "%.2f us", difference);
    gate_free(g);
}

static size_t open_descriptors(void)
{
    size_t n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* The walk to each is given up half way. */
TEST(a_floor_of_links_to_the_kernels_own_leaks_no_descriptors)
{
    cleanup(tree_done) struct tree t;
    CHECK(!tree_init(&t, "R/.ssh->/proc/self R/.gnupg->/proc/self R/.aws->/proc/self/fd R/.kube->/sys/kernel R/a.png"));
    size_t before = open_descriptors();
    struct gate *g = plain_gate(&t);
    CHECK_MSG(open_descriptors() == before + 2, "%zu for two roots", open_descriptors() - before);
    CHECK_STR(judge(g, "a.png", NULL), "open");
    gate_free(g);
    CHECK(open_descriptors() == before);
}

/* Whatever there is too little of: either no gate, or one that knows the whole floor. */
TEST(without_descriptors_there_is_no_gate_rather_than_one_without_a_floor)
{
    cleanup(tree_done) struct tree t;
    CHECK(!tree_init(&t, "O/keys/secret R/.ssh->@O/keys"));
    cleanup(gate_words_done) struct gate_words w;
    gate_words_init(&w, &t, "reach=@R,@O");
    auto_free char *secret = tree_text(&t, "@O/keys/secret");
    struct gate_options o = {.cwd = w.cwd, .reach = (const char *const *)w.reach};
    struct rlimit old, few;
    unsigned refused = 0, made = 0;
    CHECK(!getrlimit(RLIMIT_NOFILE, &old));
    rlim_t least = open_descriptors();
    for (rlim_t n = least; n < least + 20; n++) {
        struct gate *g = NULL;
        struct fovea_fault fault = {0};
        few = (struct rlimit){n, old.rlim_max};
        CHECK(!setrlimit(RLIMIT_NOFILE, &few));
        int r = gate_new(&o, &g, &fault);
        CHECK(!setrlimit(RLIMIT_NOFILE, &old));
        CHECK_MSG(!r || fault.text[0], "%d", r);
        if (!r)
            CHECK_STR(judge(g, secret, NULL), "absent");
        r ? refused++ : made++;
        gate_free(g);
    }
    CHECK_MSG(refused && made, "%u %u", refused, made);
}

TEST(descriptors_do_not_leak_over_many_opens)
{
    cleanup(tree_done) struct tree t;
    CHECK(!tree_init(&t, "R/a.png R/sub/b.png R/l->sub/b.png R/out->@O/secret O/secret R/dir/"));
    static const char *const paths[] = {"a.png", "sub/b.png", "l", "out", "dir", "sub/../a.png", "none", "sub/none/x"};
    struct rlimit old, small = {64, 64};
    CHECK(!getrlimit(RLIMIT_NOFILE, &old));
    small.rlim_max = old.rlim_max;
    struct gate *g = plain_gate(&t);
    size_t before = open_descriptors();
    CHECK(!setrlimit(RLIMIT_NOFILE, &small));
    for (int i = 0; i < 100000; i++) {
        struct stat st;
        int fd = -1;
        const char *path = paths[(size_t)i % COUNT(paths)];
        if (gate_open(g, NULL, path, &fd, &st) == GATE_OPEN)
            close_fd(fd);
        else
            CHECK(i % 8 != 0);
    }
    CHECK(!setrlimit(RLIMIT_NOFILE, &old));
    CHECK(open_descriptors() == before);
    gate_free(g);
    CHECK(open_descriptors() < before);
}

TEST(a_root_that_is_not_where_it_was_is_a_fault)
{
    struct tree t;
    struct gate *g = NULL;
    struct fovea_fault fault = {0};
    CHECK(!tree_init(&t, "turned->R/ R/a O/secret"));
    auto_free char *link = tree_text(&t, "@turned"), *inside = tree_text(&t, "@R"), *outside = tree_text(&t, "@O");
    const char *reach[] = {link, NULL}, *where[] = {inside, NULL};
    struct gate_options o = {.cwd = inside, .reach = reach, .where = where};
    CHECK_MSG(gate_new(&o, &g, &fault) == 0, "%s", fault.text);
    gate_free(take(g));
    CHECK(unlink(link) == 0 && symlink(outside, link) == 0);
    CHECK(gate_new(&o, &g, &fault) == -EINVAL && strstr(fault.text, "was moved while it was looked at"));
    reach[0] = where[0] = "/";
    CHECK(gate_new(&o, &g, &fault) == 0);
    gate_free(take(g));
    tree_done(&t);
}
