/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of what is kept on disk: money and answers, and the record below its public face. */
#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "ledger/ledger.h"
#include "record/record.h"
#include "scenes.h"

/* ---------------------------------------------------------------- the ledger */

static int setup_folder(void)
{
    return fresh_folder() ? 0 : -1;
}

static void tell_sum(const struct ledger_sum *s, void *arg)
{
    tell_str(arg, s->name);
}

static struct ledger *ledger;

static int open_ledger(struct ledger **ret, struct fovea_fault *fault)
{
    struct ledger_options options = {in_folder("state"), in_folder("cache"), 1 << 20};
    return ledger_new(&options, ret, fault);
}

/* Each adds one more, so sums are not told: what is known of every call is. */
static void book(struct ledger *l, struct outcome *o)
{
    static const uint8_t key[SHA256_LEN] = {7};
    struct fovea_fault fault = {0};
    struct ledger_entry e = {.session = "s", .tool = "inspect_image", .provider = "p", .model = "m", .at = 1794830400, .input = 10, .nano = 5};
    int64_t spent = -1;
    int r = ledger_add(l, &e, &fault);
    r = r < 0 ? r : ledger_spent(l, "s", 0, &spent, &fault);
    if (r == 0 && (spent <= 0 || spent % 5))
        tell_str(o, "spent what was not");
    r = r < 0 ? r : ledger_each(l, LEDGER_BY_MODEL, 0, tell_sum, o, &fault);
    tell_fault(o, r, &fault);
    auto_free char *text = NULL;
    if (r == 0) {
        answers_keep(l, key, "an answer", 9); /* a cache may fail without a word, but never lie */
        if (answers_find(l, key, &text) == 0 && strcmp(text, "an answer") != 0)
            tell_str(o, "another answer");
    }
}

static void run_ledger(struct outcome *o)
{
    struct ledger *l = NULL;
    struct fovea_fault fault = {0};
    int r = open_ledger(&l, &fault);
    tell_fault(o, r, &fault);
    if (r == 0)
        book(l, o);
    ledger_free(l);
}

static void run_ledger_kept(struct outcome *o)
{
    book(ledger, o);
}

static int setup_ledger_kept(void)
{
    struct outcome o = {0};
    if (setup_folder() < 0 || open_ledger(&ledger, NULL) < 0)
        return -1;
    book(ledger, &o);
    return o.code;
}

static void teardown_ledger(void)
{
    ledger_free(ledger);
    ledger = NULL;
    drop_folder();
}

static void settle_ledger(struct outcome *o)
{
    struct ledger *l = NULL;
    struct fovea_fault fault = {0};
    int64_t spent = -1;
    int r = open_ledger(&l, &fault);
    r = r < 0 ? r : ledger_spent(l, NULL, 0, &spent, &fault);
    tell_fault(o, r < 0 ? r : spent % 5 ? -EBADMSG : 0, &fault);
    ledger_free(l);
}

const struct scene scene_ledger = {"ledger", setup_folder, run_ledger, settle_ledger, teardown_ledger};
const struct scene scene_ledger_kept = {"ledger_kept", setup_ledger_kept, run_ledger_kept, settle_ledger, teardown_ledger};

/* ---------------------------------------------------------------- the record */

static struct record *record;
static int64_t promised; /* entries that were acknowledged */

static int derive(const char *body, size_t len, struct record_index *to)
{
    static const uint8_t used[SHA256_LEN] = {0x9f, 0x86, 0xd0, 0x81, 0x88, 0x4c, 0x7d, 0x65, 0x9a, 0x2f, 0xea, 0xa0, 0xc5, 0x5a, 0xd0, 0x15,
                                             0xa3, 0xbf, 0x4f, 0x1b, 0x2b, 0x0b, 0x82, 0x2c, 0xd1, 0x5d, 0x6c, 0x15, 0xb0, 0xf0, 0x0a, 0x08};
    int r = to->mark(to, body, len);
    return r < 0 ? r : to->use(to, used);
}

static int open_record(struct record **ret, struct fovea_fault *fault)
{
    struct record_options o = {.where = "sqlite:", .folder = in_folder("state"), .derive = derive, .wait_ms = 500};
    return record_open(&o, ret, fault);
}

static int say(struct record *r, const char *key, struct record_appended *ret, struct fovea_fault *fault)
{
    static const struct record_new entries[] = {{"hello", 5}, {"world", 5}};
    struct record_blob blob = {.data = "test", .len = 4};
    sha256("test", 4, blob.sha256);
    struct record_append a = {.session = "s", .key = key, .entries = entries, .count = 2, .blobs = &blob, .n_blobs = 1, .after = -1};
    return record_append(r, &a, ret, fault);
}

