/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a picture where the user wants it. */
#ifndef FOVEA_SAVE_H
#define FOVEA_SAVE_H

#include "fovea.h"

/*
 * Writes the picture to a file, "-" being stdout. A regular file appears whole or not at all: it is written beside and
 * renamed. Devices, pipes and symbolic links are written through. Says on stderr when the name does not suit the type.
 * Returns an exit code: EXIT_FAULT with the fault filled in (unsaid), or another after words.
 */
int save_image(const struct fovea_image *image, const char *path, struct fovea_fault *fault);

#endif
