/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 of memory and of descriptors. */
#ifndef FOVEA_SHA256_H
#define FOVEA_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fovea.h"

#define SHA256_LEN 32
#define SHA256_HEX_LEN 64

void sha256(const void *data, size_t len, uint8_t out[SHA256_LEN]);

/* The same in pieces. No set-up beyond this, no allocation. */
struct sha256_state {
    _Alignas(8) unsigned char room[112];
};
void sha256_init(struct sha256_state *s);
void sha256_add(struct sha256_state *s, const void *data, size_t len);
void sha256_end(struct sha256_state *s, uint8_t out[SHA256_LEN]);

/* Over the first size bytes of fd, by pread in pieces. -EIO when it is shorter, the error of pread, or -ECANCELED as soon
 * as the cancel (may be NULL) strikes. */
int sha256_fd(int fd, uint64_t size, const fovea_cancel *cancel, uint8_t out[SHA256_LEN]);

void sha256_hex(const uint8_t digest[SHA256_LEN], char out[SHA256_HEX_LEN + 1]);
/* The digest that 64 lower-case digits write, whatever follows them; false: they are none. hex may be NULL. */
bool sha256_unhex(const char *hex, uint8_t out[SHA256_LEN]);

#endif
