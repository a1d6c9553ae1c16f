/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making a contact sheet: a light ground, each picture in its cell, a line of words beneath it in letters of our own, so that
 * no program needs fonts for it. A decoder that shows a sheet makes one, gives its size as its header's (with sheet set), gives
 * it when it is to be drawn, and tells its cells; or contact_decoder does that for it.
 */
#ifndef FOVEA_WORKER_SHEET_H
#define FOVEA_WORKER_SHEET_H

#include "base/limits.h"
#include "decode.h"
#include "fit/sheet.h"
#include "image.h"
#include "sandbox/proto.h"

struct contact {
    struct sheet plan;
    struct image image; /* opaque */
    uint8_t ground;     /* level that is laid beneath what is transparent; 0: white or mid-grey, as each picture needs it */
    bool small;         /* words are small in every cell, so that all are of one size */
    struct work_cell cells[LIMIT_SHEET_CELLS];
};

/* As sheet_plan. -ENOMEM, -EFBIG. */
int contact_init(struct contact *s, const struct fit_limits *limits, uint32_t n, double width, double height,
                 struct size most);
void contact_done(struct contact *s);
/* Its picture, which is the caller's then; the cells stay. */
struct image contact_take(struct contact *s);

/* Words beneath a picture, and which of its facts they tell (enum work_label). */
struct label {
    const char *words;
    uint32_t tells;
};

/* Puts the k-th picture (from 0) into its cell: made smaller to fit within it, never larger, centred, laid on a ground where it is
 * transparent, which the sheet's image says. number (from 1) and time_ms (below 0: none) go into its cell. Beneath it the first of the
 * labels is written that fits, or in small letters the last of those that tell the same; none where none fits. Their list ends with
 * NULL words, or is NULL. ASCII letters, digits, space and . : / # - + , ( ) are drawn, others as a blank. -ENOMEM. */
int contact_put(struct contact *s, uint32_t k, const struct image *picture, uint32_t number, int64_t time_ms,
                const struct label *labels);

/*
 * Puts a decoder of the sheet, which is complete, in place of the one whose pictures are on it: *ops, *d (closed before) and *h are
 * then the sheet's, and so is what *s had. one: the size of a picture; duration_ms: below 0 where there is none. Returns an
 * enum work_status; on failure nothing is changed.
 */
int contact_decoder(struct contact *s, struct size one, int64_t duration_ms, const struct decoder_ops **ops, struct decoder **d,
                    struct header *h, struct complaint *c);

/* The words for what the functions here return; 0: WORK_OK. */
int contact_complain(int error, struct complaint *c);

/* Whether the words fit beneath a picture in letters that are not small. */
bool contact_fits(const struct contact *s, const char *words);

/* "0:07.31", "1:02:03.00": minutes, seconds and hundredths, hours before them where there are any. Rounded up, so that what is
 * shown from that time on is what is shown at the time as it is written. */
void contact_time(int64_t ms, char out[24]);

/* The same letters anywhere: words so high (to the multiple of 7 below it, at least 7; tails hang 2/7 below that), black on
 * what is there, cut at its borders. Returns the width in pixels; m NULL: only measures. (letters.c) */
uint32_t letters_draw(struct image *m, uint32_t x, uint32_t y, uint32_t height, const char *words);

#endif
