/* SPDX-License-Identifier: Apache-2.0 */
/* What came of a call: one of the ends of ask.h with its words, tokens and money. */
#include <string.h>

#include "ask/ask_priv.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/limits.h"

/* Those of a host may quote what it was sent. */
int ask_end_with(struct dialogue *k, enum ask_end end, const char *words)
{
    char *masked = words ? wire_masked(k->q->choice->api_key, words) : NULL;
    if (words && !masked)
        return fault_oom(k->fault);
    free(k->out->words);
    k->out->words = masked;
    k->out->end = end;
    return 0;
}

static bool says_any(const char *words, const char *const *phrases, size_t n)
{
    for (size_t i = 0; words && i < n; i++)
        if (strcasestr(words, phrases[i]))
            return true;
    return false;
}

static bool asks_about(const struct ask_question *q, enum wire_kind kind)
{
    for (size_t i = 0; i < q->n_media; i++)
        if (q->media[i].kind == kind)
            return true;
    return false;
}

static bool is_page_limit(const struct dialogue *k, const struct wire_error *e)
{
    static const char *const phrases[] = {"too many pages", "page count", "page limit",      "document_too_large",
                                          "pdf pages",      "pages may",  "number of pages", "maximum pages"};
    return asks_about(k->q, WIRE_PDF) &&
           (says_any(e->message, phrases, COUNT(phrases)) || says_any(e->code, phrases, COUNT(phrases)) ||
            says_any(e->kind, phrases, COUNT(phrases)));
}

/* Keys and quotas are no such thing. */
bool ask_schema_refused(const struct dialogue *k, const struct wire_reply *r)
{
    static const char *const phrases[] = {"schema",  "response_format",   "output_config", "output_format",
                                          "grammar", "structured output", "text.format",   "requested parameters",
                                          "additionalProperties"};
    int status = r->error.status;
    return k->form != SCHEMA_PROMPT && r->stop == WIRE_STOP_ERROR && !r->text.len &&
           (!status || status == 400 || status == 404 || status == 422 || status == 501) &&
           says_any(r->error.message, phrases, COUNT(phrases));
}

/* The figures are the other side's. */
static void add_tokens(int64_t *sum, int64_t more)
{
    if (__builtin_add_overflow(*sum, more, sum))
        *sum = INT64_MAX;
}

/* What was told of a part of an answer is no price of it where the output went on after that. It did not where the provider
 * itself ended the answer before anything of it came: then all was told. */
static bool told_whole(int code, const struct wire_reply *r)
{
    return r->usage.whole || (!code && r->stop == WIRE_STOP_ERROR && r->usage.told && !r->begun);
}

/* A provider that refused a request did no work for it. */
void ask_count(struct dialogue *k, int code, const struct wire_reply *r)
{
    struct ask_answer *a = k->out;
    const struct wire_usage *u = &r->usage;
    const struct model *row = k->q->choice->model;
    bool answered = !code && r->stop != WIRE_STOP_ERROR;
    bool worked = u->told || r->begun || (code && r->sent);
    if (!answered && (!worked || r->error.status))
        return;
    struct usage tokens = {u->input, u->cache_read, u->cache_write, u->output};
    bool whole = told_whole(code, r);
    bool free_of_charge = row && !row->price.input && !row->price.output && !row->tiers[0].above;
    int64_t nano = whole || u->cost_nano >= 0 || free_of_charge ? money_cost(row, &tokens, u->cost_nano) : MONEY_UNKNOWN;
    a->nano = money_add(a->nano, nano);
    a->usage.told = whole && (a->usage.told || !a->calls);
    a->usage.cost_nano = a->calls ? money_add(a->usage.cost_nano, u->cost_nano) : u->cost_nano;
    add_tokens(&a->usage.input, u->input);
    add_tokens(&a->usage.cache_read, u->cache_read);
    add_tokens(&a->usage.cache_write, u->cache_write);
    add_tokens(&a->usage.output, u->output);
    add_tokens(&a->usage.reasoning, u->reasoning);
    a->calls++;
}

/* The text without whitespace around it. */
static int keep_text(struct dialogue *k, const struct buf *text)
{
    const char *from = text->data ? text->data : "";
    size_t len = text->len;
    while (len && strchr(" \t\r\n", from[len - 1]))
        len--;
    for (; len && strchr(" \t\r\n", *from); len--)
        from++;
    char *kept = strndup(from, len);
    if (!kept)
        return fault_oom(k->fault);
    free(k->out->text);
    k->out->text = kept;
    return 0;
}

static int settle_answer(struct dialogue *k, const struct wire_reply *r)
{
    static const struct {
        enum ask_end empty, end;
        const char *words; /* of an answer without text, or where the vendor gives no reason */
    } stops[WIRE_STOPS] = {
        [WIRE_STOP_NONE] = {ASK_EMPTY, ASK_ANSWERED, "the model returned no text"},
        [WIRE_STOP_END] = {ASK_EMPTY, ASK_ANSWERED, "the model returned no text"},
        [WIRE_STOP_LENGTH] = {ASK_EMPTY, ASK_ANSWERED, "the model returned no text: the limit of output tokens was used "
                                                       "up, perhaps by thinking; raise vision.maxOutputTokens, or "
                                                       "choose less effort"},
        [WIRE_STOP_REFUSAL] = {ASK_REFUSED, ASK_REFUSED, "the model refused to answer"},
        [WIRE_STOP_BLOCKED] = {ASK_REFUSED, ASK_REFUSED, "the provider's filter blocked the question or the answer"},
        [WIRE_STOP_ERROR] = {ASK_FAILED, ASK_FAILED, "the provider failed"},
        [WIRE_STOP_OTHER] = {ASK_EMPTY, ASK_ANSWERED, "the model returned no text"},
    };
    int code = keep_text(k, &r->text);
    if (code < 0)
        return code;
    bool empty = !*k->out->text;
    enum ask_end end = empty ? stops[r->stop].empty : stops[r->stop].end;
    k->out->cut = r->stop == WIRE_STOP_LENGTH;
    if (end == ASK_ANSWERED)
        return ask_end_with(k, end, NULL);
    if (r->stop != WIRE_STOP_OTHER)
        return ask_end_with(k, end, r->why && *r->why ? r->why : stops[r->stop].words);
    auto_buf words = BUF_INIT(2 * LIMIT_PROVIDER_WORDS);
    (void)buf_add_format(&words, "%s: it stopped with \"%s\"", stops[r->stop].words, r->why ? r->why : "");
    return words.error ? fault_oom(k->fault) : ask_end_with(k, end, words.data);
}

int ask_settle(struct dialogue *k, int code, const struct wire_reply *r, const struct fovea_fault *f)
{
    if (code == -ECANCELED)
        return ask_end_with(k, ASK_ABORTED, "the question was cancelled");
    if (code == -ETIMEDOUT && clock_ms() >= k->deadline)
        return ask_end_with(k, ASK_TIMED_OUT, f->text);
    if (code < 0)
        return ask_end_with(k, ASK_FAILED, *f->text ? f->text : "the provider failed");
    if (r->stop != WIRE_STOP_ERROR)
        return settle_answer(k, r);
    return ask_end_with(k, is_page_limit(k, &r->error) ? ASK_PAGES : ASK_FAILED,
                    r->error.message ? r->error.message : "the provider failed");
}
