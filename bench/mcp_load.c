/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Load for an MCP server on stdio: starts COMMAND, shakes hands (2025-11-25), then calls one tool in two phases and
 * prints what they took as one line of JSON. "first" calls it once for each FILE, "again" goes on through the same files
 * for as many calls as are asked for: a server that remembers what it has shown is quicker then. Every id must be
 * answered once and by no error. With -s it only starts the server, again and again, and waits for its first answer.
 */
#include <err.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "mcp_child.h"
#include "tree.h"

#define INITIALIZE                                                                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","         \
    "\"capabilities\":{},\"clientInfo\":{\"name\":\"fovea-bench\",\"version\":\"1\"}}}\n"
#define DISCOVER                                                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"server/discover\",\"params\":{\"_meta\":{"                            \
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{},"   \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"fovea-bench\",\"version\":\"1\"}}}}\n"
#define INITIALIZED "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"

enum { MAX_CALLS = 1000000, WARM_CALLS = 5 };

struct options {
    const char *tool, *warm, *start; /* -t, -w, -s */
    const char *more;                /* -a: members of the arguments besides path, each after its comma */
    long calls, flight;              /* -n, -p: 0 as many in flight as the pipe takes */
    char **files, **command;
    long file_count;
};

/* One phase: the lines of its calls, how far they are written and answered. */
struct phase {
    const struct options *options;
    struct child *child;
    char *text;
    size_t *ends;       /* where each line ends in `text` */
    double *sent, *got; /* ms; `got` 0: no answer yet */
    long count, written, answered, errors, first_id;
    size_t offset, bytes;
};

/* ---------------------------------------------------------------- one phase */

static void *must(void *p)
{
    if (!p)
        errx(1, "out of memory");
    return p;
}

static void phase_init(struct phase *p, const struct options *o, struct child *c, char **files, long file_count, long count)
{
    static long next_id = 1;
    size_t len;
    *p = (struct phase){.options = o, .child = c, .count = count, .first_id = next_id};
    p->ends = must(calloc((size_t)count, sizeof(*p->ends)));
    p->sent = must(calloc((size_t)count, sizeof(*p->sent)));
    p->got = must(calloc((size_t)count, sizeof(*p->got)));
    FILE *out = must(open_memstream(&p->text, &len));
    for (long i = 0; i < count; i++) {
        fprintf(out, "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\",\"arguments\":{\"path\":\"%s\"%s}}}\n",
            next_id++, o->tool, files[i % file_count], o->more ? o->more : "");
        fflush(out);
        p->ends[i] = len;
    }
    fclose(out);
}

static void phase_done(struct phase *p)
{
    free(p->text);
    free(p->ends);
    free(p->sent);
    free(p->got);
}

static void phase_got(void *arg, struct reply r)
{
    struct phase *p = arg;
    if (r.id < 0)
        return;
    long i = r.id - p->first_id;
    if (i < 0 || i >= p->written || p->got[i] > 0)
        errx(1, "id %ld is answered twice, or was not asked", r.id);
    p->got[i] = now_ms();
    p->answered++;
    p->errors += r.error;
    p->bytes += r.bytes;
}

/* How many lines may be out by now. */
static long phase_may(const struct phase *p)
{
    long flight = p->options->flight;
    return flight ? MIN(p->count, p->answered + flight) : p->count;
}

static void phase_write(struct phase *p, long may)
{
    double now = now_ms();
    p->offset += child_write(p->child, p->text + p->offset, p->ends[may - 1] - p->offset);
    for (; p->written < may && p->ends[p->written] <= p->offset; p->written++)
        p->sent[p->written] = now;
}

/* Milliseconds from the first byte out to the last answer in. */
static double phase_run(struct phase *p)
{
    double begin = now_ms();
    while (p->answered < p->count) {
        long may = phase_may(p);
        if (p->written < may)
            phase_write(p, may);
        if (child_wait(p->child, p->written < may))
            child_read(p->child, phase_got, p);
    }
    return now_ms() - begin;
}

/* ---------------------------------------------------------------- figures */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value that `share` of a sorted list do not exceed. */
static double quantile(const double *sorted, long count, double share)
{
    long rank = (long)((double)count * share);
    return sorted[MIN(rank, count - 1)];
}

static void phase_print(struct phase *p, const char *name, double ms, double cpu)
{
    for (long i = 0; i < p->count; i++)
        p->got[i] -= p->sent[i];
    qsort(p->got, (size_t)p->count, sizeof(*p->got), by_value);
    printf("\"%s\":{\"calls\":%ld,\"seconds\":%.4f,\"calls_per_s\":%.1f,\"min_ms\":%.3f,\"p50_ms\":%.3f,\"p99_ms\":%.3f,"
           "\"cpu_ms\":%.3f,\"bytes\":%zu},",
        name, p->count, ms / 1e3, (double)p->count / ms * 1e3, p->got[0], quantile(p->got, p->count, 0.5),
        quantile(p->got, p->count, 0.99), cpu / (double)p->count, p->bytes);
}

