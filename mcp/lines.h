/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as lines of stdin and stdout. */
#ifndef FOVEA_MCP_LINES_H
#define FOVEA_MCP_LINES_H

#include "server.h"

struct stdio {
    int out;    /* what stdout was */
    int stop;   /* readable: the process is to end */
    int broken; /* eventfd: a write failed, nobody is there */
};

/*
 * Takes stdout for the protocol: from now on whatever else is printed to it, by whichever library, goes to stderr.
 * 0 and ret, or a negative errno.
 */
int stdio_take(int stop_fd, struct stdio *ret);
void stdio_done(struct stdio *io);

/* Serves until stdin ends, nobody reads the answers any more, or it is to end; 1 in the first case, 0 in the others, -ENOMEM when it
 * could not begin. io must outlive the server, which may still answer. */
int stdio_run(struct server *s, const struct stdio *io);

/* Whether it is of no use to go on: nobody reads the answers any more, or it is to end. With a struct stdio. */
bool stdio_over(void *io);

#endif
