/* SPDX-License-Identifier: Apache-2.0 */
/* Events for whoever runs fovea, opt-in: one JSON object a line, appended to a file of theirs. Figures and names of
 * models only: never a question, an answer, a path, a URL or a key. */
#ifndef FOVEA_TELEMETRY_H
#define FOVEA_TELEMETRY_H

#include <stdbool.h>
#include <stdint.h>

struct telemetry_event {
    const char *tool;            /* "inspect_image" */
    const char *provider, *model; /* NULL: none was chosen */
    const char *outcome;         /* "ok", or the error's code or prefix, such as "LLM_ERROR" */
    int64_t duration_ms;
    int64_t input_tokens, output_tokens; /* below 0 not known */
    int64_t nano;                /* dollars; below 0 not known */
    bool cached;
    unsigned calls;              /* requests that may be billed */
};

/* Appends {"time":"...Z","kind":"oneshot",...} with one write, to a file made 0600. file NULL: nothing. A file that cannot
 * be written loses the event: the answer matters more. */
void telemetry_write(const char *file, const struct telemetry_event *e);

#endif
