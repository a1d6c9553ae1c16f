/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work during which the power fails: two contexts that take turns, as two processes do, in sessions that share pictures. After
 * each thing that was done, and said to be, the log gets a mark, and what the record tells then is noted under the mark's
 * number. Also noted is whether the log, replayed, gives the very files that are there.
 */
#ifndef FOVEA_POWER_WORK_H
#define FOVEA_POWER_WORK_H

#include <sqlite3.h>

#include "power_judge.h"

enum { MARKS_MOST = 1024, PICTURES = 6, PICTURE_MOST = 24000 };

struct work {
    char top[256], state[300], file[340];
    fovea *a, *b;
    struct disk *follows;
    size_t followed;
    size_t marks;
    uint8_t refs[MARKS_MOST][SHA256_LEN]; /* what it told after so many marks */
    struct told told;
    int wrong; /* things that should have gone well */
    bool hurt; /* it is damaged, and that is meant */
    uint8_t picture[PICTURES][PICTURE_MOST];
    sqlite3 *reader;
};

static void work_fail(struct work *w, const char *what, const char *words)
{
    fprintf(stderr, "work: %s: %s\n", what, words);
    w->wrong++;
}

/* ---------------------------------------------------------------- marks */

static void compare_one(const char *path, const struct disk_node *n, void *arg)
{
    struct work *w = arg;
    char full[640];
    struct stat st;
    (void)snprintf(full, sizeof full, "%s%s", w->top, path);
    if (n->folder)
        return;
    auto_close int fd = open(full, O_RDONLY | O_CLOEXEC);
    auto_free uint8_t *real = malloc(n->len + 1);
    if (fd < 0 || !real || fstat(fd, &st) < 0 || (size_t)st.st_size != n->len || pread(fd, real, n->len, 0) != (ssize_t)n->len ||
        (n->len && memcmp(real, n->data, n->len)))
        work_fail(w, path, "the log does not give the file that is there");
}

/* SQLite drops its locks when anybody closes the file: so not while it is open. */
static void compare_files(struct work *w)
{
    auto_free struct fate *fates = calloc(w->follows->n + 1, sizeof *fates);
    for (size_t i = 0; fates && i < w->follows->n; i++)
        fates[i].how = FATE_DONE;
    if (!fates)
        return work_fail(w, "files", "no memory");
    disk_build(w->follows, fates);
    disk_walk(w->follows, 0, "", compare_one, w);
}

static void work_note(struct work *w)
{
    tell(w->a, &w->told);
    if (w->told.why[0] && !w->hurt)
        work_fail(w, "told", w->told.why);
    told_hash(&w->told, w->refs[w->marks]);
}

/* It is done, and the caller knows. */
static void work_mark(struct work *w)
{
    if (w->marks + 2 == MARKS_MOST)
        return work_fail(w, "marks", "too many");
    w->marks++;
    log_add(OP_MARK, 0)->at = (int64_t)w->marks;
    power_log.on = false;
    work_note(w);
    for (; w->followed < power_log.n; w->followed++)
        disk_step(w->follows, w->followed);
    power_log.on = true;
}

/* ---------------------------------------------------------------- things to do */

static void append_rows(struct work *w, fovea *f, const char *name, struct buf *rows, size_t n, const struct record_blob *blob)
{
    struct fovea_fault fault = {0};
    struct record_appended done;
    struct record_new entries[4];
    for (size_t i = 0; i < n; i++)
        entries[i] = (struct record_new){rows[i].data, rows[i].len};
    struct record_append a = {.session = name, .entries = entries, .count = n, .blobs = blob, .n_blobs = blob != NULL, .after = -1};
    if (record_append(f->record, &a, &done, &fault) < 0)
        work_fail(w, "append", fault.text);
    for (size_t i = 0; i < n; i++)
        buf_done(&rows[i]);
    work_mark(w);
}

static size_t picture_len(size_t which)
{
    static const size_t lens[PICTURES] = {700, 3000, 5000, 9000, 12000, PICTURE_MOST};
    return lens[which % PICTURES];
}

