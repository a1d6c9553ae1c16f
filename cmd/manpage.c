/* SPDX-License-Identifier: Apache-2.0 */
/* fovea.1, in troff, from the command table and a few paragraphs of its own. */
#include <string.h>

#include "actions.h"
#include "manual.h"
#include "options.h"
#include "out.h"

struct named {
    const char *name, *what;
};

static const struct named exit_codes[] = {
    {"0", "done"},
    {"1", "refused or failed: the message says what to do"},
    {"2", "the command line was wrong (of call also: no JSON, or no such tool)"},
    {"3", "fault: no memory, a broken config, no sandbox, nowhere to write"},
};

static const struct named files[] = {
    {"$XDG_CONFIG_HOME/fovea/config.yaml", "the config; ~/.config when the variable is not set"},
};

static const struct named variables[] = {
    {"XDG_CONFIG_HOME", "where the config is"},
    {"NO_COLOR", "when set, nothing is coloured"},
    {"TERM, COLORTERM", "decide how a picture is drawn on the terminal"},
};

/* Plain text as troff takes it: no line may start a request, a backslash or a hyphen is meant as such. */
static void add_text(struct buf *b, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        bool first = !i || text[i - 1] == '\n';
        if (first && (text[i] == '.' || text[i] == '\''))
            (void)buf_add_str(b, "\\&");
        if (text[i] == '\\')
            (void)buf_add_str(b, "\\e");
        else if (text[i] == '-')
            (void)buf_add_str(b, "\\-");
        else if (text[i] == '\'')
            (void)buf_add_str(b, "\\(aq");
        else
            (void)buf_add(b, text + i, 1);
    }
}

static void add_words(struct buf *b, const char *text)
{
    add_text(b, text, strlen(text));
}

/* A term in bold and what it means. */
static void add_item(struct buf *b, const char *term, const char *value, const char *what)
{
    (void)buf_add_str(b, ".TP\n\\fB");
    add_words(b, term);
    (void)buf_add_str(b, "\\fR");
    if (value[0]) {
        (void)buf_add_str(b, term[0] ? " \\fI" : "\\fI");
        add_words(b, value);
        (void)buf_add_str(b, "\\fR");
    }
    (void)buf_add_str(b, "\n");
    add_words(b, what);
    (void)buf_add_str(b, "\n");
}

static void add_option(struct buf *b, const struct choice_option *o)
{
    char term[64];
    if (o->letter)
        (void)snprintf(term, sizeof term, "-%c, --%s", o->letter, o->name);
    else
        (void)snprintf(term, sizeof term, "--%s", o->name);
    auto_buf help = BUF_INIT(LIMIT_CLI_WORDS);
    option_add_help(&help, o);
    add_item(b, term, o->value, part_of(b, &help));
}

static void add_synopsis(struct buf *b)
{
    (void)buf_add_str(b, ".SH SYNOPSIS\n");
    for (const struct command *const *c = commands; *c; c++) {
        if ((*c)->hidden)
            continue;
        (void)buf_add_format(b, ".B fovea %s\n[\\fIOPTIONS\\fR]", (*c)->name);
        if ((*c)->arguments[0])
            (void)buf_add_format(b, " \\fI%s\\fR", (*c)->arguments);
        (void)buf_add_str(b, "\n.br\n");
    }
}

/* Each with the options that it takes; what those mean stands behind them. */
static void add_actions(struct buf *b, const struct command *c)
{
    for (const struct action *a = c->actions; a && a->name; a++) {
        auto_buf what = BUF_INIT(LIMIT_CLI_WORDS);
        (void)buf_add_format(&what, "%s.", a->help);
        for (const struct option *o = c->options; o->name; o++)
            if (action_takes(a, o->name))
                (void)buf_add_format(&what, " [--%s]", o->name);
        add_item(b, a->name, a->arguments, part_of(b, &what));
    }
}

