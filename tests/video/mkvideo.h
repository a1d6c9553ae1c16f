/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Videos for the tests, made by code. What a frame shows tells which one it is: the ground is the colour of its scene, a
 * box moves across it, and the strip at the bottom is its number in twelve bits, the highest first, black 0 and white 1.
 * All of it is in shares of the width and height of the upright picture.
 */
#ifndef FOVEA_MKVIDEO_H
#define FOVEA_MKVIDEO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define VIDEO_BYTES ((size_t)64 << 20) /* ceiling of one file */

enum { SCENES = 4, BITS = 12 };

struct clip {
    const char *name;    /* the file's, and says what it is */
    const char *muxer;
    const char *encoder; /* NULL: no pictures, only sound */
    int width, height;   /* stored */
    int frames, gop, b_frames;
    int scenes;          /* of equal length; 0: all of it is one, and nothing moves */
    int turn;            /* EXIF 1, 3, 6 or 8 that the file asks for; 0 is 1 */
    int shape_num, shape_den; /* of a pixel */
    bool uneven;         /* from the middle on, frames last three times as long */
    bool film;           /* 24000 frames in 1001 seconds: their times are no whole milliseconds */
    bool sound;          /* besides */
    bool stream;         /* written as to a pipe: no length, no index */
    const char *options; /* of the muxer: "key=value:key=value" */
    int second_width;    /* from the middle on, another size; 0: the same */
};

enum { RATE = 25 }; /* frames in a second */

/* Terminated by a row without a name. */
extern const struct clip clips[];
int clip_make(const struct clip *clip, struct buf *out);

/* Files that are built to waste time or memory, or to be read wrongly; made from scratch or from what clip_make gives. */
struct bomb {
    const char *name;
    int (*make)(struct buf *out);
};
extern const struct bomb bombs[];

#endif
