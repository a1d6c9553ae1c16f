/* SPDX-License-Identifier: Apache-2.0 */
/* One call under way: whose it is, and what its session makes of the context. Steps take this and not the bare context,
 * so that no step can look further than the session may. */
#ifndef FOVEA_CALL_H
#define FOVEA_CALL_H

#include "api/context.h"

struct call {
    fovea *f;
    const char *cwd;             /* what relative paths start from, free of links */
    struct snapshot_scope scope; /* the session's roots and max_text, the call's cancel */
    size_t max_image;            /* bytes; 0: no further ceiling */
    uint32_t max_patches;        /* 0 off */
    bool no_webp;
    unsigned render;             /* FOVEA_RENDER_ bits that the host grants; the config has a say too */
    const char **roots;          /* the list of scope.roots; owned, but not what is in it */
    char *main;                  /* PROVIDER/MODEL, as it was when the call began; NULL: not known */
    const char *session;         /* its name; "" none */
    struct tally *tally;
    struct kept *kept;           /* takes what the record is to have; NULL: nothing is recorded */
    void (*on_text)(void *arg, const char *piece, size_t len); /* as in fovea_session_options */
    void *on_text_arg;
};

/* session and cancel may be NULL. The struct borrows from both. To be ended by call_done, also after a
 * fault: -ENOMEM, or as folders_lend. */
int call_init(struct call *c, fovea *f, fovea_session *session, const fovea_cancel *cancel, struct fovea_fault *fault);
void call_done(struct call *c);
#define auto_call cleanup(call_done) struct call

/* Whether a kind of source (a FOVEA_RENDER_ bit; 0: pixels of its own) may be drawn: by the config alone, and for this call. */
bool config_draws(const struct config *c, unsigned bit);
bool call_may_draw(const struct call *c, unsigned bit);

/* The spellings of a reference, each an absolute path that is not too long; perhaps none. -EINVAL for what can be no path,
 * -ENOMEM. The caller calls ref_variants_done, also then. */
int call_spellings(const struct call *c, const char *ref, struct ref_variants *ret);

/* The path, from a folder without links in it: absolute, and dots at its start taken off. NULL when out of memory. */
char *absolute_from_new(const char *folder, const char *path);

#endif
