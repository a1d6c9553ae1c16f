/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes to a record and reads it, for the tests of its backends.
 *   recordwrite STORE append SESSION WRITER COUNT [SECONDS]   appends under the keys WRITER-1, WRITER-2, ...; a line for each that
 *                                                   was acknowledged: "ack KEY FIRST LAST". For a server that cannot be
 *                                                   reached it tries again for SECONDS.
 *   recordwrite STORE read SESSION                  a line for each entry: "SEQ KEY|- BODY"
 *   recordwrite STORE delete SESSION
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

/* A body is "blob:HEX words": it needs that blob, and is marked with the words. */
static int derive(const char *body, size_t len, struct record_index *to)
{
    uint8_t hash[SHA256_LEN];
    if (len < 5 + SHA256_HEX_LEN + 1 || strncmp(body, "blob:", 5))
        return to->mark(to, body, len);
    for (size_t i = 0; i < SHA256_LEN; i++) {
        unsigned byte;
        if (sscanf(body + 5 + 2 * i, "%2x", &byte) != 1)
            return -EINVAL;
        hash[i] = (uint8_t)byte;
    }
    int r = to->use(to, hash);
    return r < 0 ? r : to->mark(to, body + 5 + SHA256_HEX_LEN + 1, len - 5 - SHA256_HEX_LEN - 1);
}

/* One to three entries, the first with a blob that half of the writers share. */
static int append_one(struct record *r, const char *session, const char *writer, int n, int64_t until)
{
    static char data[BLOB];
    char key[64], hex[SHA256_HEX_LEN + 1], bodies[3][200];
    struct record_blob blob = {.data = data, .len = sizeof data};
    struct record_new entries[3];
    struct record_appended got;
    struct fovea_fault fault = {0};
    snprintf(key, sizeof key, "%s-%d", writer, n);
    memset(data, n, sizeof data);
    snprintf(data, sizeof data, "%s", n % 2 ? "shared" : writer);
    sha256(data, sizeof data, blob.sha256);
    sha256_hex(blob.sha256, hex);
    for (int i = 0; i < 3; i++) {
        snprintf(bodies[i], sizeof bodies[i], "%s%s%s%s/%d", i ? "" : "blob:", i ? "" : hex, i ? "" : " ", key, i);
        entries[i] = (struct record_new){bodies[i], strlen(bodies[i])};
    }
    struct record_append a = {.session = session, .key = key, .entries = entries, .count = (size_t)(1 + n % 3),
                              .blobs = &blob, .n_blobs = 1, .after = -1};
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
} commands[] = {{"append", 3, append}, {"read", 1, show_all}, {"delete", 1, drop}, {"time", 2, take_time}};

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
