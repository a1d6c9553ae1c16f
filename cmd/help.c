/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea help`: the list of commands, or all about one. Wrapped to 80 columns, whatever the terminal. */
#include "help.h"

#include <string.h>

#include "actions.h"
#include "options.h"
#include "out.h"

enum { WIDTH = 80, OPTION_COLUMN = 26 };

/* Words of text, from column `at` on, in lines that start at column `indent`. */
static void add_wrapped(struct buf *b, const char *text, size_t at, size_t indent)
{
    while (*text) {
        size_t len = strcspn(text, " ");
        if (at > indent && at + 1 + len > WIDTH) {
            (void)buf_add_format(b, "\n%*s", (int)indent, "");
            at = indent;
        } else if (at > indent) {
            (void)buf_add_str(b, " ");
            at++;
        }
        (void)buf_add(b, text, len);
        at += len;
        text += len + strspn(text + len, " ");
    }
    (void)buf_add_str(b, "\n");
}

/* "  left      right", the right part wrapped; a long left part has a line of its own. */
static void add_row(struct buf *b, const char *left, const char *right, size_t column)
{
    size_t len = strlen(left) + 2;
    (void)buf_add_format(b, "  %s", left);
    if (len + 2 > column)
        (void)buf_add_format(b, "\n%*s", (int)column, "");
    else
        (void)buf_add_format(b, "%*s", (int)(column - len), "");
    add_wrapped(b, right, column, column);
}

static void add_options(struct buf *b, const struct command *command)
{
    struct choice_option list[LIMIT_CLI_OPTIONS];
    size_t n = options_of(command, list);
    for (size_t i = 0; i < n; i++) {
        char left[128], letter[8] = "    ";
        if (list[i].letter)
            (void)snprintf(letter, sizeof letter, "-%c, ", list[i].letter);
        (void)snprintf(left, sizeof left, "%s--%s%s%s", letter, list[i].name, list[i].value[0] ? " " : "",
                       list[i].value);
        auto_buf help = BUF_INIT(LIMIT_CLI_WORDS);
        option_add_help(&help, &list[i]);
        add_row(b, left, part_of(b, &help), OPTION_COLUMN);
    }
}

static void add_actions(struct buf *b, const struct command *command)
{
    for (const struct action *a = command->actions; a && a->name; a++) {
        (void)buf_add_format(b, "  %s%s%s", a->name, a->arguments[0] ? " " : "", a->arguments);
        for (const struct option *o = command->options; o->name; o++)
            if (action_takes(a, o->name))
                (void)buf_add_format(b, " [--%s]", o->name);
        (void)buf_add_str(b, "\n      ");
        add_wrapped(b, a->help, 6, 6);
    }
    (void)buf_add_str(b, command->actions ? "\n" : "");
}

static void add_examples(struct buf *b, const char *lines)
{
    while (lines && *lines) {
        size_t line = strcspn(lines, "\n"), command = strcspn(lines, "\t");
        (void)buf_add_format(b, "  %.*s\n", (int)MIN(command, line), lines);
        if (command < line)
            (void)buf_add_format(b, "      %.*s\n", (int)(line - command - 1), lines + command + 1);
        lines += line + (lines[line] == '\n');
    }
}

int help_command(const struct command *command)
{
    auto_buf b = BUF_INIT(LIMIT_CLI_TEXT);
    (void)buf_add_format(&b, "fovea %s - %s\n\nusage: fovea %s [OPTIONS]%s%s\n\n", command->name, command->summary,
                         command->name, command->arguments[0] ? " " : "", command->arguments);
    add_wrapped(&b, command->about, 0, 0);
    (void)buf_add_str(&b, "\n");
    if (reference_of(command))
        add_row(&b, "REF", reference_of(command), OPTION_COLUMN);
    add_actions(&b, command);
    add_options(&b, command);
    if (command->examples) {
        (void)buf_add_str(&b, "\nexamples:\n");
        add_examples(&b, command->examples);
    }
    return out_buf(&b);
}

int help_all(void)
{
    auto_buf b = BUF_INIT(LIMIT_CLI_TEXT);
    (void)buf_add_str(&b, "fovea - visual perception for LLM agents\n\nusage: fovea COMMAND [OPTIONS] ...\n\n");
    for (const struct command *const *c = commands; *c; c++)
        if (!(*c)->hidden)
            add_row(&b, (*c)->name, (*c)->summary, 12);
    (void)buf_add_str(&b, "\n'fovea help COMMAND' says more; so does 'man fovea'.\n"
                          "exit status: 0 done, 1 refused or failed, 2 usage, 3 fault\n");
    return out_buf(&b);
}

static int run(struct invocation *in)
{
    if (!in->n_args)
        return help_all();
    const struct command *command = command_find(in->args[0]);
    if (command)
        return help_command(command);
    say("no command '%s'", in->args[0]);
    return EXIT_USAGE;
}

const struct command command_help = {
    .name = "help",
    .summary = "list the commands, or say all about one",
    .arguments = "[COMMAND]",
    .about = "Without COMMAND, lists the commands. With one, says what it does and what it takes.",
    .max_args = 1,
    .run = run,
};
