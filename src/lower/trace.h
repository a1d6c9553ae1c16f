/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generated sessions of agents, as entries of docs/transcript.md: for the simulator, the benchmark and tests. The same name and
 * seed give the same bytes everywhere.
 */
#ifndef FOVEA_TRACE_H
#define FOVEA_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

struct trace_ask {
    const char *name;
    uint64_t seed;
    bool data; /* real pictures and documents, as base64, so that the entries can be appended; else only what is known of them */
};

/* short, long, bursty, idle, screenshots, images200, pdf; and random, whose shape the seed chooses. NULL-terminated. */
extern const char *const trace_names[];
/* What it is, in words; NULL for a name that is none. */
const char *trace_words(const char *name);

/* Calls each with every entry in order, until it returns below 0. 0, that code, -EINVAL for no such trace, -ENOMEM. */
int trace_make(const struct trace_ask *ask, int (*each)(void *arg, const char *json, size_t len), void *arg);

/* A gray picture of vertical stripes, and a document of empty pages; another one for each seed. They fail as buf does. */
int trace_png(struct buf *to, uint32_t width, uint32_t height, uint64_t seed);
int trace_pdf(struct buf *to, uint32_t pages, uint64_t seed);

#endif
