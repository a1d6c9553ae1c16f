/* SPDX-License-Identifier: Apache-2.0 */
/* What both wires of OpenAI share: see openai.h. */
#include "provider/openai.h"

#include <math.h>

/* Codes that name a passing trouble when they come inside an answer; a status says it otherwise. */
static bool passing(const struct wire_error *e)
{
    static const char *const codes[] = {
        "server_error", "rate_limit_exceeded", "slow_down", "server_is_overloaded", "provider_overloaded", "408", "429",
        "500", "502", "503", "504", "524", "529",
    };
    for (size_t i = 0; i < COUNT(codes); i++)
        if (!strcmp(e->code, codes[i]) || !strcmp(e->kind, codes[i]))
            return true;
    return false;
}

void openai_error(struct wire_error *e, const json_t *root)
{
    static const char *const final[] = {"insufficient_quota", "credit_balance_exhausted"};
    const json_t *err = wire_error_common(e, root);
    wire_error_word(e, e->kind, wire_text_at(wire_at(err, "metadata"), "error_type"));
    if (!e->status)
        e->retry = passing(e);
    for (size_t i = 0; i < COUNT(final); i++)
        if (!strcmp(e->code, final[i]) || !strcmp(e->kind, final[i]))
            e->retry = false;
}

const char *openai_detail(const struct wire_request *q)
{
    return q->full_detail ? "original" : "high";
}

int openai_add_schema(const struct wire_request *q, struct buf *b)
{
    (void)buf_add_str(b, "\"name\":\"answer\"");
    int r = wire_add_value(b, "schema", q->schema);
    (void)buf_add_format(b, ",\"strict\":%s", q->strict ? "true" : "false");
    return r;
}

static void read_cost(struct wire_usage *u, const json_t *cost)
{
    if (!json_is_number(cost))
        return;
    double usd = json_number_value(cost);
    if (usd >= 0 && usd < 1e6)
        u->cost_nano = llround(usd * 1e9);
}

bool openai_read_usage(struct wire_usage *u, const json_t *usage, const struct openai_usage_names *names)
{
    int64_t input, output, read = 0, write = 0, thought = 0;
    const struct wire_count counts[] = {{names->input, &input, true}, {names->output, &output, true}};
    const struct wire_count in[] = {{"cached_tokens", &read, false}, {"cache_write_tokens", &write, false}};
    const struct wire_count out[] = {{"reasoning_tokens", &thought, false}};
    read_cost(u, wire_at(usage, "cost"));
    if (!wire_counts_at(usage, counts, COUNT(counts)) ||
        !wire_counts_at(wire_at(usage, names->input_details), in, COUNT(in)) ||
        !wire_counts_at(wire_at(usage, names->output_details), out, COUNT(out)))
        return false;
    u->told = true;
    u->cache_read = MIN(read, input);
    u->cache_write = MIN(write, input - u->cache_read);
    u->input = input - u->cache_read - u->cache_write;
    u->output = output;
    u->reasoning = thought;
    return true;
}
