/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that have no safe use here do not compile. Force-included before every file of ours. */
#ifndef FOVEA_BANNED_H
#define FOVEA_BANNED_H

/* The system headers must declare them first. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fortified headers make macros of these two, and a macro cannot be poisoned. */
#undef sprintf
#undef vsprintf

#pragma GCC poison strcpy strcat sprintf vsprintf strncpy strncat strtok atoi atol atoll atof gets
#pragma GCC poison system popen realpath mktemp tmpnam tempnam

#endif
