/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a picture, from its decoder through the resampler. */
#ifndef FOVEA_ROWS_H
#define FOVEA_ROWS_H

#include "decode.h"
#include "encode.h"
#include "resample.h"

/*
 * Takes every row of a decoder that was started for the header's channels and finishes it, so that the whole input is
 * known to be good. r NULL: nothing is kept, only looked at. jpeg, when not NULL, gets the scaled rows as they come, as
 * long as they are opaque. Large pictures are scaled on a second thread while the next rows are decoded; the result is
 * the same. ret_opaque: no row has a pixel that is not (of those shown; only looked for where the header says that there
 * may be one). Returns an enum work_status.
 */
int rows_run(const struct decoder_ops *ops, struct decoder *d, const struct header *header, struct size size,
             struct resampler *r, struct jpeg_writer *jpeg, bool *ret_opaque, struct complaint *c);

#endif
