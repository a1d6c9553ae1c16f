/* SPDX-License-Identifier: Apache-2.0 */
/* What the record must know of an entry's bytes to index it. Here because who stores entries and who reads them know nothing
 * of each other. */
#ifndef FOVEA_INDEX_H
#define FOVEA_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"

/* mark: a name under which the entry is found again ("view:3f9a...", "read:/abs/path"); use: a blob that it needs. Both
 * return 0 or a negative errno, which derive passes on. */
struct record_index {
    int (*mark)(struct record_index *i, const char *name, size_t len);
    int (*use)(struct record_index *i, const uint8_t sha256[static SHA256_LEN]);
};
typedef int record_derive(const char *body, size_t len, struct record_index *to);

#endif
