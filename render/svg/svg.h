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

/* Once text was drawn: from then on lines are measured without what only others would ask for. */
void svg_spare_metrics(void);

struct svg_markup {
    const uint8_t *data;
    size_t len;
};

/* The markup of a compressed file; the caller frees *ret. Inflates no further than LIMIT_SVG_BYTES. */
int svg_inflate(const uint8_t *data, size_t len, uint8_t **ret, size_t *ret_len, struct complaint *c);

/* Whether what was inflated can be an SVG at all. */
bool svg_looks_like(const uint8_t *data, size_t len);

/* Reads markup. No base is given, so nothing that it refers to is loaded but data: URLs. */
int svg_parse(const uint8_t *data, size_t len, RsvgHandle **ret, struct complaint *c);

/* What an error of librsvg says of a limit that it keeps; WORK_OK: nothing, and nothing is written. */
int svg_past_limit(const GError *error, struct complaint *c);

/* The same drawing with fewer layers: m becomes that of what is returned, which the caller frees. NULL: it is as good as it is. */
char *svg_spare_layers(struct svg_markup *m);

/* Where the picture lies: its size as a browser takes it. */
struct svg_extent {
    RsvgRectangle units; /* in user units, and what its upper left is called in them */
    RsvgRectangle pixels; /* in CSS pixels, from 0, 0; of another shape where a user unit is no square */
    double unit_w, unit_h; /* of a user unit, in CSS pixels; but for rounding it is mostly a square */
    bool css_pixels;      /* units is the same: places cannot be told in user units */
};
int svg_extent(const struct svg_markup *m, RsvgHandle *handle, struct svg_extent *ret, struct complaint *c);

/* The value of an attribute of the root, cut to the room; false when it is not there, or the root is not found. */
bool svg_root_attribute(const struct svg_markup *m, const char *name, char *out, size_t room);

/* A document that shows just the wanted part, at the target's size; NULL: it had better be drawn as a part of the whole. */
RsvgHandle *svg_part(const struct svg_markup *m, RsvgHandle *whole, const struct svg_extent *extent, const struct want *want);

#endif
