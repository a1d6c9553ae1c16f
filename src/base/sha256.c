/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 by libcrypto. Its plain functions are used, not EVP: they need no set-up (EVP reads a config file and makes
 * a library context first, a millisecond at each start of the program). */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/sha256.h"

#include <errno.h>
#include <openssl/sha.h>
#include <string.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/limits.h"

void sha256(const void *data, size_t len, uint8_t out[SHA256_LEN])
{
    SHA256_CTX c;
    (void)SHA256_Init(&c);
    (void)SHA256_Update(&c, data, len);
    (void)SHA256_Final(out, &c);
}

_Static_assert(sizeof(SHA256_CTX) <= sizeof(struct sha256_state), "room for libcrypto's state");

void sha256_init(struct sha256_state *s)
{
    (void)SHA256_Init((SHA256_CTX *)s->room);
}

void sha256_add(struct sha256_state *s, const void *data, size_t len)
{
    (void)SHA256_Update((SHA256_CTX *)s->room, data, len);
}

void sha256_end(struct sha256_state *s, uint8_t out[SHA256_LEN])
{
    (void)SHA256_Final(out, (SHA256_CTX *)s->room);
}

int sha256_fd(int fd, uint64_t size, const fovea_cancel *cancel, uint8_t out[SHA256_LEN])
{
    uint8_t piece[8 * KIB]; /* the thread may be a host's, with a small stack */
    SHA256_CTX c;
    (void)SHA256_Init(&c);
    for (uint64_t at = 0; at < size;) {
        if (cancel_struck(cancel))
            return -ECANCELED;
        ssize_t n = pread(fd, piece, MIN(sizeof piece, size - at), (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        (void)SHA256_Update(&c, piece, (size_t)n);
        at += (uint64_t)n;
    }
    (void)SHA256_Final(out, &c);
    return 0;
}

void sha256_hex(const uint8_t digest[SHA256_LEN], char out[SHA256_HEX_LEN + 1])
{
    static const char hex[] = "0123456789abcdef";
    for (size_t i = 0; i < SHA256_LEN; i++) {
        out[2 * i] = hex[digest[i] >> 4];
        out[2 * i + 1] = hex[digest[i] & 15];
    }
    out[SHA256_HEX_LEN] = '\0';
}

bool sha256_unhex(const char *hex, uint8_t out[SHA256_LEN])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t made[SHA256_LEN] = {0};
    if (!hex)
        return false;
    for (size_t i = 0; i < SHA256_HEX_LEN; i++) {
        const char *digit = hex[i] ? strchr(digits, hex[i]) : NULL;
        if (!digit)
            return false;
        made[i / 2] = (uint8_t)(made[i / 2] << 4 | (digit - digits));
    }
    memcpy(out, made, sizeof made);
    return true;
}
