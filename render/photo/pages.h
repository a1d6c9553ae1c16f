/* SPDX-License-Identifier: Apache-2.0 */
/* Several pages of a picture file on one contact sheet. */
#ifndef FOVEA_PAGES_H
#define FOVEA_PAGES_H

#include "decode.h"

/*
 * Puts a decoder of a sheet of the request's pages in place of one that was opened and not started: *ops, *d (closed before)
 * and *h are then the sheet's. source: what it was opened from. A page that does not decode in full refuses the sheet.
 * Returns an enum work_status; on failure nothing is changed.
 */
int pages_sheet(const struct source *source, const struct decoder_ops **ops, struct decoder **d, struct header *h,
                const struct fit_limits *limits, struct complaint *c);

#endif
