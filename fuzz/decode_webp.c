/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WebP through the worker: see shown.h.
 * about: worker/webp.c worker/webp_chunks.c worker/webp_end.c
 * seeds: fixtures
 * max_len: 16384
 * keep: 196608
 */
#include "shown.h"

static const struct decoder_ops *only_webp(enum media media)
{
    return media == decode_webp.media ? &decode_webp : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    return shown_file(only_webp, data, len);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
    return shown_mutate(data, len, room, seed, NULL, NULL);
}
