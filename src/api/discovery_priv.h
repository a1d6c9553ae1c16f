/* SPDX-License-Identifier: Apache-2.0 */
/* What answers are made of, for those who ask (discovery_ask.c) and those who keep them (discovery.c). */
#ifndef FOVEA_DISCOVERY_PRIV_H
#define FOVEA_DISCOVERY_PRIV_H

#include "api/discovery.h"
#include "provider/discover.h"

struct host_answer {
    char *id; /* what was asked; NULL: all */
    bool known; /* else awaited */
    int64_t at_ms;
    unsigned users; /* the list of its host is one */
    struct discover_list list; /* holds the ids of rows */
    struct model *rows;
    struct host_answer *next;
};

/* Asks, and fills the rows of an answer that is this thread's alone. The faults are those of discover(). */
int answer_fill(struct http *http, const struct discovery_question *q, struct host_answer *a, struct fovea_fault *fault);

/* Whether the address is on this machine or in its network, as far as it says so itself. */
bool discovery_is_near(const char *base_url);

struct http *discovery_http(const struct discovery *d);

#endif
