/* SPDX-License-Identifier: Apache-2.0 */
/* One request, from the source's bytes to the file that answers it. */
#ifndef FOVEA_PICTURE_H
#define FOVEA_PICTURE_H

#include "decode.h"
#include "image.h"

struct output {
    const uint8_t *data; /* the picture's file; borrowed from the input, or from copy */
    size_t len;
    uint8_t *copy;
    struct image preview; /* px NULL: none */
    struct work_cell *cells;
    uint32_t n_cells;
};
void output_done(struct output *o);

/* Makes what the source's request asks for, with this decoder. Fills in the reply in any case; its status is returned too. The
 * output is set when that is WORK_OK and may borrow from the source. Whatever the request says is checked or harmless. */
int picture_make_with(const struct decoder_ops *ops, const struct source *source, struct work_reply *reply,
                      struct output *ret);

#endif
