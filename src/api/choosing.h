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
 * Which model answers a call: choose() with the call's own model (NULL none) and the session's main. Where nothing is known
 * of what was named, or of hosts that come before the one that is picked, these are asked what they offer, and the choice
 * is made again; each is asked once (discovery.h), within LIMIT_DISCOVER_ALL_MS together. Only hosts that the user's files
 * name or that run on this machine are asked, never a vendor at its own address. Not to be called where images are
 * blocked: it may make a connection. The choice lives as long as the context.
 */
enum choose_verdict choosing_for(const struct call *c, const char *model, unsigned need, struct choice *ret);

/* What only the whole of the config shows: a host without an address. -EINVAL names it. */
int choosing_check(const fovea *f, struct fovea_fault *fault);

#endif
