/* SPDX-License-Identifier: Apache-2.0 */
/* The note of a perception: in plain words what is shown, and how its coordinates map back to the source. */
#ifndef FOVEA_NOTE_H
#define FOVEA_NOTE_H

#include "percept/result.h"

enum note_ground { NOTE_NO_GROUND, NOTE_ON_WHITE, NOTE_ON_GREY };

/* name: what to call the source. NULL when out of memory; the caller frees. */
char *note_new(const struct perception *p, const char *name, enum note_ground ground);

#endif
