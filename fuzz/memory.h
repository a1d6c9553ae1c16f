/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of files that targets write again and again: in memory where there is some, so that no sync waits for a disk. */
#ifndef FOVEA_FUZZ_MEMORY_H
#define FOVEA_FUZZ_MEMORY_H

#include "fuzz.h"
#include "tree.h"

/* tree_done is owed. */
static inline void memory_folder(struct tree *t)
{
    (void)snprintf(t->top, sizeof t->top, "/dev/shm/fovea-tree-XXXXXX");
    if (!mkdtemp(t->top)) {
        CLAIM(tree_init(t, "-") == 0);
        return;
    }
    size_t len = strlen(t->top);
    t->top[len] = '/';
    t->top[len + 1] = '\0';
}

#endif
