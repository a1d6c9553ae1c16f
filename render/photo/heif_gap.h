/* SPDX-License-Identifier: Apache-2.0 */
/* Zeros where the coded data of a picture ought to be. */
#ifndef FOVEA_HEIF_GAP_H
#define FOVEA_HEIF_GAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a file that libheif has read; its boxes need not be sound. */
bool heif_has_gap(const uint8_t *data, size_t len);

#endif
