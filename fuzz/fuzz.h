/* SPDX-License-Identifier: Apache-2.0 */
/* What fuzz targets share: claims that hold in every build, and numbers out of the fuzzer's bytes. */
#ifndef FOVEA_FUZZ_H
#define FOVEA_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* An assert that no flag takes away. */
#define CLAIM(x) ((x) ? (void)0 : fuzz_broken(#x, __FILE__, __LINE__))
__attribute__((noreturn)) static inline void fuzz_broken(const char *claim, const char *file, int line)
{
    (void)fprintf(stderr, "%s:%d: claim broken: %s\n", file, line, claim);
    abort();
}

/* Bytes taken from the front; zeros behind the end. */
struct feed {
    const uint8_t *at;
    size_t left;
};

static inline void feed_take(struct feed *f, void *to, size_t n)
{
    size_t have = n < f->left ? n : f->left;
    memset(to, 0, n);
    if (!have)
        return;
    memcpy(to, f->at, have);
    f->at += have;
    f->left -= have;
}

static inline uint8_t feed_u8(struct feed *f)
{
    uint8_t v;
    feed_take(f, &v, sizeof v);
    return v;
}

static inline uint32_t feed_u32(struct feed *f)
{
    uint32_t v;
    feed_take(f, &v, sizeof v);
    return v;
}

/* A number of any size, small ones often: the first byte says how many bits. */
static inline uint32_t feed_size(struct feed *f)
{
    unsigned bits = feed_u8(f) % 33;
    uint32_t v = feed_u32(f);
    return bits == 32 ? v : v & ((1u << bits) - 1);
}

static inline double feed_real(struct feed *f)
{
    double v;
    if (feed_u8(f) & 1)
        return (int32_t)feed_u32(f) / 16.0;
    feed_take(f, &v, sizeof v);
    return v;
}

/* What is left, as a string that ends where it ends, or at a NUL; the caller frees. */
static inline char *feed_text(const struct feed *f)
{
    char *s = malloc(f->left + 1);
    CLAIM(s);
    if (f->left)
        memcpy(s, f->at, f->left);
    s[f->left] = '\0';
    return s;
}

#endif
