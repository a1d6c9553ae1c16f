/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HEIC and AVIF through fovea-photo's decoders: see shown.h.
 * about: render/photo/heif.c render/photo/heif_gap.c
 * seeds: photos
 * max_len: 16384
 * keep: 196608
 */
#include "render/photo/photo.h"
#include "shown.h"

/* libheif loses what it took from dav1d, and its own picture, where dav1d refuses the data. A worker ends with its answer. The first by
 * its library: what takes the memory is a function of dav1d without a name, built without frame pointers, and no caller is seen. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libdav1d\nleak:dav1d_decode_image";
}

static const struct decoder_ops *decoder_here(enum media media)
{
    return media == MEDIA_HEIC ? &decode_heic : media == MEDIA_AVIF ? &decode_avif : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    return shown_file(decoder_here, data, len);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
    return shown_mutate(data, len, room, seed, NULL, NULL);
}
