/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea lower --simulate` and `fovea lower --trace`: what policies cost, and conversations to try them on. */
#include <fcntl.h>
#include <string.h>

#include "base/io.h"
#include "lower.h"
#include "options.h"
#include "out.h"
#include "replace.h"
#include "sink.h"

int trace_check(const char *name)
{
    auto_buf all = BUF_INIT(LIMIT_CLI_WORDS);
    for (const char *const *t = fovea_traces(); name && *t; t++) {
        if (!strcmp(name, *t))
            return 0;
        (void)buf_add_format(&all, "%s%s", all.len ? ", " : "", *t);
    }
    const char *near = name ? nearest(name, fovea_traces()) : NULL;
    if (name && near)
        say("no trace '%s'; did you mean '%s'?", name, near);
    else if (name)
        say("no trace '%s'; there is %s", name, all.data ? all.data : "none");
    return name ? EXIT_USAGE : 0;
}

static int write_through(const char *path, const char *data, size_t len)
{
    auto_close int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
    return fd < 0 ? -errno : write_all(fd, data, len);
}

int write_file(const char *path, const char *data, size_t len)
{
    struct stat st;
    bool there = lstat(path, &st) == 0;
    int r = there && !S_ISREG(st.st_mode) ? write_through(path, data, len)
                                           : replace_file(path, data, len, there ? &st : NULL, 0666, false);
    if (r == 0)
        return EXIT_DONE;
    say("cannot write '%s': %s", path, strerror(-r));
    return EXIT_FAULT;
}

/* A fovea_write with a struct buf. */
static int hold(void *arg, const char *piece, size_t len)
{
    return buf_add(arg, piece, len);
}

static int plot(fovea *f, struct fovea_simulate_request request, const char *file)
{
    struct fovea_fault fault;
    auto_buf drawing = BUF_INIT(LIMIT_CLI_PLOT);
    request.form = "svg";
    int r = fovea_simulate(f, &request, hold, &drawing, &fault);
    if (r < 0)
        return out_fault(&fault, false, r == -EINVAL ? EXIT_USAGE : record_exit(r));
    return write_file(file, drawing.data ? drawing.data : "", drawing.len);
}

int lower_simulate(struct invocation *in)
{
    const struct lower_values *v = in->values;
    struct fovea_fault fault;
    auto_opened o = {0};
    auto_sink sink;
    struct fovea_simulate_request request = {
        .session = v->trace ? NULL : in->args[0], .trace = v->trace, .model = v->model, .wire = v->wire,
        .policies = v->policies, .form = v->json ? "json" : "table"};
    sink_init(&sink);
    int bad = number_above_0("lower", "base-tokens", v->base, &request.base_tokens);
    bad = bad ? bad : session_open(in, request.session, false, &o);
    bad = bad || v->trace ? bad : session_exists(&o, request.session, false);
    bad = bad || !v->plot ? bad : plot(o.f, request, v->plot);
    if (bad)
        return bad;
    int r = fovea_simulate(o.f, &request, sink_write, &sink, &fault);
    if (r == -EINVAL && !sink.error)
        return out_fault(&fault, false, EXIT_USAGE);
    return sink_end(&sink, r, v->json ? "\n" : "", &fault);
}

int lower_trace(struct invocation *in)
{
    const struct lower_values *v = in->values;
    struct fovea_fault fault;
    auto_sink sink;
    sink_init(&sink);
    int r = fovea_trace(v->trace, sink_write, &sink, &fault);
    return sink_end(&sink, r, "", &fault);
}
