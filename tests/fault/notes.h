/* SPDX-License-Identifier: Apache-2.0 */
/* What a fault worker writes down of each job, in the file "notes" beside its program, where there is one: it is opened
 * before the jail stands. Only so can one who measures tell a late start from a late end. */
#ifndef TESTS_FAULT_NOTES_H
#define TESTS_FAULT_NOTES_H

#include <stdint.h>

enum { NOTES_ROWS = 65536 }; /* a job's is that of its number, modulo this; 0 is for whoever greeted last */

/* Microseconds of CLOCK_MONOTONIC; 0: it did not come to that. */
struct note {
    int64_t greeted, received;
};

#endif
