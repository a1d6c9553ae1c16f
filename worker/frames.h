/* SPDX-License-Identifier: Apache-2.0 */
/* An animation as a contact sheet of its frames. */
#ifndef FOVEA_FRAMES_H
#define FOVEA_FRAMES_H

#include "canvas.h"

/*
 * Puts a decoder of a sheet in place of one that was opened and not started: *ops, *d (closed before) and *h are
 * then the sheet's. A source of one frame stays as it is. The sheet has up to LIMIT_SHEET_FRAMES, the first and the
 * last among them, the others those that are least alike; none looks like the one before it. Where drawing up to the last would
 * be more than LIMIT_PIXELS, the sheet ends earlier. Returns an enum work_status; on failure nothing is changed.
 */
int frames_sheet(const struct animation *a, const struct decoder_ops **ops, struct decoder **d, struct header *h,
                 const struct fit_limits *limits, struct complaint *c);

#endif
