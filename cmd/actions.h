/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that do several things: `fovea session append ...`. The rows stand in the command's table of actions. */
#ifndef FOVEA_ACTIONS_H
#define FOVEA_ACTIONS_H

#include "command.h"

/* Runs the action that the first argument names, or says what is wrong with the command line. Returns an exit code. */
int actions_run(struct invocation *in);

/* Whether an action takes the command's option of that name. */
bool action_takes(const struct action *action, const char *option);

#endif
