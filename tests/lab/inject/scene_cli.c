/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenes of the command line: commands as main runs them, their streams in files. Each ends with 0 and the right words on stdout, or
 * with another exit code and words on stderr. Where nothing can be written any more, the exit code is all there is.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "cmd/options.h"
#include "inject.h"
#include "scenes.h"

enum { TEXT_ROOM = 1 << 19, WORDS = 10 };

/* One command line; @ at the start of a word is the scene's folder, % the build's. */
struct line {
    const char *input; /* at stdin; NULL: nothing */
    const char *words[WORDS];
};

static int streams[3] = {-1, -1, -1};
static char text[TEXT_ROOM];

/* ---------------------------------------------------------------- one command */

static void swap(int fd, const char *name, int flags)
{
    auto_close int file = open(in_folder(name), flags | O_CLOEXEC, 0600);
    (void)dup2(file, fd);
}

static size_t read_back(const char *name)
{
    auto_close int fd = open(in_folder(name), O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    text[MAX(n, 0)] = '\0';
    return strlen(text);
}

/* As main does. */
static int run_command(const struct command *command, char **words)
{
    auto_invocation in;
    int r = options_parse(command, words, &in);
    return r ? r : command->run(&in);
}

/* What is made anew each time is no difference. */
static void mask_ids(void)
{
    for (char *p = text; (p = strstr(p, "view:"));)
        for (p += 5; *p && strchr("0123456789abcdef", *p); p++)
            *p = '.';
}

static void tell_end(const struct line *l, int code, struct outcome *o)
{
    if (code) {
        size_t len = read_back("err");
        if (!len)
            len = read_back("out"); /* of --json the product tells it */
        bool mute = inject_kind() == INJECT_WRITE && !len;
        o->code = -code;
        (void)snprintf(o->words, sizeof o->words, "%s: %.400s", l->words[0], mute ? "cannot be written" : text);
        bool for_memory = inject_kind() == INJECT_ALLOC || inject_kind() == INJECT_OWN_ALLOC;
        bool never = !strcmp(l->words[0], "setup"); /* want of memory is a fault there, with status 3 */
        if (for_memory && code == 1 && (never || !strstr(text, "memory")))
            o->code = -EINVAL; /* what was refused was right */
        if (!mute && !len)
            o->words[0] = '\0';
        return;
    }
    (void)read_back("out");
    mask_ids();
    tell_bytes(o, text, strlen(text) + 1);
    tell_answer(o);
}

static void do_line(const struct line *l, struct outcome *o)
{
    static char paths[WORDS][LIMIT_PATH_BYTES];
    char *words[WORDS] = {NULL};
    bool paused = inject_pause();
    for (size_t i = 0; i < WORDS && l->words[i]; i++) {
        char c = l->words[i][0];
        (void)snprintf(paths[i], sizeof paths[i], "%s%s", c == '@' ? in_folder("") : c == '%' ? build_folder() : "", l->words[i] + (c == '@' || c == '%'));
        words[i] = paths[i];
    }
    (void)put_file("in", l->input ? l->input : "");
    swap(0, "in", O_RDONLY);
    swap(1, "out", O_WRONLY | O_CREAT | O_TRUNC);
    swap(2, "err", O_WRONLY | O_CREAT | O_TRUNC);
    inject_resume(paused);
    int code = run_command(command_find(words[0]), words + 1);
    paused = inject_pause();
    for (int i = 0; i < 3; i++)
        (void)dup2(streams[i], i);
    tell_end(l, code, o);
    inject_resume(paused);
}

/* ---------------------------------------------------------------- all of a scene */

static const char talk[] = "{\"kind\":\"user\",\"at\":1794657600000,\"parts\":[{\"type\":\"text\",\"text\":\"what?\"}]}\n"
                           "{\"kind\":\"assistant\",\"at\":1794657601000,\"parts\":[{\"type\":\"text\",\"text\":\"that\"}]}\n"
                           "{\"kind\":\"usage\",\"at\":1794657602000,\"model\":\"anthropic/claude-opus-4-7\",\"input\":1200,\"output\":50,\"cost_usd\":0.00279}\n";

static int setup_cli(void)
{
    for (int i = 0; i < 3; i++)
        if (streams[i] < 0)
            streams[i] = fcntl(i, F_DUPFD_CLOEXEC, 10);
    return chdir(build_folder()) || !fresh_folder() || setenv("HOME", in_folder("home"), 1) || setenv("XDG_STATE_HOME", in_folder("state"), 1) ||
                   setenv("XDG_CACHE_HOME", in_folder("cache"), 1) || setenv("XDG_CONFIG_HOME", in_folder("config"), 1)
               ? -1
               : 0;
}

static void teardown_cli(void)
{
    for (int i = 0; i < 3; i++) {
        close_fd(streams[i]);
        streams[i] = -1;
    }
    drop_folder();
}

/* From the beginning each time: what an earlier run left is not there. */
static void do_lines(const struct line *l, size_t n, struct outcome *o)
{
    bool paused = inject_pause();
    (void)fresh_folder();
    (void)put_file("claude.json", "{\n  // mine\n  \"mcpServers\": {\"other\": {}},\n}\n");
    inject_resume(paused);
    for (size_t i = 0; i < n && o->code == 0; i++)
        do_line(&l[i], o);
}

#define SCENE(name_, ...)                                            \
    static void run_##name_(struct outcome *o)                       \
    {                                                                \
        static const struct line lines[] = {__VA_ARGS__};            \
        do_lines(lines, COUNT(lines), o);                            \
    }                                                                \
    const struct scene scene_##name_ = {#name_, setup_cli, run_##name_, NULL, teardown_cli, SCENE_USUAL};

SCENE(cli_words, {NULL, {"version"}}, {NULL, {"help"}}, {NULL, {"help", "view"}}, {NULL, {"generate", "man"}}, {NULL, {"generate", "bash"}},
      {NULL, {"generate", "zsh"}}, {NULL, {"generate", "fish"}}, {NULL, {"config", "show", "--config", ""}},
      {NULL, {"config", "check", "--json", "--config", ""}}, {NULL, {"models", "--json", "--config", ""}})
SCENE(cli_setup, {NULL, {"setup", "claude"}}, {NULL, {"setup", "codex", "--write"}}, {NULL, {"setup", "codex", "--write"}},
      {NULL, {"setup", "zed", "--write"}}, {NULL, {"setup", "opencode", "--write", "--name", "eyes"}}, {NULL, {"setup", "copilot"}})
SCENE(cli_view, {NULL, {"view", "%/fixtures/good/png-rgb-8.png", "--root", "%", "--json", "--config", ""}},
      {NULL, {"view", "%/fixtures/good/jpeg-rgb.jpg", "--root", "%", "-o", "@a.jpg", "--config", ""}},
      {NULL, {"view", "%/fixtures/good/jpeg-rgb.jpg", "--root", "%", "-o", "@a.jpg", "--config", ""}},
      {NULL, {"read", "%/fixtures/good.tsv", "--root", "%", "--limit", "3", "--config", ""}},
      {"{\"path\":\"fixtures/good.tsv\",\"limit\":2}", {"call", "read", "--root", "%", "--config", ""}})
SCENE(cli_session, {talk, {"session", "append", "s", "--json"}}, {NULL, {"session", "show", "s"}}, {NULL, {"session", "show", "s", "--json"}},
      {NULL, {"session", "export", "s"}}, {NULL, {"session", "export", "s", "--wire", "anthropic", "--full"}}, {NULL, {"session", "usage", "s"}},
      {NULL, {"session", "usage", "s", "--json"}}, {NULL, {"session", "fsck", "--json"}},
      {NULL, {"lower", "s", "--model", "anthropic/claude-opus-4-7", "--report", "@report"}},
      {"{\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}", {"usage", "--by", "session"}}, {NULL, {"session", "delete", "s"}},
      {NULL, {"cache", "clear", "--json"}})
SCENE(cli_simulate, {NULL, {"lower", "--simulate", "--trace", "short", "--model", "anthropic/claude-opus-4-7", "--plot", "@a.svg"}})