/* A question, a look at something, what was seen, an answer: pixels and text in one append. */
static void do_turn(struct work *w, fovea *f, const char *name, int turn, size_t which)
{
    struct buf b[4] = {BUF_INIT(MIB), BUF_INIT(MIB), BUF_INIT(MIB), BUF_INIT(MIB)};
    struct record_blob blob = {.data = w->picture[which % PICTURES], .len = picture_len(which)};
    char hex[SHA256_HEX_LEN + 1];
    long long at = 1700000000000LL + turn * 60000LL;
    sha256(blob.data, blob.len, blob.sha256);
    sha256_hex(blob.sha256, hex);
    (void)buf_add_format(&b[0], "{\"kind\":\"user\",\"at\":%lld,\"parts\":[{\"type\":\"text\",\"text\":\"turn %d\"}]}", at, turn);
    (void)buf_add_format(&b[1], "{\"kind\":\"assistant\",\"at\":%lld,\"parts\":[{\"type\":\"tool_call\",\"id\":\"call_%d\",\"name\":\"view\","
                                "\"arguments\":{\"path\":\"s%d.png\"}}]}", at + 5000, turn, turn);
    (void)buf_add_format(&b[2], "{\"kind\":\"tool_result\",\"at\":%lld,\"call\":\"call_%d\",\"name\":\"view\",\"parts\":[{\"type\":\"text\","
                                "\"text\":\"s%d.png\"},{\"type\":\"image\",\"media_type\":\"image/png\",\"sha256\":\"%s\",\"bytes\":%zu,"
                                "\"width\":640,\"height\":400,\"view\":\"view:%012d\",\"ref\":\"s%d.png\"}]}",
                         at + 6000, turn, turn, hex, blob.len, turn, turn);
    (void)buf_add_format(&b[3], "{\"kind\":\"assistant\",\"at\":%lld,\"parts\":[{\"type\":\"text\",\"text\":\"seen in turn %d\"}]}", at + 9000,
                         turn);
    append_rows(w, f, name, b, COUNT(b), &blob);
}

static void do_say(struct work *w, fovea *f, const char *name, const char *key, int turn)
{
    char json[600];
    struct fovea_fault fault = {0};
    struct fovea_appended done;
    auto_session *s = session_of(f, name);
    (void)snprintf(json, sizeof json, "{\"kind\":\"user\",\"at\":%lld,\"parts\":[{\"type\":\"text\",\"text\":\"%0*d\"}]}",
                   1700000000000LL + turn * 60000LL + 20000, turn % 7 * 60 + 1, turn);
    if (!s || fovea_session_append(s, json, strlen(json), key, &done, &fault) < 0)
        work_fail(w, "say", fault.text);
    work_mark(w);
}

/* The whole conversation each time, as a host has it: what is new of it is appended. */
static void do_import(struct work *w, fovea *f, int times)
{
    auto_buf b = BUF_INIT(MIB);
    struct fovea_fault fault = {0};
    struct fovea_appended done;
    auto_session *s = session_of(f, "imported");
    (void)buf_add_str(&b, "[");
    for (int i = 0; i < times; i++)
        (void)buf_add_format(&b, "%s{\"role\":\"user\",\"content\":\"question %d\"},{\"role\":\"assistant\",\"content\":[{\"type\":\"text\","
                                 "\"text\":\"answer %d\"}]}", i ? "," : "", i, i);
    (void)buf_add_str(&b, "]");
    if (!s || fovea_session_import(s, "anthropic", b.data, b.len, &done, &fault) < 0)
        work_fail(w, "import", fault.text);
    work_mark(w);
}

static void do_variant(struct work *w, fovea *f)
{
    static const char small[] = "a smaller version of the picture, made once and kept";
    struct record_variant v = {.media_type = "image/png", .width = 100, .height = 62, .bytes = sizeof small};
    struct fovea_fault fault = {0};
    sha256(small, sizeof small, v.sha256);
    if (record_variant_keep(f->record, variant_of, variant_spec, &v, small, &v, &fault) < 0)
        work_fail(w, "variant", fault.text);
    work_mark(w);
}

static void do_delete(struct work *w, fovea *f, const char *name)
{
    struct fovea_fault fault = {0};
    if (fovea_session_delete(f, name, &fault) < 0)
        work_fail(w, "delete", fault.text);
    work_mark(w);
}

/* What is made of entries is lost, and made again. */
static void do_repair(struct work *w, fovea *f)
{
    struct fovea_fault fault = {0};
    struct fovea_checked c;
    sqlite3 *db = NULL;
    int code = sqlite3_open_v2(w->file, &db, SQLITE_OPEN_READWRITE, NULL);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(db, "DELETE FROM marks WHERE session = 1", NULL, NULL, NULL);
    (void)sqlite3_close(db);
    if (code != SQLITE_OK)
        work_fail(w, "damage", sqlite3_errstr(code));
    w->hurt = true;
    work_mark(w);
    w->hurt = false;
    if (fovea_record_check(f, NULL, true, NULL, NULL, &c, &fault) < 0 || c.problems)
        work_fail(w, "repair", fault.text);
    work_mark(w);
}

