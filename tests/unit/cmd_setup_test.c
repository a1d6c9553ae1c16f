/* SPDX-License-Identifier: Apache-2.0 */
/* Configs of other programs, as odd as people write them: the entry goes in and nothing else changes, or nothing is touched. */
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "cmd/setup.h"

enum { REFUSED = -1 };

static const struct row {
    const char *text;
    int state;         /* enum setup_state, or REFUSED */
    const char *words; /* in what comes out, or of the refusal; NULL: not looked at */
} tomls[] = {
    {"", SETUP_NEW, "[mcp_servers.fovea]\ncommand = \"/bin/fo\\\"vea\"\nargs = [\"mcp\", \"x\"]\n"},
    {"a = 1", SETUP_NEW, "a = 1\n\n[mcp_servers.fovea]"},
    {"a = ''\nb = \"\"\n", SETUP_NEW, NULL},
    {"a = '''x\ny''''\nb = \"\"\"x\"\"y\"z\\\"\"\"\"\n", SETUP_NEW, NULL},
    {"a = '\\'\n'b c' = 1\n\"d\".e . f= 1\n", SETUP_NEW, NULL},
    {"a = \"x\\", REFUSED, "line 1: no valid TOML"},
    {"\na = \"x", REFUSED, "line 2: no valid TOML"},
    {"a = \"x\ny\"\n", REFUSED, "line 1: no valid TOML"},
    {"a = '''x", REFUSED, "no valid TOML"},
    {"a = [1, {b = ']'}, # ]\n 2]\n", SETUP_NEW, NULL},
    {"a = {b = 1\n}\n", REFUSED, "no valid TOML"},
    {"a = [1, \"x]\n", REFUSED, "no valid TOML"},
    {"a = [1}\n", REFUSED, "no valid TOML"},
    {"a = [1", REFUSED, "no valid TOML"},
    {"a = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", REFUSED, "no valid TOML"},
    {"a = 2024-01-01 12:00:00\nb = 2024-01-01\nc = 2024-01-01 # x\nd = 1234567890\n", SETUP_NEW, NULL},
    {"a = 2024-01-01 !\n", REFUSED, "no valid TOML"},
    {"a = 2024-01-01 :\n", REFUSED, "no valid TOML"},
    {"a = 2024-01-01\t1\n", REFUSED, "no valid TOML"},
    {"a = 1234567890 1\n", REFUSED, "no valid TOML"},
    {"a = \n", REFUSED, "no valid TOML"},
    {"= 1\n", REFUSED, "no valid TOML"},
    {"\"a = 1\n", REFUSED, "no valid TOML"},
    {"a 1\n", REFUSED, "no valid TOML"},
    {"[a\n", REFUSED, "no valid TOML"},
    {"[[a]\n", REFUSED, "no valid TOML"},
    {"[a.]\n", REFUSED, "no valid TOML"},
    {"a.b.c.d.e.f.g.h.i.j.k.l = 1\n", SETUP_NEW, NULL},
    {"\"a\\u0062\" = 1\n", REFUSED, "not written as tables"},
    {"mcp_servers = {}\n", REFUSED, "not written as tables"},
    {"[mcp_servers]\n\"f\\u006fvea\" = {}\n", REFUSED, "not written as tables"},
    {"[mcp_servers]\nfovea = {}\n", REFUSED, "not written as tables"},
    {"[other]\n\"f\\u006fvea\" = {}\n", SETUP_NEW, NULL},
    {"[\"m\\u0063p_servers\".x]\n", REFUSED, "name of a table is not understood"},
    {"[mcp_servers.\"f\\u006fvea\"]\n", REFUSED, "unusual way"},
    {"[[mcp_servers]]\n", REFUSED, "unusual way"},
    {"[mcp_servers.fovea]\n[mcp_servers.fovea]\n", REFUSED, "there twice"},
    {"[mcp_servers.fovea.env]\nA = 1\n", REFUSED, "tables beneath it and none itself"},
    {"[mcp_servers.fovea]\n[mcp_servers.fovea.env]\n", REFUSED, "says something else and has tables beneath it"},
    {"[mcp_servers.fovea]\ncommand = \"/bin/fo\\\"vea\"\nargs = [ \"mcp\",\n 'x', ]\nenv.A = 1\n", SETUP_SAME, NULL},
    {"[mcp_servers.fovea]\ncommand = '/bin/fo\"vea' # mine\nargs = ['mcp', 'x']\n[b]\nc = 1\n", SETUP_SAME, NULL},
    {"[mcp_servers.fovea]\ncommand = \"/bin/fo\\\"veb\"\nargs = ['mcp', 'x']\n", SETUP_DIFFERS, "fo\\\"vea\"\n"},
    {"[mcp_servers.fovea]\ncommand = \"/bin/\\u0066\"\nargs = ['mcp', 'x']\n", SETUP_DIFFERS, NULL},
    {"[mcp_servers.fovea]\ncommand = '/bin/other!!'\nargs = 1\n[b]\nc = 1\n", SETUP_DIFFERS, "args = [\"mcp\", \"x\"]\n[b]\nc = 1\n"},
    {"[mcp_servers.fovea]\ncommand = 1\nargs = ['mcp']\n", SETUP_DIFFERS, NULL},
    {"[mcp_servers.fovea]\ncommand = ''\nargs = ['mcp', 'y']\n", SETUP_DIFFERS, NULL},
    {"[mcp_servers.fovea]\ncommand = '/bin/fo\"vea'\nargs = ['mcp', 'x', 'y']\n", SETUP_DIFFERS, NULL},
    {"[mcp_servers.fovea]\ncommand = '/bin/fo\"vea'\n", SETUP_DIFFERS, NULL},
};

