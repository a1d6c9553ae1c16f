/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea models`: what is known of each model, what it costs, and where each figure came from; or what a host offers. */
#include <string.h>

#include "base/json_text.h"
#include "context.h"
#include "options.h"
#include "out.h"

struct values {
    bool json, sources;
    const char *host;
};

enum { LIST_BYTES = 4 << 20 };

/* PATTERN is a part of PROVIDER/ID; letters match in either case. */
static bool matches(const struct fovea_model *m, const char *pattern)
{
    char name[512];
    (void)snprintf(name, sizeof name, "%s/%s", m->provider, m->id);
    return !pattern || strcasestr(name, pattern);
}

static const char *or_dash(const char *words)
{
    return words ? words : "-";
}

/* Where figures came from, each told once: rows name them by their numbers. */
enum { SOURCES = 99 };
struct legend {
    char *source[SOURCES];
    size_t n;
};

static void legend_done(struct legend *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->source[i]);
}

/* Its number, from 1; 0 where there is no room. */
static size_t number_of(struct legend *l, const char *source)
{
    size_t i = 0;
    while (i < l->n && strcmp(l->source[i], source) != 0)
        i++;
    if (i == l->n && i < SOURCES && (l->source[i] = strdup(source)))
        l->n++;
    return i < l->n ? i + 1 : 0;
}

static void add_numbers(struct buf *b, struct legend *l, const struct fovea_model *m)
{
    size_t price = number_of(l, m->price_source), limits = number_of(l, m->limits_source);
    (void)buf_add_format(b, "  %zu %zu %zu", price, limits, number_of(l, m->modality_source));
}

static void add_legend(struct buf *b, const struct legend *l)
{
    (void)buf_add_str(b, "\nfrom: where price, limits and input (vision, pdf, video) came from\n");
    for (size_t i = 0; i < l->n; i++)
        (void)buf_add_format(b, "%4zu  %s\n", i + 1, l->source[i]);
    if (l->n == SOURCES)
        (void)buf_add_str(b, "   0  others; --sources tells them with each model\n");
}

/* legend NULL: the sources stand beneath the row. */
static void add_row(struct buf *b, const struct fovea_model *m, struct legend *legend)
{
    char name[512], price[80], context[32] = "-";
    (void)snprintf(name, sizeof name, "%s/%s", m->provider, m->id);
    (void)snprintf(price, sizeof price, "%s/%s%s", or_dash(m->input), or_dash(m->output), m->tiers ? "+" : "");
    if (m->context > 0)
        (void)snprintf(context, sizeof context, "%lld", (long long)m->context);
    char cache[80];
    (void)snprintf(cache, sizeof cache, "%s/%s", or_dash(m->cache_read), or_dash(m->cache_write));
    (void)buf_add_format(b, "%s %-48s %-6s %-3s %-5s %-10s %9s  %-14s %-*s", m->available ? "*" : " ", name,
                         m->vision ? "vision" : "-", m->pdf ? "pdf" : "-", m->video ? "video" : "-",
                         m->tool_image ? "tool_image" : "-", context, price, legend ? 16 : 0, cache);
    if (legend)
        add_numbers(b, legend, m);
    else
        (void)buf_add_format(b, "\n      price: %s; limits: %s; input: %s", m->price_source, m->limits_source, m->modality_source);
    (void)buf_add_str(b, "\n");
}

static void add_number(struct buf *b, const char *name, int64_t n)
{
    if (n < 0)
        (void)buf_add_format(b, ",\"%s\":null", name);
    else
        (void)buf_add_format(b, ",\"%s\":%lld", name, (long long)n);
}

static void add_json(struct buf *b, const struct fovea_model *m, bool first)
{
    (void)buf_add_str(b, first ? "[{\"provider\":" : ",{\"provider\":");
    (void)buf_add_json_str(b, m->provider);
    (void)buf_add_str(b, ",\"id\":");
    (void)buf_add_json_str(b, m->id);
    (void)buf_add_format(b, ",\"available\":%s,\"vision\":%s,\"pdf\":%s,\"video\":%s,\"tool_image\":%s",
                         m->available ? "true" : "false", m->vision ? "true" : "false", m->pdf ? "true" : "false",
                         m->video ? "true" : "false", m->tool_image ? "true" : "false");
    add_number(b, "context", m->context);
    add_number(b, "max_output", m->max_output);
    (void)buf_add_format(b, ",\"usd_per_million\":{\"input\":%s,\"output\":%s,\"cache_read\":%s,\"cache_write\":%s,\"tiers\":%s}",
                         m->input ? m->input : "null", m->output ? m->output : "null",
                         m->cache_read ? m->cache_read : "null", m->cache_write ? m->cache_write : "null",
                         m->tiers ? "true" : "false");
    (void)buf_add_str(b, ",\"sources\":{\"price\":");
    (void)buf_add_json_str(b, m->price_source);
    (void)buf_add_str(b, ",\"limits\":");
    (void)buf_add_json_str(b, m->limits_source);
    (void)buf_add_str(b, ",\"input\":");
    (void)buf_add_json_str(b, m->modality_source);
    (void)buf_add_str(b, "}}");
}

/* A list under way. */
struct list {
    const struct values *values;
    const char *pattern;
    struct buf text;
    struct legend legend;
    size_t n;
};

static void add(const struct fovea_model *m, void *arg)
{
    struct list *l = arg;
    if (!matches(m, l->pattern))
        return;
    if (l->values->json)
        add_json(&l->text, m, !l->n);
    else
        add_row(&l->text, m, l->values->sources || l->pattern ? NULL : &l->legend);
    l->n++;
}

static int none(const struct list *l)
{
    const char *host = l->values->host;
    if (!l->pattern)
        say("'%s' answers, but offers no model", host);
    else
        say("no model has '%s' in its name; 'fovea models%s%s' lists them all", l->pattern, host ? " --host " : "",
            host ? host : "");
    return EXIT_REFUSED;
}

static int list(fovea *f, const struct values *v, const char *pattern)
{
    struct list l = {.values = v, .pattern = pattern, .text = BUF_INIT(LIST_BYTES)};
    struct fovea_fault fault;
    struct fovea_model m;
    int bad = 0;
    if (!v->json)
        (void)buf_add_format(&l.text, "  %-48s %-6s %-3s %-5s %-10s %9s  %-14s %s%s\n", "model", "vision", "pdf", "video",
                             "tool_image", "context", "$/M in/out", "cache read/write", v->sources || pattern ? "" : "  from");
    if (v->host && fovea_host_models(f, v->host, add, &l, &fault) < 0)
        bad = out_fault(&fault, v->json, EXIT_REFUSED);
    for (size_t i = 0; !v->host && fovea_model(f, i, &m) == 0; i++)
        add(&m, &l);
    if (v->json)
        (void)buf_add_str(&l.text, l.n ? "]\n" : "[]\n");
    else if (l.legend.n)
        add_legend(&l.text, &l.legend);
    if (!bad)
        bad = !l.n && !v->json ? none(&l) : out_buf(&l.text);
    buf_done(&l.text);
    legend_done(&l.legend);
    return bad ? bad : l.n ? EXIT_DONE : EXIT_REFUSED;
}

static int run(struct invocation *in)
{
    const struct values *v = in->values;
    struct fovea_fault fault;
    auto_fovea *f = NULL;
    if (context_open(&in->common, &f, &fault) < 0)
        return out_fault(&fault, v->json, EXIT_FAULT);
    return list(f, v, in->n_args ? in->args[0] : NULL);
}

static const struct option options[] = {
    {"json", 0, OPTION_FLAG, NULL, offsetof(struct values, json), "an array of models as one line of JSON"},
    {"host", 0, OPTION_STRING, "NAME", offsetof(struct values, host), "ask that host what it offers, instead of the table"},
    {"sources", 0, OPTION_FLAG, NULL, offsetof(struct values, sources), "say where each figure came from beneath its row; always with PATTERN"},
    {0},
};

const struct command command_models = {
    .name = "models",
    .summary = "list the models that are known, what they can do and cost",
    .arguments = "[PATTERN]",
    .about = "Prints a row for each model: what it takes, its context, dollars a million tokens, and the source and "
             "date of each figure: by numbers that the end explains, or with PATTERN (a part of PROVIDER/ID) in words. A star marks models that can be asked now; '-' is no, or "
             "not known; '+' after a price says that long requests cost more. models.yaml beside config.yaml adds and overrides. "
             "--host asks a host now; everything else is known here, and no connection is made.",
    .examples = "fovea models\n"
                "fovea models --host ollama\twhat the server on this machine has\n"
                "fovea models anthropic/\tthose of one provider\n"
                "fovea models gemini-2.5 --json\n",
    .options = options,
    .values_size = sizeof(struct values),
    .max_args = 1,
    .context = true,
    .run = run,
};
