/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JPEG by libjpeg-turbo, shrunk by the inverse DCT where the caller can use less. The library reports errors by longjmp
 * and damage by warnings; both end here: every call into it stands in one function with its own setjmp, and a warning
 * that means lost or invented pixels refuses the picture.
 */
#include <jpeglib.h>

#include <setjmp.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "jpeg_segments.h"

/* The library's message numbers, by its own list; the macros beside them use a banned function. */
#define JERROR_H
#define JMESSAGE(code, string) code,
enum {
#include <jerror.h>
    MESSAGE_COUNT
};

struct decoder {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf back;
    struct complaint *c; /* of the call that runs */
    int status;          /* why it came back */
    const uint8_t *data;
    struct jpeg_extras extras;
    bool inverted; /* inks stored as 255 - ink */
};

#define STRING_OF(x) #x
#define VALUE_OF(x) STRING_OF(x)

static struct decoder *decoder_of_jpeg(j_common_ptr jpeg)
{
    return jpeg->client_data;
}

/* The library's own words name no bytes of the file, only numbers. */
static void report(j_common_ptr jpeg, enum work_status status)
{
    struct decoder *d = decoder_of_jpeg(jpeg);
    char words[JMSG_LENGTH_MAX];
    d->errors.format_message(jpeg, words);
    if (!d->status)
        d->status = complain(d->c, status, "%.150s", words);
}

static __attribute__((noreturn)) void on_error(j_common_ptr jpeg)
{
    static const struct {
        int code;
        enum work_status status;
    } others[] = {
        {JERR_OUT_OF_MEMORY, WORK_NO_MEMORY},       {JERR_SOF_UNSUPPORTED, WORK_UNSUPPORTED},
        {JERR_BAD_PRECISION, WORK_UNSUPPORTED},     {JERR_ARITH_NOTIMPL, WORK_UNSUPPORTED},
        {JERR_CONVERSION_NOTIMPL, WORK_UNSUPPORTED}, {JERR_NO_BACKING_STORE, WORK_TOO_LARGE},
    };
    struct decoder *d = decoder_of_jpeg(jpeg);
    enum work_status status = WORK_MALFORMED;
    for (size_t i = 0; i < COUNT(others); i++)
        if (others[i].code == jpeg->err->msg_code)
            status = others[i].status;
    report(jpeg, status);
    longjmp(d->back, 1);
}

/* Bytes that were skipped right before the end, as some cameras pad: nothing but 00 and FF. The library stands somewhere
 * before the marker and counts what it skipped up to there, of what it had read already, too. */
static bool only_padding(const struct decoder *d)
{
    const uint8_t *p = d->jpeg.src->next_input_byte, *end = p + d->jpeg.src->bytes_in_buffer;
    int skipped = d->errors.msg_parm.i[0];
    if (d->errors.msg_parm.i[1] != MARK_EOI || skipped < 0)
        return false;
    while (p < end && *p != MARK_EOI)
        p++;
    while (p > d->data && p[-1] == 0xff) /* the marker's own, and fill bytes, which were not counted */
        p--;
    for (; skipped && p > d->data; skipped--)
        if (*--p && *p != 0xff)
            return false;
    return !skipped;
}

/* Warnings that say nothing about pixels. */
static bool harmless(const struct decoder *d)
{
    int code = d->errors.msg_code;
    return code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR || code == JWRN_BOGUS_ICC ||
           (code == JWRN_EXTRANEOUS_DATA && only_padding(d));
}

static void on_message(j_common_ptr jpeg, int level)
{
    if (level >= 0 || harmless(decoder_of_jpeg(jpeg)))
        return;
    report(jpeg, WORK_MALFORMED);
    longjmp(decoder_of_jpeg(jpeg)->back, 1);
}

/* Each scan of a progressive file walks over the whole picture, however short it is. */
static void on_progress(j_common_ptr jpeg)
{
    struct decoder *d = decoder_of_jpeg(jpeg);
    if (d->jpeg.input_scan_number <= LIMIT_JPEG_SCANS)
        return;
    d->status = complain(d->c, WORK_MALFORMED, "more than %d scans", LIMIT_JPEG_SCANS);
    longjmp(d->back, 1);
}

static void close_jpeg(struct decoder *d)
{
    if (!d)
        return;
    jpeg_destroy_decompress(&d->jpeg);
    free(d->extras.icc);
    free(d);
}

/* setjmp's own frame: nothing in it changes between the jump and the return. */
static int read_header(struct decoder *d, const uint8_t *data, size_t len, struct complaint *c)
{
    d->c = c;
    d->data = data;
    if (setjmp(d->back))
        return d->status;
    jpeg_create_decompress(&d->jpeg);
    d->jpeg.mem->max_memory_to_use = (long)LIMIT_CODEC_STATE;
    d->jpeg.progress = &d->progress;
    jpeg_mem_src(&d->jpeg, data, (unsigned long)len);
    (void)jpeg_read_header(&d->jpeg, TRUE);
    return WORK_OK;
}

static enum colour colour_of(const struct decoder *d)
{
    if (d->jpeg.num_components == 1)
        return COLOUR_GRAY;
    return d->jpeg.num_components == 4 ? COLOUR_CMYK : COLOUR_RGBA;
}

static struct decoder *new_jpeg(void)
{
    struct decoder *d = calloc(1, sizeof(*d));
    if (!d)
        return NULL;
    d->jpeg.err = jpeg_std_error(&d->errors);
    d->jpeg.client_data = d;
    d->errors.error_exit = on_error;
    d->errors.emit_message = on_message;
    d->progress.progress_monitor = on_progress;
    return d;
}

