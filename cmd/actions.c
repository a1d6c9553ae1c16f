/* SPDX-License-Identifier: Apache-2.0 */
/* Which action was meant, and whether its words fit: see actions.h. */
#include "actions.h"

#include <string.h>

#include "options.h"
#include "out.h"

static int usage_hint(const struct invocation *in)
{
    say_plain("try 'fovea %s --help'", in->command->name);
    return EXIT_USAGE;
}

static int unknown_action(const struct invocation *in)
{
    const char *names[LIMIT_CLI_OPTIONS + 1] = {0};
    size_t n = 0;
    for (const struct action *a = in->command->actions; a->name && n < LIMIT_CLI_OPTIONS; a++)
        names[n++] = a->name;
    const char *near = nearest(in->args[0], names);
    if (near)
        say("'%s' has no action '%s'; did you mean '%s'?", in->command->name, in->args[0], near);
    else
        say("'%s' has no action '%s'", in->command->name, in->args[0]);
    return usage_hint(in);
}

bool action_takes(const struct action *action, const char *option)
{
    size_t len = strlen(option);
    for (const char *at = action->options; *at; at += strcspn(at, " ") + 1)
        if (!strncmp(at, option, len) && at[len] == ' ')
            return true;
    return false;
}

static bool is_given(const struct invocation *in, const struct option *o)
{
    const char *at = (const char *)in->values + o->offset;
    return o->kind == OPTION_FLAG ? *(const bool *)(const void *)at : *(const char *const *)(const void *)at != NULL;
}

static int check(const struct invocation *in, const struct action *action)
{
    unsigned given = in->n_args - 1;
    for (const struct option *o = in->command->options; o->name; o++)
        if (is_given(in, o) && !action_takes(action, o->name)) {
            say("'%s %s' takes no --%s", in->command->name, action->name, o->name);
            return usage_hint(in);
        }
    if (given >= action->min_args && given <= action->max_args)
        return 0;
    if (given < action->min_args)
        say("'%s %s' needs %s", in->command->name, action->name, action->arguments);
    else
        say("'%s %s' does not take '%s'", in->command->name, action->name, in->args[action->max_args + 1]);
    return usage_hint(in);
}

int actions_run(struct invocation *in)
{
    for (const struct action *a = in->command->actions; a->name; a++)
        if (!strcmp(a->name, in->args[0])) {
            int bad = check(in, a);
            return bad ? bad : a->run(in);
        }
    return unknown_action(in);
}
