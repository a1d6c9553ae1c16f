/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a PDF opens, and how many pages it has. */
#ifndef FOVEA_PDF_COUNT_H
#define FOVEA_PDF_COUNT_H

#include "api/context.h"

struct pdf_count {
    enum pool_end end;
    struct work_reply reply;
    uint32_t pages; /* 0: it does not open; end and reply say why */
};

/* Asked of fovea-pdf, which draws nothing. Faults as pool_run; -ENOENT or -EPIPE where that program is not there, or not whole. */
int pdf_count(fovea *f, const struct snapshot *s, int limit_ms, const fovea_cancel *cancel, struct pdf_count *ret,
              struct fovea_fault *fault);

#endif
