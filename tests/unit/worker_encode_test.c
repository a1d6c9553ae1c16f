/* SPDX-License-Identifier: Apache-2.0 */
/* Encoders and the ladder: exact where promised, within budget where possible, honest where not. */
#include "test.h"

#include "pixels.h"
#include "sandbox/proto.h"
#include "worker/ladder.h"

static void round_trip(const struct image *m, const struct encoder *by, struct encoded *e, struct image *back)
{
    CHECK(!by->encode(m, 75, e));
    CHECK(e->by == by && !read_image(by->media, e->data, e->len, back));
}

TEST(png_of_few_colours_is_a_palette_and_exact)
{
    static const struct {
        uint32_t colours;
        uint8_t bits;
    } rows[] = {{1, 1}, {2, 2}, {3, 2}, {12, 4}, {200, 8}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_image m = drawn_image(101, 37, rows[i].colours, 5), back = {0};
        auto_encoded e = {0};
        round_trip(&m, &encode_png, &e, &back);
        CHECK(same_pixels(&m, &back));
        CHECK_MSG(e.data[25] == 3 && e.data[24] <= rows[i].bits, "%u colours: type %u bits %u", rows[i].colours, e.data[25],
                  e.data[24]);
    }
}

TEST(png_keeps_alpha_exactly_in_a_palette_and_without_one)
{
    auto_image few = drawn_image(60, 40, 5, 3), many = noisy_image(60, 40, false, 3), back = {0}, back2 = {0};
    auto_encoded e = {0}, e2 = {0};
    set_pixel(&few, 3, 4, 10, 20, 30, 0);
    set_pixel(&few, 5, 4, 10, 20, 30, 99);
    few.opaque = false;
    round_trip(&few, &encode_png, &e, &back);
    round_trip(&many, &encode_png, &e2, &back2);
    CHECK(same_pixels(&few, &back) && same_pixels(&many, &back2));
    CHECK(e.data[25] == 3 && e2.data[25] == 6);
}

TEST(png_of_grey_levels_and_of_many_colours_is_exact)
{
    auto_image grey = flat_image(80, 50, 0, 0, 0, 255), many = noisy_image(80, 50, true, 9), back = {0}, back2 = {0};
    auto_encoded e = {0}, e2 = {0};
    for (uint32_t i = 0; i < 80 * 50; i++)
        set_pixel(&grey, i % 80, i / 80, (uint8_t)i, (uint8_t)i, (uint8_t)i, 255);
    round_trip(&grey, &encode_png, &e, &back);
    round_trip(&many, &encode_png, &e2, &back2);
    CHECK(same_pixels(&grey, &back) && same_pixels(&many, &back2));
    CHECK(e.data[25] == 0 && e2.data[25] == 2);
}

/* Of every kind, over several pieces, and where the quick way has to give up. */
TEST(png_made_quickly_is_exact)
{
    static const uint32_t colours[] = {1, 2, 3, 12, 200};
    for (size_t i = 0; i < COUNT(colours); i++) {
        auto_image m = drawn_image(1201, 337, colours[i], 5), back = {0};
        auto_encoded e = {0};
        round_trip(&m, &encode_png_quick, &e, &back);
        CHECK(same_pixels(&m, &back));
    }
    for (int opaque = 0; opaque < 2; opaque++) {
        auto_image m = noisy_image(903, 401, opaque, 9), back = {0};
        auto_encoded e = {0};
        CHECK(!encode_png_quick.encode(&m, 0, &e) && !read_image(MEDIA_PNG, e.data, e.len, &back));
        CHECK(same_pixels(&m, &back));
    }
}

TEST(what_was_drawn_just_now_is_png_at_once_if_it_fits)
{
    auto_image page = drawn_image(800, 600, 12, 5);
    struct fit_limits roomy = {.max_edge = 1568, .max_bytes = 512000, .quality = 75, .resize = 1}, tight = roomy;
    tight.max_bytes = 600;
    struct ladder l = {.limits = &roomy, .webp = true, .pristine = true, .drawn = true};
    auto_encoded e = {0}, small = {0};
    uint32_t facts = 0;
    page.opaque = true;
    CHECK(!ladder_climb(&l, &page, &e, &facts) && e.by == &encode_png_quick);
    l.limits = &tight;
    CHECK(!ladder_climb(&l, &page, &small, &facts) && small.by != &encode_png_quick);
}

