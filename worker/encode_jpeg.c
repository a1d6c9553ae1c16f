/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JPEG by libjpeg-turbo: 4:2:0, or with all of the colour where a JPEG must stay as it is.
 * Drawn pictures are written in one pass with codes made beforehand (jpeg_codes.c), others with the best for them.
 * Rows may be given as they are made, so that most of the work is done while the picture is still being decoded.
 * Transparency is not looked at: flatten first. The destination is our own, so that who owns the file is known also
 * after an error (jpeg_mem_dest frees a block that its caller still holds).
 */
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include "encode.h"
#include "jpeg_codes.h"

#define LOSSY_SHARES {57, 66, 76, 91, 100, 114, 166, 231, 409}

struct failure {
    struct jpeg_error_mgr base;
    jmp_buf back;
};

/* The file so far. */
struct sink {
    struct jpeg_destination_mgr base;
    uint8_t *data;
    size_t room;
};

_Noreturn static void fail(j_common_ptr j)
{
    longjmp(((struct failure *)(void *)j->err)->back, 1);
}

static void say_nothing(j_common_ptr j)
{
    (void)j;
}

/* Doubles the room. What libjpeg cannot compress into it is bounded by the picture: LIMIT_PIXELS. */
static void grow(j_compress_ptr j)
{
    enum { FIRST_ROOM = 64 * 1024 };
    struct sink *s = (struct sink *)(void *)j->dest;
    size_t room = s->room ? s->room * 2 : FIRST_ROOM;
    uint8_t *data = realloc(s->data, room);
    if (!data)
        fail((j_common_ptr)j);
    s->base.next_output_byte = data + s->room;
    s->base.free_in_buffer = room - s->room;
    s->data = data;
    s->room = room;
}

/* Called when the room is full, whatever free_in_buffer says. */
static boolean on_full(j_compress_ptr j)
{
    grow(j);
    return TRUE;
}

static void on_end(j_compress_ptr j)
{
    (void)j;
}

static void set_up(struct jpeg_compress_struct *j, const struct image *m, int quality, bool fine)
{
    j->image_width = m->size.w;
    j->image_height = m->size.h;
    j->input_components = 4;
    j->in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(j);
    jpeg_set_quality(j, quality, TRUE);
    j->optimize_coding = TRUE;
    j->write_JFIF_header = TRUE;
    if (fine)
        j->comp_info[0].h_samp_factor = j->comp_info[0].v_samp_factor = 1;
}

struct jpeg_writer {
    struct jpeg_compress_struct j;
    struct failure f;
    struct sink to;
    const struct image *m;
    const struct encoder *by;
    unsigned quality;
    bool drawn;
    int error;
};

/* The parts that libjpeg may leave by longjmp: they own nothing. */
static void begin(struct jpeg_writer *w, uint32_t rows)
{
    (void)rows;
    jpeg_create_compress(&w->j);
    w->j.dest = &w->to.base;
    set_up(&w->j, w->m, (int)w->quality, w->by == &encode_jpeg_fine);
    if (w->drawn)
        jpeg_codes_drawn(&w->j);
    jpeg_start_compress(&w->j, TRUE);
}

static void write_rows(struct jpeg_writer *w, uint32_t rows)
{
    while (w->j.next_scanline < rows) {
        JSAMPROW row = (JSAMPROW)(uintptr_t)image_row(w->m, w->j.next_scanline);
        (void)jpeg_write_scanlines(&w->j, &row, 1);
    }
}

static void finish(struct jpeg_writer *w, uint32_t rows)
{
    write_rows(w, rows);
    jpeg_finish_compress(&w->j);
}

/* Runs a part, unless one has failed before. */
static int run(struct jpeg_writer *w, void (*part)(struct jpeg_writer *w, uint32_t rows), uint32_t rows)
{
    if (w->error)
        return w->error;
    if (setjmp(w->f.back))
        return w->error = -ENOMEM;
    part(w, rows);
    return 0;
}

void jpeg_writer_free(struct jpeg_writer *w)
{
    if (!w)
        return;
    jpeg_destroy_compress(&w->j);
    free(w->to.data);
    free(w);
}

static void free_writer(struct jpeg_writer **w)
{
    jpeg_writer_free(*w);
}

static int writer_new(const struct image *m, unsigned quality, const struct encoder *by, bool drawn,
                      struct jpeg_writer **ret)
{
    if (m->size.w > JPEG_MAX_DIMENSION || m->size.h > JPEG_MAX_DIMENSION)
        return -EFBIG;
    struct jpeg_writer *w = calloc(1, sizeof *w);
    if (!w)
        return -ENOMEM;
    *w = (struct jpeg_writer){.m = m, .by = by, .quality = quality, .drawn = drawn};
    w->to.base = (struct jpeg_destination_mgr){
        .init_destination = grow, .empty_output_buffer = on_full, .term_destination = on_end};
    w->j.err = jpeg_std_error(&w->f.base);
    w->f.base.error_exit = fail;
    w->f.base.output_message = say_nothing;
    int e = run(w, begin, 0);
    if (e)
        jpeg_writer_free(w);
    else
        *ret = w;
    return e;
}

int jpeg_writer_new(const struct image *m, unsigned quality, bool drawn, struct jpeg_writer **ret)
{
    return writer_new(m, quality, &encode_jpeg, drawn, ret);
}

void jpeg_writer_rows(struct jpeg_writer *w, uint32_t rows)
{
    (void)run(w, write_rows, rows);
}

int jpeg_writer_end(struct jpeg_writer *w, struct encoded *ret)
{
    int e = run(w, finish, w->m->size.h);
    if (e)
        return e;
    uint8_t *data = take(w->to.data);
    *ret = (struct encoded){data, w->to.room - w->to.base.free_in_buffer, w->by, w->m->size};
    return 0;
}

static int encode_as(const struct image *m, unsigned quality, const struct encoder *by, struct encoded *ret)
{
    cleanup(free_writer) struct jpeg_writer *w = NULL;
    int e = writer_new(m, quality, by, false, &w);
    return e ? e : jpeg_writer_end(w, ret);
}

static int encode(const struct image *m, unsigned quality, struct encoded *ret)
{
    return encode_as(m, quality, &encode_jpeg, ret);
}

static int encode_fine(const struct image *m, unsigned quality, struct encoded *ret)
{
    return encode_as(m, quality, &encode_jpeg_fine, ret);
}

const struct encoder encode_jpeg = {
    .media = MEDIA_JPEG,
    .max_side = JPEG_MAX_DIMENSION,
    .shares = LOSSY_SHARES,
    .encode = encode,
};
const struct encoder encode_jpeg_fine = {
    .media = MEDIA_JPEG,
    .max_side = JPEG_MAX_DIMENSION,
    .shares = LOSSY_SHARES,
    .encode = encode_fine,
};
