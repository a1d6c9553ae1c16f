/* SPDX-License-Identifier: Apache-2.0 */
/* One request of a fetch: to one judged URL, at one of its judged addresses. */
#ifndef FOVEA_FETCH_HOP_H
#define FOVEA_FETCH_HOP_H

#include "source/fetch.h"
#include "source/fetch_answer.h"
#include "source/fetch_dns.h"

struct hop {
    const struct url *url;
    const struct answers *answers; /* the addresses that may be dialled */
    const char *ca_file;
    uint64_t cap;
    int64_t deadline; /* of the whole fetch */
    const fovea_cancel *cancel;
    int fd; /* an empty memfd; takes the body */
    /* what came of it */
    struct answer answer;
    uint64_t got; /* bytes of body */
};

/*
 * Returns 0 and in *ret_reason NET_OK (a whole body, or a redirect that names one place: answer_is_redirect), or why not;
 * or a fault.
 */
int hop_run(struct hop *h, enum net_reason *ret_reason, struct fovea_fault *fault);

#endif
