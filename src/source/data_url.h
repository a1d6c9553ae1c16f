/* SPDX-License-Identifier: Apache-2.0 */
/* A source given as text: canonical base64, with or without "data:<mime>;base64," before it. */
#ifndef FOVEA_DATA_URL_H
#define FOVEA_DATA_URL_H

#include <stddef.h>
#include <stdint.h>

#include "source/snapshot.h"

enum data_verdict {
    DATA_TAKEN,
    DATA_EMPTY,      /* no bytes at all */
    DATA_PREFIX,     /* starts with "data:" and goes on in no form that we know */
    DATA_NOT_BASE64, /* a data URL of percent-encoded text */
    DATA_SPACE,      /* white space in the base64, whatever else is wrong with it */
    DATA_LENGTH,     /* the others: see enum b64_error */
    DATA_DIGIT,
    DATA_PADDING,
    DATA_BITS,
    DATA_TOO_LARGE,
    DATA_VERDICTS,
};

/* What is wrong and what to do, for a message. */
const char *data_verdict_words(enum data_verdict v);

/*
 * The bytes that text stands for, at most cap of them. The declared type is checked for its form and then forgotten: the
 * type comes from the bytes. Returns 0 and a verdict (ret is written on DATA_TAKEN only), or a fault.
 */
int data_url_take(const char *text, size_t len, uint64_t cap, enum data_verdict *ret_verdict, struct snapshot *ret,
                  struct fovea_fault *fault);

#endif
