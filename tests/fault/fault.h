/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker that speaks the protocol and misbehaves as it is told, to prove that its parent survives all of it. What to
 * do at a job stands in the input as FAULT:name, or FAULT:name:number; what to do instead of a greeting, or right after
 * it, is the name of the folder it was started from. "none" is an honest answer: the picture of that number.
 */
#ifndef TESTS_FAULT_H
#define TESTS_FAULT_H

#include <stddef.h>
#include <stdint.h>

#include "sandbox/proto.h"

struct job {
    struct work_request request;
    struct work_reply reply;  /* an honest one; faults change it */
    int input, output, other; /* other -1: there is none */
    uint32_t number;
};

struct fault {
    const char *name; /* NULL ends a table */
    void (*act)(struct job *j);
};
extern const struct fault fault_answers[], fault_ends[], fault_hands[];

/* Faults of a start, by the name of the folder; those of fault_after act when the greeting is said. */
struct birth_fault {
    const char *name;
    void (*act)(void);
};
extern const struct birth_fault fault_births[], fault_after[];

/* What it was started with, in words. */
extern char fault_birth[WORK_DETAIL];
void fault_note_birth(void);

/* Sleeps inside the jail, where no call is there for it but a futex. */
void fault_doze(long ms);
_Noreturn void fault_hang(void);
_Noreturn void fault_spin(void);
void fault_stop(void); /* until somebody lets it go on */
void fault_crash(void);

void fault_send(const void *data, size_t len);
void fault_reply(const struct job *j);
void fault_send_descriptors(const void *data, size_t len); /* a hundred of them */

/* Writes the job's picture to the output, of that side. */
void fault_write_picture(struct job *j, uint32_t side);

#endif
