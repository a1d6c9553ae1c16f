/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parsing of one command line. A tool's fields become options by themselves, so what the library can be asked the
 * command line can be asked too, in the same words.
 */
#include "options.h"

#include <ctype.h>
#include <string.h>

#include "out.h"

const struct option common_options[] = {
    {"root", 0, OPTION_LIST, "DIR", offsetof(struct common, roots),
     "let this folder be read; where the config sets fs_reach, only what lies in it too; may be given again"},
    {"config", 0, OPTION_STRING, "FILE", offsetof(struct common, config), "read this config instead of the usual one"},
    {"no-webp", 0, OPTION_FLAG, NULL, offsetof(struct common, no_webp), "never answer with WebP"},
    {0},
};

static const struct option help_option = {"help", 'h', OPTION_FLAG, NULL, 0, "say what this command takes"};

/* ---------------------------------------------------------------- what a command has */

static void add_row(struct choice_option *to, const struct option *row, bool common)
{
    *to = (struct choice_option){.letter = row->letter, .help = row->help, .own = row, .common = common};
    to->choices = row->kind == OPTION_TRACE ? fovea_traces() : NULL;
    (void)snprintf(to->name, sizeof to->name, "%s", row->name);
    (void)snprintf(to->value, sizeof to->value, "%s", row->value ? row->value : "");
}

/* What the help calls a field's value; "" of a boolean, which is a flag. */
static void name_value(const struct fovea_field *field, char *to, size_t size)
{
    static const char *const names[] = {[FOVEA_INTEGER] = "N", [FOVEA_BOX] = "X,Y,W,H", [FOVEA_OBJECT] = "JSON",
                                        [FOVEA_PAGES] = "N[-M]", [FOVEA_TIME] = "TIME", [FOVEA_BOOLEAN] = "", [FOVEA_URL] = "URL"};
    size_t at = 0;
    if (!strcmp(field->name, "against"))
        (void)snprintf(to, size, "REF");
    else if (field->type == FOVEA_STRING)
        for (; field->name[at] && at + 1 < size; at++)
            to[at] = (char)toupper((unsigned char)field->name[at]);
    else if (field->type == FOVEA_CHOICE)
        for (const char *const *c = field->choices; *c && at < size; c++)
            at += (size_t)snprintf(to + at, size - at, "%s%s", at ? "|" : "", *c);
    else
        (void)snprintf(to, size, "%s", names[field->type]);
}

static void add_field(struct choice_option *to, const struct fovea_field *field)
{
    *to = (struct choice_option){.help = field->help, .choices = field->choices, .field = field};
    (void)snprintf(to->name, sizeof to->name, "%s", field->name);
    for (char *c = to->name; *c; c++)
        *c = *c == '_' ? '-' : *c;
    name_value(field, to->value, sizeof to->value);
}

static bool is_option(const struct command *command, const struct fovea_field *field)
{
    for (const char *const *name = command->fields; name && *name; name++)
        if (!strcmp(*name, field->name))
            return true;
    return !command->fields && strcmp(field->name, "path") != 0;
}

const char *reference_of(const struct command *command)
{
    const struct fovea_tool *tool = command_tool(command->tool);
    for (size_t i = 0; !command->reference && tool && i < tool->n_fields; i++)
        if (!strcmp(tool->fields[i].name, "path"))
            return tool->fields[i].help;
    return command->reference;
}

size_t options_of(const struct command *command, struct choice_option list[LIMIT_CLI_OPTIONS])
{
    const struct fovea_tool *tool = command_tool(command->tool);
    size_t n = 0;
    for (const struct option *o = command->options; o && o->name && n < LIMIT_CLI_OPTIONS; o++)
        add_row(&list[n++], o, false);
    for (size_t i = 0; tool && i < tool->n_fields && n < LIMIT_CLI_OPTIONS; i++)
        if (is_option(command, &tool->fields[i]))
            add_field(&list[n++], &tool->fields[i]);
    for (const struct option *o = common_options; command->context && o->name && n < LIMIT_CLI_OPTIONS; o++)
        add_row(&list[n++], o, true);
    if (n < LIMIT_CLI_OPTIONS)
        add_row(&list[n++], &help_option, false);
    return n;
}

void option_add_help(struct buf *b, const struct choice_option *o)
{
    bool named = o->own && o->own->kind == OPTION_TRACE;
    (void)buf_add_str(b, o->help);
    for (const char *const *c = o->choices; named && *c; c++)
        (void)buf_add_format(b, "%s%s", c == o->choices ? ": " : ", ", *c);
}

/* ---------------------------------------------------------------- what the user gave */

static int usage_hint(const struct command *command)
{
    say_plain("try 'fovea %s --help'", command->name);
    return EXIT_USAGE;
}

