/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sniffer on any bytes: the one parser of source bytes that runs in the process that may hold keys. What it says lies in
 * range, is said again of the same bytes, does not hang on bytes behind its window, and of the orientation says what the
 * worker's own reader does.
 * about: src/source/sniff.c src/source/sniff_image.c src/source/sniff_text.c worker/exif.c
 * max_len: 16384
 * seeds: fixtures
 */
#include "fuzz.h"

#include "base/limits.h"
#include "source/sniff_priv.h"
#include "worker/decode.h"

static void check(const uint8_t *data, size_t len, uint64_t file_len, struct sniff *s)
{
    sniff(data, len, file_len, s);
    CLAIM(s->media < MEDIA_COUNT);
    CLAIM(s->orientation >= 1 && s->orientation <= 8);
    CLAIM(s->frames <= LIMIT_FRAMES);
}

static bool same(const struct sniff *a, const struct sniff *b)
{
    return a->media == b->media && a->width == b->width && a->height == b->height && a->frames == b->frames &&
           a->alpha == b->alpha && a->orientation == b->orientation;
}

/* Both readers of EXIF, on the same block. The worker's stops at the first tag, whatever its type. */
static void check_exif(const uint8_t *data, size_t len)
{
    struct head h = {.at = data, .len = len, .file_len = len, .whole = true};
    uint8_t a = sniff_tiff_orientation(&h, 0), b = exif_orientation(data, len);
    CLAIM(a <= 8 && b >= 1 && b <= 8);
    CLAIM(b == 1 || a == b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct sniff s, again;
    check(data, len, len, &s);
    check(data, len, len, &again);
    CLAIM(same(&s, &again));
    check(data, len, (uint64_t)len * 2 + 1, &again);
    check(data, len / 2, len, &again);
    check(data, len, UINT64_MAX, &again);
    check_exif(data, len);
    return 0;
}