/* Fine lines are neither flat nor a photo: JPEG needs several times the bytes for them. */
TEST(a_drawing_of_fine_lines_is_lossless_where_that_is_smaller)
{
    auto_image lines = flat_image(600, 400, 255, 255, 255, 255);
    struct fit_limits limits = {.max_edge = 1568, .max_bytes = 512000, .quality = 75, .resize = 1};
    for (uint32_t y = 0; y < 400; y++)
        for (uint32_t x = 0; x < 600; x++)
            if ((x * 7 + y * 4) % 16 < 8)
                memset(lines.px + ((size_t)y * 600 + x) * 4, 0, 3);
    for (int webp = 0; webp < 2; webp++) {
        struct ladder l = {.limits = &limits, .webp = webp, .drawn = true};
        auto_encoded e = {0}, jpeg = {0};
        uint32_t facts = 0;
        CHECK(!encode_jpeg.encode(&lines, 75, &jpeg) && !ladder_climb(&l, &lines, &e, &facts));
        CHECK_MSG(e.by->lossless && e.len * 4 < jpeg.len && e.size.w == 600, "%zu bytes, JPEG %zu", e.len, jpeg.len);
    }
}

/* A sheet took long enough to make: what is not small at once is looked for. */
TEST(a_sheet_that_is_not_small_as_png_is_the_smallest_of_all)
{
    auto_image page = drawn_image(800, 600, 12, 5), photo = noisy_image(400, 300, true, 3);
    struct fit_limits limits = {.max_edge = 1568, .max_bytes = 2000000, .quality = 75, .resize = 1};
    struct ladder l = {.limits = &limits, .webp = true, .drawn = true, .sheet = true};
    auto_encoded e = {0}, small = {0}, jpeg = {0};
    uint32_t facts = 0;
    page.opaque = true;
    CHECK(!ladder_climb(&l, &page, &e, &facts) && e.by == &encode_png_quick);
    CHECK(!ladder_climb(&l, &photo, &small, &facts) && !encode_jpeg.encode(&photo, 75, &jpeg));
    CHECK_MSG(small.len <= jpeg.len, "%zu bytes, JPEG %zu", small.len, jpeg.len);
}

TEST(lossless_webp_is_exact)
{
    auto_image m = noisy_image(70, 45, true, 2), back = {0};
    auto_encoded e = {0};
    round_trip(&m, &encode_webp_lossless, &e, &back);
    CHECK(same_pixels(&m, &back));
}

TEST(lossy_formats_keep_flat_colours_at_odd_sizes)
{
    static const uint8_t colours[][3] = {{0, 0, 0}, {255, 255, 255}, {128, 128, 128}, {200, 40, 90}, {10, 220, 30}};
    const struct encoder *const all[] = {&encode_webp, &encode_jpeg};
    for (size_t c = 0; c < COUNT(colours); c++)
        for (size_t i = 0; i < COUNT(all); i++) {
            auto_image m = flat_image(33, 17, colours[c][0], colours[c][1], colours[c][2], 255), back = {0};
            auto_encoded e = {0};
            round_trip(&m, all[i], &e, &back);
            CHECK_MSG(difference(&m, &back) <= 6, "colour %zu differs by %d", c, difference(&m, &back));
        }
}

