/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker program from its start to its end: its own main runs in a child that has the socket of a worker but no jail, greets, takes a
 * request and answers it. Only the child's calls fail.
 */
#ifndef FOVEA_INJECT_SERVED_H
#define FOVEA_INJECT_SERVED_H

#include "sandbox/proto.h"
#include "scenes.h"

struct served {
    struct work_request request;
    const void *data, *other; /* as long as the request says */
    const char *word;         /* the program's argument; NULL: none */
};

/* Tells the reply and what was written; a child that ends without a reply is an error with words, as it is to its parent. */
void served_run(const struct served *s, struct outcome *o);

extern bool served_child; /* this process is such a child */

int program_main(int argc, char **argv); /* main of the program, by another name */

/* A worker's refusal: what it says of a source that is as it should be is malformed, as the reason of it. */
void tell_status(struct outcome *o, uint32_t status, const char *detail);

#endif
