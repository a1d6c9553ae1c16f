/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recordcrash FOLDER ROUNDS [SEED]: four processes append to one record and are killed (SIGKILL) at random moments, one of
 * them or all, again and again. After each round another process looks at the whole record: what an append had said yes to
 * must be there, with its bytes; no append may be there in part; and record_check must find nothing. Prints one line; exit
 * status 1 when anything was lost, or too little was written to lose.
 *
 * What was said yes to is noted in memory that the processes share, which a kill does not undo. This process never opens the
 * record: SQLite's connections do not survive a fork.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limits.h"
#include "record/record.h"

enum { WRITERS = 4, SESSIONS = 2, ENTRIES = 1 << 16, ROUNDS_A_FILE = 10, BLOB_BYTES = 12000 };

struct notes {
    _Atomic uint32_t appends;                   /* numbers them: each has its own */
    _Atomic uint32_t said[SESSIONS][ENTRIES];   /* by entry: the append that was told yes, or 0 */
};
static struct notes *notes;
static char store[512], names[SESSIONS][8];

static uint64_t random_below(uint64_t *state, uint64_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % n;
}

static void pause_us(uint64_t us)
{
    struct timespec nap = {.tv_nsec = (long)us * 1000};
    (void)nanosleep(&nap, NULL);
}

static int derive(const char *body, size_t len, struct record_index *to)
{
    uint8_t hash[SHA256_LEN];
    if (len < SHA256_HEX_LEN || !sha256_unhex(body + len - SHA256_HEX_LEN, hash))
        return 0;
    return to->use(to, hash);
}

static struct record *open_record(void)
{
    struct record *r = NULL;
    struct record_options o = {.where = store, .folder = "", .derive = derive};
    return record_open(&o, &r, NULL) < 0 ? NULL : r;
}

/* ---------------------------------------------------------------- writing */

/* "NUMBER PART/PARTS" and, in the first part of some, the hash of a picture. */
static int append(struct record *r, uint32_t number, uint64_t *state)
{
    char bodies[3][96], data[BLOB_BYTES];
    struct record_new entries[3];
    struct record_blob blob = {.data = data, .len = 1 + random_below(state, sizeof data)};
    size_t count = 1 + random_below(state, COUNT(entries));
    bool picture = random_below(state, 2);
    unsigned session = (unsigned)random_below(state, SESSIONS);
    for (size_t i = 0; i < count; i++) {
        int n = snprintf(bodies[i], sizeof bodies[i], "%u %zu/%zu ", number, i + 1, count);
        entries[i] = (struct record_new){bodies[i], (size_t)n};
    }
    memset(data, (int)(number & 0xff), blob.len);
    sha256(data, blob.len, blob.sha256);
    if (picture) {
        sha256_hex(blob.sha256, bodies[0] + entries[0].len);
        entries[0].len += SHA256_HEX_LEN;
    }
    struct record_append a = {
        .session = names[session], .entries = entries, .count = count, .blobs = &blob, .n_blobs = picture, .after = -1};
    struct record_appended done;
    struct fovea_fault fault;
    int code = record_append(r, &a, &done, &fault);
    if (code < 0) {
        fprintf(stderr, "append: %s\n", fault.text);
        return code;
    }
    for (int64_t seq = done.first; seq <= done.last && seq < ENTRIES; seq++)
        atomic_store(&notes->said[session][seq], number);
    return 0;
}

static _Noreturn void write_on(uint64_t seed)
{
    struct record *r = open_record();
    uint64_t state = seed;
    int code = r ? 0 : -ENOMEM;
    while (code == 0) {
        code = append(r, atomic_fetch_add(&notes->appends, 1) + 1, &state);
        if (random_below(&state, 2)) /* else it comes again at once, with others waiting */
            pause_us(random_below(&state, 8000));
    }
    _exit(3);
}

/* ---------------------------------------------------------------- looking at it */

struct look {
    unsigned session;
    unsigned number, part, parts; /* of the entry before */
    int64_t seen, last_said;
    int bad;
};

static int look_at(const struct record_entry *e, void *arg)
{
    struct look *k = arg;
    char text[80] = {0};
    unsigned number = 0, part = 0, parts = 0;
    memcpy(text, e->body, MIN(e->len, sizeof text - 1));
    if (sscanf(text, "%u %u/%u ", &number, &part, &parts) != 3)
        k->bad++;
    bool next = part == 1 ? k->part == k->parts : number == k->number && part == k->part + 1 && parts == k->parts;
    unsigned said = e->point.seq < ENTRIES ? atomic_load(&notes->said[k->session][e->point.seq]) : 0;
    if (!next || (said && said != number))
        k->bad++;
    k->number = number;
    k->part = part;
    k->parts = parts;
    k->seen = e->point.seq;
    return 0;
}

