/* SPDX-License-Identifier: Apache-2.0 */
/* fovea_simulate and the generated traces: lower/simulate.h fed from the record or from lower/trace.h. */
#include <errno.h>
#include <string.h>

#include "api/lowering.h"
#include "base/fault.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "lower/simulate.h"
#include "lower/trace.h"

/* ---------------------------------------------------------------- entries */

/* What is simulated, and how far it has come. */
struct feed {
    struct bodies bodies;
    size_t at;
    struct entry_room parts;
    const char *session;
    struct fovea_fault *fault;
};

static void feed_done(struct feed *f)
{
    bodies_done(&f->bodies);
    entry_room_done(&f->parts);
}

static int feed_made(void *arg, const char *json, size_t len)
{
    return bodies_add(&((struct feed *)arg)->bodies, json, len);
}

static int feed_stored(const struct record_entry *e, void *arg)
{
    struct feed *f = arg;
    int r = bodies_add(&f->bodies, e->body, e->len);
    return r < 0 ? bodies_fault(&f->bodies, r, f->session, f->fault) : 0;
}

static int feed_next(void *arg, struct entry *ret)
{
    struct feed *f = arg;
    if (f->at == f->bodies.n)
        return 0;
    const struct body *b = &f->bodies.list[f->at++];
    int r = entry_read(b->text, b->len, (int64_t)f->at, &f->parts, ret);
    return r < 0 ? r : 1;
}

static int take_entries(fovea *f, const struct fovea_simulate_request *q, struct feed *to, struct fovea_fault *fault)
{
    struct record_point at = {0};
    if (!q->session == !q->trace)
        return fault_set(fault, EINVAL, "simulate a session or a trace: one of the two");
    int r = q->session ? record_read(f->record, q->session, &at, feed_stored, to, fault)
                       : trace_make(&(struct trace_ask){.name = q->trace}, feed_made, to);
    if (r == -EINVAL && q->trace)
        return fault_set(fault, EINVAL, "\"%.60s\" is no trace", q->trace);
    if (r < 0 && q->trace && r != -ENOMEM)
        return fault_set(fault, r, "the trace cannot be made: %s", strerror(-r));
    return r == -ENOMEM ? fault_oom(fault) : r;
}

/* ---------------------------------------------------------------- forms */

static void add_figures(struct buf *b, const struct request_figures *f)
{
    char cost[MONEY_TEXT];
    money_text(f->cost_nano, cost);
    (void)buf_add_format(b,
                         "\"tokens\":%lld,\"cache_read\":%lld,\"cache_write\":%lld,\"plain\":%lld,\"cost_usd\":%s,\"images\":%lld,"
                         "\"live\":%lld,\"elided\":%lld,\"refit\":%lld,\"stubbed\":%lld",
                         (long long)f->tokens, (long long)f->cache_read, (long long)f->cache_write, (long long)f->plain, cost,
                         (long long)f->images, (long long)f->live, (long long)f->elided, (long long)f->refit,
                         (long long)f->stubbed);
}

static void add_run(struct buf *b, const struct sim_run *run)
{
    (void)buf_add_str(b, "{\"policy\":");
    (void)buf_add_json_str(b, run->policy);
    (void)buf_add_format(b, ",\"requests\":%zu,", run->n_rows);
    add_figures(b, &run->sum);
    (void)buf_add_str(b, ",\"rows\":[");
    for (size_t i = 0; i < run->n_rows; i++) {
        const struct request_figures *f = &run->rows[i];
        (void)buf_add_format(b, "%s{\"request\":%lld,\"turn\":%lld,", i ? "," : "", (long long)f->request, (long long)f->turn);
        add_figures(b, f);
        (void)buf_add_format(b, ",\"bytes\":%lld,\"elided_now\":", (long long)f->request_bytes);
        (void)(f->reason ? buf_add_json_str(b, f->reason) : buf_add_str(b, "null"));
        (void)buf_add_str(b, "}");
    }
    (void)buf_add_str(b, "]}");
}

static int form_json(const struct simulation *s, const char *title, struct buf *b)
{
    (void)buf_add_str(b, "{\"ok\":true,\"kind\":\"simulation\",\"of\":");
    (void)buf_add_json_str(b, title);
    (void)buf_add_str(b, ",\"provider\":");
    (void)buf_add_json_str(b, s->target->provider);
    (void)buf_add_str(b, ",\"model\":");
    (void)buf_add_json_str(b, s->target->model);
    (void)buf_add_str(b, ",\"policies\":[");
    for (size_t i = 0; i < s->n_runs; i++) {
        (void)buf_add_str(b, i ? "," : "");
        add_run(b, &s->runs[i]);
    }
    return buf_add_str(b, "]}\n");
}

