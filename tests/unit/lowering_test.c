/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering as a program in C has it: the same bytes however they are come by, one more turn at the price of a turn, and long
 * sessions in bounded time and memory. The entries are put into the record directly: no worker is needed for them. */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "api/context.h"
#include "base/cleanup.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "fovea.h"
#include "handles.h"
#include "record/record.h"
#include "test.h"
#include "top.h"

static fovea *context(void)
{
    struct fovea_fault fault = {0};
    fovea *f = NULL;
    (void)top_is_home();
    CHECK_MSG(fovea_new(&(struct fovea_options){.config_file = ""}, &f, &fault) == 0, "%s", fault.text);
    return f;
}

static fovea_session *session(fovea *f, const char *name)
{
    struct fovea_fault fault = {0};
    fovea_session *s = NULL;
    CHECK_MSG(fovea_session_new(f, &(struct fovea_session_options){.name = name}, &s, &fault) == 0, "%s", fault.text);
    return s;
}

/* ---------------------------------------------------------------- sessions that are made */

enum { PICTURE_BYTES = 60000 };

/* Turn n of an agent: a question, a look at something, an answer. Every third has a picture. */
static void add_turn(fovea *f, const char *name, int turn, size_t words, bool pictures)
{
    struct fovea_fault fault = {0};
    struct record_appended done;
    struct buf b[4] = {BUF_INIT(MIB), BUF_INIT(MIB), BUF_INIT(MIB), BUF_INIT(MIB)};
    auto_free char *text = malloc(words + 1);
    static uint8_t picture[PICTURE_BYTES];
    struct record_blob blob = {.data = picture, .len = sizeof picture};
    char hex[SHA256_HEX_LEN + 1];
    long long at = 1700000000000LL + (long long)turn * 60000;
    bool seen = pictures && turn % 10 < 3;
    memset(text, 'w', words);
    text[words] = '\0';
    for (size_t i = 0; i < sizeof picture; i++)
        picture[i] = (uint8_t)(i * 7 + (size_t)turn * 13 + (i >> 8));
    memcpy(picture, &turn, sizeof turn);
    sha256(picture, sizeof picture, blob.sha256);
    sha256_hex(blob.sha256, hex);
    (void)buf_add_format(&b[0], "{\"kind\":\"user\",\"at\":%lld,\"parts\":[{\"type\":\"text\",\"text\":\"turn %d %s\"}]}", at, turn, text);
    (void)buf_add_format(&b[1], "{\"kind\":\"assistant\",\"at\":%lld,\"parts\":[{\"type\":\"text\",\"text\":\"looking %s\"},"
                                "{\"type\":\"tool_call\",\"id\":\"call_%d\",\"name\":\"view\",\"arguments\":{\"path\":\"s%d.png\"}}]}",
                         at + 5000, text, turn, turn);
    (void)buf_add_format(&b[2], "{\"kind\":\"tool_result\",\"at\":%lld,\"call\":\"call_%d\",\"name\":\"view\",\"parts\":[{\"type\":\"text\","
                                "\"text\":\"s%d.png 1280x800 %s\"}", at + 6000, turn, turn, text);
    if (seen)
        (void)buf_add_format(&b[2], ",{\"type\":\"image\",\"media_type\":\"image/png\",\"sha256\":\"%s\",\"bytes\":%d,\"width\":1280,"
                                    "\"height\":800,\"view\":\"view:%012d\",\"ref\":\"s%d.png\"}", hex, PICTURE_BYTES, turn, turn);
    (void)buf_add_str(&b[2], "]}");
    (void)buf_add_format(&b[3], "{\"kind\":\"assistant\",\"at\":%lld,\"parts\":[{\"type\":\"text\",\"text\":\"seen %s\"}]}", at + 9000, text);
    struct record_new entries[4];
    for (int i = 0; i < 4; i++)
        entries[i] = (struct record_new){b[i].data, b[i].len};
    int r = record_append(f->record, &(struct record_append){.session = name, .entries = entries, .count = 4, .blobs = &blob,
                                                             .n_blobs = seen, .after = -1}, &done, &fault);
    CHECK_MSG(r == 0, "%s", fault.text);
    for (int i = 0; i < 4; i++)
        buf_done(&b[i]);
}

