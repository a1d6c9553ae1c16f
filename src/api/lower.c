/* SPDX-License-Identifier: Apache-2.0 */
/* fovea_lower: the messages of the next request, and the report of how they came about. */
#include <errno.h>
#include <string.h>

#include "api/choosing.h"
#include "api/lowering.h"
#include "api/session.h"
#include "base/fault.h"
#include "base/json_text.h"
#include "base/limits.h"

/* ---------------------------------------------------------------- for whom */

static const char *first_set(const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (words[i] && *words[i])
            return words[i];
    return NULL;
}

/* The config may name its model and its provider apart. */
static const char *config_provider(const fovea *f, const struct model_name *name, const char *words)
{
    return name->provider[0] ? name->provider : f->config.provider && words == f->config.model ? f->config.provider : NULL;
}

int lowering_target(const fovea *f, const char *main, const struct fovea_lower_request *request, struct target *ret,
                    struct fovea_fault *fault)
{
    const struct config *c = &f->config;
    const char *const models[] = {request->model, main, c->role_default, c->model};
    const char *words = first_set(models, COUNT(models));
    struct model_name name;
    if (!words)
        return fault_set(fault, EINVAL, "for which model? name one: PROVIDER/MODEL");
    if (model_name_parse(c->models, words, &name) < 0)
        return fault_set(fault, EINVAL, "\"%.100s\" is no model; write PROVIDER/MODEL", words);
    struct target_ask ask = {.provider = config_provider(f, &name, words),
                             .model = name.id,
                             .wire = request->wire,
                             .bridge = request->bridge,
                             .no_webp = f->no_webp};
    if (!ask.provider)
        return fault_set(fault, EINVAL, "no provider is known for \"%.100s\"; write PROVIDER/MODEL, and name the provider in the config",
                         words);
    return target_make(c->models, &ask, ret, fault);
}

int lowering_aim(fovea_session *s, const struct fovea_lower_request *request, struct lowering_aim *ret,
                 struct fovea_fault *fault)
{
    const fovea *f = session_context(s);
    auto_free char *main = NULL;
    struct lowering_aim aim = {.at = request->at};
    int r = session_main_new(s, &main, fault);
    r = r < 0 ? r : lowering_target(f, main, request, &aim.target, fault);
    if (r < 0)
        return r;
    const char *retain = request->retain ? request->retain : f->config.retention_policy;
    if (policy_parse(retain ? retain : "auto", &aim.policy) < 0)
        return fault_set(fault, EINVAL, "\"%.60s\" is no policy; it is auto, all or turns:N", retain);
    if (aim.at < 0)
        return fault_set(fault, EINVAL, "turns count from 1");
    *ret = aim;
    return 0;
}

/* Field by field: padding has no meaning. */
static bool same_aim(const struct lowering_aim *a, const struct lowering_aim *b)
{
    return a->at == b->at && a->target.wire == b->target.wire && !strcmp(a->target.provider, b->target.provider) &&
           !strcmp(a->target.model, b->target.model) && a->target.bridge == b->target.bridge &&
           a->target.webp == b->target.webp && a->policy.kind == b->policy.kind && a->policy.n == b->policy.n &&
           a->policy.m == b->policy.m;
}

/* The lowering that the slot has, brought up to date, or another in its place. */
static int prepare(fovea_session *s, struct lowering_slot *slot, const struct lowering_aim *aim, struct fovea_fault *fault)
{
    const char *name = NULL;
    int r = session_named(s, &name, fault);
    if (r < 0)
        return r;
    for (int tries = 0; tries < 2; tries++) {
        if (slot->now && !same_aim(&slot->now->aim, aim)) {
            lowering_free(slot->now);
            slot->now = NULL;
        }
        if (!slot->now && (r = lowering_new(session_context(s), name, aim, &slot->now, fault)) < 0)
            return r;
        r = lowering_update(slot->now, fault);
        if (r == 0)
            return 0;
        lowering_free(slot->now);
        slot->now = NULL;
        if (r != -ESTALE) /* deleted and begun anew meanwhile: so are we */
            return r;
    }
    return r;
}

/* ---------------------------------------------------------------- what is written */

/* The last boundary before anything that changed; the last group of all may have grown. */
static size_t resume_at(const struct lowering *l, int64_t changed)
{
    size_t i = l->request == l->request_written ? l->n_boundaries : 0;
    while (i && l->boundaries[i - 1].seq > changed)
        i--;
    return i && l->boundaries[i - 1].seq > 0 ? i - 1 : SIZE_MAX;
}

/* ---------------------------------------------------------------- what is said of it */

/* How the pictures and documents stand in what was written, which is what was decided unless bytes could not be had. */
static struct fovea_lowered count_fates(const struct lowering *l)
{
    struct fovea_lowered n = {.images = (int64_t)l->n_fates};
    for (size_t i = 0; i < l->n_fates; i++) {
        enum fate fate = l->fates[i].fate;
        n.live += fate == FATE_LIVE || fate == FATE_REFIT;
        n.elided += fate == FATE_ELIDED;
        n.refit += fate == FATE_REFIT;
        n.stubbed += fate == FATE_STUB;
    }
    return n;
}

enum { MOST_LISTED = 10000 };

