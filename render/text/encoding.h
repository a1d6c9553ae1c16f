/* SPDX-License-Identifier: Apache-2.0 */
/* A file's bytes as UTF-8. */
#ifndef FOVEA_TEXT_ENCODING_H
#define FOVEA_TEXT_ENCODING_H

#include "wrap.h"

/* The text without its byte order mark: the bytes themselves, or of UTF-16 with its mark what they mean, in *ret_copy (else
 * NULL), which the caller frees. -ENOMEM. */
int text_of(struct span file, struct span *ret_text, uint8_t **ret_copy);

#endif
