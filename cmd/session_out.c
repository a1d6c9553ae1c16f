/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea session show` and `export`: a conversation for people, and for programs. One entry is held at a time. */
#include <string.h>
#include <time.h>

#include "out.h"
#include "session.h"
#include "sink.h"

/* ---------------------------------------------------------------- show */

struct drawing_of {
    const struct session_values *v;
    bool colours;
    int64_t turn, last_turn; /* the one that is drawn, the last one to draw; 0 none */
    int code;
};

/* What show itself needs of an entry. */
struct head {
    bool starts_turn;
    int64_t at;
    struct span kind;
};

static struct head read_head(const char *json, size_t len)
{
    struct head h = {0};
    bool join = false;
    struct span_walk w = entry_members(json, len);
    while (span_next(&w)) {
        if (span_is(w.key, "kind"))
            h.kind = span_inside(w.value);
        else if (span_is(w.key, "at"))
            (void)span_int(w.value, &h.at);
        else if (span_is(w.key, "join"))
            join = span_true(w.value);
    }
    h.starts_turn = span_is(h.kind, "user") && !join;
    return h;
}

static const char *colour_of(struct span kind)
{
    static const struct {
        const char *kind, *colour;
    } colours[] = {
        {"user", "\033[1;36m"}, {"assistant", "\033[1;32m"}, {"tool_result", "\033[33m"}, {"perception", "\033[33m"},
    };
    for (size_t i = 0; i < COUNT(colours); i++)
        if (span_is(kind, colours[i].kind))
            return colours[i].colour;
    return "\033[2m";
}

static void add_turn(struct buf *b, const struct drawing_of *d, int64_t at)
{
    char when[32] = "";
    struct tm t;
    time_t seconds = (time_t)(at / 1000);
    if (at > 0 && gmtime_r(&seconds, &t))
        (void)strftime(when, sizeof when, " · %Y-%m-%d %H:%M:%SZ", &t);
    (void)buf_add_format(b, "%s%s── turn %lld%s ──%s\n", d->turn > 1 ? "\n" : "", d->colours ? "\033[2m" : "",
                         (long long)d->turn, when, d->colours ? "\033[0m" : "");
}

/* "12  user", then lines that stand under the words. */
static void add_drawn(struct buf *b, const struct drawing_of *d, int64_t seq, struct span kind, const char *text)
{
    size_t first = strcspn(text, "\n");
    (void)buf_add_format(b, "%4lld  %s%.*s%s\n", (long long)seq, d->colours ? colour_of(kind) : "", (int)first, text,
                         d->colours ? "\033[0m" : "");
    for (text += first; *text; text += strcspn(text, "\n")) {
        text++;
        (void)buf_add_str(b, "      ");
        (void)buf_add(b, text, strcspn(text, "\n"));
        (void)buf_add_str(b, "\n");
    }
}

static int draw(void *arg, int64_t seq, const char *json, size_t len)
{
    struct drawing_of *d = arg;
    struct head h = read_head(json, len);
    auto_buf b = BUF_INIT(LIMIT_CLI_ANSWER);
    d->turn += h.starts_turn;
    if (d->last_turn && d->turn > d->last_turn)
        return 1;
    if (d->v->json) {
        (void)buf_add_format(&b, "{\"seq\":%lld,\"turn\":%lld,\"entry\":", (long long)seq, (long long)d->turn);
        (void)(isatty(STDOUT_FILENO) ? (int)buf_add_json_shown(&b, json, len, true) : buf_add(&b, json, len));
        (void)buf_add_str(&b, "}\n");
    } else {
        auto_free char *text = fovea_render_entry_new(json, len, d->v->expanded);
        if (!text)
            return -ENOMEM;
        if (h.starts_turn)
            add_turn(&b, d, h.at);
        add_drawn(&b, d, seq, h.kind, text);
    }
    d->code = out_buf(&b);
    return d->code ? -EPIPE : 0;
}

static int count_turn(void *arg, int64_t seq, const char *json, size_t len)
{
    int64_t *turns = arg;
    (void)seq;
    *turns += read_head(json, len).starts_turn;
    return 0;
}

/* Before anything is drawn: is there such a turn? 0, or an exit code after saying so. */
static int check_turn(const struct opened *o, const char *name, const struct drawing_of *d)
{
    struct fovea_fault fault;
    int64_t turns = 0;
    if (!d->last_turn)
        return 0;
    int r = fovea_session_entries(o->session, 0, count_turn, &turns, &fault);
    if (r < 0)
        return out_fault(&fault, d->v->json, record_exit(r));
    if (d->last_turn <= turns)
        return 0;
    say("session \"%s\" has %lld turn%s; there is no turn %lld", name, (long long)turns, turns == 1 ? "" : "s",
        (long long)d->last_turn);
    return EXIT_USAGE;
}

int session_show(struct invocation *in)
{
    const struct session_values *v = in->values;
    struct fovea_fault fault;
    auto_opened o = {0};
    const char *no_color = getenv("NO_COLOR");
    struct drawing_of d = {.v = v, .colours = !v->json && isatty(STDOUT_FILENO) && !(no_color && *no_color)};
    int bad = number_above_0("session show", "at", v->at, &d.last_turn);
    bad = bad ? bad : session_open(in, in->args[1], v->json, &o);
    bad = bad ? bad : session_exists(&o, in->args[1], v->json);
    bad = bad ? bad : check_turn(&o, in->args[1], &d);
    if (bad)
        return bad;
    int r = fovea_session_entries(o.session, 0, draw, &d, &fault);
    if (d.code)
        return d.code;
    return r < 0 ? out_fault(&fault, v->json, record_exit(r)) : EXIT_DONE;
}

/* ---------------------------------------------------------------- export */

int session_export(struct invocation *in)
{
    const struct session_values *v = in->values;
    struct fovea_fault fault;
    auto_opened o = {0};
    auto_sink sink;
    sink_init(&sink);
    if (v->full && !v->wire) {
        say("'session export' takes --full with --wire only: entries have no request around them");
        return EXIT_USAGE;
    }
    int bad = wire_check("session export", v->wire);
    bad = bad ? bad : session_open(in, in->args[1], false, &o);
    bad = bad ? bad : session_exists(&o, in->args[1], false);
    if (bad)
        return bad;
    unsigned flags = (v->data ? FOVEA_JSON_DATA : 0) | (v->full ? FOVEA_EXPORT_FULL : 0);
    int r = fovea_session_export(o.session, v->wire, flags, sink_write, &sink, &fault);
    return sink_end(&sink, r, v->wire ? "\n" : "", &fault);
}