/* [entry, part] of each with that fate; of very many the last. */
static void add_fates(const struct lowering *l, const char *name, enum fate fate, int64_t count, struct buf *to)
{
    size_t n = 0;
    (void)buf_add_format(to, ",\"%s\":[", name);
    for (size_t i = 0; i < l->n_fates; i++) {
        const struct lowering_fate *f = &l->fates[i];
        if (f->fate != fate || count-- > MOST_LISTED)
            continue;
        (void)buf_add_format(to, "%s[%lld,%lld]", n++ ? "," : "", (long long)f->seq, (long long)f->part);
    }
    (void)buf_add_str(to, "]");
}

static const char *thinking_way(const struct replay_thinking *th, bool full)
{
    if (!th->loose)
        return "the leading thinking blocks are left out";
    return full ? "drop_block: the leading thinking blocks are left out, and the server may drop those of the latest answer"
                : "the leading thinking blocks are left out, those of the latest answer too; --full keeps these with drop_block";
}

static char *report_new(const struct lowering *l, const struct request_figures *f, const struct fovea_lowered *n, bool full)
{
    static const char *const ways[] = {[TOOL_NATIVE] = "native", [TOOL_SIBLING] = "sibling", [TOOL_REATTACH] = "reattach"};
    const struct target *t = &l->aim.target;
    struct replay_thinking th = replay_thinking(l->replay);
    auto_buf b = BUF_INIT(2 * LIMIT_REPORT_BYTES);
    (void)buf_add_format(&b, "{\"ok\":true,\"kind\":\"lowering\",\"wire\":\"%s\",\"provider\":", lower_wire_names[t->wire]);
    (void)buf_add_json_str(&b, t->provider);
    (void)buf_add_str(&b, ",\"model\":");
    (void)buf_add_json_str(&b, t->model);
    (void)buf_add_format(&b, ",\"known\":%s,\"tool_images\":\"%s\",\"turn\":%lld,\"entries\":%zu", t->row ? "true" : "false",
                         ways[t->tool_image], (long long)l->turn, l->bodies.n);
    (void)buf_add_format(&b, ",\"tokens\":%lld,\"bytes\":%lld,\"images\":{\"all\":%lld,\"live\":%lld,\"elided\":%lld,"
                             "\"refit\":%lld,\"stubbed\":%lld}",
                         (long long)f->tokens, (long long)f->request_bytes, (long long)n->images, (long long)n->live,
                         (long long)n->elided, (long long)n->refit, (long long)n->stubbed);
    add_fates(l, "elided", FATE_ELIDED, n->elided, &b);
    add_fates(l, "refit", FATE_REFIT, n->refit, &b);
    add_fates(l, "stubbed", FATE_STUB, n->stubbed, &b);
    (void)buf_add_format(&b, ",\"elided_now\":%s%s%s", f->reason ? "\"" : "", f->reason ? f->reason : "null",
                         f->reason ? "\"" : "");
    if (th.before)
        (void)buf_add_format(&b, ",\"thinking\":{\"left_out_before\":%lld,\"way\":\"%s\"}",
                             (long long)(full ? th.before : th.alone), thinking_way(&th, full));
    (void)buf_add_format(&b, ",\"notes\":[%s]}", l->notes.data ? l->notes.data : "");
    return buf_take(&b);
}

static int lower_now(fovea_session *s, struct lowering_slot *slot, const struct fovea_lower_request *q,
                     const struct lowering_output *out, struct fovea_lowered *ret, struct fovea_fault *fault)
{
    struct lowering_aim aim;
    int r = lowering_aim(s, q, &aim, fault);
    r = r == 0 ? prepare(s, slot, &aim, fault) : r;
    r = r == 0 ? lowering_refit(slot->now, fault) : r;
    if (r)
        return r;
    struct lowering *l = slot->now;
    int64_t changed = replay_changed(l->replay);
    size_t from = q->more && l->written ? resume_at(l, changed) : SIZE_MAX;
    size_t kept = from == SIZE_MAX ? 0 : l->boundaries[from].offset;
    buf_done(&l->notes);
    l->notes = (struct buf)BUF_INIT(LIMIT_REPORT_BYTES);
    l->n_notes = 0;
    r = q->full ? lowering_write_full(l, out, fault) : lowering_write(l, from, out, fault);
    if (r < 0)
        return r;
    struct request_figures figures = replay_figures(l->replay);
    *ret = count_fates(l);
    ret->kept = kept;
    ret->turn = l->turn;
    ret->entries = (int64_t)l->bodies.n;
    ret->tokens = figures.tokens;
    free(slot->report);
    slot->report = report_new(l, &figures, ret, q->full);
    return slot->report ? 0 : fault_oom(fault);
}

int fovea_lower(fovea_session *s, const struct fovea_lower_request *request, fovea_write *write, void *arg,
                struct fovea_lowered *ret, struct fovea_fault *fault)
{
    struct lowering_slot *slot = session_lowering(s);
    struct fovea_lowered ignored;
    if (request->more && request->full)
        return fault_set(fault, EINVAL, "more is for the bare array; full gives the whole request");
    (void)pthread_mutex_lock(&slot->lock);
    int r = lower_now(s, slot, request, &(struct lowering_output){.write = write, .arg = arg}, ret ? ret : &ignored, fault);
    (void)pthread_mutex_unlock(&slot->lock);
    return r;
}

char *fovea_session_report_new(fovea_session *s)
{
    struct lowering_slot *slot = session_lowering(s);
    (void)pthread_mutex_lock(&slot->lock);
    char *copy = strdup(slot->report ? slot->report : "{\"ok\":false,\"kind\":\"lowering\"}");
    (void)pthread_mutex_unlock(&slot->lock);
    return copy;
}
