/* SPDX-License-Identifier: Apache-2.0 */
/* The rooms of fovea-video as they see each other; a file as its demuxer sees it is in movie.h. */
#ifndef FOVEA_VIDEO_H
#define FOVEA_VIDEO_H

#include "movie.h"
#include "sheet.h"

/* The decoder of a type of video; NULL: none. */
const struct decoder_ops *video_decoder(enum media media);

/* Chooses frames that differ, and lays them out: fills in the header as a sheet's. What was laid out is the caller's, also
 * when this fails. */
int sheet_make(struct movie *m, const struct fit_limits *limits, struct contact *ret, struct header *h, struct complaint *c);

#endif