static int each(const struct record_entry *e, void *arg)
{
    tell_bytes(arg, e->body, e->len);
    return 0;
}

static int variants(struct record *r, struct fovea_fault *fault)
{
    uint8_t of[SHA256_LEN];
    sha256("test", 4, of);
    struct record_variant v = {.media_type = "image/png", .width = 2, .height = 3, .bytes = 5}, got;
    sha256("other", 5, v.sha256);
    int code = record_variant_keep(r, of, "edge=1", &v, "other", &got, fault);
    return code < 0 ? code : record_variant(r, of, "edge=1", &got, fault);
}

static void tell_record_session(const struct record_session *s, void *arg)
{
    tell_str(arg, s->name);
    tell_bytes(arg, &s->entries, sizeof s->entries);
}

/* Under one key, so that it can be tried again and is there once. */
static void work_on(struct record *r, struct outcome *o)
{
    struct fovea_fault fault = {0};
    struct record_appended done = {0};
    struct record_point at = {0}, last;
    uint8_t of[SHA256_LEN];
    void *bytes = NULL;
    size_t len = 0;
    int64_t seq = 0;
    sha256("test", 4, of);
    int code = say(r, "k1", &done, &fault);
    promised = code == 0 ? done.last : promised;
    code = code < 0 ? code : record_read(r, "s", &at, each, o, &fault);
    code = code < 0 ? code : record_blob(r, of, &bytes, &len, &fault);
    code = code < 0 ? code : record_find(r, "s", "world", &seq, &fault);
    code = code < 0 ? code : record_last(r, "s", &last, &fault);
    code = code < 0 ? code : variants(r, &fault);
    code = code < 0 ? code : record_sessions(r, NULL, tell_record_session, o, &fault);
    if (code == 0) {
        tell_bytes(o, bytes, len);
        tell_bytes(o, (int64_t[]){done.first, done.last, seq, last.seq}, 32);
    }
    free(bytes);
    tell_fault(o, code, &fault);
}

static void run_record(struct outcome *o)
{
    struct record *r = NULL;
    struct fovea_fault fault = {0};
    int code = open_record(&r, &fault);
    tell_fault(o, code, &fault);
    if (code == 0)
        work_on(r, o);
    record_close(r);
}

static void run_record_kept(struct outcome *o)
{
    struct record_checked checked = {0};
    struct fovea_fault fault = {0};
    work_on(record, o);
    int code = o->code < 0 ? 0 : record_check(record, NULL, false, NULL, NULL, &checked, &fault);
    tell_fault(o, code, &fault);
    tell_bytes(o, &checked.entries, sizeof checked.entries);
    if (code == 0 && checked.problems) {
        o->code = -EBADMSG;
        o->words[0] = '\0'; /* a lie: nothing is damaged */
    }
}

static int setup_record(void)
{
    promised = 0;
    return setup_folder();
}

static int setup_record_kept(void)
{
    struct record_appended done;
    if (setup_record() < 0 || open_record(&record, NULL) < 0 || say(record, "k0", &done, NULL) < 0)
        return -1;
    promised = done.last;
    return 0;
}

static void tell_problem(const struct record_problem *p, void *arg)
{
    struct outcome *o = arg;
    o->code = -EBADMSG;
    (void)snprintf(o->words, sizeof o->words, "%s", p->what);
}

/* As another process finds it. */
static void settle_record(struct outcome *o)
{
    struct record *r = NULL;
    struct record_checked checked = {0};
    struct fovea_fault fault = {0};
    int code = open_record(&r, &fault);
    code = code < 0 ? code : record_check(r, NULL, false, tell_problem, o, &checked, &fault);
    tell_fault(o, code, &fault);
    if (code == 0 && (checked.entries < promised || checked.entries % 2)) {
        o->code = -ENOENT;
        (void)snprintf(o->words, sizeof o->words, "%lld entries, %lld promised", (long long)checked.entries, (long long)promised);
    }
    record_close(r);
}

static void teardown_record(void)
{
    record_close(record);
    record = NULL;
    drop_folder();
}

const struct scene scene_record = {"record", setup_record, run_record, settle_record, teardown_record};
const struct scene scene_record_kept = {"record_kept", setup_record_kept, run_record_kept, settle_record, teardown_record};
