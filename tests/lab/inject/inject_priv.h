/* SPDX-License-Identifier: Apache-2.0 */
/* What the stand-ins for libc's functions ask of the injector. */
#ifndef FOVEA_INJECT_PRIV_H
#define FOVEA_INJECT_PRIV_H

#include <sys/types.h>

#include "inject.h"

/* 0: the call goes on. Else the error that it gets, or INJECT_SHORT. */
int inject_verdict(enum inject_kind kind);
/* The same for calls that cannot be short; errno is set. */
bool inject_fails(enum inject_kind kind);

/* Count blocks; born returns its argument. */
void *inject_born(void *block);
void inject_died(void *block);

bool inject_is_reset(int error);

ssize_t real_write(int fd, const void *data, size_t len);

#endif