static int to_buf(void *arg, const char *piece, size_t len)
{
    return buf_add(arg, piece, len);
}

static int to_count(void *arg, const char *piece, size_t len)
{
    (void)piece;
    *(size_t *)arg += len;
    return 0;
}

static struct fovea_lowered lower_into(fovea_session *s, const struct fovea_lower_request *q, struct buf *b)
{
    struct fovea_fault fault = {0};
    struct fovea_lowered done = {0};
    CHECK_MSG(fovea_lower(s, q, to_buf, b, &done, &fault) == 0, "%s", fault.text);
    return done;
}

/* ---------------------------------------------------------------- the same bytes */

static const struct fovea_lower_request ways[] = {
    {.model = "anthropic/claude-opus-4-7"},
    {.model = "anthropic/claude-opus-4-7", .retain = "turns:1"},
    {.model = "openai/gpt-5", .wire = "openai-chat"},
    {.model = "openai/gpt-5", .wire = "openai-chat", .retain = "turns:2", .bridge = true},
    {.model = "openai/gpt-6-sol", .retain = "all"},
    {.model = "google/gemini-2.5-pro", .retain = "turns:1"},
    {.model = "google/gemini-3.8-flash"},
};

TEST(going_on_from_the_last_lowering_gives_what_a_whole_one_gives)
{
    auto_fovea *f = context();
    for (size_t w = 0; w < COUNT(ways); w++) {
        char name[32];
        (void)snprintf(name, sizeof name, "more-%zu", w);
        auto_session *going = session(f, name);
        auto_buf kept = BUF_INIT(256 * MIB);
        struct fovea_lower_request more = ways[w];
        more.more = true;
        for (int turn = 1; turn <= 12; turn++) {
            add_turn(f, name, turn, 20, true);
            auto_buf tail = BUF_INIT(256 * MIB), whole = BUF_INIT(256 * MIB);
            struct fovea_lowered done = lower_into(going, &more, &tail);
            CHECK_MSG(turn == 1 || done.kept > 0 || ways[w].retain, "way %zu turn %d keeps nothing", w, turn);
            CHECK(done.kept <= kept.len);
            kept.len = done.kept;
            (void)buf_add(&kept, tail.data, tail.len);
            auto_session *fresh = session(f, name);
            (void)lower_into(fresh, &ways[w], &whole);
            CHECK_MSG(whole.len == kept.len && memcmp(whole.data, kept.data, whole.len) == 0, "way %zu turn %d: %zu and %zu bytes",
                      w, turn, whole.len, kept.len);
        }
    }
}

TEST(an_earlier_turn_is_lowered_as_it_was_then)
{
    auto_fovea *f = context();
    struct buf then[8];
    for (int turn = 1; turn <= 8; turn++) {
        then[turn - 1] = (struct buf)BUF_INIT(64 * MIB);
        add_turn(f, "rewind", turn, 20, true);
        auto_session *s = session(f, "rewind");
        (void)lower_into(s, &ways[1], &then[turn - 1]);
    }
    for (int turn = 1; turn <= 8; turn++) {
        auto_session *s = session(f, "rewind");
        auto_buf now = BUF_INIT(64 * MIB);
        struct fovea_lower_request q = ways[1];
        q.at = turn;
        (void)lower_into(s, &q, &now);
        CHECK_MSG(now.len == then[turn - 1].len && memcmp(now.data, then[turn - 1].data, now.len) == 0, "turn %d", turn);
        buf_done(&then[turn - 1]);
    }
}

