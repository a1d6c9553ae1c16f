/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoders: one file per format, one row in the list of its program. A decoder hands out rows, top down, so that scaling
 * can run beside it and a picture is never in memory twice. The whole input is there from the start. What has no pixels
 * of its own (an SVG, a page of a PDF, of text) is drawn instead, whole and at just the size that is shown; so is a contact
 * sheet, by a decoder that says how it is laid out.
 *
 * Functions return WORK_OK (0) or another enum work_status, having written one phrase with complain().
 */
#ifndef FOVEA_DECODE_H
#define FOVEA_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/media.h"
#include "fit/geometry.h"
#include "sandbox/proto.h"

struct complaint {
    char detail[WORK_DETAIL];
};
/* Writes the phrase (printable ASCII) and returns status. c may be NULL. */
__attribute__((format(printf, 3, 4))) int complain(struct complaint *c, enum work_status status, const char *format, ...);
#ifdef __clang_analyzer__
/* It reads one file at a time, and would take into account that this returns another. */
#define complain(c, status, ...) ((void)complain(c, status, __VA_ARGS__), (int)(status))
#endif

/* The ceilings that every decoder checks: sides at open (and that there is an area), pixels at start. */
int check_sides(uint32_t width, uint32_t height, struct complaint *c);
int check_pixels(uint32_t width, uint32_t height, uint64_t total, struct complaint *c);

enum colour {
    COLOUR_RGBA, /* not premultiplied */
    COLOUR_GRAY, /* R = G = B; matters only for which profile conversion fits */
    COLOUR_CMYK, /* four inks, 0 = none; no alpha */
};

struct header {
    uint32_t width, height; /* as stored, before orientation; of what is drawn, not looked at */
    double extent_w, extent_h; /* of what is drawn, and only then: its size in its own units; finite, above 0, at most
                                  LIMIT_SIDE, of a drawing LIMIT_DRAWING. Of a sheet: one of its pictures, so that coordinates
                                  map back */
    double origin_x, origin_y; /* then: its upper left in these units; finite, at most LIMIT_DRAWING */
    double unit_w, unit_h;     /* then: how large a unit is at its natural size, in pixels; 0, 0 is 1, 1 */
    bool css_pixels;           /* then: its units are these; one is 1, 1 and the origin 0, 0 */
    bool sheet;             /* width and height are a sheet's, laid out within the request's limits */
    bool approximate;       /* frames is an estimate */
    bool cut;               /* the file of a video ends before its end; what is there is shown */
    bool partial;           /* a sheet of a video shows only what there was time to look at, or less damage in */
    bool damaged;           /* frames of a video are missing, or do not decode; times behind them may be off */
    bool as_source;         /* of a Markdown: its source is shown, not what it says */
    bool has_pages;         /* page means a page of the source, not a tile */
    uint32_t pages;         /* then: how many; 0 is 1 */
    uint32_t frames;        /* all of them were counted */
    int64_t duration_ms;    /* of a video, for WORK_BAD_TIME */
    uint8_t orientation;    /* EXIF 1..8 */
    bool alpha;             /* rows may hold pixels that are not opaque */
    bool exact;             /* the stored pixels are 8 bits or less: what is shown can be pixel-exact */
    bool lossy;             /* the encoding is, not only the pixels that went into it */
    uint8_t channels;       /* the fewest that rows can have: 1 grey, 3 RGB, 4 */
    enum colour colour;
    const uint8_t *icc; /* embedded profile, borrowed from the decoder; NULL none, or it is sRGB */
    size_t icc_len;
};

struct want {
    uint32_t frame; /* from 1 */
    /* The picture may be decoded smaller, but on neither side below this. (Smaller still only when LIMIT_PIXELS asks for
     * it: JPEG and WebP.) */
    struct size least;
    uint8_t channels; /* that rows are to have: the header's, or 4 (0 is that too) */
    /* Of what is drawn: this part of it, in its units, at this size (each axis by its own factor). Of a sheet, its size. */
    struct area area;
    struct size target;
};

