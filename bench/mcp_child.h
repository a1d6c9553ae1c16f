/* SPDX-License-Identifier: Apache-2.0 */
/* An MCP server as a child on two pipes: lines go out, and of each line that comes back only what identifies it is kept. */
#ifndef BENCH_MCP_CHILD_H
#define BENCH_MCP_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { EDGE = 192 };

struct child {
    pid_t pid;
    int in, out;           /* its stdin (does not block) and its stdout */
    char head[EDGE + 1];   /* first bytes of the line that is coming in */
    char tail[EDGE + 1];   /* last bytes of it */
    size_t line, tail_len; /* bytes of it so far, how many of them are in `tail` */
};

struct reply {
    long id;      /* -1: a notification or a question of the server's */
    bool error;   /* a JSON-RPC error, or a result that says isError */
    size_t bytes; /* with its newline */
};

double now_ms(void);
struct child child_start(char **argv);

/* Closes its stdin, gives it a moment, then kills it. */
void child_end(struct child *c);

/* Writes `text` as far as the pipe takes it. Bytes written, 0 when it is full; ends the program when the server is gone. */
size_t child_write(struct child *c, const char *text, size_t len);

/* One read, and `got` for each line that ends in it. Ends the program at end of file. */
void child_read(struct child *c, void (*got)(void *arg, struct reply r), void *arg);

/* Waits for something to read or, if `writes`, for room to write. Whether there is something to read. Ends the program
 * after 60 s of silence. */
bool child_wait(const struct child *c, bool writes);

#endif
