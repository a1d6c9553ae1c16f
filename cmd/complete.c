/* SPDX-License-Identifier: Apache-2.0 */
/* Completions for bash, zsh and fish from the command table: commands, options, choices, files, names of tools and
 * agents. */
#include <string.h>

#include "manual.h"
#include "options.h"
#include "out.h"
#include "setup.h"

static bool takes_file(const struct choice_option *o)
{
    return !strcmp(o->value, "FILE") || !strcmp(o->value, "DIR");
}

/* "check|show" stands for the words themselves, "FILE" for one that the user has. */
static bool is_words(const char *value)
{
    return *value >= 'a' && *value <= 'z';
}

static void add_words(struct buf *b, const char *value)
{
    for (; *value; value++)
        (void)buf_add(b, *value == '|' ? " " : value, 1);
}

static bool has_choices(const struct choice_option *o)
{
    return o->choices || is_words(o->value);
}

/* A tool's are not cut to the width of a help page. */
static void add_choices(struct buf *b, const struct choice_option *o)
{
    if (!o->choices)
        add_words(b, o->value);
    for (const char *const *c = o->choices; c && *c; c++)
        (void)buf_add_format(b, "%s%s", c == o->choices ? "" : " ", *c);
}

/* Words that stand where a command's arguments go; none when they are files. */
static void add_arguments(struct buf *b, const struct command *c)
{
    size_t n;
    const struct fovea_tool *tools = fovea_tools(&n);
    if (!strcmp(c->name, "call"))
        for (size_t i = 0; i < n; i++)
            (void)buf_add_format(b, "%s%s", i ? " " : "", tools[i].name);
    else if (!strcmp(c->name, "setup"))
        for (const struct agent *a = agents; a->name; a++)
            (void)buf_add_format(b, "%s%s", a == agents ? "" : " ", a->name);
    else if (!strcmp(c->name, "help"))
        for (const struct command *const *other = commands; *other; other++)
            if (!(*other)->hidden)
                (void)buf_add_format(b, "%s%s", other == commands ? "" : " ", (*other)->name);
    for (const struct action *a = c->actions; a && a->name; a++)
        (void)buf_add_format(b, "%s%s", a == c->actions ? "" : " ", a->name);
    if (!c->actions && is_words(c->arguments))
        add_words(b, c->arguments);
}

/* Text inside single quotes of a shell. */
static void add_quoted(struct buf *b, const char *text, const char *escaped)
{
    for (; *text; text++) {
        if (*text == '\'')
            (void)buf_add_str(b, "'\\''");
        else if (strchr(escaped, *text))
            (void)buf_add_format(b, "\\%c", *text);
        else
            (void)buf_add(b, text, 1);
    }
}

/* ---------------------------------------------------------------- bash */

static void add_bash_values(struct buf *b, const struct command *c)
{
    struct choice_option list[LIMIT_CLI_OPTIONS];
    size_t n = options_of(c, list);
    for (size_t i = 0; i < n; i++) {
        if (!list[i].value[0])
            continue;
        if (list[i].letter)
            (void)buf_add_format(b, "        %s:-%c|%s:--%s)", c->name, list[i].letter, c->name, list[i].name);
        else
            (void)buf_add_format(b, "        %s:--%s)", c->name, list[i].name);
        if (has_choices(&list[i])) {
            (void)buf_add_str(b, " COMPREPLY=($(compgen -W '");
            add_choices(b, &list[i]);
            (void)buf_add_str(b, "' -- \"$word\")) ;;\n");
        } else {
            (void)buf_add_str(b, takes_file(&list[i]) ? " compopt -o default; COMPREPLY=() ;;\n" : " COMPREPLY=() ;;\n");
        }
    }
}

static void add_bash_words(struct buf *b, const struct command *c)
{
    struct choice_option list[LIMIT_CLI_OPTIONS];
    size_t n = options_of(c, list);
    (void)buf_add_format(b, "        %s) options='", c->name);
    for (size_t i = 0; i < n; i++)
        (void)buf_add_format(b, "%s--%s", i ? " " : "", list[i].name);
    (void)buf_add_str(b, "' arguments='");
    add_arguments(b, c);
    (void)buf_add_str(b, c->actions ? "'; [ \"$COMP_CWORD\" -eq 2 ] || arguments= ;;\n" : "' ;;\n");
}

void add_bash_completion(struct buf *b)
{
    (void)buf_add_str(b, "# bash completion of fovea, made by 'fovea generate bash'\n_fovea()\n{\n"
                         "    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} options= arguments=\n"
                         "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W '");
    add_arguments(b, command_find("help"));
    (void)buf_add_str(b, " --help --version' -- \"$word\"))\n        return\n    fi\n"
                         "    case $command:${COMP_WORDS[COMP_CWORD-1]} in\n");
    for (const struct command *const *c = commands; *c; c++)
        if (!(*c)->hidden)
            add_bash_values(b, *c);
    (void)buf_add_str(b, "        *) false ;;\n    esac && return\n    case $command in\n");
    for (const struct command *const *c = commands; *c; c++)
        if (!(*c)->hidden)
            add_bash_words(b, *c);
    (void)buf_add_str(b, "    esac\n    case $word in\n"
                         "        -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
                         "        *) COMPREPLY=($(compgen -W \"$arguments\" -- \"$word\"))\n"
                         "           [ -n \"$arguments\" ] || compopt -o default ;;\n"
                         "    esac\n}\ncomplete -F _fovea fovea\n");
}

