/* SPDX-License-Identifier: Apache-2.0 */
/* Between the two parts of local/ocr: its setting up (ocr_setup.c) and the reading of one picture (ocr.c). */
#ifndef FOVEA_OCR_PRIV_H
#define FOVEA_OCR_PRIV_H

#include <pthread.h>

#include "ask/ocr.h"

struct ocr {
    char *program;  /* its path */
    char *language;
    char *data;     /* the path of the language's; where it would be, when it is nowhere */
    pthread_mutex_t lock;
    pthread_cond_t news; /* a place is free */
    struct pool *pool;   /* NULL before the first use */
    unsigned at_work, places;
};

/* Sees that there is language data, that the pool stands, and waits for a place; every success needs an ocr_leave. */
int ocr_enter(struct ocr *o, const fovea_cancel *cancel, struct fovea_fault *fault);
void ocr_leave(struct ocr *o);

/* ENOENT or ENOEXEC of the language data, with what to install. */
int ocr_data_fault(const struct ocr *o, int error, struct fovea_fault *fault);

#endif
