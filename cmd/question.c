/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions: see question.h. On a terminal the answer is shown while it is made, and made harmless; anywhere else it is written
 * whole and exact. What it cost goes to stderr, so that stdout is the answer and nothing else.
 */
#include "question.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "out.h"
#include "schema.h"
#include "stream.h"
#include "waiting.h"

enum ref_kind ref_kind(const char *ref)
{
    if (!strncasecmp(ref, "data:", 5))
        return REF_DATA;
    return strncasecmp(ref, "file:", 5) && strstr(ref, "://") ? REF_URL : REF_PATH;
}

/* ---------------------------------------------------------------- what comes out */

/* Text for people, its last line ended. */
static int print(const char *text, bool terminal)
{
    auto_buf b = BUF_INIT(LIMIT_CLI_ANSWER);
    size_t len = strlen(text);
    if (terminal)
        (void)buf_add_visible(&b, text, len, true);
    else
        (void)buf_add(&b, text, len);
    if (len && text[len - 1] != '\n')
        (void)buf_add_str(&b, "\n");
    return out_buf(&b);
}

static int print_parsed(const char *json, bool terminal)
{
    auto_buf b = BUF_INIT(LIMIT_CLI_ANSWER);
    buf_add_pretty(&b, json);
    return b.error ? out_buf(&b) : print(b.data ? b.data : "", terminal);
}

/* "anthropic/claude-opus-4-7 · 1287 in, 48 out · $0.0034 · cached", then the note. */
static void say_footer(const struct fovea_answer *a)
{
    auto_buf b = BUF_INIT(LIMIT_CLI_WORDS);
    (void)buf_add_format(&b, "%s/%s", a->provider, a->model);
    if (a->input_tokens >= 0 && a->output_tokens >= 0 && a->input_tokens + a->output_tokens)
        (void)buf_add_format(&b, " · %" PRId64 " in, %" PRId64 " out", a->input_tokens, a->output_tokens);
    (void)buf_add_format(&b, " · %s%s", a->cost_usd ? "$" : "price not known", a->cost_usd ? a->cost_usd : "");
    (void)buf_add_str(&b, a->cached ? " · cached" : "");
    if (!b.error)
        say_plain("%s", b.data);
    if (a->note && *a->note)
        say_plain("%s", a->note);
}

static int print_answer(const struct question_values *v, const struct fovea_answer *answer, struct stream *s)
{
    bool terminal = isatty(STDOUT_FILENO);
    int bad = 0;
    if (s->any)
        stream_end(s);
    else
        bad = v->schema && answer->parsed ? print_parsed(answer->parsed, terminal) : print(answer->text, terminal);
    if (!bad)
        say_footer(answer);
    return bad;
}

static int print_result(const struct question_values *v, const fovea_result *result, struct stream *s)
{
    struct fovea_answer answer;
    enum fovea_kind kind = fovea_result_kind(result);
    int good = kind == FOVEA_REFUSAL || kind == FOVEA_ERROR ? EXIT_REFUSED : EXIT_DONE, bad = 0;
    if (v->json)
        bad = out_json(fovea_result_json_new(result, 0));
    else if (fovea_result_answer(result, &answer) == 0)
        bad = print_answer(v, &answer, s);
    else if (good == EXIT_DONE)
        bad = print(fovea_result_text(result), isatty(STDOUT_FILENO));
    else {
        stream_end(s);
        say("%s", fovea_result_text(result));
    }
    return bad ? bad : good;
}

int out_too_large(const char *words, bool json)
{
    auto_buf b = BUF_INIT(LIMIT_CLI_WORDS);
    if (!json) {
        say("FILE_TOO_LARGE: %s", words);
        return EXIT_REFUSED;
    }
    (void)buf_add_format(&b, "{\"ok\":false,\"kind\":\"error\",\"code\":\"input_invalid\",\"error\":\"FILE_TOO_LARGE: %s\","
                             "\"cost_usd\":0}\n", words);
    int bad = out_buf(&b);
    return bad ? bad : EXIT_REFUSED;
}

/* ---------------------------------------------------------------- asking */

static void note_model(const struct fovea_setting_now *setting, void *arg)
{
    if (!strcmp(setting->key, "(model for asking)"))
        (void)snprintf(arg, LIMIT_MODEL_ID, "%s", setting->value);
}

/* "asking P/M" */
static void say_doing(const fovea *f, const char *model, char *to, size_t size)
{
    char usual[LIMIT_MODEL_ID] = "the vision model";
    if (!model)
        (void)fovea_settings(f, note_model, usual);
    (void)snprintf(to, size, "asking %s", model ? model : usual);
}

int question_run(fovea *f, const struct invocation *in, const char *model)
{
    const struct question_values *v = in->values;
    char doing[LIMIT_MODEL_ID + 16];
    struct fovea_fault fault;
    struct stream stream = {0};
    auto_session *session = NULL;
    auto_waiting *waiting = NULL;
    auto_result *result = NULL;
    bool live = !v->json && !v->schema && isatty(STDOUT_FILENO);
    struct fovea_session_options options = {
        .name = v->recording.session, .call = v->recording.call, .on_text = live ? stream_text : NULL, .on_text_arg = &stream};
    int r = fovea_session_new(f, &options, &session, &fault);
    say_doing(f, model, doing, sizeof doing);
    r = r < 0 ? r : waiting_new(doing, &waiting, &fault);
    stream.waiting = waiting;
    if (r == 0)
        r = fovea_session_ask(session, in->command->tool, in->request, waiting_cancel(waiting), &result, &fault);
    waiting_free(take(waiting));
    stream.waiting = NULL;
    if (r < 0) {
        stream_end(&stream);
        return out_fault(&fault, v->json, r == -ECANCELED ? EXIT_REFUSED : EXIT_FAULT);
    }
    return print_result(v, result, &stream);
}

#define AT(member) offsetof(struct question_values, member)
const struct option question_options[] = {
    {"schema", 0, OPTION_STRING, "FILE", AT(schema),
     "the answer is to be a JSON object that fits this JSON Schema (2020-12); '-' is stdin"},
    {"json", 0, OPTION_FLAG, NULL, AT(json), "one line of JSON: the answer with what it cost"},
    {"no-cache", 0, OPTION_FLAG, NULL, AT(no_cache), "ask, even where the answer is known"},
    RECORDING_OPTIONS(struct question_values),
    {0},
};
