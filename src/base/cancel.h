/* SPDX-License-Identifier: Apache-2.0 */
/* Cancelling: a descriptor that becomes readable, so that every wait can wait for it too. See fovea_cancel in fovea.h. */
#ifndef FOVEA_CANCEL_H
#define FOVEA_CANCEL_H

#include <stdbool.h>

#include "fovea.h"

/* For poll(): readable from when it strikes until it is reset. -1 (which poll() passes over) of NULL. */
int cancel_fd(const fovea_cancel *c);

bool cancel_struck(const fovea_cancel *c);

/* The fault of a call that was cancelled: -ECANCELED. */
int fault_cancelled(struct fovea_fault *f);

#endif
