/* SPDX-License-Identifier: Apache-2.0 */
/* Fonts: what fontconfig knows before the jail, and how text is laid out behind it. */
#ifndef FOVEA_TEXT_FONTS_H
#define FOVEA_TEXT_FONTS_H

/* GLib has MIN and MAX of its own and takes ours away, if they come first. */
#include "base/cleanup.h"

#include <pango/pangocairo.h>
#include <stdint.h>

/* Before the jail: reads fontconfig's files, and says which folders must stay readable. See program.h. */
void fonts_prepare(const char **readable);

/* Inside the jail: how all text here is laid out, the same at any scale. The caller unrefs it; NULL: no memory. */
PangoContext *fonts_context(void);

/* Tells it how large letters are drawn by cairo, so that they are hinted for it. Not where they are very large: there is nothing to
 * hint, and Pango multiplies by the scale twice, to sizes that FreeType does not take. */
void fonts_scale(PangoContext *context, cairo_t *cairo);

/* The fonts of prose, and of code. OCR read Liberation Mono better than DejaVu Sans Mono, at every size. */
#define FONTS_BODY "Liberation Sans,DejaVu Sans,sans-serif"
#define FONTS_MONO "Liberation Mono,DejaVu Sans Mono,monospace"

/* How many characters of a line no font has. */
uint32_t fonts_missing(const PangoLayoutLine *line);

/* Puts marks over the letters that they belong to where their font does not: of Latin, Greek and Cyrillic, and of signs. */
void fonts_seat_marks(PangoLayoutLine *line);

/* The font of code at the size where each column is so wide. The caller frees it. */
PangoFontDescription *fonts_mono(PangoContext *context, double column);

#endif
