/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fovea session usage`: what the requests of a conversation took, by model. It adds up the usage entries that its host has
 * appended; `fovea usage` tells what asking cost, which fovea knows by itself.
 */
#include <math.h>
#include <string.h>

#include "base/json_text.h"
#include "base/text.h"
#include "out.h"
#include "session.h"

enum { NAME_WIDTH = 40, NAME_LETTERS = 200, TOKENS = 4 };
static const char *const token_names[TOKENS] = {"input", "output", "cache_read", "cache_write"};

/* Dollars as a whole number of their billionths of a thousandth: sums of them are exact. */
static const double PICO = 1e12;

struct sum {
    char *model;
    int64_t requests, unpriced, pico, tokens[TOKENS];
};

struct sums {
    struct sum row[LIMIT_CLI_MODELS];
    size_t n;
    int error;
};

static void add_to(int64_t *sum, int64_t n)
{
    if (__builtin_add_overflow(*sum, n, sum))
        *sum = INT64_MAX;
}

static struct sum *row_of(struct sums *all, const char *model)
{
    for (size_t i = 0; i < all->n; i++)
        if (!strcmp(all->row[i].model, model))
            return &all->row[i];
    struct sum *row = &all->row[all->n];
    all->error = all->n == LIMIT_CLI_MODELS ? -E2BIG : (row->model = strdup(model)) ? 0 : -ENOMEM;
    all->n += !all->error;
    return all->error ? NULL : row;
}

/* A number of dollars; false when it is none. */
static bool read_cost(struct span value, int64_t *ret)
{
    char text[64], *end;
    if (!value.len || value.len >= sizeof text)
        return false;
    memcpy(text, value.at, value.len);
    text[value.len] = '\0';
    double dollars = real_read(text, &end);
    if (*end || !(dollars >= 0 && dollars < 1e6))
        return false;
    *ret = llround(dollars * PICO);
    return true;
}

struct used {
    struct span kind, model, cost;
    int64_t tokens[TOKENS];
};

static struct used read_used(const char *json, size_t len)
{
    struct used u = {0};
    struct span_walk w = entry_members(json, len);
    while (span_next(&w)) {
        if (span_is(w.key, "kind"))
            u.kind = span_inside(w.value);
        else if (span_is(w.key, "model"))
            u.model = w.value;
        else if (span_is(w.key, "cost_usd"))
            u.cost = w.value;
        for (size_t i = 0; i < TOKENS; i++)
            if (span_is(w.key, token_names[i]))
                (void)span_int(w.value, &u.tokens[i]);
    }
    return u;
}

static int add_entry(void *arg, int64_t seq, const char *json, size_t len)
{
    struct sums *all = arg;
    struct used u = read_used(json, len);
    int64_t pico = 0;
    (void)seq;
    if (!span_is(u.kind, "usage"))
        return 0;
    auto_buf model = BUF_INIT(u.model.len + 1);
    all->error = span_text(u.model, &model) == -ENOMEM ? -ENOMEM : 0;
    struct sum *row = all->error ? NULL : row_of(all, model.data ? model.data : "");
    if (!row)
        return all->error;
    row->requests++;
    row->unpriced += !read_cost(u.cost, &pico);
    add_to(&row->pico, pico);
    for (size_t i = 0; i < TOKENS; i++)
        add_to(&row->tokens[i], u.tokens[i]);
    return 0;
}

static struct sum total_of(const struct sums *all)
{
    static char name[] = "total";
    struct sum total = {.model = name};
    for (size_t i = 0; i < all->n; i++) {
        add_to(&total.requests, all->row[i].requests);
        add_to(&total.unpriced, all->row[i].unpriced);
        add_to(&total.pico, all->row[i].pico);
        for (size_t t = 0; t < TOKENS; t++)
            add_to(&total.tokens[t], all->row[i].tokens[t]);
    }
    return total;
}

/* ---------------------------------------------------------------- printed */

/* "1.25", "0.0034": no digits that say nothing. Where no price is known at all, the cost is not known either. */
static void write_cost(char to[32], const struct sum *s)
{
    int64_t pico = s->pico;
    if (s->requests && s->unpriced == s->requests) {
        (void)snprintf(to, 32, "null");
        return;
    }
    int n = snprintf(to, 32, "%lld.%012lld", (long long)(pico / 1000000000000), (long long)(pico % 1000000000000));
    while (n > 1 && to[n - 1] == '0')
        to[--n] = '\0';
    if (to[n - 1] == '.')
        to[n - 1] = '\0';
}

static void add_row(struct buf *b, const struct sum *s)
{
    auto_buf name = BUF_INIT(LIMIT_CLI_WORDS);
    char cost[32], shown[36];
    write_cost(cost, s);
    (void)snprintf(shown, sizeof shown, "%s%s", *cost == 'n' ? "" : "$", *cost == 'n' ? "not known" : cost);
    (void)buf_add_shown(&name, *s->model ? s->model : "(no model)", NAME_LETTERS);
    (void)buf_add_format(b, "%-*s %9lld %12lld %12lld %12lld %12lld %14s %9lld\n", NAME_WIDTH, part_of(b, &name),
                         (long long)s->requests, (long long)s->tokens[0], (long long)s->tokens[1], (long long)s->tokens[2],
                         (long long)s->tokens[3], shown, (long long)s->unpriced);
}

static void add_json(struct buf *b, const struct sum *s)
{
    char cost[32];
    write_cost(cost, s);
    (void)buf_add_str(b, "{\"model\":");
    (void)buf_add_json_str(b, s->model);
    (void)buf_add_format(b, ",\"requests\":%lld", (long long)s->requests);
    for (size_t i = 0; i < TOKENS; i++)
        (void)buf_add_format(b, ",\"%s\":%lld", token_names[i], (long long)s->tokens[i]);
    (void)buf_add_format(b, ",\"cost_usd\":%s,\"unpriced\":%lld}", cost, (long long)s->unpriced);
}

static int print_json(const struct sums *all)
{
    auto_buf b = BUF_INIT(LIMIT_USAGE_TEXT);
    struct sum total = total_of(all);
    (void)buf_add_str(&b, "{\"ok\":true,\"kind\":\"session_usage\",\"rows\":[");
    for (size_t i = 0; i < all->n; i++) {
        (void)buf_add_str(&b, i ? "," : "");
        add_json(&b, &all->row[i]);
    }
    (void)buf_add_str(&b, "],\"total\":");
    add_json(&b, &total);
    (void)buf_add_str(&b, "}\n");
    return out_buf(&b);
}

static int print_table(const struct sums *all)
{
    auto_buf b = BUF_INIT(LIMIT_USAGE_TEXT);
    struct sum total = total_of(all);
    if (!all->n)
        return out_str("no request has said what it took\n");
    (void)buf_add_format(&b, "%-*s %9s %12s %12s %12s %12s %14s %9s\n", NAME_WIDTH, "model", "requests", "tokens in",
                         "tokens out", "cache read", "cache write", "cost", "unpriced");
    for (size_t i = 0; i < all->n; i++)
        add_row(&b, &all->row[i]);
    add_row(&b, &total);
    if (total.unpriced)
        (void)buf_add_str(&b, "\nunpriced: requests whose price is not known; the cost is without them\n");
    return out_buf(&b);
}

static void sums_free(struct sums **all)
{
    for (size_t i = 0; *all && i < (*all)->n; i++)
        free((*all)->row[i].model);
    free(*all);
}

int session_usage(struct invocation *in)
{
    const struct session_values *v = in->values;
    struct fovea_fault fault = {0};
    auto_opened o = {0};
    cleanup(sums_free) struct sums *all = calloc(1, sizeof *all);
    int bad = session_open(in, in->args[1], v->json, &o);
    bad = bad ? bad : session_exists(&o, in->args[1], v->json);
    if (bad)
        return bad;
    if (!all) {
        say("out of memory");
        return EXIT_FAULT;
    }
    int r = fovea_session_entries(o.session, 0, add_entry, all, &fault);
    if (all->error) {
        say("%s", all->error == -E2BIG ? "the session used more models than can be told apart" : "out of memory");
        return EXIT_FAULT;
    }
    if (r < 0)
        return out_fault(&fault, v->json, record_exit(r));
    return v->json ? print_json(all) : print_table(all);
}
