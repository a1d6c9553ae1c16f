/* SPDX-License-Identifier: Apache-2.0 */
/* The list of commands. Each row stands at the bottom of its own file. */
#include "command.h"

#include <string.h>

extern const struct command command_view, command_read, command_ask, command_video, command_call, command_mcp, command_session,
    command_lower, command_models, command_usage, command_cache, command_config, command_setup, command_doctor, command_version,
    command_help, command_generate;

const struct command *const commands[] = {
    &command_view,    &command_read,   &command_ask,   &command_video,  &command_call,   &command_mcp,
    &command_session, &command_lower,  &command_models, &command_usage, &command_cache,  &command_config,
    &command_setup,   &command_doctor, &command_version, &command_help, &command_generate, NULL,
};

const struct command *command_find(const char *name)
{
    for (const struct command *const *c = commands; *c; c++)
        if (!strcmp((*c)->name, name))
            return *c;
    return NULL;
}

const struct fovea_tool *command_tool(const char *name)
{
    size_t n;
    const struct fovea_tool *tools = fovea_tools(&n);
    for (size_t i = 0; name && i < n; i++)
        if (!strcmp(tools[i].name, name))
            return &tools[i];
    return NULL;
}