/* Somebody who reads for long: what is written meanwhile cannot be folded in. */
static void do_read(struct work *w)
{
    int code = sqlite3_open_v2(w->file, &w->reader, SQLITE_OPEN_READONLY, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(w->reader, "BEGIN; SELECT count(*) FROM sessions", NULL, NULL, NULL);
    if (code != SQLITE_OK)
        work_fail(w, "read", sqlite3_errstr(code));
}

static void do_read_no_more(struct work *w)
{
    (void)sqlite3_db_config(w->reader, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    (void)sqlite3_close(take(w->reader));
}

static bool log_is_long(const struct work *w)
{
    enum { FRAME = 4096 + 24 };
    char log[360];
    struct stat st;
    (void)snprintf(log, sizeof log, "%s-wal", w->file);
    return stat(log, &st) == 0 && st.st_size > (LIMIT_RECORD_PAGES + 8) * FRAME;
}

/* The one who read goes, and another comes who reads the end of the log: all of it is folded in then, but it stays, and the next who
 * writes begins it anew over what is there. */
static void do_fold_and_stay(struct work *w, fovea *f)
{
    do_read_no_more(w);
    do_read(w);
    do_say(w, f, "alpha", "key-0", 0); /* said before: nothing is written, but the log is looked after */
    do_read_no_more(w);
}

/* ---------------------------------------------------------------- all of it */

static void work_round(struct work *w, int turn)
{
    static const char *const names[] = {"alpha", "beta", "gamma"};
    fovea *f = turn % 2 ? w->a : w->b;
    const char *name = names[turn % 3];
    char key[32], passing[32];
    (void)snprintf(key, sizeof key, "key-%d", turn);
    (void)snprintf(passing, sizeof passing, "passing-%d", turn / 8);
    do_turn(w, f, turn % 8 < 5 ? name : passing, turn, (size_t)turn);
    do_say(w, f, name, turn % 4 ? NULL : key, turn);
    if (turn % 4 == 0)
        do_say(w, f, name, key, turn); /* again: nothing is written, and nothing must change */
    if (turn % 5 == 2)
        do_import(w, f, turn / 5 + 1);
    if (turn == 4)
        do_variant(w, f);
    if (turn % 8 == 7)
        do_delete(w, f, passing);
    if (turn % 16 == 9)
        do_repair(w, f);
    if (turn % 24 == 6 && !w->reader)
        do_read(w);
    else if (w->reader && log_is_long(w))
        do_fold_and_stay(w, f);
}

static void work_pictures(struct work *w)
{
    uint64_t state = 1;
    for (size_t i = 0; i < PICTURES; i++)
        for (size_t k = 0; k < PICTURE_MOST; k++)
            w->picture[i][k] = (uint8_t)disk_random(&state);
    sha256(w->picture[1], picture_len(1), variant_of);
}

static struct work *work_new(const char *top)
{
    struct work *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    (void)snprintf(w->top, sizeof w->top, "%s", top);
    (void)snprintf(w->state, sizeof w->state, "%s/state", top);
    (void)snprintf(w->file, sizeof w->file, "%s/fovea/record.db", w->state);
    w->told.text = (struct buf)BUF_INIT(TOLD_MOST);
    w->follows = disk_new(0);
    work_pictures(w);
    w->a = context_in(w->state);
    w->b = context_in(w->state);
    return w;
}

static void work_end(struct work *w)
{
    power_log.on = false;
    if (w->reader)
        do_read_no_more(w);
    fovea_free(take(w->a));
    fovea_free(take(w->b));
    compare_files(w);
}

static void work_free(struct work *w)
{
    if (!w)
        return;
    disk_free(w->follows);
    buf_done(&w->told.text);
    free(w);
}

static int work_all(struct work *w, int turns)
{
    if (!w->a || !w->b || !w->follows || power_log_start(w->top) < 0)
        return -1;
    power_log.on = false;
    work_note(w);
    power_log.on = true;
    for (int turn = 0; turn < turns; turn++)
        work_round(w, turn);
    work_end(w);
    return w->wrong || power_log.full ? -1 : 0;
}

#endif
