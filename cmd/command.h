/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command table. One row says all about a command: parsing, --help, the man page and the completions are made from
 * it. A new command is one file that defines its row, and one line in commands.c.
 */
#ifndef FOVEA_COMMAND_H
#define FOVEA_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/limits.h"
#include "fovea.h"

enum exit_code {
    EXIT_DONE = 0,
    EXIT_REFUSED = 1, /* refused or failed */
    EXIT_USAGE = 2,
    EXIT_FAULT = 3,
};

enum option_kind {
    OPTION_FLAG,   /* bool */
    OPTION_STRING, /* const char * */
    OPTION_TRACE,  /* const char *: the name of a generated conversation */
    OPTION_LIST,   /* struct words; each use adds one */
};

struct words {
    size_t n;
    const char *word[LIMIT_ROOTS + 1]; /* the one after the last is NULL */
};

struct option {
    const char *name; /* NULL ends a table */
    char letter;      /* 0 none */
    enum option_kind kind;
    const char *value; /* what the help calls it: "FILE"; NULL of a flag */
    size_t offset;     /* of the member in the command's values, or in struct common */
    const char *help;
};

/* Options of every command that opens a context. */
struct common {
    struct words roots;
    const char *config, *personality;
    bool no_webp;
};
extern const struct option common_options[];

struct invocation;

/* One of the things that a command does: its first argument names it. */
struct action {
    const char *name;      /* NULL ends a table */
    const char *arguments; /* behind the name: "SESSION [FILE]" */
    const char *options;   /* those of the command that it takes, a blank after each: "key json " */
    const char *help;
    unsigned min_args, max_args; /* behind the name */
    int (*run)(struct invocation *in);
};

struct command {
    const char *name;
    const char *summary;   /* one line */
    const char *arguments; /* "REF"; "" when it takes none */
    const char *about;     /* a paragraph for help and the man page */
    const char *examples;  /* lines of "command<TAB>what it does"; may be NULL */
    const char *tool;      /* whose fields are options too (`path` is the first argument); NULL none */
    const char *const *fields; /* only these of them, NULL-terminated; NULL: all */
    const char *reference; /* what REF may be, where the tool has no `path`; NULL otherwise */
    const struct option *options;
    const struct action *actions; /* NULL: it does one thing, `run` */
    size_t values_size;
    unsigned min_args, max_args;
    bool context; /* takes the common options */
    bool hidden;
    int (*run)(struct invocation *in); /* returns an exit code */
};

/* What one command line asked for. */
struct invocation {
    const struct command *command;
    const struct fovea_tool *tool; /* NULL when the command has none */
    void *request;                 /* the tool's, with the options filled in */
    void *values;                  /* the command's own */
    struct common common;
    const char *args[LIMIT_CLI_ARGS + 1];
    unsigned n_args;
    bool help;
};

/* Every command, in the order of the help; NULL ends it. */
extern const struct command *const commands[];
const struct command *command_find(const char *name);

/* The tool of that name, or NULL; NULL of NULL. */
const struct fovea_tool *command_tool(const char *name);

#endif
