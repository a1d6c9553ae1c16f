/* SPDX-License-Identifier: Apache-2.0 */
/* The bearer token: a file that only its owner can read, made when there is none. */
#ifndef FOVEA_MCP_HTTP_TOKEN_H
#define FOVEA_MCP_HTTP_TOKEN_H

#include "fovea.h"

/*
 * Reads $XDG_STATE_HOME/fovea/token (or ~/.local/state/fovea/token), or makes it and prints it once on stderr; an old
 * one is only said to be there. The caller frees. -EPERM when others could have read or replaced it.
 */
int token_load(char **ret, struct fovea_fault *fault);

#endif
