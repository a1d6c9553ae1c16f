/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record whose file was tampered with: bytes of a good SQLite file are overwritten or cut off. What is read is still the entry that was
 * appended, and bytes are still those of their hash, or a fault says so; checking and repairing end, and afterwards the same holds.
 * about: src/record/record_read.c src/record/record_chain.c src/record/record_check.c src/record/record_check_blobs.c src/record/sqlite_read.c
 *   src/record/sqlite.c src/record/sqlite_file.c
 * max_len: 256
 */
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>

#include "record/record_priv.h"
#include "record_lab.h"

enum { ENTRIES = 12, BLOBS = 3 };
static struct tree tree;
static char file[128], where[160];
static struct buf original = BUF_INIT(4 * MIB);
static char bodies[ENTRIES][200];
static uint8_t hashes[BLOBS][SHA256_LEN];
static char blobs[BLOBS][64];

static void tidy(void)
{
    tree_done(&tree);
    buf_done(&original);
}

static struct record *open_record(void)
{
    struct record *r = NULL;
    struct fovea_fault fault = {0};
    struct record_options o = {.where = where, .folder = tree.top, .derive = lab_derive, .wait_ms = 50};
    CLAIM(record_open(&o, &r, &fault) == 0);
    return r;
}

static void fill(struct record *r)
{
    struct record_appended done;
    struct fovea_fault fault = {0};
    for (size_t i = 0; i < BLOBS; i++) {
        (void)snprintf(blobs[i], sizeof blobs[i], "bytes of blob %zu", i);
        sha256(blobs[i], strlen(blobs[i]), hashes[i]);
    }
    for (size_t i = 0; i < ENTRIES; i++) {
        char hex[SHA256_HEX_LEN + 1];
        sha256_hex(hashes[i % BLOBS], hex);
        (void)snprintf(bodies[i], sizeof bodies[i], "entry %zu mark:m%zu use:%s", i, i % 4, hex);
        struct record_new entry = {bodies[i], strlen(bodies[i])};
        struct record_blob blob = {.data = blobs[i % BLOBS], .len = strlen(blobs[i % BLOBS])};
        memcpy(blob.sha256, hashes[i % BLOBS], SHA256_LEN);
        struct record_append a = {.session = "s", .entries = &entry, .count = 1, .blobs = &blob, .n_blobs = 1, .after = -1};
        CLAIM(record_append(r, &a, &done, &fault) == 0);
    }
}

/* All of it in the one file. */
static void fold_log(void)
{
    sqlite3 *db = NULL;
    CLAIM(sqlite3_open(file, &db) == SQLITE_OK && sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL) == SQLITE_OK);
    (void)sqlite3_close(db);
}

static void keep_original(void)
{
    auto_close int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t n;
    do {
        char *to = buf_reserve(&original, 64 * KIB);
        CLAIM(fd >= 0 && to);
        n = read(fd, to, 64 * KIB);
        buf_grew(&original, n > 0 ? (size_t)n : 0);
    } while (n > 0);
    CLAIM(original.len > 4096);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    CLAIM(tree_init(&tree, "-") == 0);
    (void)atexit(tidy);
    (void)snprintf(file, sizeof file, "%sr.db", tree.top);
    (void)snprintf(where, sizeof where, "sqlite:%s", file);
    struct record *r = open_record();
    fill(r);
    record_close(r);
    fold_log();
    keep_original();
    return 0;
}

static void tamper(struct feed *f)
{
    char side[140];
    static const char *const sides[] = {"-wal", "-shm", "-journal"};
    for (size_t i = 0; i < COUNT(sides); i++) {
        (void)snprintf(side, sizeof side, "%s%s", file, sides[i]);
        (void)unlink(side);
    }
    auto_close int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t len = original.len;
    if (feed_u8(f) == 0xff)
        len = feed_u32(f) % len;
    CLAIM(fd >= 0 && write(fd, original.data, len) == (ssize_t)len);
    while (f->left >= 4) {
        uint8_t bytes[8];
        uint32_t at = feed_u32(f) % (uint32_t)original.len;
        size_t n = 1 + (at >> 3) % 4;
        feed_take(f, bytes, n);
        CLAIM(pwrite(fd, bytes, n, at) == (ssize_t)n);
    }
}

static int claim_entry(const struct record_entry *e, void *arg)
{
    int64_t *last = arg;
    CLAIM(e->point.seq == *last + 1 && e->point.seq <= ENTRIES);
    const char *want = bodies[e->point.seq - 1];
    CLAIM(e->len == strlen(want) && !memcmp(e->body, want, e->len));
    *last = e->point.seq;
    return 0;
}

static void check_read(struct record *r)
{
    struct fovea_fault fault = {0};
    struct record_point at = {0};
    int64_t last = 0;
    int code = record_read(r, "s", &at, claim_entry, &last, &fault);
    CLAIM(code == 0 || (code < 0 && fault.text[0]));
    for (size_t i = 0; i < BLOBS; i++) {
        void *data = NULL;
        size_t len = 0;
        if (record_blob(r, hashes[i], &data, &len, &fault) == 0)
            CLAIM(len == strlen(blobs[i]) && !memcmp(data, blobs[i], len));
        free(data);
    }
}

static void nothing(const struct record_problem *p, void *arg)
{
    CLAIM(p->session && p->what && *p->what);
    ++*(size_t *)arg;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    struct fovea_fault fault = {0};
    struct record_checked checked = {0};
    size_t told = 0;
    bool repair = feed_u8(&f) & 1;
    tamper(&f);
    struct record *r = open_record();
    check_read(r);
    int code = record_check(r, NULL, repair, nothing, &told, &checked, &fault);
    CLAIM(code == 0 || (code < 0 && fault.text[0]));
    if (repair)
        check_read(r);
    record_close(r);
    return 0;
}
