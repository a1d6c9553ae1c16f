/* SPDX-License-Identifier: Apache-2.0 */
/* What asking costs: budgets before, the books after. */
#include <string.h>
#include <time.h>

#include "api/asking.h"
#include "api/recording.h"
#include "ledger/ledger.h"

struct cost cost_of(int64_t nano)
{
    struct cost c = {.nano = nano};
    money_text(nano, c.words);
    return c;
}

static int over(struct asking *a, const char *what, int64_t spent, int64_t most)
{
    char has[MONEY_TEXT], may[MONEY_TEXT];
    money_text(spent, has);
    money_text(most, may);
    return asking_fail(a, FAIL_BUDGET_REACHED,
                       "%s has spent $%s of the $%s that budget.%s allows; raise it to ask more", what, has, may,
                       !strcmp(what, "this session") ? "usdPerSession" : "usdPerDay");
}

/* A session with a name spends in all its processes. */
static int session_spent(struct asking *a, int64_t *ret)
{
    if (*a->call->session)
        return ledger_spent(a->call->f->ledger, a->call->session, 0, ret, a->fault);
    *ret = tally_spent(a->call->tally);
    return 0;
}

static int may_spend(struct asking *a)
{
    const struct config *c = &a->call->f->config;
    int64_t spent = 0, now = (int64_t)time(NULL);
    if (c->usd_per_session >= 0) {
        int r = session_spent(a, &spent);
        if (r < 0 || spent >= c->usd_per_session)
            return r < 0 ? r : over(a, "this session", spent, c->usd_per_session);
    }
    if (c->usd_per_day >= 0) {
        int r = ledger_spent(a->call->f->ledger, NULL, now - now % 86400, &spent, a->fault);
        if (r < 0 || spent >= c->usd_per_day)
            return r < 0 ? r : over(a, "this day", spent, c->usd_per_day);
    }
    return 0;
}

int asking_budget(struct asking *a)
{
    int64_t most = a->call->f->config.max_calls_per_image;
    int r = a->local ? 0 : may_spend(a);
    if (r)
        return r;
    if (a->view.hashed && !tally_picture(a->call->tally, a->view.sha256, most))
        return asking_fail(a, FAIL_TOO_MANY_CALLS,
                           "this picture has been asked about %lld time%s in this session (vision.maxCallsPerImage); use "
                           "the answers you have", (long long)most, most == 1 ? "" : "s");
    a->counted = a->view.hashed && most;
    return 0;
}

/* What cannot be written down must not lose the answer, which is paid for. */
void asking_book(struct asking *a)
{
    const struct ask_answer *w = &a->answer;
    struct kept *kept = a->call->kept;
    const struct config *c = &a->call->f->config;
    struct fovea_fault fault;
    if (w->calls == 0)
        return;
    tally_spend(a->call->tally, w->nano);
    if (kept) {
        kept->asked = true;
        kept->usage = w->usage;
        kept->nano = w->nano;
        (void)snprintf(kept->model, sizeof kept->model, "%s", a->who);
    }
    struct ledger_entry e = {
        .session = a->call->session, .tool = a->tool, .provider = a->choice.provider->name, .model = a->choice.id,
        .at = (int64_t)time(NULL), .input = w->usage.input, .cache_read = w->usage.cache_read,
        .cache_write = w->usage.cache_write, .output = w->usage.output, .nano = w->nano,
        .failed = w->end != ASK_ANSWERED,
    };
    if (ledger_add(a->call->f->ledger, &e, &fault) < 0)
        asking_note(a, "What it cost could not be kept: %s.", fault.text);
    if (w->nano < 0 && (c->usd_per_day >= 0 || c->usd_per_session >= 0))
        asking_note(a, "What it cost is not known, so no budget counts it; give %s a price in models.yaml.", a->who);
}
