/* SPDX-License-Identifier: Apache-2.0 */
/* The sniffer on any bytes: the one parser of source bytes that runs in the process that may hold keys. */
#include "source/sniff.h"

#include <assert.h>

#include "base/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct sniff s;
    sniff(data, len, len, &s);
    assert(s.media < MEDIA_COUNT);
    assert(s.orientation >= 1 && s.orientation <= 8);
    sniff(data, len, len * 2 + 1, &s);
    return 0;
}
