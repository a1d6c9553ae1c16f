/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a URL for one call: the gate and the fetch of source/fetch.h under the config's network settings, and
 * what its bad news is in view's words. Whether a call may fetch at all (images.blockImages, network.view) is the
 * tool's to ask, before it comes here. */
#ifndef FOVEA_TAKE_URL_H
#define FOVEA_TAKE_URL_H

#include "api/call.h"
#include "source/fetch.h"

/* network.allow, network.deny and network.caFile, borrowed from the context. For fetch_gate where nothing is fetched. */
void take_policy(const struct call *c, struct fetch_policy *ret);

/* fetch_url under that policy, with the call's cancel. The caller calls fetch_result_done after 0. */
int take_url(const struct call *c, const char *url, uint64_t cap, struct fetch_result *ret, struct fovea_fault *fault);

/* view's refusal for a fetch that gave no bytes: blocked for all that the gate refuses but names that are not there, then
 * absent, timed_out, too_large or malformed. The message has the gate's code and words and what to do next. cap is what
 * the fetch was given. NULL when out of memory. */
fovea_result *refuse_fetch(const struct fetch_result *r, const char *url, uint64_t cap);

#endif
