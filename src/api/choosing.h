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
 * is made again; each as often as discovery.h says, within LIMIT_DISCOVER_ALL_MS together. Only hosts that the user's files
 * name or that run on this machine are asked, never a vendor at its own address. Not to be called where images are
 * blocked: it may make a connection. The choice lives as long as the context.
 */
enum choose_verdict choosing_for(const struct call *c, const char *model, unsigned need, struct choice *ret);

/* After CHOOSE_CANNOT: "; 'HOST' did not say what it offers: ..." when nothing is known of the model because its host failed,
 * else "". */
enum { CHOOSING_TROUBLE = 512 };
void choosing_trouble(const struct call *c, const struct choice *choice, char words[CHOOSING_TROUBLE]);

/* What only the whole of the config shows: a provider that there is not, a host without an address. -EINVAL names it and
 * its line. */
int choosing_check(const fovea *f, struct fovea_fault *fault);

#endif
