/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What hosts said of their models, asked when somebody needs to know and kept for as long as the context: rows for choose()
 * (model/choose.h). The asking itself is provider/discover.h. Any thread; several that need the same answer wait for the
 * one that asks.
 */
#ifndef FOVEA_DISCOVERY_H
#define FOVEA_DISCOVERY_H

#include "fovea.h"
#include "model/models.h"

struct discovery;

/* NULL when out of memory. Costs next to nothing: libcurl is loaded by the first question. */
struct discovery *discovery_new(void);
void discovery_free(struct discovery *d);

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

/*
 * The rows, borrowed from d until that is freed; NULL and 0 when the host did not answer in time, offers nothing, or the
 * cancel struck. An answer is kept for good, and a failure for LIMIT_DISCOVER_AGAIN_MS; past LIMIT_DISCOVERIES answers
 * nobody is asked.
 */
const struct model *discovery_rows(struct discovery *d, const struct discovery_question *q, size_t *ret_n);

/* Asks now, whatever is kept, and keeps nothing: `tell` is shown each row. The faults are those of discover(). */
int discovery_tell(struct discovery *d, const struct discovery_question *q,
                   void (*tell)(const struct model *row, void *arg), void *arg, struct fovea_fault *fault);

#endif
