/* SPDX-License-Identifier: Apache-2.0 */
/* Roots: which spellings of a folder narrow what a client's calls see, and what a call does while they are not known. */
#include "test.h"

#include <errno.h>
#include <pthread.h>

#include "base/buf.h"
#include "base/clock.h"
#include "mcp/core.h"
#include "outlet_record.h"
#include "tree.h"

/* What runs out when a test says so; see the Makefile. */
static _Atomic(const char *) runs_out;

static bool is_out(const char *what)
{
    const char *now = runs_out;
    return now && !strcmp(now, what);
}

char *__real_strdup(const char *s);
char *__wrap_strdup(const char *s);
char *__wrap_strdup(const char *s)
{
    return is_out("strdup") ? NULL : __real_strdup(s);
}
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
    return is_out("calloc") && n == LIMIT_ROOTS + 1 ? NULL : __real_calloc(n, size);
}
int __real_fovea_session_new(fovea *f, const struct fovea_session_options *o, fovea_session **ret, struct fovea_fault *fault);
int __wrap_fovea_session_new(fovea *f, const struct fovea_session_options *o, fovea_session **ret, struct fovea_fault *fault);
int __wrap_fovea_session_new(fovea *f, const struct fovea_session_options *o, fovea_session **ret, struct fovea_fault *fault)
{
    return is_out("session") ? -ENOMEM : __real_fovea_session_new(f, o, ret, fault);
}

static bool until(struct record *r, unsigned notes, unsigned ends)
{
    for (int i = 0; i < 20000; i++) {
        struct record_counts now = record_counts(r);
        if (now.notes >= notes && now.ends >= ends)
            return true;
        (void)usleep(500);
    }
    return false;
}

struct bench {
    struct tree t;
    fovea *f;
    struct server *s;
    struct client *c;
};

static void say(struct bench *b, struct record *r, const char *text)
{
    (void)server_receive(b->s, b->c, NULL, &r->outlet, text, strlen(text));
}

static void bench_init(struct bench *b)
{
    static const struct server_options options = {0};
    struct fovea_fault fault = {0};
    struct record r = RECORD;
    CHECK(!tree_init(&b->t, "R/one/a R/two/b R/l\u00f6ch/c"));
    const char *reach[] = {b->t.top, NULL};
    const struct fovea_options quiet = {.config_file = "", .cwd = b->t.top, .reach = reach};
    CHECK_MSG(!fovea_new(&quiet, &b->f, &fault) && !server_new(b->f, &options, &b->s, &fault), "%s", fault.text);
    b->c = client_new(b->s);
    say(b, &r, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"roots\":{}}}}");
    buf_done(&r.text);
}

static void bench_done(struct bench *b)
{
    client_free(b->c);
    CHECK(server_free(b->s, 0, NULL, NULL));
    fovea_free(b->f);
    tree_done(&b->t);
}

/* Asks for a file, and answers what is asked back; NULL: it is not. */
static void look(struct bench *b, struct record *r, int id, const char *path, const char *roots)
{
    char words[8192], number[32] = "";
    (void)snprintf(words, sizeof words, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"read\",\"arguments\":{\"path\":"
                   "\"%s%s\"}}}", id, b->t.top, path);
    say(b, r, words);
    if (!roots)
        return;
    CHECK(until(r, 1, 0));
    (void)pthread_mutex_lock(&r->lock);
    const char *at = r->text.len ? strstr(r->text.data, "fovea-") : NULL;
    CHECK(at && sscanf(at, "%31[^\"]", number) == 1);
    (void)pthread_mutex_unlock(&r->lock);
    (void)snprintf(words, sizeof words, "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",%s}", number, roots);
    struct record none = RECORD;
    say(b, &none, words);
    buf_done(&none.text);
}

static bool has(struct record *r, const char *words)
{
    (void)pthread_mutex_lock(&r->lock);
    bool there = r->text.len && strstr(r->text.data, words);
    (void)pthread_mutex_unlock(&r->lock);
    return there;
}

