/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fixtures whose result says what is missing, as servers do since 2026-07-28: the client calls again with the answers,
 * and what is known so far travels with it, sealed (conformance_state.c).
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/json_text.h"
#include "base/limits.h"
#include "conformance.h"

/* ---------------------------------------------------------------- the forms */

struct question {
    const char *key;
    const struct fixture_kind *kind;
    const char *params;
};

#define FIELD(message, field, type)                                                                               \
    "{\"message\":\"" message "\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"" field               \
    "\":{\"type\":\"" type "\"}},\"required\":[\"" field "\"]}}"

static const struct question name[] = {
    {"user_name", &fixture_elicitation, FIELD("What is your name?", "name", "string")},
};
static const struct question capital[] = {
    {"capital_question", &fixture_sampling,
     FIXTURE_USER_SAYS "\"What is the capital of France?\"}}],\"maxTokens\":100}"},
};
static const struct question client_roots[] = {{"client_roots", &fixture_roots, "{}"}};
static const struct question confirm[] = {{"confirm", &fixture_elicitation, FIELD("Please confirm", "ok", "boolean")}};
static const struct question three[] = {
    {"user_name", &fixture_elicitation, FIELD("What is your name?", "name", "string")},
    {"greeting", &fixture_sampling, FIXTURE_USER_SAYS "\"Generate a greeting\"}}],\"maxTokens\":50}"},
    {"client_roots", &fixture_roots, "{}"},
};
static const struct question step1[] = {
    {"step1", &fixture_elicitation, FIELD("Step 1: What is your name?", "name", "string")},
};
static const struct question step2[] = {
    {"step2", &fixture_elicitation, FIELD("Step 2: What is your favorite color?", "color", "string")},
};
static const struct question context[] = {
    {"user_context", &fixture_elicitation, FIELD("What context should the prompt use?", "context", "string")},
};

enum { FORM_ROUNDS = 2 };
struct filling;
static void tell_hello(const struct filling *f, struct buf *text);

static const struct form {
    const char *name;
    struct round {
        const struct question *questions;
        size_t n;
    } rounds[FORM_ROUNDS];
    bool sealed;          /* what is known travels with the client; answers without it are not looked at */
    bool only_answerable; /* leaves out what the client cannot answer, instead of giving up */
    bool prompt;
    const char *opening;                                      /* of the text in the end, before the answers */
    void (*tell)(const struct filling *f, struct buf *text); /* that text in other words */
} forms[] = {
#define ROUND(questions) {questions, COUNT(questions)}
    {"test_input_required_result_elicitation", {ROUND(name)}, .tell = tell_hello},
    {"test_input_required_result_sampling", {ROUND(capital)}, .opening = "The model said"},
    {"test_input_required_result_list_roots", {ROUND(client_roots)}, .opening = "The roots"},
    {"test_input_required_result_request_state", {ROUND(confirm)}, .sealed = true, .opening = "state-ok"},
    {"test_input_required_result_multiple_inputs", {ROUND(three)}, .sealed = true, .opening = "All answers"},
    {"test_input_required_result_multi_round", {ROUND(step1), ROUND(step2)}, .sealed = true, .opening = "Both answers"},
    {"test_input_required_result_tampered_state", {ROUND(confirm)}, .sealed = true, .opening = "state-ok"},
    {"test_input_required_result_capabilities", {ROUND(three)}, .only_answerable = true, .opening = "Answers"},
    {"test_input_required_result_prompt", {ROUND(context)}, .prompt = true, .opening = "Use this context"},
    {"test_streaming_elicitation", {ROUND(confirm)}, .opening = "Confirmed"},
};

static const struct form *find_form(const char *form)
{
    for (size_t i = 0; i < COUNT(forms); i++)
        if (!strcmp(forms[i].name, form))
            return &forms[i];
    return NULL;
}

/* One call of a form: what was known, and where it stands. */
struct filling {
    struct exchange *e;
    const struct form *form;
    json_t *answers;
    unsigned round;
};

static void filling_done(struct filling *f)
{
    json_decref(f->answers);
}

/* Reads what came with the request; false when that was answered with an error. */
static bool read_filling(struct filling *f, json_t **ret_given)
{
    json_t *given = json_object_get(f->e->message.params, "inputResponses");
    json_t *state = json_object_get(f->e->message.params, "requestState");
    const char *sealed = json_string_value(state);
    if (given && !json_is_object(given)) {
        exchange_fail(f->e, RPC_PARAMS, "\"inputResponses\" must be an object");
        return false;
    }
    if (state && (!sealed || fixture_unseal(sealed, f->form->name, &f->round, &f->answers) < 0)) {
        exchange_fail(f->e, RPC_PARAMS, "\"requestState\" is not what this server sent for this request");
        return false;
    }
    *ret_given = f->form->sealed && !state ? NULL : given;
    if (!f->answers)
        f->answers = json_object();
    if (!f->answers)
        exchange_fail(f->e, RPC_INTERNAL, "out of memory");
    assert(f->round < FORM_ROUNDS); /* nobody else can have sealed it */
    return f->answers != NULL;
}

