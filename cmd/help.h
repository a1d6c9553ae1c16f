/* SPDX-License-Identifier: Apache-2.0 */
/* What --help prints, from the command table. */
#ifndef FOVEA_HELP_H
#define FOVEA_HELP_H

#include "command.h"

/* Each prints to stdout and returns an exit code. */
int help_all(void);
int help_command(const struct command *command);

#endif
