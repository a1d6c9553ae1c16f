/* SPDX-License-Identifier: Apache-2.0 */
/* Scaling and turning: exact where they must be, the same on every instruction set, true at edges of transparency. */
#include "test.h"

#include "pixels.h"
#include "worker/kernel.h"
#include "worker/resample.h"

static const struct size sizes[] = {{64, 48}, {17, 31}, {200, 3}, {1, 1}, {5, 200}, {133, 77}, {7, 7}, {2, 9}};

static const struct kernel *const kernels[] = {
    &kernel_plain,
#if defined(__x86_64__)
    &kernel_sse2,
    &kernel_avx2,
#endif
};

static bool usable(const struct kernel *k)
{
#if defined(__x86_64__)
    return k != &kernel_avx2 || __builtin_cpu_supports("avx2");
#else
    return k == &kernel_plain;
#endif
}

static void scale(const struct image *m, struct size to, struct image *ret)
{
    if (image_scale(m, to, ret))
        abort();
}

TEST(a_flat_colour_stays_exactly_that_colour_at_any_scale)
{
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (size_t j = 0; j < COUNT(sizes); j++) {
            auto_image m = flat_image(sizes[i].w, sizes[i].h, 255, 1, 77, 255), out = {0};
            scale(&m, sizes[j], &out);
            auto_image want = flat_image(sizes[j].w, sizes[j].h, 255, 1, 77, 255);
            CHECK_MSG(same_pixels(&out, &want), "%ux%u to %ux%u", sizes[i].w, sizes[i].h, sizes[j].w, sizes[j].h);
        }
}

TEST(the_same_size_is_a_plain_copy)
{
    for (size_t i = 0; i < COUNT(sizes); i++) {
        auto_image m = noisy_image(sizes[i].w, sizes[i].h, false, 7), out = {0};
        scale(&m, sizes[i], &out);
        CHECK(same_pixels(&m, &out));
    }
}

TEST(every_instruction_set_gives_the_same_bits)
{
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (size_t j = 0; j < COUNT(sizes); j++)
            for (int opaque = 0; opaque < 2; opaque++) {
                auto_image m = noisy_image(sizes[i].w, sizes[i].h, opaque, 3), want = {0};
                kernel_force(&kernel_plain);
                scale(&m, sizes[j], &want);
                for (size_t k = 1; k < COUNT(kernels); k++) {
                    auto_image out = {0};
                    if (!usable(kernels[k]))
                        continue;
                    kernel_force(kernels[k]);
                    scale(&m, sizes[j], &out);
                    CHECK_MSG(same_pixels(&want, &out), "%s %ux%u to %ux%u", kernels[k]->name, sizes[i].w, sizes[i].h,
                              sizes[j].w, sizes[j].h);
                }
                kernel_force(NULL);
            }
}

TEST(a_transparent_neighbour_lends_no_colour_to_an_edge)
{
    /* White beside transparent black: a filter that ignored coverage would make grey fringes. */
    auto_image m = flat_image(60, 20, 0, 0, 0, 0), out = {0};
    for (uint32_t y = 0; y < 20; y++)
        for (uint32_t x = 0; x < 31; x++)
            set_pixel(&m, x, y, 255, 255, 255, 255);
    scale(&m, (struct size){23, 7}, &out);
    bool between = false;
    for (uint32_t i = 0; i < 23 * 7; i++) {
        const uint8_t *p = out.px + i * 4;
        between = between || (p[3] > 20 && p[3] < 235);
        CHECK_MSG(p[3] < 2 || (p[0] >= 254 && p[1] >= 254 && p[2] >= 254), "%u %u %u %u", p[0], p[1], p[2], p[3]);
    }
    CHECK(between);
}

TEST(a_flat_colour_keeps_its_colour_when_faint)
{
    for (int a = 1; a < 255; a += 23) {
        auto_image m = flat_image(40, 30, 200, 100, 50, (uint8_t)a), out = {0};
        auto_image want = flat_image(13, 11, 200, 100, 50, (uint8_t)a);
        scale(&m, (struct size){13, 11}, &out);
        CHECK_MSG(difference(&out, &want) <= (a < 3 ? 2 : 1), "alpha %d differs by %d", a, difference(&out, &want));
    }
}

TEST(rows_that_are_opaque_come_out_alike_with_and_without_alpha)
{
    auto_image m = noisy_image(90, 70, true, 5), plain = {0}, out = {0};
    scale(&m, (struct size){31, 29}, &plain);
    m.opaque = false;
    scale(&m, (struct size){31, 29}, &out);
    CHECK(same_pixels(&plain, &out));
}

