/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of finding and reading a source, small enough that every call of them fails once: spellings of a reference, a URL and its
 * host, a gate and what it opens in each of its ways, and what a reader brings. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "inject.h"
#include "scenes.h"
#include "source/folder.h"
#include "source/gate.h"
#include "source/host.h"
#include "source/snapshot.h"

/* An answer that is not the right one. But where it cannot be told whose files a mount holds, they stay closed. */
static void wrong(struct outcome *o, const char *what, int got)
{
    char words[128];
    (void)snprintf(words, sizeof words, "%s stays closed", what);
    if (inject_kind() == INJECT_STAT)
        tell_refusal(o, "", words);
    fprintf(stderr, "%s: %d\n", what, got);
    tell_bytes(o, &got, sizeof got);
}

/* ---------------------------------------------------------------- spellings */

static const char *const refs[] = {"~/caf\u00e9/it's 9.41 AM.png", "file:///x/a%20b", "\"~/a\\ b'\"", "'\u00e9"};

static void run_refs(struct outcome *o)
{
    for (size_t i = 0; i < COUNT(refs) && o->code == 0; i++) {
        struct ref_variants v = {0};
        int r = ref_variants(refs[i], "/home/somebody", &v);
        if (r == -ENOMEM)
            tell_str(o, NULL);
        else if (r < 0)
            wrong(o, refs[i], r);
        for (size_t k = 0; r == 0 && k < v.n; k++)
            tell_str(o, v.path[k]);
        ref_variants_done(&v);
    }
}

const struct scene scene_refs = {.name = "refs", .run = run_refs, .calls = SCENE_SMALL};

/* Without memory to read a name it is refused, never taken for another. */
static void run_hosts(struct outcome *o)
{
    static const char *const names[] = {"b\u00fccher.example", "B\u00dcCHER.example.", "xn--bcher-kva.example"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct url_host h = {0};
        if (host_parse(names[i], strlen(names[i]), &h) != NET_OK) {
            char words[64];
            (void)snprintf(words, sizeof words, "%s is refused", names[i]);
            tell_refusal(o, "", words);
        } else {
            tell_str(o, h.name);
        }
        tell_answer(o);
    }
}

const struct scene scene_hosts = {.name = "hosts", .run = run_hosts, .calls = SCENE_SMALL};

/* ---------------------------------------------------------------- a gate */

static int setup_gate(void)
{
    if (!fresh_folder() || mkdir(in_folder("R"), 0700) || mkdir(in_folder("R/d"), 0700) || mkdir(in_folder("R/.ssh"), 0700) ||
        mkdir(in_folder("R/.ssh/keys"), 0700) || mkdir(in_folder("state"), 0700))
        return -1;
    if (put_file("R/a", "inside") || put_file("R/d/b", "inside") || put_file("R/.ssh/id", "secret") || put_file("R/two", "inside"))
        return -1;
    return link(in_folder("R/two"), in_folder("R/too")) || symlink("d/b", in_folder("R/link")) || symlink("R", in_folder("spelled")) ? -1 : 0;
}

static int make_gate(struct gate **ret, struct fovea_fault *fault)
{
    const char *reach[] = {in_folder("spelled"), in_folder("R/../R"), NULL};
    const char *floor[] = {in_folder("state/not/yet/there"), in_folder("R/../state"), NULL};
    struct gate_options options = {.cwd = in_folder("R"), .home = in_folder("R"), .reach = reach, .floor = floor};
    return gate_new(&options, ret, fault);
}

/* A file that is there, whose answer is its bytes or what went wrong; nothing may be said to be absent, and the secret never be open. */
static void open_one(const struct gate *g, const char *path, struct outcome *o)
{
    struct stat st;
    char text[16] = "";
    int fd = -1, v = gate_open(g, NULL, path, &fd, &st);
    auto_close int held = fd;
    if (v < 0 && o->code == 0) {
        o->code = v;
        (void)snprintf(o->words, sizeof o->words, "%s: %s", path, strerrordesc_np(-v));
    } else if (v == GATE_OPEN && pread(held, text, sizeof text - 1, 0) < 0) {
        o->code = -EIO;
        (void)snprintf(o->words, sizeof o->words, "%s was opened", path);
    } else if (v != GATE_OPEN) {
        wrong(o, path, v);
    }
    tell_str(o, text);
    if (o->code == 0)
        tell_answer(o);
}

static void run_gate(struct outcome *o)
{
    static const char *const paths[] = {"a", "d/b", "./d/../a", "link"};
    struct fovea_fault fault = {0};
    struct gate *g = NULL;
    int r = make_gate(&g, &fault);
    tell_fault(o, r, &fault);
    for (size_t i = 0; r == 0 && i < COUNT(paths); i++)
        open_one(g, paths[i], o);
    struct stat st;
    int fd = -1;
    if (r == 0 && gate_open(g, NULL, ".ssh/id", &fd, &st) == GATE_OPEN)
        wrong(o, ".ssh/id", fd);
    close_fd(fd);
    gate_free(g);
}

const struct scene scene_gate = {"gate", setup_gate, run_gate, NULL, drop_folder, SCENE_SMALL};

/* A file with two names is closed when the folders of the floor cannot be looked through. */
static void run_names(struct outcome *o)
{
    struct fovea_fault fault = {0};
    struct gate *g = NULL;
    struct stat st;
    int fd = -1, r = make_gate(&g, &fault);
    tell_fault(o, r, &fault);
    int v = r < 0 ? 0 : gate_open(g, NULL, "two", &fd, &st);
    if (v != GATE_OPEN)
        tell_refusal(o, "", "closed");
    close_fd(fd);
    gate_free(g);
}

const struct scene scene_gate_names = {"gate_names", setup_gate, run_names, NULL, drop_folder, SCENE_SMALL};

/* ---------------------------------------------------------------- a reader */

static void run_reader(struct outcome *o)
{
    struct ref_variants one = {.n = 1, .path = {(char *)"./d/b"}};
    enum snapshot_verdict verdict = SNAPSHOT_ABSENT;
    struct snapshot s = {.fd = -1};
    struct snapshot_lines l = {0};
    struct fovea_fault fault = {0};
    struct gate *g = NULL;
    char *where = NULL;
    int r = make_gate(&g, &fault);
    r = r < 0 ? r : snapshot_take(g, &one, NULL, 1 << 20, &verdict, &s, &fault);
    if (r == 0 && verdict != SNAPSHOT_TAKEN)
        wrong(o, "bytes", (int)verdict);
    r = r < 0 ? r : snapshot_take_lines(g, &one, NULL, 1, 10, &verdict, &l, &fault);
    if (r == 0 && verdict != SNAPSHOT_TAKEN)
        wrong(o, "lines", (int)verdict);
    if (r == 0 && l.text)
        tell_str(o, l.text);
    r = r < 0 ? r : folder_resolve(g, in_folder("spelled"), 5000, NULL, &verdict, &where, &fault);
    if (r == 0 && verdict != SNAPSHOT_TAKEN)
        wrong(o, "folder", (int)verdict);
    tell_fault(o, r, &fault);
    free(where);
    snapshot_lines_done(&l);
    snapshot_done(&s);
    gate_free(g);
}

const struct scene scene_reader = {"reader", setup_gate, run_reader, NULL, drop_folder, SCENE_SMALL};