/* Puts an entry into the record as it is, and the bytes of a picture with it, if any. */
static void add_body(fovea *f, const char *name, const char *body, const struct record_blob *blob)
{
    struct fovea_fault fault = {0};
    struct record_appended done;
    struct record_new entry = {body, strlen(body)};
    int r = record_append(f->record, &(struct record_append){.session = name, .entries = &entry, .count = 1, .blobs = blob,
                                                             .n_blobs = blob != NULL, .after = -1}, &done, &fault);
    CHECK_MSG(r == 0, "%s", fault.text);
}

TEST(an_earlier_turn_stays_what_it_was_while_the_session_goes_on)
{
    auto_fovea *f = context();
    auto_session *s = session(f, "stays");
    auto_buf first = BUF_INIT(64 * MIB), later = BUF_INIT(64 * MIB);
    struct fovea_lower_request q = {.model = "anthropic/claude-opus-4-7", .at = 1};
    add_turn(f, "stays", 1, 20, true);
    add_turn(f, "stays", 2, 20, true);
    (void)lower_into(s, &q, &first);
    add_body(f, "stays", "{\"kind\":\"assistant\",\"parts\":[{\"type\":\"text\",\"text\":\"one more word\"}]}", NULL);
    (void)lower_into(s, &q, &later);
    CHECK(first.len == later.len && memcmp(first.data, later.data, first.len) == 0);
}

/* What is stored is not what was written. */
static void hurt_entry(const char *name, int seq)
{
    char change[300];
    sqlite3 *db = NULL;
    (void)snprintf(change, sizeof change, "UPDATE entries SET body = CAST('x' AS BLOB) WHERE seq = %d AND session = "
                                          "(SELECT id FROM sessions WHERE name = '%s')", seq, name);
    CHECK(sqlite3_open(in_top("state/fovea/record.db"), &db) == SQLITE_OK);
    CHECK_MSG(sqlite3_exec(db, change, NULL, NULL, NULL) == SQLITE_OK && sqlite3_changes(db) == 1, "%s", sqlite3_errmsg(db));
    (void)sqlite3_close(db);
}

TEST(what_is_damaged_after_a_turn_does_not_keep_that_turn_from_being_lowered)
{
    auto_fovea *f = context();
    auto_session *s = session(f, "hurt");
    auto_buf before = BUF_INIT(64 * MIB), after = BUF_INIT(64 * MIB);
    struct fovea_fault fault = {0};
    struct fovea_lower_request q = {.model = "anthropic/claude-opus-4-7", .at = 2};
    for (int turn = 1; turn <= 3; turn++)
        add_turn(f, "hurt", turn, 20, true);
    (void)lower_into(s, &q, &before);
    hurt_entry("hurt", 11);
    auto_session *fresh = session(f, "hurt");
    (void)lower_into(fresh, &q, &after);
    CHECK(before.len == after.len && memcmp(before.data, after.data, before.len) == 0);
    q.at = 3;
    CHECK(fovea_lower(fresh, &q, to_buf, &after, NULL, &fault) == -EBADMSG);
}

/* ---------------------------------------------------------------- what is said of it */

static size_t count_words(const char *text, const char *words)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, words)); at += strlen(words))
        n++;
    return n;
}

