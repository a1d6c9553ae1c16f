/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of `fovea setup`: the table of agents (setup_agents.c), the change to a config in memory (setup_json.c,
 * setup_toml.c) and the file on disk (setup_file.c). Text goes in, text comes out; only setup_file.c writes.
 */
#ifndef FOVEA_SETUP_H
#define FOVEA_SETUP_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/limits.h"
#include "fovea.h"

/* What the agent is to start: command[0] is the program. NULL ends it. */
struct launch {
    const char *name; /* of the server in the agent's config */
    const char *command[LIMIT_SETUP_WORDS + 1];
    size_t n;
};

enum setup_format {
    SETUP_JSON,  /* strict: the agent takes no comment */
    SETUP_JSONC, /* comments and trailing commas are the user's, and stay */
    SETUP_TOML,
};

enum { SETUP_PLACES = 4 };

/* What a key of a config is made of that needs no quotes, and a server's name. */
#define SETUP_BARE "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

struct agent {
    const char *name, *title;
    const char *program; /* that the user types */
    enum setup_format format;
    const char *servers; /* the key that holds the servers */
    const char *type;    /* "type" of an entry; NULL none */
    bool one_list;       /* command and arguments are one array */
    bool tools;          /* the entry must say which tools: all */
    struct {
        const char *variable; /* a folder; the first that is set decides */
        const char *path;     /* beneath it; "" when the variable names the file itself */
    } user[SETUP_PLACES];
    const char *project; /* beneath the working folder; NULL when it has no such config */
    const char *second;  /* ending that the file may have instead */
    const char *add_user, *add_project; /* the agent's own command up to the name; NULL none */
    bool add_json;                      /* it takes the whole entry as JSON */
    const char *add_middle;             /* between the program and its arguments; NULL: " -- " before both */
};

extern const struct agent agents[]; /* a row without a name ends it */
const struct agent *agent_find(const char *name);

/* Where the agent's config is. Returns 0, -ENOENT when HOME is not set, -ENAMETOOLONG, or -EOPNOTSUPP when it has none
 * for a project. */
int agent_file(const struct agent *a, bool project, char path[LIMIT_PATH_BYTES]);

/* Whether the agent seems to be on this machine: its program on PATH, or its config. */
bool agent_seen(const struct agent *a);

/* The file of that name on PATH that can be run, or -ENOENT. */
int find_program(const char *name, struct stat *ret);

/* Appends the agent's own command line that does the same; nothing when it has none. */
void add_one_liner(struct buf *b, const struct agent *a, const struct launch *l, bool project);

enum setup_state {
    SETUP_NEW,    /* the entry is to be added */
    SETUP_SAME,   /* it is there and says the same */
    SETUP_DIFFERS /* one of that name says something else; `out` replaces it */
};

/* Why what a config becomes could not be put together. */
int setup_unmade(int error, struct fovea_fault *fault);

/*
 * What the config becomes: all of `text` (len bytes, NUL-terminated) and the entry. Every byte that is not part of the
 * change stays. Returns 0, or -EINVAL with the fault when the text is broken or holds what this cannot change safely, -EFBIG when it
 * would grow beyond what is read, -ENOMEM.
 */
int setup_json(const struct agent *a, const struct launch *l, const char *text, size_t len, struct buf *out,
               enum setup_state *ret, struct fovea_fault *fault);
int setup_toml(const struct agent *a, const struct launch *l, const char *text, size_t len, struct buf *out,
               enum setup_state *ret, struct fovea_fault *fault);

/* A config as it was found. */
struct setup_file {
    char path[LIMIT_PATH_BYTES]; /* links followed */
    bool there;
    struct stat before;
    struct buf text;
};
#define SETUP_FILE_INIT {.text = BUF_INIT(LIMIT_SETUP_BYTES)}
/* The name of an open file or folder, links and all resolved. 0 or a negative errno. */
int setup_name_of(int fd, char path[LIMIT_PATH_BYTES]);

void setup_file_done(struct setup_file *f);
#define auto_setup_file cleanup(setup_file_done) struct setup_file

/* Reads it; a file that is not there is empty. 0 or a negative errno and the fault. */
int setup_file_read(const char *path, struct setup_file *ret, struct fovea_fault *fault);

/* Puts the new text in its place, with the folders that are missing. -ESTALE when somebody changed it meanwhile. */
int setup_file_write(const struct setup_file *f, const struct buf *text, bool project, struct fovea_fault *fault);

/* Appends the change as a unified diff of one hunk. */
void add_diff(struct buf *b, const char *path, bool there, const struct buf *from, const struct buf *to);

#endif
