/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces to stdout: see sink.h. */
#include "sink.h"

#include <string.h>

#include "base/io.h"
#include "out.h"
#include "session.h"

void sink_init(struct sink *s)
{
    *s = (struct sink){.held = BUF_INIT(LIMIT_CLI_PIECE), .terminal = isatty(STDOUT_FILENO)};
}

void sink_done(struct sink *s)
{
    buf_done(&s->held);
}

static int put(struct sink *s, const char *data, size_t len)
{
    int r = s->error ? s->error : write_all(STDOUT_FILENO, data, len);
    return s->error = r;
}

/* What could act there is escaped. The beginning of a character waits for the rest of it. */
static void flush_shown(struct sink *s, bool last)
{
    auto_buf shown = BUF_INIT(LIMIT_CLI_PIECE * 12);
    size_t taken = buf_add_json_shown(&shown, s->held.data, s->held.len, last);
    if (shown.error)
        s->error = shown.error;
    else
        (void)put(s, shown.data, shown.len);
    s->held.len -= taken;
    memmove(s->held.data, s->held.data + taken, s->held.len);
}

static void flush(struct sink *s, bool last)
{
    if (s->terminal) {
        flush_shown(s, last);
        return;
    }
    (void)put(s, s->held.data, s->held.len);
    s->held.len = 0;
}

int sink_write(void *arg, const char *piece, size_t len)
{
    struct sink *s = arg;
    while (len && !s->error) {
        size_t n = MIN(len, LIMIT_CLI_PIECE - 1 - s->held.len);
        if (!s->terminal && !s->held.len && len >= LIMIT_CLI_PIECE)
            return put(s, piece, len);
        if (buf_add(&s->held, piece, n) < 0)
            return s->error = s->held.error;
        if (s->held.len >= LIMIT_CLI_PIECE - 1)
            flush(s, false);
        piece += n;
        len -= n;
    }
    return s->error;
}

int sink_end(struct sink *s, int r, const char *end, const struct fovea_fault *fault)
{
    if (r < 0 && !s->error)
        return out_fault(fault, false, record_exit(r));
    if (!s->error && sink_write(s, end, strlen(end)) == 0 && s->held.len)
        flush(s, true);
    if (!s->error)
        return EXIT_DONE;
    if (s->error != -EPIPE)
        say("cannot write to stdout: %s", strerror(-s->error));
    return s->error == -EPIPE ? EXIT_REFUSED : EXIT_FAULT;
}