TEST(the_report_names_every_picture_that_is_not_shown_as_it_was_and_its_counts_are_those_of_what_was_written)
{
    auto_fovea *f = context();
    auto_session *s = session(f, "told");
    auto_buf out = BUF_INIT(64 * MIB), tail = BUF_INIT(64 * MIB);
    struct fovea_lower_request q = {.model = "anthropic/claude-opus-4-7", .retain = "turns:1"};
    for (int turn = 10; turn <= 12; turn++)
        add_turn(f, "told", turn, 20, true);
    /* Bytes that nobody has, a picture that the model made, and a document of a kind that is not taken. */
    static const char gone[] = "{\"kind\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"q\"},{\"type\":\"image\",\"media_type\":\"image/png\","
                               "\"sha256\":\"%s\",\"bytes\":9,\"width\":90,\"height\":90},{\"type\":\"document\",\"media_type\":"
                               "\"application/msword\",\"sha256\":\"%s\",\"bytes\":9},{\"type\":\"image\",\"url\":\"https://e.com/a.png\"}]}";
    char body[1000], hex[SHA256_HEX_LEN + 1];
    struct record_blob blob = {.data = "a,b\n1,2\n", .len = 8};
    sha256(blob.data, blob.len, blob.sha256);
    sha256_hex(blob.sha256, hex);
    (void)snprintf(body, sizeof body, gone, hex, hex);
    add_body(f, "told", body, &blob);
    add_body(f, "told", "{\"kind\":\"assistant\",\"parts\":[{\"type\":\"image\",\"media_type\":\"image/png\",\"url\":\"https://e.com/b.png\"},"
                        "{\"type\":\"text\",\"text\":\"drawn\"}]}", NULL);
    struct fovea_lowered done = lower_into(s, &q, &out);
    size_t shown = count_words(out.data, "\"type\":\"image\"") + count_words(out.data, "\"type\":\"document\"");
    CHECK_MSG(done.images == 7 && done.images == done.live + done.elided + done.stubbed, "%lld", (long long)done.images);
    CHECK(done.live == (int64_t)shown && done.elided == (int64_t)count_words(out.data, "seen earlier"));
    CHECK(done.stubbed == (int64_t)count_words(out.data, "not shown"));
    auto_free char *report = fovea_session_report_new(s);
    CHECK_MSG(strstr(report, "\"elided\":[[3,1],[7,1],[11,1]],\"refit\":[],\"stubbed\":[[13,2],[14,0]]"), "%s", report);
    /* And the same when only the end is written anew. */
    q.more = true;
    add_turn(f, "told", 13, 20, true);
    struct fovea_lowered more = lower_into(s, &q, &tail);
    CHECK(more.kept > 0 && more.images == 7 && more.stubbed == 2);
}

TEST(rejections_without_a_place_take_one_picture_after_the_other)
{
    static const char error[] = "<html><head><title>413 Request Entity Too Large</title></head></html>";
    auto_fovea *f = context();
    auto_session *s = session(f, "refused");
    struct fovea_lower_request q = {.model = "anthropic/claude-opus-4-7", .retain = "all"};
    struct fovea_fault fault = {0};
    struct fovea_repair repair;
    int64_t before = 0;
    for (int turn = 10; turn <= 12; turn++)
        add_turn(f, "refused", turn, 20, true);
    size_t n = 0;
    int r = 0;
    while (n < 10 && (r = fovea_session_reject(s, &q, error, sizeof error - 1, &repair, &fault)) == 0) {
        CHECK(repair.entry != before || repair.again);
        before = repair.entry;
        n++;
    }
    CHECK_MSG(n >= 3 && n <= 6 && r == -ENOENT, "%zu: %s", n, fault.text);
}

/* ---------------------------------------------------------------- time and memory */

/* Of this process: others on the machine do not count. Nothing here waits for a disk. */
static double now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Most memory that was ever used, in KiB; begun anew by the second. */
static long peak_kib(void)
{
    char line[256];
    long kib = 0;
    FILE *f = fopen("/proc/self/status", "re");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "VmHWM:", 6))
            kib = strtol(line + 6, NULL, 10);
    if (f)
        (void)fclose(f);
    return kib;
}
static void peak_begin(void)
{
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!write(fd, "5", 1);
        (void)close(fd);
    }
}

/* What nobody can save: reading the live pictures, checked, and writing them as base64. */
static int copy_each(const struct record_entry *e, void *arg)
{
    struct buf *list = arg;
    const char *at = e->len ? memmem(e->body, e->len, "\"sha256\":\"", 10) : NULL;
    uint8_t sha[SHA256_LEN];
    if (at && sha256_unhex(at + 10, sha))
        (void)buf_add(list, sha, sizeof sha);
    return 0;
}

