/* SPDX-License-Identifier: Apache-2.0 */
/* One command line against the table: what options a command has, and what the user gave. */
#ifndef FOVEA_OPTIONS_H
#define FOVEA_OPTIONS_H

#include "base/buf.h"
#include "base/cleanup.h"
#include "command.h"

/* One option as it is typed, whichever table it came from. */
struct choice_option {
    char name[32];  /* "max-edge" */
    char letter;    /* 0 none */
    char value[64]; /* "N", "FILE", "auto|full"; "" of a flag */
    const char *help;
    const char *const *choices;      /* of a tool's choice field, or the traces; NULL otherwise */
    const struct option *own;        /* the row, of the command or common ... */
    bool common;                     /* ... which of the two */
    const struct fovea_field *field; /* or the tool's field */
};

/* The options of a command: its own, its tool's, the common ones, --help. Returns how many. */
size_t options_of(const struct command *command, struct choice_option list[LIMIT_CLI_OPTIONS]);

/* Appends what an option is for, with the names that its value does not show. */
void option_add_help(struct buf *b, const struct choice_option *o);

/* What a command's REF may be, in words; NULL when it has none. */
const char *reference_of(const struct command *command);

/*
 * Fills ret from the words behind the command's name. Returns 0, or an exit code after saying on stderr what is
 * wrong. With --help among the words it is 0 and nothing else is judged.
 */
int options_parse(const struct command *command, char **words, struct invocation *ret);
void invocation_done(struct invocation *in);
#define auto_invocation cleanup(invocation_done) struct invocation

/* The one of `names` (NULL-terminated) that `given` most likely meant, or NULL when none is near. */
const char *nearest(const char *given, const char *const *names);

#endif
