/* SPDX-License-Identifier: Apache-2.0 */
/* Text and code. */
#ifndef FOVEA_TEXT_PLAIN_H
#define FOVEA_TEXT_PLAIN_H

#include "decode.h"

extern const struct decoder_ops render_plain;

#endif
