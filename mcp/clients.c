/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of known agents. A row stands here only when both halves were seen: the name in what the agent sends or
 * in its program, and what became of a WebP picture and of a long text on the way to the model. Pages keep a margin
 * below the length at which the agent cuts. See docs/agents.md.
 */
#include "clients.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const struct client_row rows[] = {
    {"claude-code", true, 28000},
    {"codex-mcp-client", true, 10000},
    {"gemini-cli-mcp-client", true, 36000},
    {"opencode", true, 45000},
    {"kilo", true, CLIENT_PAGE}, /* where it cuts a text was not measured */
    {"qwen-cli-mcp-client", true, 14000}, /* the name of the server follows */
    {"copilot-cli", false, 14000},
    {"@cline/core", false, CLIENT_PAGE},
};

static bool begins(const char *given, const char *name)
{
    size_t len = strlen(name);
    return !strncasecmp(given, name, len) && !isalnum((unsigned char)given[len]);
}

const struct client_row *client_known(const char *client_info_name)
{
    for (size_t i = 0; client_info_name && i < sizeof rows / sizeof rows[0]; i++)
        if (begins(client_info_name, rows[i].name))
            return &rows[i];
    return NULL;
}