static void scale_part(const struct image *m, struct part part, struct image *out)
{
    struct resampler *r;
    if (resample_new(m->size, 4, part, !m->opaque, out, &r))
        abort();
    for (uint32_t y = 0; y < m->size.h; y++)
        resample_push(r, image_row(m, y));
    resample_free(r);
}

TEST(a_part_is_scaled_as_if_cropped_first)
{
    auto_image m = noisy_image(80, 60, true, 11), crop = {0}, want = {0}, out = {0};
    CHECK(!image_init(&crop, (struct size){37, 29}) && !image_init(&out, (struct size){15, 12}));
    scale_part(&m, (struct part){21, 13, 37, 29}, &crop);
    for (uint32_t y = 0; y < 29; y++)
        CHECK(!memcmp(image_row(&crop, y), image_row(&m, y + 13) + 21 * 4, 37 * 4));
    scale(&crop, out.size, &want);
    scale_part(&m, (struct part){21, 13, 37, 29}, &out);
    CHECK(same_pixels(&out, &want));
}

TEST(nothing_outside_of_the_part_counts_as_transparent)
{
    auto_image m = flat_image(40, 40, 9, 9, 9, 0), out = {0};
    for (uint32_t y = 10; y < 30; y++)
        for (uint32_t x = 10; x < 30; x++)
            set_pixel(&m, x, y, 1, 2, 3, 255);
    CHECK(!image_init(&out, (struct size){10, 10}));
    struct resampler *r;
    CHECK(!resample_new(m.size, 4, (struct part){10, 10, 20, 20}, true, &out, &r));
    for (uint32_t y = 0; y < 40; y++)
        resample_push(r, image_row(&m, y));
    CHECK(resample_opaque(r));
    resample_free(r);
    auto_image want = flat_image(10, 10, 1, 2, 3, 255);
    CHECK(same_pixels(&out, &want));
}

/* What EXIF says: which stored corner is the upright picture's top left, and which way its rows run. */
/* With four channels alike, noise in the fourth keeps every row from being like the one before. */
static void scale_alike(const struct image *m, bool restless, struct image *out)
{
    struct resampler *r = NULL;
    uint32_t seed = 5;
    auto_free uint8_t *two = malloc(2 * (image_stride(m) + RESAMPLE_PAD));
    if (resample_new(m->size, 4, (struct part){0, 0, m->size.w, m->size.h}, false, out, &r))
        abort();
    for (uint32_t y = 0; y < m->size.h; y++) {
        uint8_t *row = two + y % 2 * (image_stride(m) + RESAMPLE_PAD);
        memcpy(row, image_row(m, y), image_stride(m));
        for (uint32_t x = 0; restless && x < m->size.w; x++)
            row[x * 4 + 3] = (uint8_t)noise(&seed);
        resample_push(r, row);
    }
    resample_free(r);
    for (size_t i = 3; i < image_stride(out) * out->size.h; i += 4)
        out->px[i] = 255;
}

TEST(rows_that_repeat_come_out_as_if_each_were_summed)
{
    static const struct size to[] = {{156, 98}, {64, 64}, {33, 200}, {500, 90}, {399, 298}, {700, 520}, {31, 7}};
    for (size_t i = 0; i < COUNT(to); i++)
        for (uint32_t colours = 2; colours < 200; colours *= 9) {
            auto_image m = drawn_image(400, 300, colours, (uint32_t)i + 1);
            auto_image quick = flat_image(to[i].w, to[i].h, 0, 0, 0, 255);
            auto_image slow = flat_image(to[i].w, to[i].h, 0, 0, 0, 255);
            scale_alike(&m, false, &quick);
            scale_alike(&m, true, &slow);
            CHECK_MSG(same_pixels(&quick, &slow), "to %ux%u", to[i].w, to[i].h);
        }
}

TEST(rows_that_repeat_between_transparent_ones_come_out_like_the_same_rows_alone)
{
    auto_image m = drawn_image(300, 240, 9, 4), clear = drawn_image(300, 240, 9, 4), out = {0}, want = {0};
    for (uint32_t y = 0; y < 240; y += 60)
        set_pixel(&clear, 10, y, 1, 2, 3, 0);
    clear.opaque = false;
    scale(&clear, (struct size){150, 120}, &out);
    scale(&m, (struct size){150, 120}, &want);
    int most = 0; /* far from the holes nothing changes but how it is rounded */
    for (uint32_t y = 0; y < 120; y++)
        for (uint32_t x = 40; x < 150; x++)
            for (uint32_t i = x * 4; i < x * 4 + 4; i++)
                most = MAX(most, abs(image_row(&out, y)[i] - image_row(&want, y)[i]));
    CHECK_MSG(most <= 1, "%d", most);
}

