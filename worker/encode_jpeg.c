/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JPEG by libjpeg-turbo with the best Huffman tables: 4:2:0, or with all of the colour where a JPEG must stay as it is.
 * Transparency is not looked at: flatten first. The destination is our own, so that who owns the file is known also
 * after an error (jpeg_mem_dest frees a block that its caller still holds).
 */
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include "encode.h"

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

/* The part that libjpeg may leave by longjmp: it owns nothing. */
static int compress(struct jpeg_compress_struct *j, struct failure *f, const struct image *m, int quality, bool fine,
                    struct sink *to)
{
    if (setjmp(f->back))
        return -ENOMEM;
    jpeg_create_compress(j);
    j->dest = &to->base;
    set_up(j, m, quality, fine);
    jpeg_start_compress(j, TRUE);
    while (j->next_scanline < j->image_height) {
        JSAMPROW row = (JSAMPROW)(uintptr_t)image_row(m, j->next_scanline);
        (void)jpeg_write_scanlines(j, &row, 1);
    }
    jpeg_finish_compress(j);
    return 0;
}

static int encode_as(const struct image *m, unsigned quality, const struct encoder *by, struct encoded *ret)
{
    if (m->size.w > JPEG_MAX_DIMENSION || m->size.h > JPEG_MAX_DIMENSION)
        return -EFBIG;
    struct failure f;
    struct jpeg_compress_struct j = {.err = jpeg_std_error(&f.base)};
    struct sink to = {.base = {.init_destination = grow, .empty_output_buffer = on_full, .term_destination = on_end}};
    f.base.error_exit = fail;
    f.base.output_message = say_nothing;
    int e = compress(&j, &f, m, (int)quality, by == &encode_jpeg_fine, &to);
    jpeg_destroy_compress(&j);
    if (e) {
        free(to.data);
        return e;
    }
    *ret = (struct encoded){to.data, to.room - to.base.free_in_buffer, by, m->size};
    return 0;
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
