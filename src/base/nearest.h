/* SPDX-License-Identifier: Apache-2.0 */
/* How far apart two names are as typing errors go, to guess which one was meant. */
#ifndef FOVEA_NEAREST_H
#define FOVEA_NEAREST_H

#include <stddef.h>

enum {
    NEAREST_LONGEST = 127, /* letters; longer names are far from everything */
    NEAREST_FAR = 1000,
    NEAREST_EDIT = 4, /* a letter too many, too few, another one, or two swapped; only its case: 1 */
};

unsigned nearest_distance(const char *a, const char *b, size_t b_len);

/* The nearest of a list that ends in NULL; NULL when it is empty. */
const char *nearest_word(const char *const *words, const char *word);

#endif
