/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and processor time of a process and of all that it started, as /proc tells it. */
#ifndef BENCH_TREE_H
#define BENCH_TREE_H

#include <sys/types.h>

/* Resident set of `pid` in KiB; 0 when it is gone. */
long resident_kib(pid_t pid);

/* Sum over `pid` and its descendants; pages that two of them share count twice. `largest` only ever grows. */
long tree_kib(pid_t pid, long *largest);

/* Milliseconds of processor time of `pid` and of all that it ever started, in the system's ticks (10 ms). */
double tree_cpu_ms(pid_t pid);

#endif
