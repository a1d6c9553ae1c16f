/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes to descriptors, and files that live in memory. Only system calls: no allocation, no locks. */
#ifndef FOVEA_IO_H
#define FOVEA_IO_H

#include <stdbool.h>
#include <stddef.h>

/* Writes all of it. 0 or a negative errno. */
int write_all(int fd, const void *data, size_t len);

/* A new empty memfd that can be sealed and never executed; the caller closes it. A negative errno when there is none. */
int memory_open(const char *name);

/* From now on nobody can change it. 0 or a negative errno; -EBUSY while somebody has it mapped for writing. */
int memory_seal(int fd);
/* Of an error of writing to it: no space is no memory. */
bool memory_is_full(int error);

#endif
