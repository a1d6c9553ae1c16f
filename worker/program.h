/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker program from start to end: it readies its libraries, locks itself in, greets, answers one request and exits. Each
 * program is one such row and the decoders that it names; see proto.h for the protocol and jail.h for what the jail takes
 * from libraries.
 */
#ifndef FOVEA_PROGRAM_H
#define FOVEA_PROGRAM_H

#include "decode.h"
#include "picture.h"
#include "sandbox/jail.h"

struct worker_program {
    /* How to make pictures of a type; NULL: this program cannot. */
    const struct decoder_ops *(*decoder_of)(enum media media);
    /* Instead of a picture, for requests that want none (flags of WORK_DIFF, WORK_REFS); NULL: all want one. Returns an enum
     * work_status, having filled in the reply and written the phrase. */
    int (*other_work)(const struct source *s, struct work_reply *reply, struct output *ret, struct complaint *c);
    uint32_t other_flags; /* with any of these, other_work is called */
    /* Before the jail: loads code that libraries would load later, starts no thread, looks at no file that is not the system's,
     * and writes to `readable` (room for LIMIT_RENDER_FILES and the NULL behind them) what must stay readable; left empty, the
     * jail has no files. The strings live on. NULL: nothing to do. */
    void (*prepare)(const char **readable);
    void (*warm)(void); /* inside the jail, while no request is there yet; after warm_up; NULL: no more than that */
    void (*libraries)(char *out, size_t room); /* name and version, for doctor: "librsvg 2.54.7, ..." */
    struct jail_limits limits; /* memory 0: those of a worker that decodes; readable is filled in by prepare */
};

/* All that main has to do. */
int worker_main(const struct worker_program *p, int argc, char **argv);

#endif
