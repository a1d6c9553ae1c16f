/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the encoders write is read again by our own decoders: any picture, each encoder; the same size always, and the same
 * pixels where the encoder says that nothing is lost.
 * about: worker/encode_png.c worker/encode_jpeg.c worker/encode_webp.c worker/palette.c
 * max_len: 16384
 * keep: 196608
 */
#include "shown.h"
#include "worker/encode.h"

enum { HEAD = 5, SIDE = 70 };

static void make_pixels(struct image *m, const uint8_t *data, size_t len, uint8_t how)
{
    size_t n = image_stride(m) * m->size.h, colours = MAX(len / 4, 1u);
    for (size_t i = 0; i < n; i += 4) {
        size_t k = how & 1 ? (i / 4 % m->size.w / 8) % colours : i / 4 % colours; /* flat stripes, or all there is */
        for (size_t c = 0; c < 4; c++)
            m->px[i + c] = k * 4 + c < len ? data[k * 4 + c] : 255;
        if (how & 2)
            m->px[i + 3] = 255;
    }
    m->opaque = row_opaque(m->px, m->size.w * m->size.h);
}

static bool same_pixel(const uint8_t *a, const uint8_t *b)
{
    return !memcmp(a, b, 4) || (!a[3] && !b[3]); /* of what is not seen, the colour is nobody's */
}

/* Rows as they are, by the worker's own way. */
static void read_again(const struct image *m, const struct encoded *e)
{
    struct work_request q = {.magic = WORK_MAGIC, .media = e->by->media, .input_len = e->len, .flags = WORK_RGBA,
                             .limits = {.quality = 75, .resize = 1}};
    struct work_reply reply = {0};
    struct output out = {0};
    assert(picture_make_with(decoder_of(e->by->media), &(struct source){.data = e->data, .len = e->len, .request = &q}, &reply, &out) == WORK_OK);
    shown_believed(&q, &reply, &out);
    assert(reply.width == m->size.w && reply.height == m->size.h);
    for (size_t i = 0; e->by->lossless && i < out.len; i += 4)
        assert(same_pixel(m->px + i, out.data + i));
    output_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const struct encoder *const all[] = {&encode_png,       &encode_png_quick, &encode_webp_lossless, &encode_jpeg,
                                                &encode_jpeg_fine, &encode_webp,      &encode_webp_photo,    &encode_webp_thorough};
    if (len < HEAD)
        return 0;
    const struct encoder *by = all[data[0] % COUNT(all)];
    auto_image m = {0};
    auto_encoded e = {0};
    assert(!image_init(&m, (struct size){1u + data[1] % SIDE, 1u + data[2] % SIDE}));
    make_pixels(&m, data + HEAD, len - HEAD, data[3]);
    if (!m.opaque && !by->alpha)
        image_flatten(&m, 255);
    assert(!by->encode(&m, 1u + data[4] % 100, &e));
    read_again(&m, &e);
    return 0;
}
