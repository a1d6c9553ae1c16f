/* SPDX-License-Identifier: Apache-2.0 */
/* Base64 (RFC 4648, padded). */
#ifndef FOVEA_B64_H
#define FOVEA_B64_H

#include <stddef.h>
#include <stdint.h>

/* Length of the encoding of len bytes, without a NUL. */
#define B64_LEN(len) (((len) + 2) / 3 * 4)

/* Writes B64_LEN(len) characters to out; no NUL. */
void b64_encode(const uint8_t *data, size_t len, char *out);

#endif
