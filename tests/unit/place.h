/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of files (see tree.h) and a gate that lets its folder R be read, where references start too. */
#ifndef FOVEA_TEST_PLACE_H
#define FOVEA_TEST_PLACE_H

#include "base/cleanup.h"
#include "source/gate.h"
#include "test.h"
#include "tree.h"

struct place {
    struct tree t;
    struct gate *g;
};

static inline void place_done(struct place *p)
{
    gate_free(p->g);
    tree_done(&p->t);
}

/* The gate of a tree that stands already. */
static inline void place_open(struct place *p)
{
    struct fovea_fault fault = {0};
    p->g = NULL;
    auto_free char *root = tree_text(&p->t, "@R");
    const char *reach[] = {root, NULL};
    struct gate_options o = {.cwd = root, .reach = reach};
    CHECK_MSG(gate_new(&o, &p->g, &fault) >= 0, "%s", fault.text);
}

static inline void place_init(struct place *p, const char *setup)
{
    CHECK(!tree_init(&p->t, setup));
    place_open(p);
}

#endif