TEST(a_folder_is_understood_in_each_of_its_spellings_and_nothing_else_is)
{
    static const struct { /* @ is the tree's own path */
        const char *uris, *path;
        bool seen;
    } rows[] = {
        {"{\"uri\":\"file://@R/one\"}", "R/one/a", true},
        {"{\"uri\":\"file://@R/one\"}", "R/two/b", false},
        {"{\"uri\":\"file:@R/one\"}", "R/one/a", true},
        {"{\"uri\":\"FILE://localhost@R/one\"}", "R/one/a", true},
        {"{\"uri\":\"file://@R/l%C3%b6ch\"}", "R/l\u00f6ch/c", true},
        {"{\"uri\":\"file://@R/one%zz\"}", "R/one/a", false},
        {"{\"uri\":\"file://@R/one%4\"}", "R/one/a", false},
        {"{\"uri\":\"file://@R/one%00\"}", "R/one/a", false},
        {"{\"uri\":\"file://@R/on%G1\"}", "R/one/a", false},
        {"{\"uri\":\"file://elsewhere@R/one\"}", "R/one/a", false},
        {"{\"uri\":\"file:////host@R/one\"}", "R/one/a", false},
        {"{\"uri\":\"https://a.test/\"},{\"name\":\"no uri\"},{\"uri\":5}", "R/one/a", false},
        {"", "R/one/a", true}, /* an empty list says nothing */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        cleanup(bench_done) struct bench b;
        struct record r = RECORD;
        bench_init(&b);
        struct buf uris = BUF_INIT(4096);
        for (const char *p = rows[i].uris; *p; p++)
            (void)(*p == '@' ? buf_add_str(&uris, b.t.top) : buf_add(&uris, p, 1));
        auto_free char *roots = NULL, *text = buf_take(&uris);
        CHECK(asprintf(&roots, "\"result\":{\"roots\":[%s]}", text ? text : "") > 0);
        look(&b, &r, 1, rows[i].path, roots);
        CHECK(until(&r, 1, 1));
        CHECK_MSG(has(&r, TREE_INSIDE) == rows[i].seen, "row %zu: %s", i, r.text.data);
        buf_done(&r.text);
    }
}

TEST(more_folders_than_there_may_be_are_left_out)
{
    cleanup(bench_done) struct bench b;
    struct record first = RECORD;
    struct buf list = BUF_INIT(64 * KIB);
    bench_init(&b);
    (void)buf_add_str(&list, "\"result\":{\"roots\":[");
    for (int i = 0; i < LIMIT_ROOTS; i++)
        (void)buf_add_str(&list, "{\"uri\":\"file:/x\"},");
    (void)buf_add_format(&list, "{\"uri\":\"file://%sR/one\"}]}", b.t.top);
    auto_free char *roots = buf_take(&list);
    look(&b, &first, 1, "R/one/a", roots);
    CHECK(until(&first, 1, 1) && !has(&first, TREE_INSIDE));
    buf_done(&first.text);
}

/* What was said is as if it had not been; the call waits on, and the next asks again. */
TEST(folders_for_which_there_is_no_memory_are_asked_for_again)
{
    static const char *const out[] = {"strdup", "calloc", "session"};
    for (size_t i = 0; i < COUNT(out); i++) {
        cleanup(bench_done) struct bench b;
        struct record r = RECORD, again = RECORD;
        auto_free char *roots = NULL;
        bench_init(&b);
        CHECK(asprintf(&roots, "\"result\":{\"roots\":[{\"uri\":\"file://%sR/two\"}]}", b.t.top) > 0);
        runs_out = out[i];
        look(&b, &r, 1, "R/one/a", roots);
        (void)usleep(20000);
        runs_out = NULL;
        CHECK_MSG(!has(&r, TREE_INSIDE), "%s", out[i]);
        server_lock(b.s);
        b.c->roots_by = 0; /* as if the time were over */
        (void)pthread_cond_broadcast(&b.s->news);
        server_unlock(b.s);
        CHECK(until(&r, 1, 1) && !has(&r, TREE_INSIDE));
        look(&b, &again, 2, "R/two/b", roots);
        CHECK(until(&again, 1, 1) && has(&again, TREE_INSIDE));
        buf_done(&r.text);
        buf_done(&again.text);
    }
}

TEST(folders_that_changed_while_they_were_asked_for_are_asked_for_again)
{
    cleanup(bench_done) struct bench b;
    struct record r = RECORD, again = RECORD, none = RECORD;
    bench_init(&b);
    look(&b, &r, 1, "R/one/a", NULL);
    CHECK(until(&r, 1, 0));
    say(&b, &none, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}");
    char number[32] = "", words[256];
    CHECK(sscanf(strstr(r.text.data, "fovea-"), "%31[^\"]", number) == 1);
    (void)snprintf(words, sizeof words, "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"result\":{\"roots\":[]}}", number);
    say(&b, &none, words);
    CHECK(until(&r, 1, 1) && has(&r, TREE_INSIDE));
    look(&b, &again, 2, "R/one/a", "\"error\":{\"code\":1,\"message\":\"no\"}");
    CHECK(until(&again, 1, 1) && has(&again, TREE_INSIDE));
    buf_done(&r.text);
    buf_done(&again.text);
    buf_done(&none.text);
}

TEST(a_call_that_waits_for_folders_can_be_cancelled_and_ends_with_the_server)
{
    struct bench b;
    struct record r = RECORD, late = RECORD, none = RECORD;
    bench_init(&b);
    look(&b, &r, 1, "R/one/a", NULL);
    CHECK(until(&r, 1, 0));
    say(&b, &none, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}");
    CHECK(until(&r, 1, 1) && !has(&r, TREE_INSIDE));
    look(&b, &late, 2, "R/one/a", NULL);
    bench_done(&b);
    CHECK(!has(&late, TREE_INSIDE));
    buf_done(&r.text);
    buf_done(&late.text);
    buf_done(&none.text);
}
