/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agents that `fovea setup` knows: where each keeps its config, what an entry looks like there, and its own
 * command for it. The shapes are those that the agents' own `mcp add` writes, where they have one.
 */
#include <string.h>

#include "base/json_text.h"
#include "out.h"
#include "setup.h"

#define HOME "HOME"
#define XDG "XDG_CONFIG_HOME"

const struct agent agents[] = {
    {.name = "claude", .title = "Claude Code", .program = "claude", .format = SETUP_JSON, .servers = "mcpServers",
     .type = "stdio", .user = {{"CLAUDE_CONFIG_DIR", ".claude.json"}, {HOME, ".claude.json"}},
     .project = ".mcp.json", .add_user = "claude mcp add -s user", .add_project = "claude mcp add -s project"},
    {.name = "codex", .title = "Codex", .program = "codex", .format = SETUP_TOML, .servers = "mcp_servers",
     .user = {{"CODEX_HOME", "config.toml"}, {HOME, ".codex/config.toml"}}, .project = ".codex/config.toml",
     .add_user = "codex mcp add"},
    {.name = "gemini", .title = "Gemini CLI", .program = "gemini", .format = SETUP_JSONC, .servers = "mcpServers",
     .user = {{"GEMINI_CLI_HOME", ".gemini/settings.json"}, {HOME, ".gemini/settings.json"}},
     .project = ".gemini/settings.json", .add_user = "gemini mcp add -s user",
     .add_project = "gemini mcp add -s project", .add_middle = " -- "},
    {.name = "opencode", .title = "opencode", .program = "opencode", .format = SETUP_JSONC, .servers = "mcp",
     .type = "local", .one_list = true,
     .user = {{XDG, "opencode/opencode.json"}, {HOME, ".config/opencode/opencode.json"}},
     .project = "opencode.json", .second = "c", .add_user = "opencode mcp add"},
    {.name = "copilot", .title = "GitHub Copilot CLI", .program = "copilot", .format = SETUP_JSON,
     .servers = "mcpServers", .type = "stdio", .tools = true,
     .user = {{"COPILOT_HOME", "mcp-config.json"}, {HOME, ".copilot/mcp-config.json"}}, .project = ".mcp.json",
     .add_user = "copilot mcp add"},
    {.name = "qwen", .title = "Qwen Code", .program = "qwen", .format = SETUP_JSONC, .servers = "mcpServers",
     .user = {{"QWEN_HOME", "settings.json"}, {HOME, ".qwen/settings.json"}}, .project = ".qwen/settings.json",
     .add_user = "qwen mcp add -s user", .add_project = "qwen mcp add -s project", .add_middle = " -- "},
    {.name = "cline", .title = "Cline", .program = "cline", .format = SETUP_JSON, .servers = "mcpServers",
     .user = {{"CLINE_MCP_SETTINGS_PATH", ""},
              {"CLINE_DATA_DIR", "settings/cline_mcp_settings.json"},
              {"CLINE_DIR", "data/settings/cline_mcp_settings.json"},
              {HOME, ".cline/data/settings/cline_mcp_settings.json"}},
     .add_user = "cline mcp add --yes"},
    {.name = "vscode", .title = "Visual Studio Code", .program = "code", .format = SETUP_JSONC, .servers = "servers",
     .type = "stdio", .user = {{XDG, "Code/User/mcp.json"}, {HOME, ".config/Code/User/mcp.json"}},
     .project = ".vscode/mcp.json", .add_user = "code --add-mcp", .add_json = true},
    {.name = "zed", .title = "Zed", .program = "zed", .format = SETUP_JSONC, .servers = "context_servers",
     .user = {{XDG, "zed/settings.json"}, {HOME, ".config/zed/settings.json"}}, .project = ".zed/settings.json"},
    {0},
};

const struct agent *agent_find(const char *name)
{
    for (const struct agent *a = agents; a->name; a++)
        if (!strcmp(a->name, name))
            return a;
    return NULL;
}

