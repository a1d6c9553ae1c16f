/* SPDX-License-Identifier: Apache-2.0 */
/* The note of a perception: in plain words what is shown, and how its coordinates map back to the source. */
#ifndef FOVEA_NOTE_H
#define FOVEA_NOTE_H

#include "base/buf.h"
#include "percept/result.h"

/* Of a video that is not all there, or was not all looked at. */
#define NOTE_CUT " The file is cut short: what follows is missing."
#define NOTE_DAMAGED " Parts of the file are damaged: frames are missing, and times behind them may be off."
#define NOTE_PARTIAL " Not all of it was looked at: what comes later may be missing."

enum note_ground { NOTE_NO_GROUND, NOTE_ON_WHITE, NOTE_ON_GREY, NOTE_ON_BOTH };

/* name: what to call the source. NULL when out of memory; the caller frees. */
char *note_new(const struct perception *p, const char *name, enum note_ground ground);

/* Behind the name: of a contact sheet, and of two pictures that were compared (note_many.c). */
void note_sheet(struct buf *b, const struct perception *p);
void note_difference(struct buf *b, const struct perception *p);

/* What of the source, and how large it is in its own units: ", page 2 of 3, 612x792 pt". */
void note_part(struct buf *b, const struct perception *p);

/* How coordinates in the three pictures of a comparison map back. */
void note_panels(struct buf *b, const struct perception *p);

/* " in points"; "" of stored pixels. css_pixels: of a drawing that is measured in these. */
const char *note_units(enum media m, bool css_pixels);

/* With so many places at most, whatever the locale; "12.5x7.3", small ones to more places; "0:07.3". */
void note_number(struct buf *b, double v, int places);
void note_size(struct buf *b, double w, double h);
void note_time(struct buf *b, int64_t ms);

#endif
