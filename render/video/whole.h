/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a video file is all there, by what it says of the length of its parts. Arithmetic only. */
#ifndef FOVEA_VIDEO_WHOLE_H
#define FOVEA_VIDEO_WHOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/media.h"

/* A part of it, by its own head, goes on behind the end of the file. Files that do not say how long they are, are whole. */
bool video_is_cut(enum media media, const uint8_t *data, size_t len);
/* Parts within a part of known length do not add up to it: what a reader finds of them is less than there was. Matroska alone: AVI
 * has an index to count by, and who reads MP4 follows its. */
bool video_is_torn(enum media media, const uint8_t *data, size_t len);

#endif
