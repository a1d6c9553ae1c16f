/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea usage`: what asking has cost, by session, model or day. */
#include <string.h>
#include <time.h>

#include "base/json_text.h"
#include "base/text.h"
#include "context.h"
#include "options.h"
#include "out.h"

struct values {
    bool json;
    const char *by, *since;
};

enum { NAME_WIDTH = 40, NAME_LETTERS = 200 };

struct listing {
    struct buf b;
    bool json;
    unsigned told;
};

/* ---------------------------------------------------------------- rows */

static void add_json(struct listing *l, const struct fovea_usage *u)
{
    (void)buf_add_str(&l->b, "{\"name\":");
    (void)buf_add_json_str(&l->b, u->name);
    (void)buf_add_format(&l->b,
                         ",\"calls\":%lld,\"failed\":%lld,\"input_tokens\":%lld,\"output_tokens\":%lld,\"cost_usd\":%s,"
                         "\"unpriced\":%lld}",
                         (long long)u->calls, (long long)u->failed, (long long)u->input_tokens,
                         (long long)u->output_tokens, u->cost_usd ? u->cost_usd : "null", (long long)u->unpriced);
}

static void add_line(struct listing *l, const struct fovea_usage *u)
{
    auto_buf name = BUF_INIT(LIMIT_CLI_WORDS);
    char cost[64];
    (void)buf_add_shown(&name, *u->name ? u->name : "(no session)", NAME_LETTERS);
    (void)snprintf(cost, sizeof cost, "%s%s", u->cost_usd ? "$" : "", u->cost_usd ? u->cost_usd : "not known");
    (void)buf_add_format(&l->b, "%-*s %7lld %7lld %12lld %12lld %14s %9lld\n", NAME_WIDTH, part_of(&l->b, &name),
                         (long long)u->calls, (long long)u->failed, (long long)u->input_tokens,
                         (long long)u->output_tokens, cost, (long long)u->unpriced);
}

static void tell(const struct fovea_usage *u, void *arg)
{
    struct listing *l = arg;
    if (l->json && l->told)
        (void)buf_add_str(&l->b, ",");
    (l->json ? add_json : add_line)(l, u);
    l->told++;
}

static void tell_total(const struct fovea_usage *u, void *arg)
{
    struct listing *l = arg;
    (l->json ? add_json : add_line)(l, u);
    if (!l->json && u->unpriced)
        (void)buf_add_format(&l->b, "\nunpriced: calls whose price is not known; the cost is without them\n");
}

/* ---------------------------------------------------------------- what was asked for */

static bool by_is_known(const char *by)
{
    static const char *const names[] = {"session", "model", "day", NULL};
    for (const char *const *n = names; *n; n++)
        if (!strcmp(by, *n))
            return true;
    const char *near = nearest(by, names);
    say("usage: --by takes session, model or day, not '%s'%s%s", by, near ? "; did you mean " : "", near ? near : "");
    return false;
}

/* The start of a day, UTC. Days that no month has are no days. */
static bool parse_day(const char *words, int64_t *ret)
{
    struct tm t = {0};
    char again[16];
    const char *end = strlen(words) == 10 ? strptime(words, "%Y-%m-%d", &t) : NULL;
    if (!end || *end)
        return false;
    time_t at = timegm(&t);
    if (at < 0 || !strftime(again, sizeof again, "%Y-%m-%d", &t) || strcmp(again, words) != 0)
        return false;
    *ret = at;
    return true;
}

static int list(fovea *f, const char *by, int64_t since, struct listing *l, struct fovea_fault *fault)
{
    if (l->json)
        (void)buf_add_format(&l->b, "{\"ok\":true,\"kind\":\"usage\",\"by\":\"%s\",\"rows\":[", by);
    else
        (void)buf_add_format(&l->b, "%-*s %7s %7s %12s %12s %14s %9s\n", NAME_WIDTH, by, "calls", "failed", "tokens in",
                             "tokens out", "cost", "unpriced");
    int r = fovea_usage(f, by, since, tell, l, fault);
    if (r < 0)
        return r;
    if (l->json)
        (void)buf_add_str(&l->b, l->told ? "],\"total\":" : "],\"total\":null");
    if (l->told)
        r = fovea_usage(f, "total", since, tell_total, l, fault);
    if (l->json)
        (void)buf_add_str(&l->b, "}\n");
    return r;
}

static int run(struct invocation *in)
{
    const struct values *v = in->values;
    const char *by = v->by ? v->by : "model";
    struct fovea_fault fault;
    auto_fovea *f = NULL;
    int64_t since = 0;
    if (!by_is_known(by))
        return EXIT_USAGE;
    if (v->since && !parse_day(v->since, &since)) {
        say("usage: --since takes a day such as 2026-11-16, not '%s'", v->since);
        return EXIT_USAGE;
    }
    if (context_open(&in->common, &f, &fault) < 0)
        return out_fault(&fault, v->json, EXIT_FAULT);
    struct listing l = {.b = BUF_INIT(LIMIT_USAGE_TEXT), .json = v->json};
    int r = list(f, by, since, &l, &fault);
    int code = r < 0                   ? out_fault(&fault, v->json, EXIT_FAULT)
               : l.told || v->json ? out_buf(&l.b)
               : v->since          ? out_str("nothing was spent since then\n")
                                   : out_str("nothing was spent yet\n");
    buf_done(&l.b);
    return code;
}

static const struct option options[] = {
    {"by", 0, OPTION_STRING, "session|model|day", offsetof(struct values, by), "one row for each of these; default: model"},
    {"since", 0, OPTION_STRING, "YYYY-MM-DD", offsetof(struct values, since), "only what was spent from that day on (UTC)"},
    {"json", 0, OPTION_FLAG, NULL, offsetof(struct values, json), "one object as one line of JSON"},
    {0},
};

const struct command command_usage = {
    .name = "usage",
    .summary = "say what asking has cost, by session, model or day",
    .arguments = "",
    .about = "Prints a row for each session, model or day (UTC), the latest first: how many calls there were, how many of "
             "them brought no answer, their tokens and what they cost. Calls whose price is not known are counted apart. "
             "It is kept in $XDG_STATE_HOME/fovea/usage.db.",
    .examples = "fovea usage\n"
                "fovea usage --by day --since 2026-11-01\n"
                "fovea usage --by session --json\n",
    .options = options,
    .values_size = sizeof(struct values),
    .context = true,
    .run = run,
};
