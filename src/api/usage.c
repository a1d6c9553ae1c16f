/* SPDX-License-Identifier: Apache-2.0 */
/* What was spent, in words, and the end of the answers that were kept: the public side of the ledger. */
#include <errno.h>

#include "api/context.h"
#include "base/fault.h"
#include "model/money.h"

struct telling {
    void (*tell)(const struct fovea_usage *row, void *arg);
    void *arg;
};

static void tell_sum(const struct ledger_sum *sum, void *arg)
{
    const struct telling *t = arg;
    char cost[MONEY_TEXT];
    money_text(sum->nano, cost);
    struct fovea_usage row = {
        .name = sum->name,
        .calls = sum->calls,
        .failed = sum->failed,
        .input_tokens = sum->input,
        .output_tokens = sum->output,
        .cost_usd = sum->unpriced == sum->calls ? NULL : cost,
        .unpriced = sum->unpriced,
    };
    t->tell(&row, t->arg);
}

int fovea_usage(fovea *f, const char *by, int64_t since, void (*tell)(const struct fovea_usage *row, void *arg), void *arg,
                struct fovea_fault *fault)
{
    static const char *const words[] = {[LEDGER_BY_SESSION] = "session",
                                        [LEDGER_BY_MODEL] = "model",
                                        [LEDGER_BY_DAY] = "day",
                                        [LEDGER_BY_TOTAL] = "total"};
    struct telling t = {tell, arg};
    for (size_t i = 0; i < COUNT(words); i++)
        if (!strcmp(words[i], by))
            return ledger_each(f->ledger, (enum ledger_by)i, since, tell_sum, &t, fault);
    return fault_set(fault, EINVAL, "usage is told by session, model, day or total, not by \"%.64s\"", by);
}

int fovea_cache_clear(fovea *f, int64_t *ret_count, struct fovea_fault *fault)
{
    return answers_clear(f->ledger, ret_count, fault);
}