/* ---------------------------------------------------------------- zsh */

static void add_zsh_option(struct buf *b, const struct choice_option *o)
{
    if (o->letter)
        (void)buf_add_format(b, " \\\n                '(-%c --%s)'{-%c,--%s}", o->letter, o->name, o->letter, o->name);
    else
        (void)buf_add_format(b, " \\\n                '%s--%s", o->own && o->own->kind == OPTION_LIST ? "*" : "", o->name);
    (void)buf_add_str(b, o->letter ? "'[" : "[");
    add_quoted(b, o->help, "[]:\\");
    (void)buf_add_str(b, "]");
    if (o->value[0]) {
        (void)buf_add_format(b, ":%s:", has_choices(o) ? o->name : o->value);
        if (has_choices(o)) {
            (void)buf_add_str(b, "(");
            add_choices(b, o);
            (void)buf_add_str(b, ")");
        } else if (takes_file(o)) {
            (void)buf_add_str(b, !strcmp(o->value, "DIR") ? "_files -/" : "_files");
        }
    }
    (void)buf_add_str(b, "'");
}

static void add_zsh_command(struct buf *b, const struct command *c)
{
    struct choice_option list[LIMIT_CLI_OPTIONS];
    size_t n = options_of(c, list);
    auto_buf words = BUF_INIT(LIMIT_CLI_TEXT);
    (void)buf_add_format(b, "        %s)\n            _arguments -s", c->name);
    for (size_t i = 0; i < n; i++)
        add_zsh_option(b, &list[i]);
    add_arguments(&words, c);
    const char *arguments = part_of(b, &words);
    if (*arguments)
        (void)buf_add_format(b, " \\\n                '1:argument:(%s)'", arguments);
    if (c->actions || (!*arguments && c->max_args))
        (void)buf_add_str(b, " \\\n                '*:file:_files'");
    (void)buf_add_str(b, " ;;\n");
}

void add_zsh_completion(struct buf *b)
{
    (void)buf_add_str(b, "#compdef fovea\n# zsh completion of fovea, made by 'fovea generate zsh'\n_fovea() {\n"
                         "    local -a commands=(\n");
    for (const struct command *const *c = commands; *c; c++) {
        if ((*c)->hidden)
            continue;
        (void)buf_add_format(b, "        '%s:", (*c)->name);
        add_quoted(b, (*c)->summary, ":\\");
        (void)buf_add_str(b, "'\n");
    }
    (void)buf_add_str(b, "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n"
                         "    fi\n    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
                         "    case $command in\n");
    for (const struct command *const *c = commands; *c; c++)
        if (!(*c)->hidden)
            add_zsh_command(b, *c);
    (void)buf_add_str(b, "    esac\n}\n_fovea \"$@\"\n");
}

/* ---------------------------------------------------------------- fish */

static void add_fish_option(struct buf *b, const struct command *c, const struct choice_option *o)
{
    (void)buf_add_format(b, "complete -c fovea -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
    if (o->letter)
        (void)buf_add_format(b, " -s %c", o->letter);
    if (o->value[0])
        (void)buf_add_str(b, takes_file(o) ? " -r -F" : " -x");
    if (has_choices(o)) {
        (void)buf_add_str(b, " -a '");
        add_choices(b, o);
        (void)buf_add_str(b, "'");
    }
    (void)buf_add_str(b, " -d '");
    for (const char *t = o->help; *t; t++)
        (void)buf_add_format(b, "%s%c", strchr("'\\", *t) ? "\\" : "", *t);
    (void)buf_add_str(b, "'\n");
}

static void add_fish_command(struct buf *b, const struct command *c)
{
    struct choice_option list[LIMIT_CLI_OPTIONS];
    size_t n = options_of(c, list);
    auto_buf words = BUF_INIT(LIMIT_CLI_TEXT);
    (void)buf_add_format(b, "complete -c fovea -n __fish_use_subcommand -f -a %s -d '", c->name);
    (void)buf_add_str(b, c->summary);
    (void)buf_add_str(b, "'\n");
    for (size_t i = 0; i < n; i++)
        add_fish_option(b, c, &list[i]);
    add_arguments(&words, c);
    const char *arguments = part_of(b, &words);
    if (*arguments && c->actions) /* behind one of them there are files */
        (void)buf_add_format(b, "complete -c fovea -n '__fish_seen_subcommand_from %s; and not __fish_seen_subcommand_from %s' "
                                "-f -a '%s'\n", c->name, arguments, arguments);
    else if (*arguments)
        (void)buf_add_format(b, "complete -c fovea -n '__fish_seen_subcommand_from %s' -f -a '%s'\n", c->name, arguments);
}

void add_fish_completion(struct buf *b)
{
    (void)buf_add_str(b, "# fish completion of fovea, made by 'fovea generate fish'\n");
    for (const struct command *const *c = commands; *c; c++)
        if (!(*c)->hidden)
            add_fish_command(b, *c);
}
