/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot: the bytes of one source, taken once, in a sealed memfd. What is hashed, sniffed, decoded and recorded is
 * this and nothing else, so a file that changes meanwhile cannot disagree with itself. Opening and reading run in a
 * child process that can be left behind: a file system that never answers costs a time-out, not the program.
 */
#ifndef FOVEA_SNAPSHOT_H
#define FOVEA_SNAPSHOT_H

#include <stdint.h>

#include "fovea.h"
#include "source/gate.h"
#include "source/ref.h"

struct snapshot {
    int fd; /* sealed memfd, size bytes */
    uint64_t size;
    uint32_t variant; /* which spelling opened */
    uint64_t file_size, dev, ino, nlink;
};
void snapshot_done(struct snapshot *s);

enum snapshot_verdict {
    SNAPSHOT_TAKEN,
    SNAPSHOT_ABSENT,
    SNAPSHOT_NOT_REGULAR,
    SNAPSHOT_TOO_LARGE, /* file_size is filled in (for a file that grows: what was seen) */
    SNAPSHOT_TIMED_OUT, /* the file system did not answer within LIMIT_OPEN_MS, or took too long in all */
};

/* What one call may do less than the gate lets it. NULL instead of it, and all zero, narrows nothing. */
struct snapshot_scope {
    const char *const *roots;   /* at most LIMIT_ROOTS canonical absolute folders, NULL-terminated: what does not lie
                                   beneath one by its true path is absent. An empty list: everything is */
    const fovea_cancel *cancel; /* ends the call at once with -ECANCELED */
    size_t max_text;            /* of a window, in bytes; 0, or more than that: LIMIT_READ_WINDOW */
};

/*
 * The first variant that exists, at most cap bytes of it. Returns 0 and a verdict (ret->fd is -1 unless it is
 * SNAPSHOT_TAKEN), or a fault. Safe in programs with threads and with children of their own: see reader.h.
 */
int snapshot_take(const struct gate *g, const struct ref_variants *variants, const struct snapshot_scope *scope,
                  uint64_t cap, enum snapshot_verdict *ret_verdict, struct snapshot *ret, struct fovea_fault *fault);

/* Only its first bytes, to see what it is: of a file over the cap. len 0 where it cannot be had. 0 or a fault. */
struct snapshot_head {
    uint64_t file_size;
    uint32_t len;
    uint8_t bytes[4096];
};
int snapshot_take_head(const struct gate *g, const struct ref_variants *variants, const struct snapshot_scope *scope,
                       struct snapshot_head *ret, struct fovea_fault *fault);

/* The same of bytes in memory. */
int snapshot_of(const void *data, size_t len, struct snapshot *ret, struct fovea_fault *fault);

/*
 * For read: a window of text lines instead of all bytes, in constant memory however large the file is. The window's
 * text has its line ends as found: at most scope->max_text bytes, in whole lines (or whole characters, when even its
 * first line is longer). When bad_at is set, reading stopped there: only it, head and encoding mean
 * anything. A line ends with '\n'; what follows the last one is a line too, unless it is empty.
 */
struct snapshot_lines {
    struct snapshot window; /* of the file; size is that of text, and fd is always -1 */
    char *text;             /* owned; a NUL follows. NULL unless SNAPSHOT_TAKEN */
    uint64_t total_lines;
    uint64_t first, last; /* lines in the window, from 1; 0, 0 when none */
    uint64_t cut;         /* 1 when the window was cut by its greatest size */
    uint64_t cut_bytes;   /* then, if even its first line was: what that line has beyond, as UTF-8 without its end */
    uint8_t sha256[32];   /* of the whole file, as long as it was when it was opened */
    uint64_t bad_at;      /* offset + 1 of the first byte that is no text (NUL or invalid UTF-8); 0 none */
    uint32_t encoding;    /* 0 UTF-8, 1 UTF-16LE, 2 UTF-16BE; the window is always UTF-8, without a BOM */
    uint8_t head[4096];   /* the file's first bytes, to sniff what it is instead */
    uint32_t head_len;
};
void snapshot_lines_done(struct snapshot_lines *l);

int snapshot_take_lines(const struct gate *g, const struct ref_variants *variants, const struct snapshot_scope *scope,
                        uint64_t offset, uint64_t limit, enum snapshot_verdict *ret_verdict, struct snapshot_lines *ret,
                        struct fovea_fault *fault);

/* Of scope, only max_text matters. */
int snapshot_lines_of(const void *data, size_t len, const struct snapshot_scope *scope, uint64_t offset,
                      uint64_t limit, struct snapshot_lines *ret, struct fovea_fault *fault);

#endif
