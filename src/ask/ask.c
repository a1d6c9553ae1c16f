/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One question: see ask.h. At most three requests go out: the question; the question again with the schema in words, when
 * the provider would not have it as structured output; and the repair. What each cost is added up whatever came of it.
 */
#include "ask/ask.h"

#include <string.h>

#include "ask/ask_priv.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "provider/provider.h"

#define SCHEMA_ROOM (8 * LIMIT_SCHEMA_BYTES) /* 1e9 is written in full */
#define AS_SCHEMA "Reply with ONLY a JSON object that matches this JSON Schema:\n"

static void dialogue_done(struct dialogue *k)
{
    json_decref(k->schema);
    buf_done(&k->schema_text);
    free(k->parts);
}

void ask_answer_done(struct ask_answer *a)
{
    if (!a)
        return;
    free(a->text);
    free(a->words);
    json_decref(a->parsed);
    *a = (struct ask_answer){0};
}

static void on_lost(void *arg, int code, const struct wire_reply *r)
{
    ask_count(arg, code, r);
}

static int call(struct dialogue *k, struct wire_reply *reply)
{
    const struct ask_question *q = k->q;
    struct wire_request request = {
        .host = &k->host, .model = q->choice->id, .instructions = q->instructions, .turns = k->turns, .count = k->count,
        .schema = k->form == SCHEMA_PROMPT ? NULL : k->schema, .strict = k->form == SCHEMA_STRICT,
        .effort = ask_effort(q->choice->effort), .max_output = ask_max_output(q->choice, &k->host, q->max_output),
        .full_detail = q->full_detail, .stream = true,
    };
    struct provider_call c = {
        .request = &request, .key = q->choice->api_key, .ca_file = q->ca_file, .cancel = q->cancel,
        .total_ms = k->deadline == INT64_MAX ? 0 : k->deadline - clock_ms(),
        .on_text = q->schema ? NULL : q->on_text, .ctx = q->on_text_arg, .on_lost = on_lost, .lost_arg = k,
    };
    struct fovea_fault f = {0};
    if (k->deadline != INT64_MAX && c.total_ms <= 0)
        return ask_end_with(k, ASK_TIMED_OUT, "no time was left to ask again");
    int code = provider_ask(k->asker->http, &c, reply, &f);
    if (code == -ENOMEM || code == -ENOSYS)
        return code == -ENOMEM ? fault_oom(k->fault) : fault_set(k->fault, code, "%s", f.text);
    ask_count(k, code, reply);
    return ask_settle(k, code, reply, &f);
}

/* The user's turn, with the schema in words where it has no other way. */
static void set_question(struct dialogue *k)
{
    size_t n = k->q->n_media;
    k->parts[n] = (struct wire_part){.kind = WIRE_TEXT, .text = k->q->text};
    k->parts[n + 1] = (struct wire_part){.kind = WIRE_TEXT, .text = k->schema_text.data};
    k->turns[0] = (struct wire_turn){WIRE_USER, k->parts, n + 1 + (k->q->schema && k->form == SCHEMA_PROMPT)};
    k->count = 1;
}

static int ask_first(struct dialogue *k)
{
    auto_reply reply;
    wire_reply_init(&reply, NULL);
    set_question(k);
    int r = call(k, &reply);
    if (r < 0 || !ask_schema_refused(k, &reply))
        return r;
    k->form = SCHEMA_PROMPT;
    set_question(k);
    wire_reply_done(&reply);
    return call(k, &reply);
}

/* ---------------------------------------------------------------- the answer as JSON */

/* 0: it is as it must be. 1: words say why it is not. */
static int check(struct dialogue *k, struct buf *words)
{
    struct ask_json j;
    struct ask_answer *a = k->out;
    int r = ask_json_read(k->q->schema, a->text, &j, words);
    if (r == 1 && a->cut)
        (void)buf_add_str(words, "; it was cut off by the limit of output tokens");
    if (r < 0 || words->error)
        return fault_oom(k->fault);
    if (r)
        return 1;
    a->parsed = j.value;
    memmove(a->text, j.text, j.len);
    a->text[j.len] = '\0';
    return 0;
}

