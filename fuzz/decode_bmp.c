/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BMP and ICO through fovea-photo's decoders: see shown.h.
 * about: render/photo/bmp.c render/photo/ico.c render/photo/dib.c render/photo/dib_rle.c render/photo/dib_rows.c
 * seeds: photos
 * max_len: 16384
 * keep: 196608
 */
#include "render/photo/photo.h"
#include "shown.h"

static const struct decoder_ops *decoder_here(enum media media)
{
    return media == MEDIA_BMP ? &decode_bmp : media == MEDIA_ICO ? &decode_ico : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    return shown_file(decoder_here, data, len);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
    return shown_mutate(data, len, room, seed, NULL, NULL);
}