static int join(const char *folder, const char *path, char to[LIMIT_PATH_BYTES])
{
    int n = snprintf(to, LIMIT_PATH_BYTES, "%s%s%s", folder, *folder && *path ? "/" : "", path);
    return n < 0 || n >= LIMIT_PATH_BYTES ? -ENAMETOOLONG : 0;
}

static int user_file(const struct agent *a, char path[LIMIT_PATH_BYTES])
{
    for (size_t i = 0; i < SETUP_PLACES && a->user[i].variable; i++) {
        const char *folder = getenv(a->user[i].variable);
        if (folder && *folder)
            return join(folder, a->user[i].path, path);
    }
    return -ENOENT;
}

int agent_file(const struct agent *a, bool project, char path[LIMIT_PATH_BYTES])
{
    char other[LIMIT_PATH_BYTES];
    int r = !project ? user_file(a, path) : a->project ? join("", a->project, path) : -EOPNOTSUPP;
    if (r < 0 || !a->second)
        return r;
    int n = snprintf(other, sizeof other, "%s%s", path, a->second);
    if (n < LIMIT_PATH_BYTES && access(path, F_OK) < 0 && access(other, F_OK) == 0)
        memcpy(path, other, sizeof other);
    return 0;
}

int find_program(const char *name, struct stat *ret)
{
    const char *at = getenv("PATH");
    while (at && *at) {
        char file[LIMIT_PATH_BYTES];
        size_t len = strcspn(at, ":");
        int n = snprintf(file, sizeof file, "%.*s/%s", (int)MIN(len, sizeof file), at, name);
        bool usable = *at == '/' && n < (int)sizeof file && access(file, X_OK) == 0;
        if (usable && stat(file, ret) == 0 && S_ISREG(ret->st_mode))
            return 0;
        at += len + (at[len] == ':');
    }
    return -ENOENT;
}

/* A folder of its own counts as well as the config: it is there before the first server is. The home does not. */
bool agent_seen(const struct agent *a)
{
    struct stat st;
    char path[LIMIT_PATH_BYTES];
    if (find_program(a->program, &st) == 0)
        return true;
    if (agent_file(a, false, path) < 0)
        return false;
    if (access(path, F_OK) == 0)
        return true;
    char *slash = strrchr(path, '/');
    const char *home = getenv(HOME);
    if (!slash || slash == path)
        return false;
    *slash = 0;
    return !(home && !strcmp(path, home)) && access(path, F_OK) == 0;
}

/* A word as a shell takes it. */
static void add_word(struct buf *b, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:@%+,";
    if (*word && !word[strspn(word, plain)]) {
        (void)buf_add_str(b, word);
        return;
    }
    (void)buf_add_str(b, "'");
    for (; *word; word++)
        (void)buf_add(b, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    (void)buf_add_str(b, "'");
}

/* {"name":...,"command":...,"args":[...]} */
static void add_json_word(struct buf *b, const struct launch *l)
{
    auto_buf json = BUF_INIT(LIMIT_CLI_TEXT);
    (void)buf_add_str(&json, "{\"name\":");
    (void)buf_add_json_str(&json, l->name);
    (void)buf_add_str(&json, ",\"command\":");
    (void)buf_add_json_str(&json, l->command[0]);
    (void)buf_add_str(&json, ",\"args\":[");
    for (size_t i = 1; i < l->n; i++) {
        (void)buf_add_str(&json, i > 1 ? "," : "");
        (void)buf_add_json_str(&json, l->command[i]);
    }
    (void)buf_add_str(&json, "]}");
    add_word(b, part_of(b, &json));
}

void add_one_liner(struct buf *b, const struct agent *a, const struct launch *l, bool project)
{
    const char *start = project ? a->add_project : a->add_user;
    if (!start)
        return;
    (void)buf_add_format(b, "%s ", start);
    if (a->add_json) {
        add_json_word(b, l);
        return;
    }
    add_word(b, l->name);
    (void)buf_add_str(b, a->add_middle ? " " : " -- ");
    for (size_t i = 0; i < l->n; i++) {
        if (i)
            (void)buf_add_str(b, i == 1 && a->add_middle ? a->add_middle : " ");
        add_word(b, l->command[i]);
    }
}
