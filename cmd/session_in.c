/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea session append`, `import` and `reject`: what is added to a record. */
#include <string.h>

#include "base/json_text.h"
#include "out.h"
#include "session.h"

/* Reads FILE, or stdin when it is NULL or "-". 0, or an exit code after saying why. */
static int take_input(const char *file, bool json, struct buf *b)
{
    struct fovea_fault fault;
    int r = read_named(file ? file : "-", b);
    if (r == 0)
        return 0;
    fault.code = r;
    (void)snprintf(fault.text, sizeof fault.text, "cannot read %.200s: %s", !file || !strcmp(file, "-") ? "stdin" : file,
                   r == -EFBIG ? "it is too long" : strerror(-r));
    return out_fault(&fault, json, r == -ENOMEM || r == -EIO ? EXIT_FAULT : EXIT_REFUSED);
}

/* "3", "3-7"; nothing where nothing was appended. */
static void add_numbers(struct buf *b, const struct fovea_appended *a)
{
    if (a->first)
        (void)buf_add_format(b, "%lld", (long long)a->first);
    if (a->last > a->first)
        (void)buf_add_format(b, "-%lld", (long long)a->last);
}

static void add_json(struct buf *b, const struct fovea_appended *a, const char *kind)
{
    (void)buf_add_format(b, "{\"ok\":true,\"kind\":\"%s\",\"first\":%lld,\"last\":%lld,\"again\":%s}\n", kind,
                         (long long)a->first, (long long)a->last, a->again ? "true" : "false");
}

int session_append(struct invocation *in)
{
    const struct session_values *v = in->values;
    struct fovea_fault fault;
    struct fovea_appended appended;
    auto_opened o = {0};
    auto_buf input = BUF_INIT(LIMIT_TRANSCRIPT_BYTES + 1), b = BUF_INIT(LIMIT_CLI_WORDS);
    int bad = session_open(in, in->args[1], v->json, &o);
    bad = bad ? bad : take_input(in->args[2], v->json, &input);
    if (bad)
        return bad;
    int r = fovea_session_append(o.session, input.data ? input.data : "", input.len, v->key, &appended, &fault);
    if (r < 0)
        return out_fault(&fault, v->json, record_exit(r));
    if (v->json) {
        add_json(&b, &appended, "appended");
    } else {
        add_numbers(&b, &appended);
        (void)buf_add_str(&b, "\n");
    }
    return out_buf(&b);
}

int session_import(struct invocation *in)
{
    const struct session_values *v = in->values;
    struct fovea_fault fault;
    struct fovea_appended appended;
    auto_opened o = {0};
    auto_buf input = BUF_INIT(LIMIT_TRANSCRIPT_BYTES + 1), b = BUF_INIT(LIMIT_CLI_WORDS);
    if (!v->wire) {
        say("'session import' needs --wire: anthropic, openai-chat, openai-responses or gemini");
        return EXIT_USAGE;
    }
    int bad = wire_check("session import", v->wire);
    bad = bad ? bad : session_open(in, in->args[1], v->json, &o);
    bad = bad ? bad : take_input(in->args[2], v->json, &input);
    if (bad)
        return bad;
    int r = fovea_session_import(o.session, v->wire, input.data ? input.data : "", input.len, &appended, &fault);
    if (r < 0)
        return out_fault(&fault, v->json, record_exit(r));
    long long n = appended.first ? (long long)(appended.last - appended.first + 1) : 0;
    if (v->json) {
        add_json(&b, &appended, "imported");
    } else {
        (void)buf_add_format(&b, "%lld new%s", n, n ? ": " : "");
        add_numbers(&b, &appended);
        (void)buf_add_str(&b, "\n");
    }
    return out_buf(&b);
}

static int print_repair(const struct fovea_repair *repair, bool json)
{
    auto_buf b = BUF_INIT(LIMIT_CLI_WORDS);
    if (json) {
        (void)buf_add_format(&b, "{\"ok\":true,\"kind\":\"repair\",\"entry\":%lld,\"part\":%lld,\"how\":\"%s\",\"again\":%s,"
                                 "\"why\":", (long long)repair->entry, (long long)repair->part, repair->how,
                             repair->again ? "true" : "false");
        (void)buf_add_json_str(&b, repair->why);
        (void)buf_add_str(&b, "}\n");
    } else {
        (void)buf_add_format(&b, "entry %lld, part %lld: %s%s: %s\n", (long long)repair->entry, (long long)repair->part,
                             repair->how, repair->again ? " (it was repaired before)" : "", repair->why);
    }
    return out_buf(&b);
}

int session_reject(struct invocation *in)
{
    const struct session_values *v = in->values;
    struct fovea_fault fault;
    struct fovea_repair repair;
    auto_opened o = {0};
    auto_buf error = BUF_INIT(LIMIT_PROVIDER_ERROR);
    const struct fovea_lower_request request = {.model = v->model, .wire = v->wire, .retain = v->retain};
    if (!v->error) {
        say("'session reject' needs --error: the file with what the provider answered");
        return EXIT_USAGE;
    }
    int bad = wire_check("session reject", v->wire);
    bad = bad ? bad : session_open(in, in->args[1], v->json, &o);
    bad = bad ? bad : session_exists(&o, in->args[1], v->json);
    bad = bad ? bad : take_input(v->error, v->json, &error);
    if (bad)
        return bad;
    int r = fovea_session_reject(o.session, &request, error.data ? error.data : "", error.len, &repair, &fault);
    if (r < 0)
        return out_fault(&fault, v->json, r == -EINVAL ? EXIT_USAGE : record_exit(r));
    return print_repair(&repair, v->json);
}