static const struct row jsons[] = {
    {"", SETUP_NEW, "{\n  \"context_servers\": {\n    \"fovea\": {"},
    {"// mine", SETUP_NEW, "// mine\n{\n"},
    {"// mine\n", SETUP_NEW, "// mine\n{\n"},
    {"\xef\xbb\xbf{}", SETUP_NEW, "\xef\xbb\xbf{\n"},
    {"/* a\r\n b */{\r\n}", SETUP_NEW, "/* a\r\n b */{\r\n   \"context_servers\""},
    {"{\"a\":1}", SETUP_NEW, "{\"a\":1,\n"},
    {"{\"a\":1/*c*/}", SETUP_NEW, "{\"a\":1,/*c*/\n"},
    {"{\"a\":\"\\\"//\" }", SETUP_NEW, NULL},
    {"{\n\"a\": 1\n}\n", SETUP_NEW, "{\n\"a\": 1,\n\"context_servers\""},
    {"{\n                    \"a\": 1\n}\n", SETUP_NEW, NULL},
    {"{\n\t\"a\": [1, {\"b\": 2,},],\n}\n", SETUP_NEW, "\n\t\"context_servers\": {\n\t\t\"fovea\""},
    {"{\"context_servers\": {\"a\": 1 } }", SETUP_NEW, NULL},
    {"{\"context_servers\": {\"fovea\": {\"command\":\"/bin/fo\\\"vea\",\"args\":[\"mcp\",\"x\"],\"timeout\":3}}}", SETUP_SAME, NULL},
    {"{\"context_servers\": {\"fovea\": {\"transport\":{\"command\":\"/bin/fo\\\"vea\",\"args\":[\"mcp\",\"x\"]}}}}", SETUP_SAME, NULL},
    {"{\"context_servers\": {\"fovea\": {\"command\":\"/bin/fo\\\"vea\",\"args\":[]}}}", SETUP_DIFFERS, "\"mcp\""},
    {"{\"context_servers\": {\"fovea\": 1}}", SETUP_DIFFERS, "\"mcp\""},
    {"{\"context_servers\": 1}", REFUSED, "\"context_servers\" is not an object"},
    {"[]", REFUSED, "not a JSON object"},
    {"{\"a", REFUSED, "no valid JSON"},
    {"{\"a\\", REFUSED, "no valid JSON"},
    {"{\"a\":1 /* open", REFUSED, "no valid JSON"},
    {"{,}", REFUSED, "no valid JSON"},
    {"{\"a\":1,,}", REFUSED, "no valid JSON"},
    {"{\"a\":1,\"a\":2}", REFUSED, "no valid JSON"},
};

typedef int changer(const struct agent *a, const struct launch *l, const char *text, size_t len, struct buf *out, enum setup_state *ret,
                   struct fovea_fault *fault);

static const struct launch launch = {.name = "fovea", .command = {"/bin/fo\"vea", "mcp", "x"}, .n = 3};

static void check_row(changer *change, const char *agent, const struct row *r)
{
    auto_buf out = BUF_INIT(LIMIT_SETUP_BYTES);
    struct fovea_fault fault = {0};
    enum setup_state state = SETUP_NEW;
    int code = change(agent_find(agent), &launch, r->text, strlen(r->text), &out, &state, &fault);
    const char *told = code < 0 ? fault.text : out.data ? out.data : "";
    CHECK_MSG(code < 0 ? r->state == REFUSED : r->state == (int)state, "%s: %d %d %s", r->text, code, (int)state, told);
    CHECK_MSG(!r->words || strstr(told, r->words), "%s: %s", r->text, told);
    if (code == 0 && state != SETUP_SAME) { /* a second time there is nothing to do */
        auto_buf again = BUF_INIT(LIMIT_SETUP_BYTES);
        CHECK_MSG(change(agent_find(agent), &launch, out.data, out.len, &again, &state, &fault) == 0 && state == SETUP_SAME, "%s", out.data);
    }
}