static int open_jpeg(const struct source *s, struct decoder **ret, struct header *ret_header, struct complaint *c)
{
    const uint8_t *data = s->data;
    size_t len = s->len;
    struct decoder *d = new_jpeg();
    if (!d)
        return complain(c, WORK_NO_MEMORY, "out of memory");
    int status = read_header(d, data, len, c);
    if (!status)
        status = check_sides(d->jpeg.image_width, d->jpeg.image_height, c);
    if (!status)
        status = jpeg_read_extras(data, len, &d->extras, c);
    if (status) {
        close_jpeg(d);
        return status;
    }
    d->inverted = d->jpeg.saw_Adobe_marker;
    *ret_header = (struct header){
        .width = d->jpeg.image_width,
        .height = d->jpeg.image_height,
        .frames = 1,
        .orientation = d->extras.orientation,
        .exact = true,
        .lossy = true,
        .channels = 4,
        .colour = colour_of(d),
        .icc = d->extras.icc,
        .icc_len = d->extras.icc_len,
    };
    *ret = d;
    return WORK_OK;
}

/* Eighths of full size: the sizes that have fast transforms, the smallest that is enough and within LIMIT_PIXELS. */
static unsigned choose_scale(const struct decoder *d, struct size least, struct size *ret_size)
{
    unsigned best = 8;
    for (unsigned eighths = 8; eighths; eighths /= 2) {
        struct size s = {(uint32_t)(((uint64_t)d->jpeg.image_width * eighths + 7) / 8),
                         (uint32_t)(((uint64_t)d->jpeg.image_height * eighths + 7) / 8)};
        bool enough = s.w >= least.w && s.h >= least.h;
        bool above = eighths == 8 || (uint64_t)ret_size->w * ret_size->h > LIMIT_PIXELS;
        if (!enough && !above)
            break;
        best = eighths;
        *ret_size = s;
    }
    return best;
}

static int begin(struct decoder *d, struct complaint *c)
{
    d->c = c;
    if (setjmp(d->back))
        return d->status;
    (void)jpeg_start_decompress(&d->jpeg);
    return WORK_OK;
}

/* A picture in several scans is held as coefficients, at full size whatever the scale. */
static int check_state(const struct decoder *d, struct complaint *c)
{
    if (!d->jpeg.progressive_mode && d->jpeg.comps_in_scan == d->jpeg.num_components)
        return WORK_OK;
    uint64_t bytes = 0;
    for (int i = 0; i < d->jpeg.num_components; i++) {
        const jpeg_component_info *k = &d->jpeg.comp_info[i];
        bytes += (uint64_t)k->width_in_blocks * k->height_in_blocks * sizeof(JBLOCK);
    }
    if (bytes <= LIMIT_CODEC_STATE)
        return WORK_OK;
    return complain(c, WORK_TOO_LARGE, "a progressive picture of %ux%u needs %zu MiB to decode; the limit is %zu",
                    d->jpeg.image_width, d->jpeg.image_height, (size_t)(bytes / MIB), LIMIT_CODEC_STATE / MIB);
}

static int start_jpeg(struct decoder *d, const struct want *want, struct size *ret_size, struct complaint *c)
{
    if (want->frame != 1)
        return complain(c, WORK_BAD_FRAME, "frame %u of 1", want->frame);
    struct size size = {0};
    d->jpeg.scale_num = choose_scale(d, want->least, &size);
    d->jpeg.scale_denom = 8;
    d->jpeg.dct_method = JDCT_ISLOW;
    d->jpeg.do_fancy_upsampling = TRUE;
    d->jpeg.out_color_space = colour_of(d) == COLOUR_CMYK ? JCS_CMYK : JCS_EXT_RGBA;
    int status = check_pixels(d->jpeg.image_width, d->jpeg.image_height, (uint64_t)size.w * size.h, c);
    if (!status)
        status = check_state(d, c);
    if (!status)
        status = begin(d, c);
    if (status)
        return status;
    *ret_size = (struct size){d->jpeg.output_width, d->jpeg.output_height};
    return WORK_OK;
}

static int row_jpeg(struct decoder *d, uint8_t *out, struct complaint *c)
{
    d->c = c;
    if (setjmp(d->back))
        return d->status;
    JSAMPROW rows[1] = {out};
    if (jpeg_read_scanlines(&d->jpeg, rows, 1) != 1)
        return complain(c, WORK_MALFORMED, "there are only %u rows", d->jpeg.output_height);
    if (d->inverted && d->jpeg.out_color_space == JCS_CMYK)
        for (size_t i = 0; i < (size_t)d->jpeg.output_width * 4; i++)
            out[i] = (uint8_t)(255 - out[i]);
    return WORK_OK;
}

static int finish_jpeg(struct decoder *d, struct complaint *c)
{
    d->c = c;
    if (setjmp(d->back))
        return d->status;
    (void)jpeg_finish_decompress(&d->jpeg);
    return WORK_OK;
}

const struct decoder_ops decode_jpeg = {
    .media = MEDIA_JPEG,
    .library = "libjpeg-turbo " VALUE_OF(LIBJPEG_TURBO_VERSION),
    .open = open_jpeg,
    .start = start_jpeg,
    .row = row_jpeg,
    .finish = finish_jpeg,
    .close = close_jpeg,
    .strip = strip,
};
