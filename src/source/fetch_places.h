/* SPDX-License-Identifier: Apache-2.0 */
/* How many fetches run at once: in the process, and of one host, so that a slow host leaves room for others. */
#ifndef FOVEA_FETCH_PLACES_H
#define FOVEA_FETCH_PLACES_H

#include <stdint.h>

#include "fovea.h"

/* Waits for a place until the deadline, in the order of coming: its number, or -ETIMEDOUT, -ECANCELED, -EBUSY (too many wait already). */
int place_take(const char *host, int64_t deadline, const fovea_cancel *cancel);

/* Content with a negative number. */
void place_leave(int place);

#endif
