/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenes of worker programs: what one does between its request and its answer, in this process and without a jail, so that calls of it
 * can be let fail. The program is linked as it is; only worker_main is another, which hands over the row that main gave it. Each
 * program has a file of scenes of its own.
 */
#ifndef FOVEA_INJECT_LOOK_H
#define FOVEA_INJECT_LOOK_H

#include "base/media.h"
#include "sandbox/proto.h"
#include "scenes.h"

/* One request. */
struct glance {
    const char *file; /* in the build folder; NULL: text */
    const char *text;
    enum media media;
    uint32_t flags, frame, page, last_page;
    uint32_t edge;    /* the longest that is shown; 0: 200 */
    uint32_t bytes;   /* of the answer; 0: many */
    int64_t time_ms;
    uint32_t raw_w, raw_h; /* of rows, which are made here, for WORK_DIFF */
    struct fit_box region;
    bool small; /* a preview is wanted too */
};

void look_all(const struct glance *looks, size_t n, struct outcome *o);
void look_served(const struct glance *looks, size_t n, struct outcome *o); /* by the whole program, in a child: see served.h */

#define SCENE_BY(how_, name_, ...)                                   \
    static void run_##name_(struct outcome *o)                       \
    {                                                                \
        static const struct glance looks[] = {__VA_ARGS__};          \
        how_(looks, sizeof looks / sizeof *looks, o);                \
    }                                                                \
    static const struct scene drawn_##name_ = {.name = #name_, .run = run_##name_};
#define SCENE(name_, ...) SCENE_BY(look_all, name_, __VA_ARGS__)
#define SERVED(...) SCENE_BY(look_served, served, __VA_ARGS__)
/* Of each kind of picture one: what is played where every allocation fails, the libraries' too. */
#define WHOLE(...) SCENE_BY(look_served, whole, __VA_ARGS__)

#endif