TEST(a_jpeg_written_row_by_row_is_the_one_written_at_once)
{
    auto_image m = noisy_image(333, 211, true, 4);
    for (uint32_t step = 1; step < 300; step += 37) {
        struct jpeg_writer *w = NULL;
        auto_encoded want = {0}, e = {0};
        CHECK(!encode_jpeg.encode(&m, 75, &want) && !jpeg_writer_new(&m, 75, false, &w));
        for (uint32_t rows = 0; rows < 211; rows += step)
            jpeg_writer_rows(w, rows);
        CHECK(!jpeg_writer_end(w, &e));
        CHECK_MSG(e.len == want.len && !memcmp(e.data, want.data, e.len) && e.by == &encode_jpeg, "by %u", step);
        jpeg_writer_free(w);
    }
    struct jpeg_writer *given_up = NULL;
    CHECK(!jpeg_writer_new(&m, 75, false, &given_up));
    jpeg_writer_rows(given_up, 100);
    jpeg_writer_free(given_up);
}

/* Noise at the best quality has every symbol there is. */
TEST(a_jpeg_with_the_codes_for_drawings_has_the_same_pixels)
{
    const unsigned qualities[] = {1, 75, 100};
    auto_image m = noisy_image(333, 211, true, 4);
    for (size_t i = 0; i < COUNT(qualities); i++) {
        struct jpeg_writer *w = NULL;
        auto_image own = {0}, drawn = {0};
        auto_encoded a = {0}, b = {0};
        CHECK(!encode_jpeg.encode(&m, qualities[i], &a) && !jpeg_writer_new(&m, qualities[i], true, &w));
        CHECK(!jpeg_writer_end(w, &b));
        jpeg_writer_free(w);
        CHECK(!read_image(MEDIA_JPEG, a.data, a.len, &own) && !read_image(MEDIA_JPEG, b.data, b.len, &drawn));
        CHECK_MSG(!difference(&own, &drawn) && b.len >= a.len, "quality %u", qualities[i]);
    }
}

TEST(pictures_that_a_format_cannot_hold_are_refused)
{
    auto_image m = flat_image(20000, 2, 1, 2, 3, 255);
    struct encoded e;
    CHECK(encode_webp.encode(&m, 75, &e) == -EFBIG);
    CHECK(encode_webp_lossless.encode(&m, 75, &e) == -EFBIG);
}

static struct fit_limits limits_of(uint32_t max_bytes)
{
    return (struct fit_limits){.max_edge = 1568, .min_edge = 28, .max_bytes = max_bytes, .quality = 75, .resize = 1};
}

static uint32_t climb(struct image *m, uint32_t max_bytes, bool webp, bool pristine, struct encoded *e)
{
    struct fit_limits limits = limits_of(max_bytes);
    struct ladder l = {.limits = &limits, .webp = webp, .pristine = pristine};
    uint32_t facts = 0;
    CHECK(!ladder_climb(&l, m, e, &facts));
    return facts;
}

TEST(the_ladder_lowers_quality_before_scale_and_meets_the_budget)
{
    for (int webp = 0; webp < 2; webp++) {
        auto_image full = noisy_image(500, 400, true, 4);
        auto_encoded first = {0};
        (void)climb(&full, 10000000, webp, false, &first);
        for (uint32_t percent = 95; percent > 5; percent -= 15) {
            auto_image m = noisy_image(500, 400, true, 4);
            auto_encoded e = {0};
            uint32_t budget = (uint32_t)first.len * percent / 100;
            (void)climb(&m, budget, webp, false, &e);
            CHECK_MSG(e.len <= budget, "%u %%", percent);
            CHECK_MSG(percent < 80 || e.size.w == 500, "%u %%: %u wide", percent, e.size.w);
            CHECK(webp || e.by == &encode_jpeg);
        }
    }
}

/* The seed's way: every step in turn, every format that may be used, until one fits. */
static void slow_ladder(const struct image *m, const struct fit_limits *limits, const struct encoder *webp,
                        struct size *ret_size, unsigned *ret_quality)
{
    const unsigned qualities[] = {limits->quality, 70, 60, 50, 40};
    for (size_t s = 0; s <= COUNT(fit_scales); s++) {
        auto_image scaled = {0};
        struct size size = m->size;
        if (s && !fit_scaled(m->size, fit_scales[s - 1], &size))
            break;
        CHECK(!image_scale(m, size, &scaled));
        for (size_t q = 0; q < COUNT(qualities); q++) {
            auto_encoded e = {0}, e2 = {0};
            if (q && qualities[q] >= limits->quality)
                continue;
            CHECK(!encode_jpeg.encode(&scaled, qualities[q], &e));
            CHECK(!webp || !webp->encode(&scaled, qualities[q], &e2));
            *ret_size = size;
            *ret_quality = qualities[q];
            if (MIN(e.len, e2.data ? e2.len : e.len) <= limits->max_bytes)
                return;
        }
    }
}

