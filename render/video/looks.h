/* SPDX-License-Identifier: Apache-2.0 */
/* Looking through a video, quickly: small pictures of many of its frames. */
#ifndef FOVEA_VIDEO_LOOKS_H
#define FOVEA_VIDEO_LOOKS_H

#include "choose.h"
#include "movie.h"

struct looks {
    struct look_at *at;
    uint32_t n;
    uint32_t damaged; /* frames that are not among them */
    bool partial;     /* time was over, or damage too much, before the end */
};
void looks_done(struct looks *l);

/* Of frames all over the video, in order of time; at least one. Bounded by pixels, and by time for what is slow. */
int looks_take(struct movie *m, struct looks *ret, struct complaint *c);

#endif
