/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folders of a host: where its relative paths start and how far it may look, as it named them and as they truly
 * are. They are looked up by a reader at the first call that needs them, once for all sessions that share them.
 */
#ifndef FOVEA_FOLDERS_H
#define FOVEA_FOLDERS_H

#include "api/call.h"

struct folders;

/* Copies. cwd and roots may be NULL. -EINVAL (the text names what), -ENOMEM. */
int folders_new(const char *cwd, const char *const *roots, struct folders **ret, struct fovea_fault *fault);
struct folders *folders_ref(struct folders *d);
void folders_unref(struct folders *d);

/*
 * Puts them into a call, which borrows from d. A folder that is not there has nothing to show and is looked for again by
 * the next call; one whose file system does not answer within LIMIT_FOLDER_MS is not asked for again. Waits for another
 * call that looks already. -ECANCELED, -EBUSY, -ENOMEM or another fault of reader_run.
 */
int folders_lend(struct folders *d, struct call *c, struct fovea_fault *fault);

#endif
