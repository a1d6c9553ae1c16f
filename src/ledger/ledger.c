/* SPDX-License-Identifier: Apache-2.0 */
/* The two stores together: see ledger.h. Money is in usage.c, answers are in answers.c, how a file is kept is store.c. */
#include "base/cleanup.h"
#include "base/fault.h"
#include "ledger/ledger_priv.h"

void ledger_free(struct ledger *l)
{
    if (!l)
        return;
    store_done(&l->usage);
    store_done(&l->answers);
    free(l);
}

static void free_ledger_p(struct ledger **l)
{
    ledger_free(*l);
}

int ledger_new(const struct ledger_options *o, struct ledger **ret, struct fovea_fault *fault)
{
    cleanup(free_ledger_p) struct ledger *l = calloc(1, sizeof *l);
    if (!l || store_init(&l->usage, &usage_kind, o->state_dir) < 0 ||
        store_init(&l->answers, &answers_kind, o->cache_dir) < 0)
        return fault_oom(fault);
    l->cache_bytes = o->cache_bytes;
    *ret = take(l);
    return 0;
}
