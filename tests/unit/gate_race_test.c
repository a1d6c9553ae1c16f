/* SPDX-License-Identifier: Apache-2.0 */
/* The gate against a tree that moves while it looks: another process swaps the pieces as fast as it can, and not one byte
 * from outside may come through. Each race is a hundred thousand opens, or as many as a slow machine makes in
 * twenty seconds; FOVEA_RACE_MS in the environment makes it last so long instead. */
#include <linux/fs.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "source/gate.h"
#include "test.h"
#include "tree.h"

#define RACE_MS 20000
#define RACE_OPENS 100000u

static struct gate *gate_at(const char *root)
{
    struct gate *g = NULL;
    const char *reach[] = {root, NULL};
    struct gate_options o = {.cwd = root, .reach = reach};
    struct fovea_fault fault = {0};
    CHECK_MSG(gate_new(&o, &g, &fault) >= 0, "%s", fault.text);
    return g;
}

static void exchange(const char *a, const char *b)
{
    (void)renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
}

static void there_and_back(const char *a, const char *b)
{
    (void)rename(a, b);
    (void)rename(b, a);
}

/* A process that does it for ever. */
static pid_t start_mover(const struct tree *t, void (*move)(const char *, const char *), const char *a, const char *b)
{
    auto_free char *from = tree_text(t, a), *to = tree_text(t, b);
    pid_t pid = fork();
    if (!pid) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            move(from, to);
    }
    return pid;
}

static void stop_mover(pid_t pid)
{
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
}

struct tally {
    unsigned opened, absent, other, leaked;
};

static struct tally hammer(const struct gate *g, const char *path)
{
    struct tally n = {0};
    const char *asked = getenv("FOVEA_RACE_MS");
    int64_t deadline = clock_ms() + (asked ? strtol(asked, NULL, 10) : RACE_MS);
    for (unsigned i = 0; (asked || i < RACE_OPENS) && (i & 255 || clock_left(deadline)); i++) {
        char text[sizeof TREE_SECRET] = "";
        struct stat st;
        int fd = -1;
        int v = gate_open(g, NULL, path, &fd, &st);
        n.opened += v == GATE_OPEN;
        n.absent += v == GATE_ABSENT;
        n.other += v == GATE_NOT_REGULAR;
        if (v == GATE_OPEN) {
            n.leaked += read(fd, text, sizeof text - 1) < 0 || strcmp(text, TREE_INSIDE);
            close_fd(fd);
        }
    }
    return n;
}

static void race(const char *setup, void (*move)(const char *, const char *), const char *a, const char *b,
                 const char *path)
{
    cleanup(tree_done) struct tree t;
    CHECK(!tree_init(&t, setup));
    auto_free char *root = tree_text(&t, "@R");
    struct gate *g = gate_at(root);
    pid_t mover = start_mover(&t, move, a, b);
    struct tally n = hammer(g, path);
    stop_mover(mover);
    CHECK_MSG(!n.leaked, "%u of %u", n.leaked, n.opened);
    CHECK(n.opened + n.absent + n.other > 1000);
    CHECK_MSG(n.opened, "opened %u, absent %u", n.opened, n.absent);
    gate_free(g);
}

TEST(a_file_swapped_for_a_link_leaks_nothing)
{
    race("O/secret R/a R/b->@O/secret", exchange, "@R/a", "@R/b", "a");
}

TEST(a_file_swapped_for_a_pipe_never_blocks)
{
    race("R/a R/b|", exchange, "@R/a", "@R/b", "a");
}

TEST(a_parent_swapped_for_a_link_leaks_nothing)
{
    race("O/secret R/d/secret R/d2->@O", exchange, "@R/d", "@R/d2", "d/secret");
}

TEST(a_parent_swapped_for_a_link_leaks_nothing_to_the_walk)
{
    race("O/secret R/d/secret R/d2->@O", exchange, "@R/d", "@R/d2", "./d/secret");
}

TEST(a_swap_on_the_way_of_a_link_leaks_nothing)
{
    race("O/secret R/d/secret R/d2->@O R/l->d/secret", exchange, "@R/d", "@R/d2", "l");
}

TEST(a_folder_moved_out_does_not_take_dot_dot_along)
{
    race("O/a.png R/p/q/ R/a.png O/", there_and_back, "@R/p/q", "@O/q", "p/q/../../a.png");
}

TEST(a_folder_moved_up_and_down_does_not_take_dot_dot_along)
{
    race("secret R/secret R/p/q/r/", there_and_back, "@R/p/q/r", "@R/r", "p/q/r/../../../secret");
}

TEST(a_root_that_was_replaced_still_shows_the_pinned_one)
{
    cleanup(tree_done) struct tree t;
    CHECK(!tree_init(&t, "R/a.png"));
    auto_free char *root = tree_text(&t, "@R"), *moved = tree_text(&t, "@O/moved"), *path = tree_text(&t, "@R/a.png");
    struct gate *g = gate_at(root);
    CHECK(!rename(root, moved) && !mkdir(root, 0755) && !tree_file(path, TREE_SECRET));
    struct tally n = hammer(g, path);
    CHECK(n.opened && !n.absent && !n.other && !n.leaked);
    gate_free(g);
}