/* The same pixels in rows of so many channels. Grey is the first one. */
static void scale_packed(const struct image *m, unsigned channels, struct image *out)
{
    struct resampler *r = NULL;
    size_t room = (size_t)m->size.w * channels + RESAMPLE_PAD;
    auto_free uint8_t *two = calloc(2, room);
    if (!two || resample_new(m->size, channels, (struct part){0, 0, m->size.w, m->size.h}, false, out, &r))
        abort();
    for (uint32_t y = 0; y < m->size.h; y++) {
        uint8_t *row = two + y % 2 * room;
        for (uint32_t x = 0; x < m->size.w; x++)
            memcpy(row + (size_t)x * channels, image_row(m, y) + (size_t)x * 4, channels);
        resample_push(r, row);
    }
    resample_free(r);
}

TEST(rows_of_fewer_channels_come_out_as_if_they_were_rgba)
{
    for (size_t i = 0; i < COUNT(sizes) * COUNT(sizes) * COUNT(kernels) * 2; i++) {
        struct size from = sizes[i % COUNT(sizes)], to = sizes[i / COUNT(sizes) % COUNT(sizes)];
        const struct kernel *kernel = kernels[i / COUNT(sizes) / COUNT(sizes) % COUNT(kernels)];
        unsigned channels = i / COUNT(sizes) / COUNT(sizes) / COUNT(kernels) ? 3 : 1;
        if (!usable(kernel))
            continue;
        auto_image m = noisy_image(from.w, from.h, true, (uint32_t)i), want = {0};
        auto_image out = flat_image(to.w, to.h, 0, 0, 0, 0);
        for (uint8_t *p = m.px; channels == 1 && p < m.px + image_stride(&m) * from.h; p += 4)
            p[1] = p[2] = p[0];
        kernel_force(kernel);
        scale(&m, to, &want);
        scale_packed(&m, channels, &out);
        CHECK_MSG(same_pixels(&out, &want), "%s, %u channels, %ux%u to %ux%u", kernel->name, channels, from.w, from.h, to.w,
                  to.h);
    }
    kernel_force(NULL);
}

TEST(each_orientation_puts_the_stored_corners_where_exif_says)
{
    enum { A, B, C, D }; /* stored: top left, top right, bottom left, bottom right */
    static const uint8_t upright[9][4] = {
        [1] = {A, B, C, D}, [2] = {B, A, D, C}, [3] = {D, C, B, A}, [4] = {C, D, A, B},
        [5] = {A, C, B, D}, [6] = {C, A, D, B}, [7] = {D, B, C, A}, [8] = {B, D, A, C},
    };
    for (uint8_t o = 1; o <= 8; o++) {
        auto_image m = flat_image(5, 3, 99, 0, 0, 255);
        set_pixel(&m, 0, 0, A, 0, 0, 255);
        set_pixel(&m, 4, 0, B, 0, 0, 255);
        set_pixel(&m, 0, 2, C, 0, 0, 255);
        set_pixel(&m, 4, 2, D, 0, 0, 255);
        CHECK(!image_orient(&m, o));
        uint32_t w = m.size.w, h = m.size.h;
        CHECK(w == (o >= 5 ? 3 : 5) && h == (o >= 5 ? 5 : 3));
        const uint8_t got[4] = {m.px[0], m.px[(w - 1) * 4], m.px[(h - 1) * w * 4], m.px[(h * w - 1) * 4]};
        CHECK_MSG(!memcmp(got, upright[o], 4), "orientation %u: %u %u %u %u", o, got[0], got[1], got[2], got[3]);
    }
}

TEST(a_box_of_the_upright_picture_is_found_in_the_stored_one)
{
    for (uint8_t o = 1; o <= 8; o++) {
        auto_image stored = noisy_image(23, 14, true, o), upright = noisy_image(23, 14, true, o), cut = {0};
        CHECK(!image_orient(&upright, o));
        struct rect box = {3, 5, 4, 6}, at = rect_stored(box, upright.size, o);
        CHECK(!image_init(&cut, (struct size){at.w, at.h}));
        scale_part(&stored, (struct part){at.x, at.y, at.w, at.h}, &cut);
        CHECK(!image_orient(&cut, o));
        CHECK(cut.size.w == 4 && cut.size.h == 6);
        for (uint32_t y = 0; y < 6; y++)
            CHECK_MSG(!memcmp(image_row(&cut, y), image_row(&upright, y + 5) + 3 * 4, 16), "orientation %u", o);
    }
}
