/* SPDX-License-Identifier: Apache-2.0 */
/* Every fault that the fault worker knows, and how a job that meets it may end. Where several are named, the worker and
 * its parent race, or the number of the job decides. */
#ifndef TESTS_LAB_FAULTS_ROWS_H
#define TESTS_LAB_FAULTS_ROWS_H

#include "filter.h"

enum {
    RIGHT = 1,     /* with the right picture, byte for byte */
    REFUSED = 2,   /* the worker says why not */
    DIED = 4,      /* it broke, or spoke nonsense */
    TIMED_OUT = 8, /* after the limit */
    NO_START = 16, /* -EPIPE: none of them came to be */
    STRANGER = 32, /* -EPROTO */
    NO_JAIL = 64,  /* -ENOSYS */
    LATE = 128,    /* -ETIMEDOUT: it did not greet */
    CANCELLED = 256,
    OTHER_FAULT = 512,
    WRONG = 1024,  /* another picture than it should be: never */
};

struct fault_row {
    const char *name;
    unsigned may;
};

static const struct fault_row fault_rows[] = {
    {"refuse", REFUSED}, {"slow", RIGHT}, {"other", REFUSED}, {"two-replies", RIGHT}, {"garbage", DIED}, {"short-reply", DIED},
    {"empty-reply", DIED}, {"long-reply", DIED}, {"wrong-magic", DIED}, {"wrong-status", DIED}, {"endless-detail", DIED},
    {"escape-in-detail", DIED}, {"huge-length", DIED}, {"no-length", DIED}, {"lying-size", DIED}, {"lying-length", DIED},
    {"lying-media", DIED}, {"barred-media", DIED}, {"lying-dimensions", DIED}, {"lying-header", DIED}, {"crop-outside", DIED},
    {"source-of-nothing", DIED}, {"unknown-fact", DIED}, {"preview-unasked", DIED},
    /* some fields may say this or that of the same picture */
    {"lie", DIED | RIGHT | REFUSED}, {"flip", DIED | RIGHT | REFUSED},
    {"halves", DIED}, {"greets-again", DIED}, {"flood", RIGHT}, {"flood-of-garbage", DIED}, {"echo", DIED},
    {"just-in-time", RIGHT | TIMED_OUT},
    {"crash", DIED}, {"abort", DIED}, {"exit-0", DIED}, {"exit-1", DIED}, {"hang", TIMED_OUT}, {"spin", TIMED_OUT},
    {"stop", TIMED_OUT}, {"closed-socket", DIED}, {"fork", DIED}, {"open", DIED}, {"output-beyond-limit", DIED},
    {"oom", REFUSED}, {"eats-memory", REFUSED | TIMED_OUT}, {"exit-midway", DIED}, {"crash-midway", DIED},
    {"hang-midway", TIMED_OUT}, {"stop-midway", TIMED_OUT}, {"reply-midway", DIED}, {"hang-after-reply", RIGHT},
    {"stop-after-reply", RIGHT}, {"spin-after-reply", RIGHT}, {"crash-after-reply", RIGHT}, {"kills-parent", DIED},
    {"executes", DIED}, {"listens", DIED}, {"traces", DIED},
    {"fds-with-reply", RIGHT}, {"fd-bomb", DIED}, {"writable-mapping", RIGHT | DIED}, {"writes-on", RIGHT | DIED},
    {"grows-on", RIGHT | DIED}, {"shrinks-on", RIGHT | DIED}, {"writes-late", RIGHT | DIED},
    {"seals-it", JAIL_SANITIZED ? RIGHT | DIED : DIED}, {"closes-all", RIGHT},
};

/* Those of a start, each in a folder of that name. What never greets is waited for long, so most are cancelled. */
static const struct fault_row start_rows[] = {
    {"hello-exit", NO_START}, {"hello-exit-0", NO_START}, {"hello-crash", NO_START}, {"hello-hang", LATE}, {"hello-stop", LATE},
    {"hello-spin", LATE}, {"hello-closed", NO_START}, {"hello-garbage", STRANGER}, {"hello-empty", NO_START},
    {"hello-long", STRANGER}, {"hello-flood", STRANGER}, {"hello-older", STRANGER}, {"hello-unprintable", STRANGER},
    {"hello-endless", STRANGER}, {"hello-reply", STRANGER}, {"hello-other-program", STRANGER}, {"hello-descriptors", STRANGER},
    {"hello-no-landlock", NO_JAIL},
    {"greeted-exit", DIED | NO_START}, {"greeted-crash", DIED | NO_START}, {"greeted-hang", TIMED_OUT},
    {"greeted-stop", TIMED_OUT}, {"greeted-spin", TIMED_OUT}, {"greeted-closed", DIED | NO_START},
    {"greeted-twice", DIED | NO_START},
};

#endif
