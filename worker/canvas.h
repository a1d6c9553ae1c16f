/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The canvas that an animation is drawn on, frame by frame: GIF, animated PNG and animated WebP have the same rules in
 * different spellings.
 */
#ifndef FOVEA_CANVAS_H
#define FOVEA_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode.h"

enum dispose {
    DISPOSE_KEEP,    /* the next frame is drawn over this one */
    DISPOSE_CLEAR,   /* its box becomes transparent */
    DISPOSE_RESTORE, /* its box becomes what it was before */
};

struct frame {
    struct rect box; /* may reach past the canvas */
    enum dispose dispose;
    bool over;        /* blended with what is there; else replaces it, transparency too */
    bool transparent; /* may hold pixels that are not opaque */
    uint32_t delay_ms; /* until the next one, as the file has it */
};

struct canvas {
    struct size size;
    uint8_t *pixels; /* RGBA, not premultiplied */
    uint8_t *saved;  /* the whole canvas before a frame that will be undone */
    struct frame last;
    bool drawn;
    uint32_t next_row; /* to hand out */
};

/* Transparent all over. The caller has checked LIMIT_PIXELS. */
int canvas_init(struct canvas *v, struct size size, struct complaint *c);
void canvas_done(struct canvas *v);

/* Undoes the frame before as it asks for, then makes ready for this one. */
int canvas_begin(struct canvas *v, const struct frame *f, struct complaint *c);

/* Draws row y of the frame begun last: f->box.w pixels. */
void canvas_draw(struct canvas *v, uint32_t y, const uint8_t *rgba);

/* Transparent all over again. */
void canvas_clear(struct canvas *v);

/* Hands out the next row of the canvas. */
void canvas_row(struct canvas *v, uint8_t *out);

/* Fills all of a canvas of that size; and leaves nothing to be seen of what was there. */
bool frame_covers(const struct frame *f, struct size size);
bool frame_hides(const struct frame *f, struct size size);

/*
 * Where drawing can begin so that frame `want` comes out right: fed with each frame from 1 up to and including
 * `want`, first holds that number at the end and pixels what drawing from there decodes.
 */
struct replay {
    struct size size;
    uint32_t want, seen;
    uint32_t first;
    uint64_t pixels;
};
void replay_add(struct replay *r, const struct frame *f);

/* An animation as its format tells it. */
struct animation {
    void *of; /* handed to both functions */
    struct size size;
    size_t first; /* offset of the first frame */
    /* Reads the frame at an offset, which moves to the next one, and keeps what draw will need. */
    int (*next)(void *of, size_t *at, struct frame *ret, struct complaint *c);
    /* Draws the frame that was read last, by canvas_draw. */
    int (*draw)(void *of, struct canvas *v, struct complaint *c);
};

/* Draws frame `want` (from 1) on a fresh canvas, and of those before it only what it needs. Checks LIMIT_PIXELS. */
int canvas_play(struct canvas *ret, const struct animation *a, uint32_t want, struct complaint *c);

#endif
