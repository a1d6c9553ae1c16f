/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole job of fovea-worker on any bytes, whatever bitmap they are: an answer that its parent believes, never a crash.
 * about: worker/picture.c worker/ladder.c worker/strip.c worker/rows.c worker/image.c
 * seeds: fixtures
 * max_len: 16384
 * keep: 196608
 */
#include "shown.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    return shown_file(decoder_of, data, len);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
    return shown_mutate(data, len, room, seed, NULL, NULL);
}