/* The same conversation, what was said in it, and what is wrong with that. */
static int ask_repair(struct dialogue *k, const char *wrong)
{
    auto_buf text = BUF_INIT(SCHEMA_ROOM + LIMIT_ASK_WORDS);
    auto_free char *said = take(k->out->text);
    auto_reply reply;
    wire_reply_init(&reply, NULL);
    (void)buf_add_format(&text, "Your answer does not match the JSON Schema: %s\n"
                                "Reply with ONLY the corrected JSON object, without any other text.", wrong);
    if (k->form != SCHEMA_PROMPT) /* a host may have passed it over */
        (void)buf_add_format(&text, "\nThe JSON Schema:\n%s", k->schema_text.data + strlen(AS_SCHEMA));
    if (text.error)
        return fault_oom(k->fault);
    k->said = (struct wire_part){.kind = WIRE_TEXT, .text = said};
    k->repair = (struct wire_part){.kind = WIRE_TEXT, .text = text.data};
    k->turns[1] = (struct wire_turn){WIRE_ASSISTANT, &k->said, 1};
    k->turns[2] = (struct wire_turn){WIRE_USER, &k->repair, 1};
    k->count = 3;
    int r = call(k, &reply);
    if (!r && k->out->end == ASK_EMPTY) { /* no better than what there was */
        free(k->out->text);
        k->out->text = take(said);
        return ask_end_with(k, ASK_NOT_JSON, wrong);
    }
    return r;
}

static int make_json(struct dialogue *k)
{
    auto_buf wrong = BUF_INIT(LIMIT_ASK_WORDS), still = BUF_INIT(LIMIT_ASK_WORDS);
    int r = check(k, &wrong);
    if (r <= 0)
        return r;
    r = ask_repair(k, wrong.data);
    if (r < 0 || k->out->end != ASK_ANSWERED)
        return r;
    r = check(k, &still);
    if (r <= 0) {
        k->out->repaired = !r;
        return r;
    }
    return ask_end_with(k, ASK_NOT_JSON, still.data);
}

/* ---------------------------------------------------------------- the whole */

/* $schema names the draft, which vendors do not want to know. */
static int prepare_schema(struct dialogue *k)
{
    k->schema_text = (struct buf)BUF_INIT(SCHEMA_ROOM);
    if (!k->q->schema)
        return 0;
    k->schema = json_copy_whole(k->q->schema_json);
    (void)buf_add_str(&k->schema_text, AS_SCHEMA);
    if (!k->schema || json_dump_callback(k->q->schema_json, buf_add_piece, &k->schema_text, JSON_COMPACT) < 0)
        return fault_oom(k->fault);
    (void)json_object_del(k->schema, "$schema");
    k->form = ask_schema_form(&k->host, k->schema);
    return 0;
}

/* 1: it has ended already. */
static int prepare(struct dialogue *k)
{
    const struct ask_question *q = k->q;
    char words[LIMIT_MODEL_ID + 64];
    if (ask_host(q->choice, &k->host) < 0) {
        (void)snprintf(words, sizeof words, "'%s' has no address to be asked at", q->choice->provider->name);
        return ask_end_with(k, ASK_FAILED, words) < 0 ? -ENOMEM : 1;
    }
    for (size_t i = 0; i < q->n_media; i++) {
        if (ask_takes(q->choice, q->media[i].kind))
            continue;
        (void)snprintf(words, sizeof words, "'%s' cannot be sent this kind of file", k->host.name);
        return ask_end_with(k, ASK_FAILED, words) < 0 ? -ENOMEM : 1;
    }
    k->parts = reallocarray(NULL, q->n_media + 2, sizeof *k->parts);
    if (!k->parts)
        return fault_oom(k->fault);
    if (q->n_media)
        memcpy(k->parts, q->media, q->n_media * sizeof *k->parts);
    return prepare_schema(k);
}

int ask_run(struct asker *a, const struct ask_question *q, struct ask_answer *ret, struct fovea_fault *fault)
{
    struct ask_answer out = {.usage = {.cost_nano = -1}};
    cleanup(dialogue_done) struct dialogue k = {.asker = a, .q = q, .out = &out, .fault = fault, .deadline = INT64_MAX};
    if (q->timeout_ms > 0)
        k.deadline = clock_ms() + q->timeout_ms;
    int r = prepare(&k);
    if (!r)
        r = ask_first(&k);
    if (!r && q->schema && out.end == ASK_ANSWERED)
        r = make_json(&k);
    if (r < 0) {
        ask_answer_done(&out);
        return r;
    }
    *ret = out;
    return 0;
}