/* Keeps the answers that fit; whatever else was given is not looked at. */
static void take_answers(struct filling *f, const json_t *given)
{
    const struct round *r = &f->form->rounds[f->round];
    for (size_t i = 0; i < r->n; i++) {
        json_t *answer = json_object_get(given, r->questions[i].key);
        if (answer && r->questions[i].kind->fits(answer))
            (void)json_object_set(f->answers, r->questions[i].key, answer);
    }
}

/* Writes the questions of the round that still have no answer and can have one. Returns how many, or -1 when the client
 * cannot answer what it must, and was told so. */
static int write_questions(struct filling *f, struct buf *b)
{
    const struct round *r = &f->form->rounds[f->round];
    int n = 0;
    for (size_t i = 0; i < r->n; i++) {
        const struct question *q = &r->questions[i];
        if (json_object_get(f->answers, q->key))
            continue;
        if (f->form->only_answerable && !exchange_capability(f->e, q->kind->capability))
            continue;
        if (!fixture_need(f->e, q->kind->capability))
            return -1;
        (void)buf_add_format(b, "%s\"%s\":{\"method\":\"%s\",\"params\":%s}", n++ ? "," : "", q->key, q->kind->method,
                             q->params);
    }
    return n;
}

static void answer_incomplete(struct filling *f, struct buf *questions)
{
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    auto_free char *sealed = f->form->sealed ? fixture_seal(f->form->name, f->round, f->answers) : NULL;
    if (f->form->sealed && !sealed) {
        exchange_fail(f->e, RPC_PARAMS, "what is known so far cannot be carried along");
        return;
    }
    (void)buf_add_str(&b, "\"inputRequests\":{");
    (void)buf_add(&b, questions->data, questions->len);
    (void)buf_add_str(&b, "}");
    if (sealed) {
        (void)buf_add_str(&b, ",\"requestState\":");
        (void)buf_add_json_str(&b, sealed);
    }
    fixture_result(f->e, "input_required", &b);
}

static void tell_answers(const struct filling *f, struct buf *text)
{
    (void)buf_add_str(text, f->form->opening);
    for (size_t r = 0; r < FORM_ROUNDS; r++)
        for (size_t i = 0; i < f->form->rounds[r].n; i++) {
            const struct question *q = &f->form->rounds[r].questions[i];
            const json_t *answer = json_object_get(f->answers, q->key);
            (void)buf_add_format(text, "; %s: ", q->key);
            if (answer)
                q->kind->tell(text, answer);
            else
                (void)buf_add_str(text, "not asked");
        }
}

static void tell_hello(const struct filling *f, struct buf *text)
{
    const char *given = member_string(json_object_get(json_object_get(f->answers, "user_name"), "content"), "name");
    (void)buf_add_format(text, "Hello, %s!", given ? given : "whoever you are");
}

static void answer_complete(struct filling *f)
{
    auto_buf text = BUF_INIT(LIMIT_MCP_REPLY), b = BUF_INIT(LIMIT_MCP_REPLY);
    (f->form->tell ? f->form->tell : tell_answers)(f, &text);
    if (text.error || !f->form->prompt) {
        fixture_text(f->e, text.error < 0, text.error ? "the answers are too long" : text.data);
        return;
    }
    (void)buf_add_str(&b, "\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":");
    (void)buf_add_json_str(&b, text.data);
    (void)buf_add_str(&b, "}}]");
    fixture_result(f->e, NULL, &b);
}

static void fill(struct filling *f, const json_t *given)
{
    auto_buf questions = BUF_INIT(LIMIT_MCP_REPLY);
    take_answers(f, given);
    int open = write_questions(f, &questions);
    while (open == 0 && f->round + 1 < FORM_ROUNDS && f->form->rounds[f->round + 1].n) {
        f->round++;
        open = write_questions(f, &questions);
    }
    if (open > 0)
        answer_incomplete(f, &questions);
    else if (open == 0)
        answer_complete(f);
}

void fixture_form(struct exchange *e, const char *form, json_t *arguments)
{
    cleanup(filling_done) struct filling f = {.e = e, .form = find_form(form)};
    json_t *given;
    (void)arguments;
    if (!e->modern && f.form->prompt)
        exchange_fail(e, RPC_PARAMS, "this prompt needs the protocol of " REVISION_MODERN);
    else if (!e->modern)
        fixture_text(e, true, "this tool needs the protocol of " REVISION_MODERN);
    else if (read_filling(&f, &given))
        fill(&f, given);
}
