/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea lower`: what its two files share. */
#ifndef FOVEA_CMD_LOWER_H
#define FOVEA_CMD_LOWER_H

#include "session.h"

struct lower_values {
    const char *model, *wire, *retain, *at, *report, *trace, *policies, *plot, *base;
    bool full, bridge, simulate, json;
};

/* `lower --simulate`, and `lower --trace` without it. Return an exit code. */
int lower_simulate(struct invocation *in);
int lower_trace(struct invocation *in);

/* Whether there is a trace of that name; NULL is fine. 0, or an exit code after naming the nearest. */
int trace_check(const char *name);

/* Writes a file whole; a device or pipe is written through. 0, or an exit code after saying why. */
int write_file(const char *path, const char *data, size_t len);

#endif
