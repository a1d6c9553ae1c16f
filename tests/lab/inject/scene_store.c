/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of what is kept on disk: money, answers, and the token of the HTTP server. */
#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "inject.h"
#include "ledger/ledger.h"
#include "mcp/http_token.h"
#include "scenes.h"

/* ---------------------------------------------------------------- the ledger */

static int setup_folder(void)
{
    return fresh_folder() ? 0 : -1;
}

static void tell_sum(const struct ledger_sum *s, void *arg)
{
    tell_str(arg, s->name);
}

static struct ledger *ledger;

static int open_ledger(struct ledger **ret, struct fovea_fault *fault)
{
    struct ledger_options options = {in_folder("state"), in_folder("cache"), 1 << 20};
    return ledger_new(&options, ret, fault);
}

/* Each adds one more, so sums are not told: what is known of every call is. */
static void book(struct ledger *l, struct outcome *o)
{
    static const uint8_t key[SHA256_LEN] = {7};
    struct fovea_fault fault = {0};
    struct ledger_entry e = {.session = "s", .tool = "inspect_image", .provider = "p", .model = "m", .at = 1794830400, .input = 10, .nano = 5};
    int64_t spent = -1;
    int r = ledger_add(l, &e, &fault);
    r = r < 0 ? r : ledger_spent(l, "s", 0, &spent, &fault);
    if (r == 0 && (spent <= 0 || spent % 5))
        tell_str(o, "spent what was not");
    r = r < 0 ? r : ledger_each(l, LEDGER_BY_MODEL, 0, tell_sum, o, &fault);
    tell_fault(o, r, &fault);
    auto_free char *text = NULL;
    if (r == 0) {
        answers_keep(l, key, "an answer", 9); /* a cache may fail without a word, but never lie */
        if (answers_find(l, key, &text) == 0 && strcmp(text, "an answer") != 0)
            tell_str(o, "another answer");
    }
}

static void run_ledger(struct outcome *o)
{
    struct ledger *l = NULL;
    struct fovea_fault fault = {0};
    int r = open_ledger(&l, &fault);
    tell_fault(o, r, &fault);
    if (r == 0)
        book(l, o);
    ledger_free(l);
}

static void run_ledger_kept(struct outcome *o)
{
    book(ledger, o);
}

static int setup_ledger_kept(void)
{
    struct outcome o = {0};
    if (setup_folder() < 0 || open_ledger(&ledger, NULL) < 0)
        return -1;
    book(ledger, &o);
    return o.code;
}

static void teardown_ledger(void)
{
    ledger_free(ledger);
    ledger = NULL;
    drop_folder();
}

static void settle_ledger(struct outcome *o)
{
    struct ledger *l = NULL;
    struct fovea_fault fault = {0};
    int64_t spent = -1;
    int r = open_ledger(&l, &fault);
    r = r < 0 ? r : ledger_spent(l, NULL, 0, &spent, &fault);
    tell_fault(o, r < 0 ? r : spent % 5 ? -EBADMSG : 0, &fault);
    ledger_free(l);
}

/* ---------------------------------------------------------------- the token */

static int setup_token(void)
{
    return fresh_folder() ? setenv("XDG_STATE_HOME", in_folder("state"), 1) : -1;
}

/* The first finds none and makes it; the second reads that one. */
static void run_token(struct outcome *o)
{
    auto_free char *made = NULL, *read = NULL;
    struct fovea_fault fault = {0};
    bool paused = inject_pause();
    (void)unlink(in_folder("state/fovea/token"));
    inject_resume(paused);
    int r = token_load(&made, &fault);
    r = r < 0 ? r : token_load(&read, &fault);
    tell_fault(o, r, &fault);
    if (r == 0)
        tell_str(o, strcmp(made, read) ? "another token" : "the token");
}

const struct scene scene_ledger = {"ledger", setup_folder, run_ledger, settle_ledger, teardown_ledger, SCENE_USUAL};
const struct scene scene_ledger_kept = {"ledger_kept", setup_ledger_kept, run_ledger_kept, settle_ledger, teardown_ledger, SCENE_USUAL};
const struct scene scene_token = {"token", setup_token, run_token, NULL, drop_folder, SCENE_SMALL};
