/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What hosts said of their models, asked when somebody needs to know and kept: rows for choose() (model/choose.h). The
 * asking itself is provider/discover.h. Any thread; several that need the same answer wait for the one that asks.
 *
 * What helps is kept for good: a model that sees, for whoever asked for it. All else may change (a server starts, a model
 * is pulled) and is believed for LIMIT_DISCOVER_AGAIN_MS. A host that fails is left alone as long, whichever model is
 * asked for. Of each host there is one answer on all its models, and LIMIT_DISCOVER_IDS on single ones.
 */
#ifndef FOVEA_DISCOVERY_H
#define FOVEA_DISCOVERY_H

#include "fovea.h"
#include "model/models.h"

struct discovery;

/* NULL when out of memory. Costs next to nothing: libcurl is loaded by the first question. */
struct discovery *discovery_new(void);
void discovery_free(struct discovery *d);

/* Another time than LIMIT_DISCOVER_AGAIN_MS, for tests; before the first question. */
void discovery_set_again(struct discovery *d, int64_t ms);

struct discovery_question {
    const struct provider *provider;
    const char *base_url, *key; /* as choose.h found them; key may be NULL */
    const char *ca_file;
    const char *id; /* the model that matters; NULL: any that sees */
    int64_t total_ms;
    const fovea_cancel *cancel;
};

/* Whether there is anything to ask: an OpenAI-compatible host with an address, and a key where it wants one. */
bool discovery_can_ask(const struct discovery_question *q);

/* One answer, to be let go before the discovery is freed. */
struct host_answer;

/* NULL when the host did not answer in time, offers nothing of what is asked for, or the cancel struck. */
struct host_answer *discovery_ask(struct discovery *d, const struct discovery_question *q);
void discovery_let_go(struct discovery *d, struct host_answer *a);

/* Its rows, at least one; borrowed from it. */
const struct model *answer_rows(const struct host_answer *a, size_t *ret_n);

/* The same facts in a row that lives as long as d, without the id; NULL when out of memory. */
const struct model *discovery_keep(struct discovery *d, const struct model *row);

/* Why the host failed, if it did when it was asked last: one sentence; "" if it did not. */
void discovery_trouble(struct discovery *d, const struct provider *p, const char *base_url, struct fovea_fault *ret);

/* Asks now, whatever is kept, and keeps nothing: `tell` is shown each row. The faults are those of discover(). */
int discovery_tell(struct discovery *d, const struct discovery_question *q,
                   void (*tell)(const struct model *row, void *arg), void *arg, struct fovea_fault *fault);

#endif
