/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures within a document: what the host could show of them, or a frame with their words. */
#ifndef FOVEA_TEXT_MD_INSET_H
#define FOVEA_TEXT_MD_INSET_H

#include "base/limits.h"
#include "decode.h"
#include "fonts.h"
#include "md_doc.h"

/* The other input, as far as it holds what it claims to: what does not is as if it were missing. */
struct insets {
    struct work_inset table[LIMIT_REFS]; /* 0x0: missing */
    const uint8_t *rows;                 /* of all */
    const struct md_doc *doc;
    PangoContext *context;
    PangoFontDescription *font; /* of the words in frames */
    double width, height;       /* the most that one may be */
};

void insets_init(struct insets *in, const struct source *s, const struct md_doc *doc);

/* The room of an image in a line. */
void inset_size(const struct insets *in, uint32_t image, double *ret_w, double *ret_h);

/* Draws it with its lower left corner at the current point. */
void inset_draw(const struct insets *in, cairo_t *cairo, uint32_t image);

#endif
