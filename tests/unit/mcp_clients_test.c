/* SPDX-License-Identifier: Apache-2.0 */
/* Which agents are known, and that a stranger is not taken for one. */
#include "mcp/clients.h"

#include "test.h"

TEST(known_agents_are_found_by_the_name_they_send)
{
    static const struct {
        const char *name;
        bool webp;
        size_t page;
    } want[] = {
        {"claude-code", true, 28000},
        {"codex-mcp-client", true, 10000},
        {"gemini-cli-mcp-client", true, 36000},
        {"opencode", true, 45000},
        {"kilo", true, CLIENT_PAGE},
        {"qwen-cli-mcp-client-fovea", true, 14000},
        {"copilot-cli", false, 14000},
        {"@cline/core", false, CLIENT_PAGE},
    };
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        const struct client_row *row = client_known(want[i].name);
        CHECK(row);
        CHECK(row->webp == want[i].webp);
        CHECK(row->page == want[i].page);
    }
}

TEST(case_does_not_matter)
{
    CHECK(client_known("Claude-Code") == client_known("claude-code"));
    CHECK(client_known("OPENCODE") == client_known("opencode"));
}

TEST(a_suffix_after_a_mark_is_the_same_agent)
{
    CHECK(client_known("claude-code/2.1") == client_known("claude-code"));
    CHECK(client_known("gemini-cli-mcp-client-fovea") == client_known("gemini-cli-mcp-client"));
}

TEST(strangers_are_unknown)
{
    static const char *const names[] = {"", "c", "claude", "claude-codex", "kilowatt", "opencoder", "xopencode", "zed",
                                        "mcp-test-client", " kilo"};
    CHECK(!client_known(NULL));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        CHECK(!client_known(names[i]));
}

TEST(no_page_is_below_what_every_agent_keeps)
{
    static const char *const names[] = {"claude-code", "codex-mcp-client", "kilo", "@cline/core"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        CHECK(client_known(names[i])->page >= CLIENT_PAGE);
}
