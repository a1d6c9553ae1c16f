/* SPDX-License-Identifier: Apache-2.0 */
/* The decoders of fovea-photo: pictures that no model takes as they are. */
#ifndef FOVEA_PHOTO_H
#define FOVEA_PHOTO_H

#include "decode.h"

extern const struct decoder_ops decode_bmp, decode_ico, decode_tiff, decode_heic, decode_avif;

#endif