static double copy_pictures(fovea *f, const char *name, size_t *ret_bytes)
{
    struct fovea_fault fault;
    struct record_point at = {0};
    auto_buf list = BUF_INIT(MIB);
    CHECK(record_read(f->record, name, &at, copy_each, &list, &fault) == 0);
    double from = now_ms();
    *ret_bytes = 0;
    for (size_t i = 0; i < list.len / SHA256_LEN; i++) {
        void *data = NULL;
        size_t len;
        auto_buf b = BUF_INIT(MIB);
        CHECK(record_blob(f->record, (const uint8_t *)list.data + i * SHA256_LEN, &data, &len, &fault) == 0);
        (void)buf_add_base64(&b, data, len);
        *ret_bytes += b.len;
        free(data);
    }
    return now_ms() - from;
}

TEST(a_thousand_turns_with_300_pictures_cost_little_more_than_their_pictures)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SKIP("sanitizers change time and memory");
#endif
    if (test_counted())
        SKIP("counters change time");
    auto_fovea *f = context();
    double best = 1e9, copy = 1e9;
    size_t live = 0, written = 0;
    long grown = 0;
    for (int turn = 0; turn < 1000; turn++)
        add_turn(f, "thousand", turn, 100, true);
    for (int round = 0; round < 25; round++) {
        copy = MIN(copy, copy_pictures(f, "thousand", &live));
        auto_session *s = session(f, "thousand");
        struct fovea_fault fault = {0};
        struct fovea_lowered done;
        peak_begin();
        long before = peak_kib();
        double from = now_ms();
        written = 0;
        int r = fovea_lower(s, &(struct fovea_lower_request){.model = "anthropic/claude-opus-4-7", .retain = "all"}, to_count,
                            &written, &done, &fault);
        best = MIN(best, now_ms() - from);
        grown = MAX(grown, peak_kib() - before);
        CHECK_MSG(r == 0 && done.live == 300, "%s, %lld live", fault.text, (long long)done.live);
    }
    printf("# lowering 1,000 turns: %.1f ms, its pictures alone %.1f ms (%zu bytes of base64), memory +%ld KiB\n", best, copy, live,
           grown);
    CHECK_MSG(best - copy <= 10, "%.1f ms beyond copying", best - copy);
    CHECK_MSG(grown <= (long)(live / 1024) + 16 * 1024, "%ld KiB", grown);
}

TEST(one_more_turn_costs_the_same_after_10_and_after_10000)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SKIP("sanitizers change time");
#endif
    static const int marks[] = {10, 100, 1000, 10000};
    double cost[COUNT(marks)];
    auto_fovea *f = context();
    auto_session *s = session(f, "grown");
    size_t written = 0, m = 0;
    struct fovea_fault fault = {0};
    struct fovea_lower_request q = {.model = "anthropic/claude-opus-4-7", .more = true};
    for (int turn = 1; m < COUNT(marks); turn++) {
        add_turn(f, "grown", turn, 20, turn % 100 < 10);
        if (turn < marks[m])
            continue;
        CHECK_MSG(fovea_lower(s, &q, to_count, &written, NULL, &fault) == 0, "%s", fault.text);
        double best = 1e9;
        for (int round = 0; round < 7; round++) {
            add_turn(f, "grown", ++turn, 20, false);
            double from = now_ms();
            CHECK(fovea_lower(s, &q, to_count, &written, NULL, &fault) == 0);
            best = MIN(best, now_ms() - from);
        }
        cost[m++] = best;
    }
    printf("# one more turn: %.3f ms after 10, %.3f after 100, %.3f after 1,000, %.3f after 10,000\n", cost[0], cost[1], cost[2],
           cost[3]);
    CHECK_MSG(cost[3] <= 2 * MAX(cost[0], 0.2), "%.3f ms against %.3f", cost[3], cost[0]);
}