/* Whether that step's file is what was given. */
static bool made_at(const struct image *m, struct size size, unsigned quality, const struct encoded *e)
{
    auto_image scaled = {0};
    auto_encoded again = {0};
    CHECK(!image_scale(m, size, &scaled) && !e->by->encode(&scaled, quality, &again));
    return again.len == e->len && !memcmp(again.data, e->data, e->len);
}

TEST(the_step_reached_is_the_first_that_fits_whatever_the_forecasts_say)
{
    static const unsigned firsts[] = {75, 95, 40, 62};
    for (size_t f = 0; f < COUNT(firsts); f++)
        for (int webp = 0; webp < 2; webp++)
            for (uint32_t percent = 100; percent > 8; percent -= 7) {
                auto_image m = noisy_image(240, 220, true, 4), same = noisy_image(240, 220, true, 4);
                auto_encoded first = {0}, e = {0};
                struct size size = {0};
                unsigned quality = 0;
                uint32_t facts;
                CHECK(!encode_jpeg.encode(&m, firsts[f], &first));
                struct fit_limits limits = limits_of((uint32_t)(first.len * percent / 100));
                limits.quality = firsts[f];
                struct ladder l = {.limits = &limits, .webp = webp};
                slow_ladder(&m, &limits, webp ? &encode_webp_photo : NULL, &size, &quality);
                CHECK(!ladder_climb(&l, &m, &e, &facts));
                CHECK_MSG(made_at(&same, size, quality, &e), "first %u webp %d, %u %%: %ux%u, not quality %u at %ux%u",
                          firsts[f], webp, percent, e.size.w, e.size.h, quality, size.w, size.h);
            }
}

TEST(a_budget_of_exactly_a_steps_bytes_is_met_by_that_step)
{
    for (size_t q = 0; q < COUNT(fit_qualities); q++) {
        auto_image m = noisy_image(300, 260, true, 4), same = noisy_image(300, 260, true, 4);
        auto_encoded step = {0}, e = {0};
        CHECK(!encode_jpeg.encode(&m, fit_qualities[q], &step));
        (void)climb(&m, (uint32_t)step.len, false, false, &e);
        CHECK_MSG(made_at(&same, same.size, fit_qualities[q], &e), "quality %u", fit_qualities[q]);
    }
}

TEST(a_picture_that_no_lossy_format_can_hold_becomes_png)
{
    auto_image m = noisy_image(65535, 3, true, 4);
    auto_encoded e = {0};
    CHECK(encode_jpeg.encode(&m, 75, &e) == -EFBIG);
    (void)climb(&m, 10000000, true, false, &e);
    CHECK(e.by == &encode_png && e.size.w == 65535);
}

TEST(a_budget_that_cannot_be_met_gives_the_smallest)
{
    auto_image m = noisy_image(420, 410, true, 4);
    auto_encoded e = {0};
    (void)climb(&m, 100, true, false, &e);
    CHECK(e.len > 100 && e.size.w == 105 && e.size.h == 102);
}

TEST(no_step_goes_below_the_least_edge)
{
    auto_image m = noisy_image(150, 300, true, 4);
    auto_encoded e = {0};
    (void)climb(&m, 100, true, false, &e);
    CHECK(e.size.w >= FIT_LEAST_EDGE && e.size.h >= FIT_LEAST_EDGE);
}

TEST(unscaled_screenshots_are_lossless_and_exact)
{
    auto_image m = drawn_image(400, 300, 40, 8), back = {0};
    auto_encoded e = {0};
    (void)climb(&m, 512000, true, true, &e);
    CHECK(e.by->lossless && !read_image(e.by->media, e.data, e.len, &back) && same_pixels(&m, &back));
}

