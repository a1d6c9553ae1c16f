/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes to a record and reads it, for the tests of its backends.
 *   recordwrite STORE append SESSION WRITER COUNT [SECONDS]   appends under the keys WRITER-1, WRITER-2, ...; a line for each that
 *                                                   was acknowledged: "ack KEY FIRST LAST". For a server that cannot be
 *                                                   reached it tries again for SECONDS.
 *   recordwrite STORE read SESSION                  a line for each entry: "SEQ KEY|- BODY"
 *   recordwrite STORE delete SESSION
 *   recordwrite STORE check SESSION|- [repair]      a line for each problem: "problem SESSION SEQ REPAIRED WORDS";
 *                                                   last "left COUNT"
 *   recordwrite STORE keep SESSION                  keeps a version of the blob of its first entry
 *   recordwrite STORE time SESSION COUNT            the least and the middle microseconds of an append of one entry
 * A fault is a line "fault NUMBER WORDS" and status 1.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "record/record.h"

enum { BLOB = 3000, TIMES = 10000 };

static int told(const char *key, int code, const struct fovea_fault *fault)
{
    printf("fault %d %s: %s\n", code, key, fault->text);
    fflush(stdout);
    return 1;
}

static int read_hex(const char *hex, uint8_t ret[static SHA256_LEN])
{
    char pair[3] = "";
    for (size_t i = 0; i < SHA256_LEN; i++) {
        memcpy(pair, hex + 2 * i, 2);
        ret[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return 0;
}

/* Words of a body that say "blob:HEX" are blobs that it needs, any other is a mark. */
static int derive(const char *body, size_t len, struct record_index *to)
{
    uint8_t hash[SHA256_LEN];
    int r = 0;
    for (const char *at = body, *end = body + len; r == 0 && at < end;) {
        const char *space = memchr(at, ' ', (size_t)(end - at));
        size_t n = (size_t)((space ? space : end) - at);
        if (n == 5 + SHA256_HEX_LEN && !strncmp(at, "blob:", 5))
            r = read_hex(at + 5, hash) < 0 ? -EINVAL : to->use(to, hash);
        else
            r = to->mark(to, at, n);
        at += n + 1;
    }
    return r;
}

/* Two blobs; every other pair is the same for all writers, and then not all put them in the same order. */
static void fill_blobs(const char *writer, int n, struct record_blob blobs[static 2])
{
    static char data[2][BLOB];
    size_t len = strlen(writer), last = len ? (size_t)writer[len - 1] % 2 : 0;
    for (size_t i = 0; i < 2; i++) {
        memset(data[i], n, BLOB);
        snprintf(data[i], BLOB, "%s %zu", n % 2 ? "shared" : writer, i);
        struct record_blob *b = &blobs[n % 2 ? (i + last) % 2 : i];
        *b = (struct record_blob){.data = data[i], .len = BLOB};
        sha256(data[i], BLOB, b->sha256);
    }
}

/* One to three entries, the first with the blobs. */
static int append_one(struct record *r, const char *session, const char *writer, int n, int64_t until)
{
    char key[64], hex[2][SHA256_HEX_LEN + 1], bodies[3][300];
    struct record_blob blobs[2];
    struct record_new entries[3];
    struct record_appended got;
    struct fovea_fault fault = {0};
    snprintf(key, sizeof key, "%s-%d", writer, n);
    fill_blobs(writer, n, blobs);
    for (int i = 0; i < 2; i++)
        sha256_hex(blobs[i].sha256, hex[i]);
    for (int i = 0; i < 3; i++) {
        if (i)
            snprintf(bodies[i], sizeof bodies[i], "%s/%d", key, i);
        else
            snprintf(bodies[i], sizeof bodies[i], "blob:%s blob:%s %s/0", hex[0], hex[1], key);
        entries[i] = (struct record_new){bodies[i], strlen(bodies[i])};
    }
    struct record_append a = {.session = session, .key = key, .entries = entries, .count = (size_t)(1 + n % 3),
                              .blobs = blobs, .n_blobs = 2, .after = -1};
    int code;
    do {
        code = record_append(r, &a, &got, &fault);
    } while ((code == -EHOSTUNREACH || code == -EBUSY) && clock_ms() < until);
    if (code < 0)
        return told(key, code, &fault);
    printf("ack %s %lld %lld\n", key, (long long)got.first, (long long)got.last);
    fflush(stdout);
    return 0;
}

static int append(struct record *r, char **args, int n)
{
    int64_t until = clock_ms() + 1000 * (n > 3 ? strtol(args[3], NULL, 10) : 0);
    int bad = 0;
    for (int i = 1; !bad && i <= strtol(args[2], NULL, 10); i++)
        bad = append_one(r, args[0], args[1], i, until);
    return bad;
}

static int show(const struct record_entry *e, void *arg)
{
    (void)arg;
    printf("%lld %s %.*s\n", (long long)e->point.seq, e->key ? e->key : "-", (int)e->len, e->body);
    return 0;
}

static int show_all(struct record *r, char **args, int n)
{
    struct record_point at = {0};
    struct fovea_fault fault = {0};
    (void)n;
    int code = record_read(r, args[0], &at, show, NULL, &fault);
    return code < 0 ? told(args[0], code, &fault) : 0;
}

static int drop(struct record *r, char **args, int n)
{
    struct fovea_fault fault = {0};
    (void)n;
    int code = record_delete(r, args[0], &fault);
    return code < 0 ? told(args[0], code, &fault) : 0;
}

static void show_problem(const struct record_problem *p, void *arg)
{
    (void)arg;
    printf("problem %s %lld %d %s\n", *p->session ? p->session : "-", (long long)p->seq, p->repaired, p->what);
}

static int check(struct record *r, char **args, int n)
{
    struct record_checked done = {0};
    struct fovea_fault fault = {0};
    int code = record_check(r, strcmp(args[0], "-") ? args[0] : NULL, n > 1, show_problem, NULL, &done, &fault);
    if (code < 0)
        return told(args[0], code, &fault);
    printf("left %lld\n", (long long)done.problems);
    return 0;
}

/* Its first entry begins "blob:HEX". */
static int note_blob(const struct record_entry *e, void *arg)
{
    memcpy(arg, e->body + 5, SHA256_HEX_LEN);
    return 1;
}

static int keep(struct record *r, char **args, int n)
{
    char hex[SHA256_HEX_LEN + 1] = "";
    uint8_t of[SHA256_LEN];
    struct record_point at = {0};
    struct record_variant v = {.media_type = "image/webp", .width = 3, .height = 2, .bytes = 5}, held;
    struct fovea_fault fault = {0};
    (void)n;
    sha256("small", 5, v.sha256);
    int code = record_read(r, args[0], &at, note_blob, hex, &fault);
    if (code == 0)
        code = read_hex(hex, of);
    if (code == 0)
        code = record_variant_keep(r, of, "edge=3", &v, "small", &held, &fault);
    return code < 0 ? told(args[0], code, &fault) : 0;
}

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t now_us(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int take_time(struct record *r, char **args, int n)
{
    static int64_t took[TIMES];
    struct record_new e = {"a body of an ordinary kind", 26};
    struct record_append a = {.session = args[0], .entries = &e, .count = 1, .after = -1};
    struct record_appended got;
    struct fovea_fault fault = {0};
    int count = (int)strtol(args[1], NULL, 10);
    (void)n;
    for (int i = 0; i < count && i < TIMES; i++) {
        int64_t start = now_us();
        int code = record_append(r, &a, &got, &fault);
        if (code < 0)
            return told("", code, &fault);
        took[i] = now_us() - start;
    }
    qsort(took, (size_t)count, sizeof took[0], by_time);
    printf("%lld %lld\n", (long long)took[0], (long long)took[count / 2]);
    return 0;
}

static const struct {
    const char *name;
    int args;
    int (*run)(struct record *r, char **args, int n);
} commands[] = {{"append", 3, append}, {"read", 1, show_all}, {"delete", 1, drop},
              {"check", 1, check}, {"keep", 1, keep}, {"time", 2, take_time}};

int main(int argc, char **argv)
{
    struct record_options options = {.where = argc > 1 ? argv[1] : "", .folder = "", .derive = derive};
    struct fovea_fault fault = {0};
    struct record *r = NULL;
    int bad = 2;
    for (size_t i = 0; argc > 3 && i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(commands[i].name, argv[2]) || argc - 3 < commands[i].args)
            continue;
        int code = record_open(&options, &r, &fault);
        bad = code < 0 ? told("", code, &fault) : commands[i].run(r, argv + 3, argc - 3);
        record_close(r);
    }
    return bad;
}