static void phase(const struct options *o, struct child *c, const char *name, char **files, long file_count, long count)
{
    struct phase p;
    if (!count)
        return;
    phase_init(&p, o, c, files, file_count, count);
    double cpu = tree_cpu_ms(c->pid), ms = phase_run(&p);
    cpu = tree_cpu_ms(c->pid) - cpu;
    if (p.errors)
        errx(1, "%ld of %ld calls of '%s' came back as errors", p.errors, count, o->tool);
    if (name)
        phase_print(&p, name, ms, cpu);
    phase_done(&p);
}

/* ---------------------------------------------------------------- hands shaken, starts counted */

static void count_answer(void *arg, struct reply r)
{
    struct reply *first = arg;
    if (r.id == 0)
        *first = r;
}

static void write_all(struct child *c, const char *text)
{
    size_t len = strlen(text);
    if (child_write(c, text, len) != len)
        errx(1, "the pipe is too small");
}

/* Milliseconds until the first answer, counted from `begin`. */
static double first_answer(struct child *c, const char *question, double begin, struct reply *ret)
{
    *ret = (struct reply){.id = -1};
    write_all(c, question);
    while (ret->id < 0) {
        child_wait(c, false);
        child_read(c, count_answer, ret);
    }
    return now_ms() - begin;
}

static void starts(const struct options *o)
{
    const char *question = strcmp(o->start, "discover") ? INITIALIZE : DISCOVER;
    auto_free double *ms = must(calloc((size_t)o->calls, sizeof(*ms)));
    struct reply r = {0};
    for (long i = 0; i < o->calls; i++) {
        double begin = now_ms();
        struct child c = child_start(o->command);
        ms[i] = first_answer(&c, question, begin, &r);
        child_end(&c);
    }
    qsort(ms, (size_t)o->calls, sizeof(*ms), by_value);
    printf("{\"starts\":%ld,\"min_ms\":%.2f,\"p50_ms\":%.2f,\"refused\":%s}\n", o->calls, ms[0], quantile(ms, o->calls, 0.5),
        r.error ? "true" : "false");
}

static void load(const struct options *o)
{
    struct reply r;
    double begin = now_ms();
    struct child c = child_start(o->command);
    double start = first_answer(&c, INITIALIZE, begin, &r);
    if (r.error)
        errx(1, "'%s' does not shake hands", o->command[0]);
    write_all(&c, INITIALIZED);
    if (o->warm)
        phase(o, &c, NULL, (char *[]){(char *)o->warm}, 1, WARM_CALLS);
    putchar('{');
    phase(o, &c, "first", o->files, o->file_count, o->file_count);
    phase(o, &c, "again", o->files, o->file_count, o->calls);
    long largest = 0, tree = tree_kib(c.pid, &largest);
    printf("\"start_ms\":%.2f,\"rss_kib\":%ld,\"tree_kib\":%ld}\n", start, resident_kib(c.pid), tree);
    child_end(&c);
}

/* ---------------------------------------------------------------- the command line */

static _Noreturn void usage(void)
{
    errx(2, "usage: mcp_load -t TOOL [-a MORE_ARGUMENTS] [-n CALLS] [-p IN_FLIGHT] [-w WARM_UP_FILE] FILE... -- COMMAND [ARGUMENT...]\n"
            "       mcp_load -s initialize|discover [-n STARTS] -- COMMAND [ARGUMENT...]");
}

static long number(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (*end || n < 0 || n > MAX_CALLS)
        errx(2, "'%s' is not a number of calls", text);
    return n;
}

static void options_read(struct options *o, int argc, char **argv)
{
    for (int c; (c = getopt(argc, argv, "+t:a:n:p:w:s:")) != -1;)
        switch (c) {
        case 't': o->tool = optarg; break;
        case 'a': o->more = optarg; break;
        case 'n': o->calls = number(optarg); break;
        case 'p': o->flight = number(optarg); break;
        case 'w': o->warm = optarg; break;
        case 's': o->start = optarg; break;
        default: usage();
        }
    if (!strcmp(argv[optind - 1], "--"))
        optind--; /* getopt eats the "--" when no file stands before it */
    o->files = argv + optind;
    while (o->files[o->file_count] && strcmp(o->files[o->file_count], "--")) {
        if (strpbrk(o->files[o->file_count++], "\"\\\n"))
            errx(2, "a file's name must need no escape in JSON");
    }
    o->command = o->files + o->file_count + !!o->files[o->file_count];
}

int main(int argc, char **argv)
{
    struct options o = {.calls = 20, .flight = 1};
    options_read(&o, argc, argv);
    if (!o.command[0] || (o.start ? o.calls < 1 : !o.tool || !o.file_count))
        usage();
    (o.start ? starts : load)(&o);
    return 0;
}
