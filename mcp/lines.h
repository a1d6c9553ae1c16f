/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as lines of stdin and stdout. */
#ifndef FOVEA_MCP_LINES_H
#define FOVEA_MCP_LINES_H

#include "server.h"

/*
 * Takes stdout for the protocol: from now on whatever else is printed to it, by whichever library, goes to stderr.
 * Returns the descriptor that is the real one, or a negative errno.
 */
int stdio_take(void);

/* Serves until stdin ends, nobody reads `out` any more, or stop_fd becomes readable; true in the first case. */
bool stdio_run(struct server *s, int out, int stop_fd);

/* Whether nobody reads `out` any more. */
bool stdio_gone(int out);

#endif