static void tell(const struct record_problem *p, void *arg)
{
    (void)arg;
    fprintf(stderr, "session \"%s\" entry %lld: %s\n", p->session, (long long)p->seq, p->what);
}

static int look_at_session(struct record *r, unsigned session)
{
    struct look k = {.session = session};
    struct record_point at = {0};
    struct fovea_fault fault = {0};
    int64_t said = 0;
    for (int64_t i = 1; i < ENTRIES; i++)
        if (atomic_load(&notes->said[session][i]))
            said = i; /* before it is read: what comes meanwhile need not be seen */
    int code = record_read(r, names[session], &at, look_at, &k, &fault);
    if (code < 0 && !(code == -ENOENT && !said))
        fprintf(stderr, "read: %s\n", fault.text);
    if ((code < 0 && said) || k.bad || k.part != k.parts || k.seen < said) {
        fprintf(stderr, "session %u: %d bad, last %lld, said %lld\n", session, k.bad, (long long)k.seen, (long long)said);
        return 1;
    }
    return 0;
}

static _Noreturn void look_on(void)
{
    struct record *r = open_record();
    struct record_checked done = {0};
    struct fovea_fault fault = {0};
    int bad = 0;
    for (unsigned i = 0; i < SESSIONS; i++)
        bad += look_at_session(r, i);
    if (record_check(r, NULL, false, tell, NULL, &done, &fault) < 0) {
        fprintf(stderr, "check: %s\n", fault.text);
        bad++;
    }
    record_close(r);
    _exit(bad || done.problems);
}

/* ---------------------------------------------------------------- killing */

static pid_t writers[WRITERS];

static void start(size_t i, uint64_t *state)
{
    uint64_t seed = random_below(state, 1u << 30) << 20 | (uint64_t)i;
    writers[i] = fork();
    if (writers[i] == 0)
        write_on(seed);
}

/* 1 when it had ended by itself. */
static int stop(size_t i)
{
    int status = 0;
    (void)kill(writers[i], SIGKILL);
    (void)waitpid(writers[i], &status, 0);
    return !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL;
}

static int look(void)
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0)
        look_on();
    (void)waitpid(pid, &status, 0);
    return status != 0;
}

/* How many entries were said yes to, of this file. */
static int64_t count_said(void)
{
    int64_t n = 0;
    for (unsigned s = 0; s < SESSIONS; s++)
        for (int64_t i = 1; i < ENTRIES; i++)
            n += atomic_load(&notes->said[s][i]) != 0;
    return n;
}

static void begin_file(const char *folder, unsigned n)
{
    (void)snprintf(store, sizeof store, "sqlite:%s/crash%u.db", folder, n);
    memset(notes, 0, sizeof *notes);
}

static int run_round(uint64_t *state)
{
    bool all = random_below(state, 2);
    size_t first = all ? 0 : random_below(state, WRITERS), last = all ? WRITERS : first + 1;
    int bad = 0;
    pause_us(random_below(state, 5000));
    for (size_t i = first; i < last; i++)
        bad += stop(i);
    bad += look();
    for (size_t i = first; i < last; i++)
        start(i, state);
    return bad;
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    uint64_t state = argc > 3 ? strtoull(argv[3], NULL, 10) : (uint64_t)time(NULL), seed = state;
    int64_t begun = clock_ms(), appends = 0, said = 0;
    int bad = 0;
    notes = mmap(NULL, sizeof *notes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (argc < 3 || notes == MAP_FAILED)
        return 2;
    for (size_t i = 0; i < SESSIONS; i++)
        (void)snprintf(names[i], sizeof names[i], "s%zu", i);
    for (unsigned round = 0; round < rounds && !bad; round++) {
        if (round % ROUNDS_A_FILE == 0) {
            for (size_t i = 0; round && i < WRITERS; i++)
                bad += stop(i);
            appends += notes->appends;
            said += count_said();
            begin_file(argv[1], round / ROUNDS_A_FILE);
            for (size_t i = 0; i < WRITERS; i++)
                start(i, &state);
        }
        bad += run_round(&state);
    }
    for (size_t i = 0; i < WRITERS; i++)
        bad += stop(i);
    bad += look();
    said += count_said();
    bool idle = said < rounds; /* nothing was there to be lost */
    printf("%u rounds, %lld appends begun, %lld entries acknowledged, %lld ms, seed %llu: %s\n", rounds,
           (long long)(appends + notes->appends), (long long)said, (long long)(clock_ms() - begun), (unsigned long long)seed,
           bad ? "LOST" : idle ? "TOO FEW" : "nothing lost");
    return bad || idle;
}
