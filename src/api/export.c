/* SPDX-License-Identifier: Apache-2.0 */
/* fovea_session_export: a session as it was recorded, in the neutral form or in that of a wire. */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "api/lowering.h"
#include "api/session.h"
#include "base/b64.h"
#include "base/fault.h"
#include "base/json_read.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "transcript/transcript.h"

/* ---------------------------------------------------------------- neutral */

struct lines {
    struct record *record;
    fovea_write *write;
    void *arg;
    bool data;
    struct fovea_fault *fault;
};

static int put(void *arg, const char *piece, size_t len)
{
    const struct lines *to = arg;
    int r = to->write(to->arg, piece, len);
    return r < 0 ? fault_set(to->fault, r, "the output cannot be written: %s", strerror(-r)) : 0;
}

/* The bytes that an object tells the sha256 of, as its `data`. 1 with them, 0 it tells none. */
static int put_data(const struct lines *to, json_t *object)
{
    const char *hex = json_string_value(json_object_get(object, "sha256"));
    uint8_t sha256[SHA256_LEN];
    void *data = NULL;
    size_t len;
    if (!sha256_unhex(hex, sha256))
        return 0;
    int r = record_blob(to->record, sha256, &data, &len, to->fault);
    if (r < 0)
        return r;
    auto_buf b = BUF_INIT(B64_LEN(LIMIT_BLOB_BYTES) + 1);
    (void)buf_add_base64(&b, data, len);
    free(data);
    json_t *text = b.error ? NULL : json_stringn_nocheck(b.len ? b.data : "", b.len);
    return json_object_set_new(object, "data", text) == 0 ? 1 : fault_oom(to->fault);
}

/* `data` in place of what was worked out from it: such an entry can be appended elsewhere. */
static int add_data(const struct lines *to, json_t *part)
{
    static const char *const made[] = {"sha256", "bytes", "width", "height", "broken"};
    int r = put_data(to, part);
    for (size_t i = 0; r == 1 && i < COUNT(made); i++)
        (void)json_object_del(part, made[i]);
    return MIN(r, 0);
}

static int write_with_data(struct lines *to, const char *body, size_t body_len)
{
    json_t *entry = json_read(body, body_len, JSON_ALLOW_NUL, NULL), *part;
    size_t i, len;
    int r = entry ? 0 : fault_oom(to->fault);
    json_array_foreach(json_object_get(entry, "parts"), i, part)
        r = r == 0 ? add_data(to, part) : r;
    static const char *const sources[] = {"source", "against"};
    for (size_t k = 0; r == 0 && k < COUNT(sources); k++) /* what a view was made of is found by its hash: that stays */
        r = MIN(put_data(to, json_object_get(json_object_get(entry, "result"), sources[k])), 0);
    auto_free char *text = r == 0 ? entry_text_new(entry, &len) : NULL;
    json_decref(entry);
    if (r == 0 && !text)
        return fault_oom(to->fault);
    return r == 0 ? put(to, text, len) : r;
}

static int write_line(void *arg, int64_t seq, const char *json, size_t len)
{
    struct lines *to = arg;
    (void)seq;
    int r = to->data ? write_with_data(to, json, len) : put(to, json, len);
    return r == 0 ? put(to, "\n", 1) : r;
}

/* ---------------------------------------------------------------- a wire's */

/* The host that is known by a wire stands for all who speak it. */
static int target_of(const fovea *f, const char *wire, struct target *ret, struct fovea_fault *fault)
{
    static const char *const hosts[LOWER_WIRES] = {[LOWER_ANTHROPIC] = "anthropic", [LOWER_CHAT] = "openai",
                                                   [LOWER_RESPONSES] = "openai", [LOWER_GEMINI] = "google"};
    int which = lower_wire_find(wire);
    if (which < 0)
        return fault_set(fault, EINVAL, "\"%.60s\" is no wire; it is anthropic, openai-chat, openai-responses or gemini", wire);
    return target_make(f->config.models, &(struct target_ask){.provider = hosts[which], .model = "", .wire = wire}, ret, fault);
}

static int export_wire(fovea *f, const char *session, const char *wire, bool full, const struct lowering_output *out,
                       struct fovea_fault *fault)
{
    struct lowering_aim aim = {.policy = {.kind = POLICY_ALL}};
    struct lowering *l = NULL;
    int r = target_of(f, wire, &aim.target, fault);
    r = r == 0 ? lowering_new(f, session, &aim, &l, fault) : r;
    r = r == 0 ? lowering_update(l, fault) : r;
    if (r == 0)
        r = full ? lowering_write_full(l, out, fault) : lowering_write(l, SIZE_MAX, out, fault);
    lowering_free(l);
    return r;
}

int fovea_session_export(fovea_session *s, const char *wire, unsigned flags, fovea_write *write, void *arg,
                         struct fovea_fault *fault)
{
    struct session_place at;
    int r = session_place(s, &at, fault);
    if (r < 0)
        return r;
    struct lines to = {at.record, write, arg, flags & FOVEA_JSON_DATA, fault};
    if (wire)
        return export_wire(at.f, at.name, wire, flags & FOVEA_EXPORT_FULL,
                           &(struct lowering_output){.write = put, .arg = &to, .as_is = true}, fault);
    return session_each(&at, 0, write_line, &to, fault);
}
