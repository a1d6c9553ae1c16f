/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TIFF through fovea-photo's decoders: see shown.h.
 * about: render/photo/tiff.c render/photo/tiff_file.c render/photo/tiff_kind.c render/photo/tiff_pages.c
 * render/photo/tiff_rows.c render/photo/tiff_expand.c
 * seeds: photos
 * max_len: 16384
 * keep: 196608
 */
#include "render/photo/photo.h"
#include "shown.h"

static const struct decoder_ops *decoder_here(enum media media)
{
    return media == MEDIA_TIFF ? &decode_tiff : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    return shown_file(decoder_here, data, len);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
    return shown_mutate(data, len, room, seed, NULL, NULL);
}
