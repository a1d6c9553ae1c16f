/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea session list`, `delete`, `fresh` and `fsck`: sessions as a whole. */
#include <string.h>
#include <time.h>

#include "base/json_text.h"
#include "base/text.h"
#include "out.h"
#include "session.h"

enum { NAME_WIDTH = 32 };

struct listing {
    struct buf b;
    bool json;
    unsigned told;
};

static void add_time(char to[32], int64_t ms)
{
    struct tm t;
    time_t seconds = (time_t)(ms / 1000);
    if (!gmtime_r(&seconds, &t) || !strftime(to, 32, "%Y-%m-%d %H:%M:%S", &t))
        to[0] = '\0';
}

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* ---------------------------------------------------------------- list */

/* Its members, without the braces. */
static void add_info(struct buf *b, const struct fovea_session_info *i)
{
    (void)buf_add_str(b, "\"name\":");
    (void)buf_add_json_str(b, i->name);
    (void)buf_add_format(b, ",\"entries\":%lld,\"created_ms\":%lld,\"last_ms\":%lld,\"bytes\":%lld,\"blobs\":%lld,"
                            "\"blob_bytes\":%lld",
                         (long long)i->entries, (long long)i->created_ms, (long long)i->last_ms, (long long)i->bytes,
                         (long long)i->blobs, (long long)i->blob_bytes);
}

static void tell(const struct fovea_session_info *i, void *arg)
{
    struct listing *l = arg;
    char when[32];
    if (l->json) {
        (void)buf_add_str(&l->b, l->told++ ? ",{" : "{");
        add_info(&l->b, i);
        (void)buf_add_str(&l->b, "}");
        return;
    }
    add_time(when, i->last_ms);
    if (!l->told++)
        (void)buf_add_format(&l->b, "%-*s %9s  %-20s %13s %9s %13s\n", NAME_WIDTH, "session", "entries", "last (UTC)", "bytes",
                             "pictures", "their bytes");
    size_t from = l->b.len;
    (void)buf_add_shown(&l->b, i->name, LIMIT_SESSION_NAME);
    (void)buf_add_format(&l->b, "%*s %9lld  %-20s %13lld %9lld %13lld\n", (int)(NAME_WIDTH - MIN(l->b.len - from, NAME_WIDTH)), "",
                         (long long)i->entries, when, (long long)i->bytes, (long long)i->blobs, (long long)i->blob_bytes);
}

int session_list(struct invocation *in)
{
    const struct session_values *v = in->values;
    struct fovea_fault fault;
    auto_opened o = {0};
    struct listing l = {.b = BUF_INIT(LIMIT_USAGE_TEXT), .json = v->json};
    int bad = session_open(in, NULL, v->json, &o);
    if (bad)
        return bad;
    if (l.json)
        (void)buf_add_str(&l.b, "{\"ok\":true,\"kind\":\"sessions\",\"sessions\":[");
    int r = fovea_sessions(o.f, NULL, tell, &l, &fault);
    if (l.json)
        (void)buf_add_str(&l.b, "]}\n");
    else if (!l.told)
        (void)buf_add_str(&l.b, "no sessions yet\n");
    bad = r < 0 ? out_fault(&fault, v->json, record_exit(r)) : out_buf(&l.b);
    buf_done(&l.b);
    return bad;
}

/* ---------------------------------------------------------------- delete */

/* What will be gone, said before it is. */
static void note_deleted(const struct fovea_session_info *i, void *arg)
{
    struct listing *l = arg;
    if (l->json) {
        (void)buf_add_str(&l->b, "{\"ok\":true,\"kind\":\"deleted\",");
        add_info(&l->b, i);
        (void)buf_add_str(&l->b, "}\n");
    } else {
        (void)buf_add_str(&l->b, "deleted ");
        (void)buf_add_shown(&l->b, i->name, LIMIT_SESSION_NAME);
        (void)buf_add_format(&l->b, ": %lld entr%s, %lld picture%s or document%s\n", (long long)i->entries,
                             i->entries == 1 ? "y" : "ies", (long long)i->blobs, plural(i->blobs), plural(i->blobs));
    }
}

int session_delete(struct invocation *in)
{
    const struct session_values *v = in->values;
    struct fovea_fault fault;
    auto_opened o = {0};
    struct listing l = {.b = BUF_INIT(LIMIT_CLI_WORDS), .json = v->json};
    int bad = session_open(in, in->args[1], v->json, &o);
    if (bad)
        return bad;
    int r = fovea_sessions(o.f, in->args[1], note_deleted, &l, &fault);
    r = r < 0 ? r : fovea_session_delete(o.f, in->args[1], &fault);
    bad = r < 0 ? out_fault(&fault, v->json, record_exit(r)) : out_buf(&l.b);
    buf_done(&l.b);
    return bad;
}

/* ---------------------------------------------------------------- fresh */

int session_fresh(struct invocation *in)
{
    const struct session_values *v = in->values;
    struct fovea_fault fault = {0};
    auto_opened o = {0};
    auto_buf b = BUF_INIT(LIMIT_CLI_WORDS);
    int bad = session_open(in, in->args[1], v->json, &o);
    if (bad)
        return bad;
    int r = fovea_session_fresh(o.session, in->args[2], &fault);
    if (r < 0)
        return out_fault(&fault, v->json, record_exit(r));
    if (v->json)
        (void)buf_add_format(&b, "{\"ok\":true,\"kind\":\"fresh\",\"fresh\":%s}\n", r ? "true" : "false");
    else if (!r)
        say("'%s' is not what this session has read: %s", in->args[2],
            fault.text[0] ? fault.text : "it was never read here, or has changed since; read it again");
    bad = out_buf(&b);
    return bad ? bad : r ? EXIT_DONE : EXIT_REFUSED;
}

/* ---------------------------------------------------------------- fsck */

static void tell_problem(const struct fovea_problem *p, void *arg)
{
    struct listing *l = arg;
    if (l->json) {
        (void)buf_add_str(&l->b, l->told++ ? ",{\"session\":" : "{\"session\":");
        (void)buf_add_json_str(&l->b, p->session);
        (void)buf_add_format(&l->b, ",\"entry\":%lld,\"repaired\":%s,\"what\":", (long long)p->entry,
                             p->repaired ? "true" : "false");
        (void)buf_add_json_str(&l->b, p->what);
        (void)buf_add_str(&l->b, "}");
        return;
    }
    (void)buf_add_str(&l->b, *p->session ? "session " : "record");
    (void)buf_add_shown(&l->b, p->session, LIMIT_SESSION_NAME);
    if (p->entry)
        (void)buf_add_format(&l->b, ", entry %lld", (long long)p->entry);
    (void)buf_add_str(&l->b, ": ");
    (void)buf_add_shown(&l->b, p->what, 500);
    (void)buf_add_str(&l->b, p->repaired ? " (repaired)\n" : "\n");
}

static void add_checked(struct listing *l, const struct fovea_checked *c)
{
    if (l->json)
        (void)buf_add_format(&l->b, "],\"sessions\":%lld,\"entries\":%lld,\"blobs\":%lld,\"bytes\":%lld,\"left\":%lld}\n",
                             (long long)c->sessions, (long long)c->entries, (long long)c->blobs, (long long)c->bytes,
                             (long long)c->problems);
    else
        (void)buf_add_format(&l->b, "%lld session%s, %lld entries, %lld pictures and documents, %lld bytes: %lld problem%s\n",
                             (long long)c->sessions, plural(c->sessions), (long long)c->entries, (long long)c->blobs,
                             (long long)c->bytes, (long long)c->problems, plural(c->problems));
}

int session_fsck(struct invocation *in)
{
    const struct session_values *v = in->values;
    struct fovea_fault fault;
    struct fovea_checked checked;
    auto_opened o = {0};
    struct listing l = {.b = BUF_INIT(LIMIT_USAGE_TEXT), .json = v->json};
    int bad = session_open(in, in->args[1], v->json, &o);
    if (bad)
        return bad;
    if (l.json)
        (void)buf_add_str(&l.b, "{\"ok\":true,\"kind\":\"fsck\",\"problems\":[");
    int r = fovea_record_check(o.f, in->args[1], v->repair, tell_problem, &l, &checked, &fault);
    if (r == 0)
        add_checked(&l, &checked);
    bad = r < 0 ? out_fault(&fault, v->json, record_exit(r)) : out_buf(&l.b);
    buf_done(&l.b);
    return bad ? bad : checked.problems ? EXIT_REFUSED : EXIT_DONE;
}