TEST(toml_of_any_shape_gets_the_entry_or_is_left_alone)
{
    for (size_t i = 0; i < COUNT(tomls); i++)
        check_row(setup_toml, "codex", &tomls[i]);
}

TEST(json_of_any_shape_gets_the_entry_or_is_left_alone)
{
    for (size_t i = 0; i < COUNT(jsons); i++)
        check_row(setup_json, "zed", &jsons[i]);
}

TEST(a_nul_byte_in_a_config_is_refused)
{
    auto_buf out = BUF_INIT(LIMIT_SETUP_BYTES);
    struct fovea_fault fault = {0};
    enum setup_state state;
    CHECK(setup_toml(agent_find("codex"), &launch, "a=1\0", 4, &out, &state, &fault) < 0 && strstr(fault.text, "NUL"));
    CHECK(setup_json(agent_find("zed"), &launch, "{}\0", 3, &out, &state, &fault) < 0 && strstr(fault.text, "NUL"));
    CHECK(!out.len);
}

/* ---------------------------------------------------------------- where things are */

static void keep_env(const char *name, const char *value)
{
    CHECK((value ? setenv(name, value, 1) : unsetenv(name)) == 0);
}

TEST(programs_are_found_on_absolute_places_of_the_path_only)
{
    static char far[2 * LIMIT_PATH_BYTES];
    const char *old = getenv("PATH");
    auto_free char *kept = old ? strdup(old) : NULL;
    struct stat st;
    far[0] = '/';
    memset(far + 1, 'a', LIMIT_PATH_BYTES - 4);
    const struct {
        const char *path, *name;
        int code;
    } paths[] = {{"/bin", "sh", 0},          {"bin:/nowhere:/bin", "sh", 0}, {"bin", "sh", -ENOENT}, {"", "sh", -ENOENT},
                 {NULL, "sh", -ENOENT},      {far, "sh", -ENOENT},           {"/", "etc", -ENOENT},  {"/bin:", "no-such-program", -ENOENT},
                 {"/etc", "passwd", -ENOENT}};
    for (size_t i = 0; i < COUNT(paths); i++) {
        keep_env("PATH", paths[i].path);
        CHECK_MSG(find_program(paths[i].name, &st) == paths[i].code, "%s", paths[i].path);
    }
    keep_env("PATH", kept);
}

TEST(an_agent_is_seen_by_its_program_its_config_or_its_folder)
{
    const char *variables[] = {"PATH", "HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME"};
    char *kept[COUNT(variables)];
    char home[] = "/tmp/fovea-setup-XXXXXX", path[LIMIT_PATH_BYTES];
    for (size_t i = 0; i < COUNT(variables); i++) {
        const char *old = getenv(variables[i]);
        kept[i] = old ? strdup(old) : NULL;
        keep_env(variables[i], NULL);
    }
    const struct agent *codex = agent_find("codex"), *claude = agent_find("claude");
    CHECK(agent_file(codex, false, path) == -ENOENT && !agent_seen(codex));
    CHECK(mkdtemp(home) != NULL);
    keep_env("HOME", home);
    CHECK(agent_file(codex, false, path) == 0 && strstr(path, "/.codex/config.toml") && !agent_seen(codex) && !agent_seen(claude));
    keep_env("CODEX_HOME", "");
    CHECK(agent_file(codex, false, path) == 0 && strstr(path, "/.codex/config.toml"));
    *strrchr(path, '/') = '\0';
    CHECK(mkdir(path, 0700) == 0 && agent_seen(codex) && rmdir(path) == 0 && !agent_seen(codex));
    keep_env("CODEX_HOME", "/");
    (void)agent_seen(codex);
    static char far[LIMIT_PATH_BYTES];
    memset(far, 'a', sizeof far - 1);
    keep_env("CODEX_HOME", far);
    CHECK(agent_file(codex, false, path) == -ENAMETOOLONG && !agent_seen(codex));
    CHECK(agent_file(agent_find("zed"), true, path) == 0 || agent_file(agent_find("zed"), true, path) == -EOPNOTSUPP);
    CHECK(rmdir(home) == 0);
    for (size_t i = 0; i < COUNT(variables); i++) {
        keep_env(variables[i], kept[i]);
        free(kept[i]);
    }
}