static int unknown_option(const struct command *command, const struct choice_option *list, size_t n, const char *word)
{
    const char *names[LIMIT_CLI_OPTIONS + 1] = {0};
    char given[64];
    for (size_t i = 0; i < n; i++)
        names[i] = list[i].name;
    (void)snprintf(given, sizeof given, "%.*s", (int)strcspn(word, "="), word);
    for (char *c = given; *c; c++)
        *c = *c == '_' ? '-' : *c;
    const char *near = nearest(given + strspn(given, "-"), names);
    if (near)
        say("'%s' has no option '%s'; did you mean '--%s'?", command->name, word, near);
    else
        say("'%s' has no option '%s'", command->name, word);
    return usage_hint(command);
}

static int set_field(struct invocation *in, const struct choice_option *o, const char *value)
{
    struct fovea_fault fault;
    if (fovea_field_parse(o->field, value ? value : "true", in->request, &fault) == 0)
        return 0;
    say("--%s: %s", o->name, fault.text);
    return usage_hint(in->command);
}

static int set_own(struct invocation *in, const struct choice_option *o, const char *value)
{
    char *base = o->common ? (char *)&in->common : in->values;
    if (o->own == &help_option) {
        in->help = true;
    } else if (o->own->kind == OPTION_FLAG) {
        *(bool *)(void *)(base + o->own->offset) = true;
    } else if (o->own->kind != OPTION_LIST) {
        *(const char **)(void *)(base + o->own->offset) = value;
    } else {
        struct words *list = (void *)(base + o->own->offset);
        if (list->n == LIMIT_ROOTS) {
            say("--%s is given more than %d times", o->name, LIMIT_ROOTS);
            return EXIT_USAGE;
        }
        list->word[list->n++] = value;
    }
    return 0;
}

/* Which option a word names, and the value that stands in the same word (NULL when none does). */
static const struct choice_option *match(const struct choice_option *list, size_t n, const char *word,
                                         const char **ret_value)
{
    bool is_long = word[1] == '-';
    size_t len = is_long ? strcspn(word + 2, "=") : 0;
    for (size_t i = 0; i < n; i++) {
        if (is_long ? strlen(list[i].name) != len || strncmp(list[i].name, word + 2, len) != 0
                    : list[i].letter != word[1])
            continue;
        *ret_value = is_long ? (word[2 + len] ? word + 3 + len : NULL) : (word[2] ? word + 2 : NULL);
        return &list[i];
    }
    return NULL;
}

/* Takes the option at words[0]. Returns how many words it took, or a negative exit code. */
static int take_option(struct invocation *in, const struct choice_option *list, size_t n, char **words)
{
    const char *value = NULL;
    const struct choice_option *o = match(list, n, words[0], &value);
    int taken = 1, bad;
    if (!o || (!o->value[0] && value && words[0][1] != '-'))
        return -unknown_option(in->command, list, n, words[0]);
    if (!o->value[0] && value) {
        say("--%s takes no value", o->name);
        return -usage_hint(in->command);
    }
    if (o->value[0] && !value) {
        value = words[1];
        taken = 2;
    }
    if (o->value[0] && !value) {
        say("--%s needs a value: %s", o->name, o->value);
        return -usage_hint(in->command);
    }
    bad = o->field ? set_field(in, o, value) : set_own(in, o, value);
    return bad ? -bad : taken;
}

static int check_args(const struct invocation *in)
{
    const struct command *c = in->command;
    if (in->n_args >= c->min_args && in->n_args <= c->max_args)
        return 0;
    if (in->n_args < c->min_args)
        say("'%s' needs %s", c->name, c->arguments);
    else
        say("'%s' does not take '%s'", c->name, in->args[c->max_args]);
    return usage_hint(c);
}

static int prepare(const struct command *command, struct invocation *ret)
{
    *ret = (struct invocation){.command = command, .tool = command_tool(command->tool)};
    ret->values = calloc(1, MAX(command->values_size, (size_t)1));
    ret->request = calloc(1, ret->tool ? MAX(ret->tool->request_size, (size_t)1) : 1);
    if (ret->values && ret->request)
        return 0;
    say("out of memory");
    return EXIT_FAULT;
}

int options_parse(const struct command *command, char **words, struct invocation *ret)
{
    struct choice_option list[LIMIT_CLI_OPTIONS];
    size_t n = options_of(command, list);
    bool only_args = false;
    int r = prepare(command, ret);
    while (!r && *words && !ret->help) {
        if (!only_args && !strcmp(*words, "--")) {
            only_args = true;
            words++;
        } else if (!only_args && words[0][0] == '-' && words[0][1]) {
            int taken = take_option(ret, list, n, words);
            r = taken < 0 ? -taken : 0;
            words += taken < 0 ? 0 : taken;
        } else if (ret->n_args < LIMIT_CLI_ARGS) {
            ret->args[ret->n_args++] = *words++;
        } else {
            say("too many arguments");
            r = usage_hint(command);
        }
    }
    return r || ret->help ? r : check_args(ret);
}

void invocation_done(struct invocation *in)
{
    free(take(in->values));
    free(take(in->request));
}