TEST(webp_is_never_made_where_it_is_barred)
{
    auto_image drawn = drawn_image(400, 300, 40, 8), photo = noisy_image(200, 100, true, 1);
    auto_image faint = noisy_image(200, 100, false, 1);
    struct image *const all[] = {&drawn, &photo, &faint};
    static const enum media want[] = {MEDIA_PNG, MEDIA_JPEG, MEDIA_PNG};
    for (size_t i = 0; i < COUNT(all); i++) {
        auto_encoded e = {0};
        (void)climb(all[i], 512000, false, true, &e);
        CHECK_MSG(e.len <= 512000 && e.by->media == want[i], "picture %zu", i);
    }
}

TEST(jpeg_comes_for_a_transparent_picture_only_when_nothing_else_fits)
{
    auto_image m = noisy_image(400, 400, false, 6), tight = noisy_image(400, 400, false, 6);
    auto_encoded scaled = {0}, flattened = {0};
    uint32_t facts = climb(&m, 100000, false, false, &scaled);
    CHECK(scaled.by == &encode_png && scaled.size.w < 400 && !(facts & (WORK_ON_WHITE | WORK_ON_GREY)));
    facts = climb(&tight, 8000, false, false, &flattened);
    CHECK(flattened.by == &encode_jpeg && facts & WORK_ON_WHITE && !(facts & WORK_ON_GREY));
}

TEST(light_content_is_laid_on_grey)
{
    auto_image m = noisy_image(400, 400, false, 6);
    for (size_t i = 0; i < 400 * 400 * 4; i++)
        if (i % 4 != 3)
            m.px[i] = (uint8_t)(225 + m.px[i] % 30);
    auto_encoded e = {0};
    uint32_t facts = climb(&m, 5000, false, false, &e);
    CHECK(e.by == &encode_jpeg && facts & WORK_ON_GREY);
}

TEST(the_sources_own_file_wins_when_it_is_smallest)
{
    auto_image m = noisy_image(300, 200, true, 6);
    uint8_t own[100] = {1};
    struct fit_limits limits = limits_of(512000);
    struct ladder l = {.limits = &limits, .webp = true, .source = {own, sizeof own, NULL, m.size}};
    struct encoded e = {0};
    uint32_t facts = 0;
    CHECK(!ladder_climb(&l, &m, &e, &facts));
    CHECK(e.data == own && !e.by && !facts);
}

/* Where WebP is barred: a source of that many times JPEG's bytes. */
static const uint8_t *own_or_not(double times, bool lossless, bool webp, struct encoded *e, const uint8_t *own)
{
    auto_image m = noisy_image(300, 200, true, 6);
    auto_encoded jpeg = {0};
    struct fit_limits limits = limits_of(512000);
    uint32_t facts = 0;
    CHECK(!encode_jpeg.encode(&m, 75, &jpeg));
    size_t len = (size_t)((double)jpeg.len * times);
    struct ladder l = {.limits = &limits, .webp = webp, .pristine = true, .lossless_source = lossless,
                       .source = {(uint8_t *)(uintptr_t)own, len, NULL, m.size}};
    CHECK(!ladder_climb(&l, &m, e, &facts));
    const uint8_t *data = e->data;
    if (data == own)
        e->data = NULL;
    return data;
}

TEST(a_lossless_source_stays_up_to_twice_the_bytes_of_jpeg_where_webp_is_barred)
{
    static const uint8_t own[1] = {1}; /* never read */
    auto_encoded a = {0}, b = {0}, c = {0}, d = {0};
    CHECK(own_or_not(1.9, true, false, &a, own) == own && !a.by);
    CHECK(own_or_not(2.1, true, false, &b, own) != own && b.by == &encode_jpeg);
    CHECK(own_or_not(1.9, false, false, &c, own) != own && c.by == &encode_jpeg);
    CHECK(own_or_not(1.9, true, true, &d, own) != own);
}

