/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fovea setup`: makes an agent start `fovea mcp`. Without --write it prints what belongs into the agent's config and
 * touches nothing; with it, the change is shown first and then made. The user's own config is the default: eyes are
 * wanted in every project, and a path of this machine does not belong into a file that others check out.
 */
#include <fcntl.h>
#include <string.h>

#include "base/fault.h"
#include "base/text.h"
#include "options.h"
#include "out.h"
#include "setup.h"

struct values {
    bool write, force;
    const char *scope, *name, *main;
    struct words roots;
};

/* A launch, and what its words are kept in. */
struct plan {
    struct launch launch;
    char program[LIMIT_PATH_BYTES];
    char *roots[LIMIT_ROOTS];
    char file[LIMIT_PATH_BYTES];
    bool project;
};

static void plan_done(struct plan *p)
{
    for (size_t i = 0; i < LIMIT_ROOTS; i++)
        free(take(p->roots[i]));
}

/* ---------------------------------------------------------------- what to start */

/* The name alone when that finds this very file: it outlives an update that moves the program. */
static int name_program(char program[LIMIT_PATH_BYTES], struct fovea_fault *fault)
{
    struct stat self, found;
    ssize_t n = readlink("/proc/self/exe", program, LIMIT_PATH_BYTES - 1);
    if (n <= 0 || n >= LIMIT_PATH_BYTES - 1)
        return fault_set(fault, n < 0 ? errno : ENAMETOOLONG, "cannot tell where this program is");
    program[n] = 0;
    if (stat(program, &self) < 0)
        return fault_set(fault, errno, "this program is not at '%s' any more", program);
    if (find_program("fovea", &found) == 0 && found.st_ino == self.st_ino && found.st_dev == self.st_dev)
        (void)snprintf(program, LIMIT_PATH_BYTES, "fovea");
    return 0;
}

/* The agent starts the server in a folder of its own choice, so a root must be a whole path. */
static int whole_path(const char *root, char **ret, struct fovea_fault *fault)
{
    char path[LIMIT_PATH_BYTES];
    auto_close int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return fault_set(fault, errno, "--root '%s': %s", root, strerror(errno));
    int r = setup_name_of(fd, path);
    if (r < 0)
        return fault_set(fault, r, "--root '%s' cannot be named", root);
    *ret = strdup(path);
    return *ret ? 0 : fault_oom(fault);
}

static int make_launch(const struct values *v, struct plan *p, struct fovea_fault *fault)
{
    struct launch *l = &p->launch;
    int r = name_program(p->program, fault);
    l->name = v->name ? v->name : "fovea";
    l->command[l->n++] = p->program;
    l->command[l->n++] = "mcp";
    for (size_t i = 0; r == 0 && i < v->roots.n; i++) {
        r = whole_path(v->roots.word[i], &p->roots[i], fault);
        l->command[l->n++] = "--root";
        l->command[l->n++] = p->roots[i];
    }
    if (v->main) {
        l->command[l->n++] = "--main";
        l->command[l->n++] = v->main;
    }
    for (size_t i = 0; r == 0 && i < l->n; i++)
        if (!utf8_valid(l->command[i], strlen(l->command[i])))
            r = fault_set(fault, EILSEQ, "'%s' is not UTF-8, which a config must be", l->command[i]);
    return r;
}

/* ---------------------------------------------------------------- printing */

static int change(const struct agent *a, const struct launch *l, const char *text, size_t len, struct buf *out_text,
                  enum setup_state *ret, struct fovea_fault *fault)
{
    return (a->format == SETUP_TOML ? setup_toml : setup_json)(a, l, text ? text : "", len, out_text, ret, fault);
}

/* The entry as a config that holds nothing else would have it. */
static int print_entry(const struct agent *a, const struct launch *l)
{
    auto_buf text = BUF_INIT(LIMIT_SETUP_BYTES);
    enum setup_state state;
    struct fovea_fault fault;
    if (change(a, l, "", 0, &text, &state, &fault) < 0)
        return out_fault(&fault, false, EXIT_FAULT);
    return out_buf(&text);
}

static int print_only(const struct agent *a, const struct plan *p)
{
    auto_buf line = BUF_INIT(LIMIT_CLI_TEXT);
    int bad = print_entry(a, &p->launch);
    if (bad)
        return bad;
    say_plain("this belongs into '%s'; 'fovea setup %s --write' puts it there", p->file, a->name);
    add_one_liner(&line, a, &p->launch, p->project);
    if (line.len && !line.error)
        say_plain("or run: %s", line.data);
    return EXIT_DONE;
}

static int list_agents(void)
{
    auto_buf b = BUF_INIT(LIMIT_CLI_TEXT);
    for (const struct agent *a = agents; a->name; a++) {
        char path[LIMIT_PATH_BYTES] = "HOME is not set";
        (void)agent_file(a, false, path);
        (void)buf_add_format(&b, "%-9s %-19s %-6s ", a->name, a->title, agent_seen(a) ? "here" : "-");
        (void)buf_add_shown(&b, path, LIMIT_PATH_BYTES);
        (void)buf_add_str(&b, "\n");
    }
    return out_buf(&b);
}

/* ---------------------------------------------------------------- writing */

static int by_hand(const struct agent *a, const struct plan *p, const struct fovea_fault *fault)
{
    say("'%s' is left as it is: %s", p->file, fault->text);
    say_plain("this is what belongs there:");
    int bad = print_entry(a, &p->launch);
    return bad ? bad : EXIT_REFUSED;
}

static int apply(const struct agent *a, const struct plan *p, bool force)
{
    auto_setup_file f = SETUP_FILE_INIT;
    auto_buf text = BUF_INIT(LIMIT_SETUP_BYTES), diff = BUF_INIT(4 * LIMIT_SETUP_BYTES);
    enum setup_state state;
    struct fovea_fault fault;
    if (setup_file_read(p->file, &f, &fault) < 0)
        return out_fault(&fault, false, EXIT_FAULT);
    int r = change(a, &p->launch, f.text.data, f.text.len, &text, &state, &fault);
    if (r < 0)
        return r == -ENOMEM ? out_fault(&fault, false, EXIT_FAULT) : by_hand(a, p, &fault);
    if (state == SETUP_SAME) {
        say("nothing to do: '%s' has it", p->file);
        return EXIT_DONE;
    }
    add_diff(&diff, f.path, f.there, &f.text, &text);
    int bad = out_buf(&diff);
    if (bad)
        return bad;
    if (state == SETUP_DIFFERS && !force) {
        say("'%s' has another '%s', so nothing was written; --write --force replaces it", p->file, p->launch.name);
        return EXIT_REFUSED;
    }
    if (setup_file_write(&f, &text, p->project, &fault) < 0)
        return out_fault(&fault, false, EXIT_FAULT);
    say("wrote '%s'; start %s anew to use it", p->file, a->title);
    return EXIT_DONE;
}

/* ---------------------------------------------------------------- the command */

static int unknown_agent(const char *name)
{
    const char *names[LIMIT_CLI_OPTIONS + 1] = {0};
    size_t n = 0;
    for (const struct agent *a = agents; a->name && n < LIMIT_CLI_OPTIONS; a++)
        names[n++] = a->name;
    const char *near = nearest(name, names);
    if (near)
        say("no agent '%s'; did you mean '%s'?", name, near);
    else
        say("no agent '%s'", name);
    say_plain("'fovea setup' lists them");
    return EXIT_USAGE;
}

static int check_values(const struct values *v)
{
    if (v->scope && strcmp(v->scope, "user") != 0 && strcmp(v->scope, "project") != 0)
        say("--scope is user or project, not '%s'", v->scope);
    else if (v->name && (!*v->name || v->name[strspn(v->name, SETUP_BARE)] || strlen(v->name) > LIMIT_SETUP_NAME))
        say("--name takes letters, digits, '_' and '-', at most %d", LIMIT_SETUP_NAME);
    else if (v->main && (!strchr(v->main, '/') || *v->main == '/'))
        say("--main wants PROVIDER/MODEL, not '%s'", v->main);
    else if (v->force && !v->write)
        say("--force goes with --write");
    else
        return 0;
    return EXIT_USAGE;
}

static int run(struct invocation *in)
{
    const struct values *v = in->values;
    cleanup(plan_done) struct plan p = {.project = v->scope && !strcmp(v->scope, "project")};
    struct fovea_fault fault;
    int bad = check_values(v);
    if (bad || !in->n_args)
        return bad ? bad : list_agents();
    const struct agent *a = agent_find(in->args[0]);
    if (!a)
        return unknown_agent(in->args[0]);
    int r = agent_file(a, p.project, p.file);
    if (r == -EOPNOTSUPP) {
        say("%s has no config of a project; leave --scope away", a->title);
        return EXIT_USAGE;
    }
    if (r < 0) {
        say("cannot tell where %s keeps its config: %s", a->title, r == -ENOENT ? "HOME is not set" : strerror(-r));
        return EXIT_FAULT;
    }
    if (make_launch(v, &p, &fault) < 0)
        return out_fault(&fault, false, EXIT_FAULT);
    return v->write ? apply(a, &p, v->force) : print_only(a, &p);
}

static const struct option options[] = {
    {"write", 'w', OPTION_FLAG, NULL, offsetof(struct values, write),
     "show the change to the agent's config, then make it"},
    {"force", 0, OPTION_FLAG, NULL, offsetof(struct values, force),
     "with --write: replace another server of that name"},
    {"scope", 0, OPTION_STRING, "user|project", offsetof(struct values, scope),
     "your own config (the default), or that of the project in this folder"},
    {"name", 0, OPTION_STRING, "NAME", offsetof(struct values, name),
     "what the agent calls the server; fovea by default"},
    {"root", 0, OPTION_LIST, "DIR", offsetof(struct values, roots),
     "let the server read this folder; where the config sets fs_reach, only what lies in it too; may be given again"},
    {"main", 0, OPTION_STRING, "P/M", offsetof(struct values, main),
     "tell the server which provider and model the agent runs"},
    {0},
};

const struct command command_setup = {
    .name = "setup",
    .summary = "make an agent use fovea: print its config, or write it",
    .arguments = "[AGENT]",
    .about = "Prints what makes AGENT start 'fovea mcp': stdout is the entry for its config, stderr says which file "
             "and which command of the agent's own does the same. With --write the change is shown as a diff and "
             "then made; comments and all else in the file stay, and a second run finds nothing to do. AGENT is "
             "claude, codex, gemini, opencode, copilot, qwen, cline, vscode or zed; without it they are listed, "
             "with those that seem to be on this machine marked 'here'.",
    .examples = "fovea setup claude --write\tClaude Code can view and read from now on\n"
                "fovea setup vscode --scope project --write\tonly in this project\n"
                "fovea setup codex --root ~/pictures\tprint what would let Codex see one folder only",
    .options = options,
    .values_size = sizeof(struct values),
    .max_args = 1,
    .run = run,
};