TEST(the_agents_own_command_is_quoted_for_a_shell)
{
    static const struct launch odd = {.name = "fovea", .command = {"/it's/fovea", "mcp", "", "a b"}, .n = 4};
    auto_buf claude = BUF_INIT(LIMIT_CLI_TEXT), project = BUF_INIT(LIMIT_CLI_TEXT), code = BUF_INIT(LIMIT_CLI_TEXT);
    add_one_liner(&claude, agent_find("claude"), &odd, false);
    CHECK_STR(claude.data, "claude mcp add -s user fovea -- '/it'\\''s/fovea' mcp '' 'a b'");
    add_one_liner(&project, agent_find("claude"), &odd, true);
    CHECK(project.data && strstr(project.data, "project"));
    add_one_liner(&code, agent_find("vscode"), &odd, false);
    CHECK_STR(code.data, "code --add-mcp '{\"name\":\"fovea\",\"command\":\"/it'\\''s/fovea\",\"args\":[\"mcp\",\"\",\"a b\"]}'");
}

/* ---------------------------------------------------------------- the file */

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

TEST(what_is_no_regular_file_is_not_read)
{
    char folder[] = "/tmp/fovea-setup-XXXXXX";
    auto_setup_file f = SETUP_FILE_INIT;
    struct fovea_fault fault = {0};
    CHECK(mkdtemp(folder) && chdir(folder) == 0);
    CHECK(setup_file_read(folder, &f, &fault) < 0 && strstr(fault.text, "no regular file"));
    CHECK(mkfifo("fifo", 0600) == 0 && setup_file_read("fifo", &f, &fault) < 0 && strstr(fault.text, "no regular file"));
    CHECK(symlink("nothing", "link") == 0 && setup_file_read("link", &f, &fault) < 0 && strstr(fault.text, "link to nothing"));
    put("file", "x");
    CHECK(setup_file_read("file/x", &f, &fault) < 0 && strstr(fault.text, "cannot read"));
    put("large", "x");
    CHECK(truncate("large", LIMIT_SETUP_BYTES + 1) == 0 && setup_file_read("large", &f, &fault) < 0 && strstr(fault.text, "cannot read"));
    CHECK(unlink("fifo") == 0 && unlink("link") == 0 && unlink("file") == 0 && unlink("large") == 0 && chdir("/") == 0 && rmdir(folder) == 0);
}

/* What somebody else does to the file between reading and writing. */
static void grow_it(void)
{
    put("a", "longer");
}
static void touch_it(void)
{
    CHECK(utimensat(AT_FDCWD, "a", (struct timespec[]){{1, 0}, {1, 0}}, 0) == 0);
}
static void touch_it_just(void)
{
    struct stat st;
    CHECK(stat("a", &st) == 0);
    st.st_mtim.tv_nsec = (st.st_mtim.tv_nsec + 1) % 1000000000;
    CHECK(utimensat(AT_FDCWD, "a", (struct timespec[]){st.st_mtim, st.st_mtim}, 0) == 0);
}
static void swap_it(void)
{
    put("b", "a");
    CHECK(rename("b", "a") == 0);
}
static void drop_it(void)
{
    CHECK(unlink("a") == 0);
}

TEST(a_config_that_changed_meanwhile_is_not_overwritten)
{
    static void (*const acts[])(void) = {grow_it, touch_it, touch_it_just, swap_it, drop_it};
    char folder[] = "/tmp/fovea-setup-XXXXXX";
    struct fovea_fault fault = {0};
    auto_buf text = BUF_INIT(100);
    CHECK(mkdtemp(folder) && chdir(folder) == 0 && buf_add_str(&text, "new") == 0);
    for (size_t i = 0; i < COUNT(acts); i++) {
        auto_setup_file f = SETUP_FILE_INIT;
        put("a", "a");
        CHECK(setup_file_read("a", &f, &fault) == 0);
        acts[i]();
        CHECK_MSG(setup_file_write(&f, &text, false, &fault) == -ESTALE, "%zu: %s", i, fault.text);
    }
    auto_setup_file f = SETUP_FILE_INIT, g = SETUP_FILE_INIT;
    CHECK(setup_file_read("a", &f, &fault) == 0 && !f.there);
    put("a", "a");
    CHECK(setup_file_write(&f, &text, false, &fault) == -ESTALE);
    (void)snprintf(g.path, sizeof g.path, "%s/a/b/c", folder);
    CHECK(setup_file_write(&g, &text, false, &fault) < 0 && strstr(fault.text, "cannot write"));
    CHECK(unlink("a") == 0 && chdir("/") == 0 && rmdir(folder) == 0);
}
