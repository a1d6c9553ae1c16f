/* SPDX-License-Identifier: Apache-2.0 */
/* What goes on beside a call that may last: signals that end it, and a line on the terminal that says how long it takes. */
#ifndef FOVEA_WAITING_H
#define FOVEA_WAITING_H

#include "base/cleanup.h"
#include "fovea.h"

struct waiting;

/*
 * From now on the first SIGINT or SIGTERM strikes the cancel, and a second one kills as usual; one that is ignored stays
 * ignored. `doing` ("asking local/ocr") is shown with the seconds, where stderr is a terminal; NULL: nothing is. 0 or a
 * fault.
 */
int waiting_new(const char *doing, struct waiting **ret, struct fovea_fault *fault);

/* Takes the line away and leaves signals as they were found. */
void waiting_free(struct waiting *w);

fovea_cancel *waiting_cancel(struct waiting *w);

/* Takes the line away because something else is shown, or lets it come again. NULL is fine. */
void waiting_hush(struct waiting *w, bool hush);

static inline void waiting_free_p(struct waiting **w)
{
    waiting_free(*w);
}
#define auto_waiting cleanup(waiting_free_p) struct waiting

#endif
