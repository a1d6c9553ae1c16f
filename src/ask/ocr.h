/* SPDX-License-Identifier: Apache-2.0 */
/*
 * local/ocr: the text of a picture, read on this machine by Tesseract. The picture's bytes are decoded by a worker
 * as for every view; fovea-ocr, a confined program of its own, reads the rows that come of it. Thread-safe.
 */
#ifndef FOVEA_OCR_H
#define FOVEA_OCR_H

#include "base/media.h"
#include "fit/plan.h"
#include "fovea.h"
#include "sandbox/pool.h"

struct ocr;

/*
 * dir: where fovea-ocr is. folder: of the language data; NULL: TESSDATA_PREFIX, else where distributions put it.
 * language: "eng" when NULL; one, as Tesseract names it. Costs next to nothing: what is missing shows at the first use.
 * -EINVAL for a language that cannot be one, -ENOMEM.
 */
int ocr_new(const char *dir, const char *folder, const char *language, struct ocr **ret, struct fovea_fault *fault);
void ocr_free(struct ocr *o);

struct ocr_request {
    enum media media; /* from the sniff */
    int fd;           /* its bytes; read-only is enough */
    uint64_t len;
    uint32_t frame;        /* from 1; 0 is the first */
    uint32_t page;         /* likewise */
    struct fit_box region; /* in upright source pixels, units of what is drawn, or thousandths; set 0: the whole */
};

/* Confidences are percent. */
struct ocr_line {
    uint32_t at, len; /* in the text, without its end */
    uint32_t words;
    float confidence;
};

struct ocr_result {
    enum pool_end end;        /* how decoding the picture ended; as of a view. The rest is filled in when POOL_DONE */
    struct work_reply picture; /* checked; its status may be a refusal, and then there is no text. width and height are
                                  what was read, before small ones are enlarged for it */
    char *text;               /* owned, UTF-8, NUL behind it: lines in reading order, an empty one between paragraphs.
                                 "" when there is none to read */
    size_t len;
    struct ocr_line *lines;   /* owned; NULL when none */
    size_t line_count;
    uint32_t words;
    float confidence;         /* mean over the words; 0 without any */
    bool cut;                 /* there was more than LIMIT_OCR_TEXT */
};
void ocr_result_done(struct ocr_result *r);

/*
 * Reads a picture. pixels: the pool of the program that makes pixels of the media. At most LIMIT_OCR_MS for the reading, LIMIT_WORKER_MS for the
 * decoding before it, LIMIT_OCR_BUSY_MS for a place: no more are at work at once than there are processors.
 *
 * What is wrong with the picture is in the result. Faults: -ENODATA no language data, -ENOEXEC it cannot be used (both
 * say what to install), -ETIMEDOUT, -EIO the reader died, -EBUSY, -ECANCELED, and those of pool_run.
 */
int ocr_run(struct ocr *o, struct pool *pixels, const struct ocr_request *request, const fovea_cancel *cancel,
            struct ocr_result *ret, struct fovea_fault *fault);

/* For doctor: has a blank picture read, and names the program's libraries in words, if that went well. */
int ocr_check(struct ocr *o, char *words, size_t room, struct fovea_fault *fault);

#endif
