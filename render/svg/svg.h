/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of fovea-svg. */
#ifndef FOVEA_SVG_H
#define FOVEA_SVG_H

#include "base/cleanup.h" /* before GLib, which would have its own MIN and MAX but yields */

#include <librsvg/rsvg.h>

#include "decode.h"

/* GLib's own do not go with ours. */
static inline void free_error(GError **error)
{
    g_clear_error(error);
}
#define auto_error cleanup(free_error)

extern const struct decoder_ops decode_svg, decode_svgz;

/* Before the jail: fonts and loaders of images are found, and the folders of fonts named. */
void svg_prepare(const char **readable);

/* The markup of a compressed file; the caller frees it. Inflates no further than LIMIT_SVG_BYTES. */
int svg_inflate(const uint8_t *data, size_t len, uint8_t **ret, size_t *ret_len, struct complaint *c);

/* Reads markup. No base is given, so nothing that it refers to is loaded but data: URLs. */
int svg_parse(const uint8_t *data, size_t len, RsvgHandle **ret, struct complaint *c);

/* Where the picture lies: its size as a browser takes it, in CSS pixels, and what is at its upper left. */
int svg_extent(RsvgHandle *handle, RsvgRectangle *ret, struct complaint *c);

#endif
