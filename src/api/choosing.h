/* SPDX-License-Identifier: Apache-2.0 */
/* The chain of model/choose.h fed from a context. */
#ifndef FOVEA_CHOOSING_H
#define FOVEA_CHOOSING_H

#include "api/call.h"
#include "model/choose.h"

/* What the config and the environment say; the caller adds the call's model and the session's main. Borrowed from f and
 * the environment. */
struct choose_inputs choosing_inputs(const fovea *f);

/*
 * Whom a call asks: its own model (NULL none), then the chain. need: MODEL_ bits. What the choice borrows lives as long as
 * the context.
 */
enum choose_verdict choosing_for(const struct call *c, const char *model, unsigned need, struct choice *ret);

/* What only the whole of the config shows: a host without an address. -EINVAL names it. */
int choosing_check(const fovea *f, struct fovea_fault *fault);

#endif