/* What goes into the reply besides the picture. */
struct told {
    const struct work_cell *cells; /* the decoder's, until it is closed; at most LIMIT_SHEET_CELLS */
    uint32_t n_cells;
    uint32_t first_line, last_line, total_lines;
    uint32_t part_first, part_last;
    float line_top, line_height;
    uint32_t rows;
    uint32_t missing; /* see work_reply */
    int64_t time_ms, duration_ms; /* below 0: not known */
};

struct decoder; /* each format's own */
struct image;

/* The bytes to open, and what is asked of them: all of it stays valid until close. */
struct source {
    const uint8_t *data;
    size_t len;
    const struct work_request *request; /* NULL: nothing but the first picture */
    const void *other; /* request->other_len bytes; NULL: none */
};

struct decoder_ops {
    enum media media;
    const char *library; /* name, for doctor, and version, unless the library that runs can tell it */
    /* Reads headers only. Checks LIMIT_SIDE. A page, frame or time past the end is WORK_BAD_PAGE (pages filled in),
     * WORK_BAD_FRAME (frames), WORK_BAD_TIME: then ret_header has that number too. (A decoder that counts frames and takes
     * any leaves that to its caller.) */
    int (*open)(const struct source *s, struct decoder **ret, struct header *ret_header, struct complaint *c);
    /* Chooses frame and scale; ret_size is what rows will have. Checks LIMIT_PIXELS over all that will be decoded. */
    int (*start)(struct decoder *d, const struct want *want, struct size *ret_size, struct complaint *c);
    /* Writes the next row: width * channels bytes. The row before must still be where it was written, as it was. */
    int (*row)(struct decoder *d, uint8_t *out, struct complaint *c);
    /* After the last row: true end of the data checked (checksums, end markers), so that a cut file is refused. */
    int (*finish)(struct decoder *d, struct complaint *c);
    /* Instead of these three, of what is drawn and of a sheet: the picture, of just the target's size. */
    int (*draw)(struct decoder *d, const struct want *want, struct image *ret, struct complaint *c);
    void (*close)(struct decoder *d);
    /* After start or draw; NULL: nothing to tell. Only members that mean something are written. */
    void (*tell)(const struct decoder *d, struct told *ret);
    /* After open, for WORK_SHEET: puts the decoder of a sheet of its frames in place of itself, where it has several; see
     * frames_sheet. NULL: it makes its sheets itself, or none. */
    int (*sheet)(const struct decoder_ops **ops, struct decoder **d, struct header *h, const struct fit_limits *limits,
                 struct complaint *c);
    /* The file without its metadata, see strip; NULL: it is never shown as it is. */
    int (*strip)(enum media media, const uint8_t *data, size_t len, const struct header *header, const uint8_t **ret_data,
                 size_t *ret_len, uint8_t **ret_copy, struct complaint *c);
};

extern const struct decoder_ops decode_png, decode_jpeg, decode_gif, decode_webp;

/* The decoder of a type, or NULL. */
const struct decoder_ops *decoder_of(enum media media);

/* The i-th of all decoders; NULL behind the last. */
const struct decoder_ops *decoder_at(size_t i);

/* Writes name and version of the i-th decoder's library. */
void decoder_name(size_t i, char *out, size_t room);

/* The EXIF orientation (1..8) of a TIFF block, with or without "Exif\0\0" before it; 1 when it says none. */
uint8_t exif_orientation(const uint8_t *exif, size_t len);

/* True when the profile describes sRGB, whatever its name: primaries and curves within what 8 bits can show. */
bool profile_is_srgb(const uint8_t *icc, size_t len);

/*
 * The file with its metadata taken out and nothing else changed: same pixels, same encoding. *ret_data is data itself
 * when there was none to take out (and then *ret_copy is NULL), else *ret_copy, which the caller frees. What stays is
 * structure only: for PNG IHDR PLTE tRNS IDAT IEND (and sRGB), for JPEG what decoding needs, likewise GIF and WebP.
 * WORK_UNSUPPORTED when it cannot be done without touching pixels (an orientation other than 1, a profile that is not
 * sRGB, an animation), or when nobody can tell where the picture ends (a WebP that needs less than its chunk holds). The
 * bytes need not be sound; but only what decodes, to its end, may be answered.
 */
int strip(enum media media, const uint8_t *data, size_t len, const struct header *header, const uint8_t **ret_data,
          size_t *ret_len, uint8_t **ret_copy, struct complaint *c);

#endif
