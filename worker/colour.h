/* SPDX-License-Identifier: Apache-2.0 */
/* Colour: whatever profile a picture carries, it leaves as sRGB. */
#ifndef FOVEA_COLOUR_H
#define FOVEA_COLOUR_H

#include "decode.h"
#include "image.h"

/*
 * Converts in place, after scaling, so that few pixels are converted. Inks become RGB with or without a profile. A
 * profile that is broken, of the wrong kind, or sRGB itself changes nothing. Returns whether pixels changed.
 */
bool colour_to_srgb(struct image *m, const struct header *h);

/* Whether colour_to_srgb may have something to do. */
bool colour_needed(const struct header *h);

/* Name and version of what converts, for doctor. */
void colour_library(char *out, size_t room);

#endif
