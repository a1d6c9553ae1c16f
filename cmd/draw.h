/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drawing a picture on the terminal, with libchafa. The library is loaded only when there is something to draw, so
 * that every other start stays fast and a machine without it can do all the rest.
 */
#ifndef FOVEA_DRAW_H
#define FOVEA_DRAW_H

#include "base/buf.h"
#include "fovea.h"

struct drawing;

/*
 * Loads libchafa and looks at the terminal on stdout (its size) and the environment (what it understands). Returns 0;
 * -ENOENT when libchafa cannot be loaded; -ENOTTY when TERM says that nothing can be drawn; -ENOMEM.
 */
int drawing_new(struct drawing **ret);
void drawing_free(struct drawing *d);

/* How it will draw, in a word or two: "kitty", "sixel", "iterm2", "true colour", "256 colours", ... */
const char *drawing_kind(const struct drawing *d);

/* The box of pixels that is worth asking for. */
void drawing_box(const struct drawing *d, unsigned *ret_width, unsigned *ret_height);

/* Appends the escape sequences that draw the pixels, each row ended by a newline. 0 or a negative errno. */
int drawing_add(struct drawing *d, const struct fovea_pixels *pixels, struct buf *b);

static inline void drawing_free_p(struct drawing **d)
{
    drawing_free(*d);
}
#define auto_drawing cleanup(drawing_free_p) struct drawing

#endif