TEST(a_lossless_source_over_the_budget_does_not_stay)
{
    auto_image m = noisy_image(300, 200, true, 6);
    uint8_t own[1] = {1};
    struct fit_limits limits = limits_of(50000);
    struct ladder l = {.limits = &limits, .pristine = true, .lossless_source = true,
                       .source = {own, limits.max_bytes + 1, NULL, m.size}};
    auto_encoded e = {0};
    uint32_t facts = 0;
    CHECK(!ladder_climb(&l, &m, &e, &facts) && e.by == &encode_jpeg && e.len <= limits.max_bytes);
}

/* Boxes of flat colour: nothing to spell out for PNG, edges that cost JPEG. */
TEST(png_wins_over_jpeg_where_it_is_smaller)
{
    auto_image m = drawn_image(600, 400, 200, 3);
    auto_encoded jpeg = {0}, png = {0}, e = {0};
    for (uint32_t y = 0; y < 400; y++) /* more than 256 colours, so that PNG has no palette */
        set_pixel(&m, 0, y, (uint8_t)y, (uint8_t)(y >> 1), 7, 255);
    CHECK(!encode_jpeg.encode(&m, 75, &jpeg) && !encode_png.encode(&m, 0, &png) && png.len < jpeg.len);
    (void)climb(&m, 512000, false, true, &e);
    CHECK(e.by == &encode_png && e.len == png.len);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
/* The C library's own, behind a gate. */
extern void *__libc_malloc(size_t n);
extern void *__libc_realloc(void *p, size_t n);
static unsigned until_failure; /* allocations from which on all fail; 0: none */

static size_t watched_size, watched_seen; /* blocks of just this size are counted */

static bool fails_now(void)
{
    if (until_failure > 1)
        until_failure--;
    else
        return until_failure == 1;
    return false;
}

__attribute__((visibility("default"))) void *malloc(size_t n)
{
    watched_seen += n == watched_size;
    return fails_now() ? NULL : __libc_malloc(n);
}

__attribute__((visibility("default"))) void *realloc(void *p, size_t n)
{
    return fails_now() ? NULL : __libc_realloc(p, n);
}

TEST(a_jpeg_that_memory_ends_for_is_given_up_and_freed_once)
{
    enum { MORE_THAN_ENOUGH = 1000 };
    auto_image m = noisy_image(600, 500, true, 3);
    auto_encoded e = {0};
    int error = -ENOMEM;
    unsigned n = 0;
    while (error && n < MORE_THAN_ENOUGH) {
        until_failure = ++n;
        error = encode_jpeg.encode(&m, 90, &e);
        until_failure = 0;
        CHECK(!error || error == -ENOMEM);
    }
    CHECK_MSG(n > 5 && n < MORE_THAN_ENOUGH, "%u", n);
}

TEST(a_png_is_encoded_once_where_only_that_can_answer)
{
    auto_image m = noisy_image(400, 300, false, 6);
    auto_encoded e = {0};
    watched_size = (size_t)(400 * 4 + 1) * 300 + 1; /* the filtered rows, and a byte behind them */
    (void)climb(&m, 10000000, false, false, &e);
    watched_size = 0;
    CHECK_MSG(e.by == &encode_png && watched_seen == 1, "%zu times", watched_seen);
}

/* Text: every pixel of a letter is sharp. */
TEST(png_of_a_scaled_screenshot_is_not_encoded_where_webp_is_barred)
{
    auto_image m = drawn_image(600, 400, 200, 3);
    uint32_t seed = 1;
    for (uint32_t y = 40; y < 300; y++)
        for (uint32_t x = 100; x < 300; x++)
            set_pixel(&m, x, y, (uint8_t)noise(&seed), (uint8_t)noise(&seed), (uint8_t)noise(&seed), 255);
    auto_encoded e = {0};
    watched_seen = 0;
    watched_size = (size_t)(600 * 3 + 1) * 400 + 1;
    (void)climb(&m, 512000, false, false, &e);
    watched_size = 0;
    CHECK_MSG(e.by == &encode_jpeg && !watched_seen, "%zu times", watched_seen);
}
#endif