static int form_table(const struct simulation *s, const char *title, struct buf *b)
{
    (void)title;
    return simulation_table(s, true, b);
}

static const struct {
    const char *name;
    int (*write)(const struct simulation *s, const char *title, struct buf *b);
} forms[] = {{"table", form_table}, {"json", form_json}, {"svg", simulation_plot}};

static int find_form(const char *name, size_t *ret, struct fovea_fault *fault)
{
    for (size_t i = 0; i < COUNT(forms); i++)
        if (!strcmp(name ? name : "table", forms[i].name)) {
            *ret = i;
            return 0;
        }
    return fault_set(fault, EINVAL, "\"%.60s\" is no form; it is table, json or svg", name);
}

/* ---------------------------------------------------------------- the whole */

/* Words of a list, in place. */
static int split(char *list, const char *ret[static LIMIT_SIM_POLICIES], size_t *ret_n, struct fovea_fault *fault)
{
    char *rest = list, *word;
    *ret_n = 0;
    while ((word = strsep(&rest, " ,"))) {
        if (!*word)
            continue;
        if (*ret_n == LIMIT_SIM_POLICIES)
            return fault_set(fault, EINVAL, "at most %d policies are compared at once", LIMIT_SIM_POLICIES);
        struct policy ignored;
        if (policy_parse(word, &ignored) < 0)
            return fault_set(fault, EINVAL, "\"%.60s\" is no policy; it is auto, all, turns:N, newest:N or batch:N:M", word);
        ret[(*ret_n)++] = word;
    }
    return *ret_n ? 0 : fault_set(fault, EINVAL, "no policy is named");
}

static int run(const struct sim_ask *ask, const char *title, size_t form, fovea_write *write, void *arg,
               struct fovea_fault *fault)
{
    auto_buf text = BUF_INIT(LIMIT_SIM_TEXT);
    struct simulation s = {0};
    int r = simulate(ask, &s);
    r = r == 0 ? forms[form].write(&s, title, &text) : r;
    simulation_done(&s);
    if (r < 0)
        return r == -ENOMEM ? fault_oom(fault) : fault_set(fault, r, "it cannot be simulated: %s", strerror(-r));
    r = write(arg, text.data, text.len);
    return r < 0 ? fault_set(fault, r, "the output cannot be written: %s", strerror(-r)) : 0;
}

int fovea_simulate(fovea *f, const struct fovea_simulate_request *q, fovea_write *write, void *arg, struct fovea_fault *fault)
{
    auto_free char *list = strdup(q->policies ? q->policies : "all turns:1 newest:3 batch:20:8 auto");
    const char *policies[LIMIT_SIM_POLICIES];
    struct target target;
    cleanup(feed_done) struct feed feed = {.bodies = BODIES_INIT(LIMIT_SESSION_BYTES), .session = q->session, .fault = fault};
    size_t n = 0, form = 0;
    if (!list)
        return fault_oom(fault);
    int r = find_form(q->form, &form, fault);
    r = r == 0 ? split(list, policies, &n, fault) : r;
    r = r == 0 ? lowering_target(f, NULL, &(struct fovea_lower_request){.model = q->model, .wire = q->wire}, &target, fault) : r;
    r = r == 0 ? take_entries(f, q, &feed, fault) : r;
    if (r < 0)
        return r;
    struct sim_ask ask = {.target = &target, .policies = policies, .n_policies = n, .next = feed_next, .arg = &feed,
                          .base_tokens = q->base_tokens ? q->base_tokens : REPLAY_HOST_TOKENS};
    return run(&ask, q->session ? q->session : q->trace, form, write, arg, fault);
}

const char *const *fovea_traces(void)
{
    return trace_names;
}

struct lines {
    fovea_write *write;
    void *arg;
};

static int write_line(void *arg, const char *json, size_t len)
{
    const struct lines *to = arg;
    int r = to->write(to->arg, json, len);
    return r < 0 ? r : to->write(to->arg, "\n", 1);
}

int fovea_trace(const char *name, fovea_write *write, void *arg, struct fovea_fault *fault)
{
    struct lines to = {write, arg};
    if (!trace_words(name))
        return fault_set(fault, EINVAL, "\"%.60s\" is no trace", name);
    int r = trace_make(&(struct trace_ask){.name = name, .data = true}, write_line, &to);
    return r < 0 ? fault_set(fault, r, "the trace cannot be written: %s", strerror(-r)) : 0;
}
