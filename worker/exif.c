/* SPDX-License-Identifier: Apache-2.0 */
/* EXIF, as little of it as possible: the orientation tag of the first directory. Anything odd means upright. */
#include <string.h>

#include "base/cleanup.h"
#include "bytes.h"
#include "decode.h"

enum {
    TAG_ORIENTATION = 0x0112,
    TYPE_SHORT = 3,
    ENTRY = 12,         /* bytes of a directory entry */
    MOST_ENTRIES = 512, /* looked at */
};

uint8_t exif_orientation(const uint8_t *exif, size_t len)
{
    static const uint8_t prefix[6] = "Exif\0";
    if (len >= sizeof(prefix) && !memcmp(exif, prefix, sizeof(prefix))) {
        exif += sizeof(prefix);
        len -= sizeof(prefix);
    }
    if (len < 8 || (memcmp(exif, "II*\0", 4) != 0 && memcmp(exif, "MM\0*", 4) != 0))
        return 1;
    bool little = exif[0] == 'I';
    size_t at = little ? le32(exif + 4) : be32(exif + 4);
    if (at > len || len - at < 2)
        return 1;
    size_t entries = little ? le16(exif + at) : be16(exif + at);
    entries = MIN(entries, MIN((len - at - 2) / ENTRY, (size_t)MOST_ENTRIES));
    for (const uint8_t *e = exif + at + 2; entries--; e += ENTRY) {
        unsigned tag = little ? le16(e) : be16(e), type = little ? le16(e + 2) : be16(e + 2);
        unsigned value = little ? le16(e + 8) : be16(e + 8);
        if (tag == TAG_ORIENTATION)
            return (uint8_t)(type == TYPE_SHORT && value >= 1 && value <= 8 ? value : 1);
    }
    return 1;
}
