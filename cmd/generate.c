/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea generate`: writes the man page and the completions, so that they cannot disagree with the program. */
#include <string.h>

#include "manual.h"
#include "options.h"
#include "out.h"

static const struct {
    const char *name;
    void (*add)(struct buf *b);
} files[] = {
    {"man", add_man_page},
    {"bash", add_bash_completion},
    {"zsh", add_zsh_completion},
    {"fish", add_fish_completion},
};

static int run(struct invocation *in)
{
    auto_buf b = BUF_INIT(LIMIT_CLI_TEXT);
    for (size_t i = 0; i < COUNT(files); i++)
        if (!strcmp(files[i].name, in->args[0])) {
            files[i].add(&b);
            return out_buf(&b);
        }
    say("cannot generate '%s'; there is man, bash, zsh and fish", in->args[0]);
    return EXIT_USAGE;
}

const struct command command_generate = {
    .name = "generate",
    .summary = "print the man page or the completions of a shell",
    .arguments = "man|bash|zsh|fish",
    .about = "Prints the man page (troff) or the completions for a shell, made from the table that also parses the "
             "command line.",
    .min_args = 1,
    .max_args = 1,
    .hidden = true,
    .run = run,
};
