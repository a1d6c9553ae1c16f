/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GIF through the worker: see shown.h.
 * about: worker/gif.c worker/gif_blocks.c worker/gif_lzw.c worker/canvas.c worker/frames.c
 * seeds: fixtures
 * max_len: 16384
 * keep: 196608
 */
#include "shown.h"

static const struct decoder_ops *only_gif(enum media media)
{
    return media == decode_gif.media ? &decode_gif : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    return shown_file(only_gif, data, len);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
    return shown_mutate(data, len, room, seed, NULL, NULL);
}