static void add_command(struct buf *b, const struct command *c)
{
    struct choice_option list[LIMIT_CLI_OPTIONS];
    size_t n = options_of(c, list);
    (void)buf_add_format(b, ".SS fovea %s\n", c->name);
    add_words(b, c->about);
    (void)buf_add_str(b, "\n");
    if (reference_of(c))
        add_item(b, "", "REF", reference_of(c));
    add_actions(b, c);
    for (size_t i = 0; i < n; i++)
        if (!list[i].common && strcmp(list[i].name, "help") != 0)
            add_option(b, &list[i]);
}

static void add_commands(struct buf *b)
{
    struct choice_option list[LIMIT_CLI_OPTIONS];
    (void)buf_add_str(b, ".SH COMMANDS\n");
    for (const struct command *const *c = commands; *c; c++)
        if (!(*c)->hidden)
            add_command(b, *c);
    (void)buf_add_str(b, ".SH COMMON OPTIONS\nOf");
    for (const struct command *const *c = commands; *c; c++)
        if ((*c)->context && !(*c)->hidden)
            (void)buf_add_format(b, " %s,", (*c)->name);
    (void)buf_add_str(b, " and --help of every command.\n");
    size_t n = options_of(command_find("doctor"), list);
    for (size_t i = 0; i < n; i++)
        if (list[i].common || !strcmp(list[i].name, "help"))
            add_option(b, &list[i]);
}

static void add_config(struct buf *b)
{
    (void)buf_add_str(b, ".SH CONFIGURATION\nThe config is YAML; keys may be nested or dotted. A wrong key or value "
                         "names itself, its line, and the nearest right one.\n");
    struct fovea_setting key;
    for (size_t i = 0; fovea_setting(i, &key) == 0; i++) {
        char what[256];
        (void)snprintf(what, sizeof what, "%s (default %s)", key.help, key.preset);
        add_item(b, key.key, "", what);
    }
}

static void add_examples(struct buf *b)
{
    (void)buf_add_str(b, ".SH EXAMPLES\n");
    for (const struct command *const *c = commands; *c; c++)
        for (const char *line = (*c)->examples; line && *line;) {
            size_t len = strcspn(line, "\n"), command = MIN(strcspn(line, "\t"), len);
            (void)buf_add_str(b, ".TP\n\\fB");
            add_text(b, line, command);
            (void)buf_add_str(b, "\\fR\n");
            if (command < len)
                add_text(b, line + command + 1, len - command - 1);
            else
                add_words(b, (*c)->summary);
            (void)buf_add_str(b, "\n");
            line += len + (line[len] == '\n');
        }
}

void add_man_page(struct buf *b)
{
    (void)buf_add_format(b, ".\\\" Made by 'fovea generate man'.\n.TH FOVEA 1 \"\" \"fovea %s\" \"User Commands\"\n",
                         FOVEA_VERSION);
    (void)buf_add_str(b, ".SH NAME\nfovea \\- visual perception for LLM agents\n");
    add_synopsis(b);
    (void)buf_add_str(b, ".SH DESCRIPTION\nTwo verbs, never mixed. See: \\fBview\\fR turns a source into pixels that a "
                         "model sees, \\fBread\\fR turns it into text. Ask: \\fBask\\fR and \\fBvideo\\fR put a question "
                         "about a source to a vision model. All decoding happens in confined worker processes. "
                         "Only files inside the reach (by default the working folder) are opened.\n"
                         ".PP\nStandard output is the product only; words go to standard error.\n");
    add_commands(b);
    (void)buf_add_str(b, ".SH EXIT STATUS\n");
    for (size_t i = 0; i < COUNT(exit_codes); i++)
        add_item(b, exit_codes[i].name, "", exit_codes[i].what);
    add_config(b);
    (void)buf_add_str(b, ".SH ENVIRONMENT\n");
    for (size_t i = 0; i < COUNT(variables); i++)
        add_item(b, variables[i].name, "", variables[i].what);
    (void)buf_add_str(b, ".SH FILES\n");
    for (size_t i = 0; i < COUNT(files); i++)
        add_item(b, files[i].name, "", files[i].what);
    add_examples(b);
    (void)buf_add_str(b, ".SH SEE ALSO\n.BR fovea (3)\n");
}
