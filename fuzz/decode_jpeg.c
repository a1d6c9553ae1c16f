/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JPEG through the worker: see shown.h.
 * about: worker/jpeg.c worker/jpeg_segments.c worker/exif.c worker/colour.c worker/profile.c
 * seeds: fixtures
 * max_len: 16384
 * keep: 196608
 */
#include "shown.h"

static const struct decoder_ops *only_jpeg(enum media media)
{
    return media == decode_jpeg.media ? &decode_jpeg : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    return shown_file(only_jpeg, data, len);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
    return shown_mutate(data, len, room, seed, NULL, NULL);
}
