/* SPDX-License-Identifier: Apache-2.0 */
/* fovea: the command line. Finds the command, parses its words by the table, runs it. */
#include <string.h>

#include "help.h"
#include "options.h"
#include "out.h"

static int unknown_command(const char *name)
{
    const char *names[LIMIT_CLI_OPTIONS + 1] = {0};
    size_t n = 0;
    for (const struct command *const *c = commands; *c && n < LIMIT_CLI_OPTIONS; c++)
        if (!(*c)->hidden)
            names[n++] = (*c)->name;
    const char *near = nearest(name, names);
    if (near)
        say("no command '%s'; did you mean '%s'?", name, near);
    else
        say("no command '%s'", name);
    say_plain("try 'fovea --help'");
    return EXIT_USAGE;
}

/* --help and --version are commands to those who type them. */
static const char *command_name(const char *word)
{
    if (!strcmp(word, "--help") || !strcmp(word, "-h"))
        return "help";
    if (!strcmp(word, "--version") || !strcmp(word, "-V"))
        return "version";
    return word;
}

int main(int argc, char **argv)
{
    streams_init();
    if (argc < 2) {
        say_plain("usage: fovea COMMAND ...");
        say_plain("try 'fovea --help'");
        return EXIT_USAGE;
    }
    const struct command *command = command_find(command_name(argv[1]));
    if (!command)
        return unknown_command(argv[1]);
    auto_invocation in;
    int r = options_parse(command, argv + 2, &in);
    if (r)
        return r;
    return in.help ? help_command(command) : command->run(&in);
}
