#include "api/choosing.h"
#include "ask/ask.h"
#include "base/fault.h"
#include "ledger/ledger.h"
#include "ledger/telemetry.h"
#include <errno.h>
#include <string.h>
enum choose_verdict choosing_for(const struct call *c, const char *model, unsigned need, struct choice *ret)
{
    struct choose_inputs in = choosing_inputs(c->f);
    in.call = model;
    return choose(&in, need, ret);
}
int asker_new(struct asker **ret, struct fovea_fault *fault) { (void)fault; *ret = NULL; return 0; }
void asker_free(struct asker *a) { (void)a; }
void asker_warm(struct asker *a) { (void)a; }
void ask_answer_done(struct ask_answer *a) { free(a->text); json_decref(a->parsed); free(a->words); }
int ask_run(struct asker *a, const struct ask_question *q, struct ask_answer *ret, struct fovea_fault *fault)
{ (void)a; (void)q; (void)ret; return fault_set(fault, ENOSYS, "not yet"); }
bool ask_takes(const struct choice *c, enum wire_kind kind) { (void)c; (void)kind; return false; }
uint64_t ask_inline_limit(const struct choice *c, enum wire_kind kind) { (void)c; (void)kind; return 0; }
