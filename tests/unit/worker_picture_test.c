/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pipeline of one request, with rows from memory in the place of a decoder: what is shown is what was asked for, in
 * the right place and the right way up, whatever the road.
 */
#include "test.h"

#include <jpeglib.h>

#include "pixels.h"
#include "worker/picture.h"

/* A decoder of pictures that lie in memory as struct raw. It can hold back the end, and it can give smaller rows. */
struct raw {
    const struct image *m;
    struct header header;
    bool cut, broken_end;
};

struct decoder {
    const struct raw *raw;
    uint32_t row;
};

static int raw_open(const struct source *s, struct decoder **ret, struct header *ret_header, struct complaint *c)
{
    (void)c;
    struct decoder *d = calloc(1, sizeof *d);
    if (!d)
        abort();
    d->raw = (const struct raw *)(const void *)s->data;
    *ret_header = d->raw->header;
    *ret = d;
    return WORK_OK;
}

static int raw_start(struct decoder *d, const struct want *want, struct size *ret_size, struct complaint *c)
{
    (void)want, (void)c;
    *ret_size = d->raw->m->size;
    return WORK_OK;
}

static int raw_row(struct decoder *d, uint8_t *out, struct complaint *c)
{
    if (d->raw->cut && d->row > d->raw->m->size.h / 2)
        return complain(c, WORK_MALFORMED, "cut");
    memcpy(out, image_row(d->raw->m, d->row++), image_stride(d->raw->m));
    return WORK_OK;
}

static int raw_finish(struct decoder *d, struct complaint *c)
{
    return d->raw->broken_end ? complain(c, WORK_MALFORMED, "no end") : WORK_OK;
}

static void raw_close(struct decoder *d)
{
    free(d);
}

static const struct decoder_ops raw_ops = {.media = MEDIA_PNG, .library = "memory", .open = raw_open, .start = raw_start,
                                           .row = raw_row, .finish = raw_finish, .close = raw_close};

static struct raw raw_of(const struct image *m)
{
    return (struct raw){
        .m = m,
        .header = {.width = m->size.w, .height = m->size.h, .frames = 1, .orientation = 1, .alpha = true,
                   .exact = true, .channels = 4}};
}

static struct work_request request(void)
{
    return (struct work_request){
        .magic = WORK_MAGIC,
        .media = MEDIA_PNG,
        .flags = WORK_WEBP_OK,
        .limits = {.max_edge = 1568, .min_edge = 28, .max_bytes = 512000, .quality = 75, .resize = 1}};
}

static int make_by(const struct decoder_ops *ops, const struct raw *raw, const struct work_request *q, struct work_reply *r,
                   struct output *out)
{
    struct source s = {.data = (const void *)raw, .len = sizeof *raw, .request = q};
    *out = (struct output){0};
    return picture_make_with(ops, &s, r, out);
}

static int make(const struct raw *raw, const struct work_request *q, struct work_reply *r, struct output *out)
{
    return make_by(&raw_ops, raw, q, r, out);
}

/* Makes the picture and reads it back. */
static int show(const struct raw *raw, const struct work_request *q, struct work_reply *r, struct image *ret)
{
    struct output out;
    int status = make(raw, q, r, &out);
    if (!status && read_image((enum media)r->media, out.data, out.len, ret))
        abort();
    output_done(&out);
    return status;
}

static struct fit_box box_of(double x, double y, double w, double h)
{
    return (struct fit_box){x, y, w, h, FIT_SOURCE, 1};
}

TEST(a_region_within_the_limits_is_shown_pixel_for_pixel_in_every_orientation)
{
    for (uint8_t o = 1; o <= 8; o++) {
        auto_image stored = drawn_image(300, 200, 90, o), upright = drawn_image(300, 200, 90, o), shown = {0};
        CHECK(!image_orient(&upright, o));
        struct raw raw = raw_of(&stored);
        raw.header.orientation = o;
        struct work_request q = request();
        struct work_reply r;
        q.region = box_of(40, 30, 120, 110);
        CHECK(show(&raw, &q, &r, &shown) == WORK_OK);
        CHECK(r.source_w == upright.size.w && r.source_h == upright.size.h && r.orientation == o);
        CHECK(r.width == 120 && r.height == 110 && r.facts & WORK_LOSSLESS);
        CHECK(r.crop.x == 40 && r.crop.y == 30 && r.crop.w == 120 && r.crop.h == 110);
        for (uint32_t y = 0; y < 110; y++)
            CHECK_MSG(!memcmp(image_row(&shown, y), image_row(&upright, y + 30) + 40 * 4, 120 * 4), "orientation %u", o);
    }
}

/* Under a thread sanitizer this also proves that neither thread looks at rows that the other one writes. */
static void check_large(bool opaque)
{
    auto_image m = noisy_image(1100, 700, opaque, 3), want = {0};
    CHECK(!image_scale(&m, (struct size){100, 64}, &want));
    struct raw raw = raw_of(&m);
    struct work_request q = request();
    struct work_reply r;
    struct output out;
    q.limits.max_edge = 100;
    q.preview_w = q.preview_h = 1000;
    CHECK(make(&raw, &q, &r, &out) == WORK_OK);
    CHECK(r.preview_w == 100 && r.preview_h == 64 && same_pixels(&out.preview, &want));
    CHECK(!(r.facts & WORK_HAS_ALPHA) == opaque);
    output_done(&out);
}

TEST(a_large_picture_comes_out_the_same_on_two_threads_as_on_one)
{
    check_large(true);
    check_large(false);
}

TEST(a_cut_picture_is_refused_even_when_the_shown_part_is_whole)
{
    for (int large = 0; large < 2; large++)
        for (int how = 0; how < 2; how++) {
            auto_image m = noisy_image(large ? 1000 : 60, large ? 900 : 40, true, 1);
            struct raw raw = raw_of(&m);
            raw.cut = how == 0;
            raw.broken_end = how == 1;
            struct work_request q = request();
            struct work_reply r;
            struct output out;
            q.region = box_of(0, 0, 10, 5);
            CHECK(make(&raw, &q, &r, &out) == WORK_MALFORMED && r.status == WORK_MALFORMED);
            CHECK_STR(r.detail, how ? "no end" : "cut");
        }
}

TEST(what_is_not_there_is_refused_with_the_real_numbers)
{
    auto_image m = noisy_image(60, 40, true, 1);
    struct raw raw = raw_of(&m);
    struct work_request q = request(), q2 = request();
    struct work_reply r;
    struct output out;
    q.region = box_of(60, 0, 10, 10);
    CHECK(make(&raw, &q, &r, &out) == WORK_BAD_REGION && r.source_w == 60 && r.source_h == 40);
    q2.frame = 2;
    CHECK(make(&raw, &q2, &r, &out) == WORK_BAD_FRAME && r.frames == 1);
}

TEST(alpha_that_hides_nothing_counts_as_opaque)
{
    auto_image m = noisy_image(300, 200, true, 1), shown = {0};
    struct raw raw = raw_of(&m);
    struct work_request q = request();
    struct work_reply r;
    q.flags = 0;
    CHECK(show(&raw, &q, &r, &shown) == WORK_OK);
    CHECK(!(r.facts & WORK_HAS_ALPHA) && r.media == MEDIA_JPEG);
}

/* A real PNG through the whole pipeline. */
static int make_png(const struct image *m, const struct work_request *q, struct work_reply *r, struct output *out,
                    struct encoded *ret_file)
{
    CHECK(!encode_png.encode(m, 0, ret_file));
    struct work_request own = *q;
    own.input_len = ret_file->len;
    *out = (struct output){0};
    return picture_make_with(decoder_of(MEDIA_PNG), &(struct source){.data = ret_file->data, .len = ret_file->len, .request = &own}, r, out);
}

TEST(a_small_clean_file_is_its_own_answer)
{
    auto_image m = drawn_image(200, 100, 9, 4);
    auto_encoded file = {0};
    struct work_request q = request();
    struct work_reply r;
    struct output out;
    CHECK(make_png(&m, &q, &r, &out, &file) == WORK_OK);
    CHECK(r.facts & WORK_AS_IS && r.media == MEDIA_PNG && out.len == file.len && !memcmp(out.data, file.data, out.len));
    output_done(&out);
}

TEST(without_resizing_a_large_file_stays_as_it_is_and_a_part_of_it_lossless)
{
    auto_image m = noisy_image(1700, 40, true, 4), back = {0};
    auto_encoded file = {0}, file2 = {0};
    struct work_request q = request();
    struct work_reply r;
    struct output out;
    q.limits.resize = 0;
    q.limits.max_bytes = 1000;
    CHECK(make_png(&m, &q, &r, &out, &file) == WORK_OK);
    CHECK(r.facts & WORK_AS_IS && r.facts & WORK_OVER_BUDGET && r.width == 1700);
    output_done(&out);
    q.region = box_of(100, 10, 50, 20);
    CHECK(make_png(&m, &q, &r, &out, &file2) == WORK_OK);
    CHECK(r.media == MEDIA_PNG && r.facts & WORK_LOSSLESS && !read_image(MEDIA_PNG, out.data, out.len, &back));
    for (uint32_t y = 0; y < 20; y++)
        CHECK(!memcmp(image_row(&back, y), image_row(&m, y + 10) + 100 * 4, 50 * 4));
    output_done(&out);
}

TEST(the_size_shown_is_one_that_the_parent_explains_also_when_limits_contradict)
{
    auto_image m = noisy_image(100, 50, true, 1), shown = {0};
    struct raw raw = raw_of(&m);
    struct work_request q = request();
    struct work_reply r;
    q.limits.min_edge = 200;
    q.limits.max_edge = 60;
    CHECK(show(&raw, &q, &r, &shown) == WORK_OK && r.width == 60 && r.height == 30);
    CHECK(fit_explains(&q.limits, (struct size){100, 50}, (struct size){r.width, r.height}));
}

TEST(a_region_of_a_jpeg_decoded_smaller_lies_where_it_was_asked)
{
    /* 801x601 at a half is 401x301: the last column and row stand for half a pixel. */
    auto_image half = noisy_image(401, 301, true, 2);
    struct raw raw = raw_of(&half);
    raw.header.width = 801;
    raw.header.height = 601;
    raw.header.alpha = false;
    struct decoder_ops ops = raw_ops;
    ops.media = MEDIA_JPEG;
    struct work_request q = request();
    struct work_reply r;
    struct output out = {0};
    q.region = box_of(600, 400, 200, 200);
    q.limits.max_edge = q.preview_w = q.preview_h = 100;
    CHECK(make_by(&ops, &raw, &q, &r, &out) == WORK_OK);
    CHECK(r.preview_w == 100 && r.preview_h == 100);
    for (uint32_t y = 0; y < 100 && out.preview.px; y++)
        CHECK_MSG(!memcmp(image_row(&out.preview, y), image_row(&half, y + 200) + 300 * 4, 100 * 4), "row %u", y);
    output_done(&out);
}

TEST(lossless_is_said_only_of_the_sources_own_pixels)
{
    static const struct {
        uint32_t max_edge;
        bool exact, want;
    } rows[] = {{1568, true, true}, {1568, false, false}, {150, true, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_image m = flat_image(300, 200, 9, 8, 7, 255), shown = {0};
        struct raw raw = raw_of(&m);
        raw.header.exact = rows[i].exact;
        struct work_request q = request();
        struct work_reply r;
        q.limits.max_edge = rows[i].max_edge;
        q.flags = 0;
        CHECK(show(&raw, &q, &r, &shown) == WORK_OK && r.media == MEDIA_PNG);
        CHECK_MSG(!(r.facts & WORK_LOSSLESS) == !rows[i].want, "row %zu", i);
    }
}

TEST(a_scaled_step_of_the_ladder_is_not_called_lossless)
{
    auto_image m = noisy_image(400, 400, false, 6), shown = {0};
    struct raw raw = raw_of(&m);
    struct work_request q = request();
    struct work_reply r;
    q.flags = 0;
    q.limits.max_bytes = 100000;
    CHECK(show(&raw, &q, &r, &shown) == WORK_OK && r.media == MEDIA_PNG && r.width < 400);
    CHECK(!(r.facts & WORK_LOSSLESS) && !(r.facts & WORK_OVER_BUDGET));
    q.limits.max_bytes = 10;
    auto_image smallest = {0};
    CHECK(show(&raw, &q, &r, &smallest) == WORK_OK && r.facts & WORK_OVER_BUDGET);
}

TEST(without_resizing_a_turned_jpeg_keeps_its_colours_and_does_not_call_itself_as_it_is)
{
    /* Columns of red and blue: 4:2:0 would mix them. */
    auto_image m = flat_image(64, 48, 250, 20, 20, 255), shown = {0};
    for (uint32_t i = 0; i < 64 * 48; i += 2)
        set_pixel(&m, i % 64, i / 64, 20, 20, 250, 255);
    struct raw raw = raw_of(&m);
    raw.header.orientation = 3;
    raw.header.lossy = true;
    struct decoder_ops ops = raw_ops;
    ops.media = MEDIA_JPEG;
    struct work_request q = request();
    struct work_reply r;
    struct output out = {0};
    q.limits.resize = 0;
    CHECK(make_by(&ops, &raw, &q, &r, &out) == WORK_OK);
    CHECK(r.media == MEDIA_JPEG && !(r.facts & WORK_AS_IS) && !(r.facts & WORK_LOSSLESS));
    CHECK(!image_orient(&m, 3) && !read_image(MEDIA_JPEG, out.data, out.len, &shown));
    CHECK_MSG(difference(&m, &shown) <= 16, "differs by %d", difference(&m, &shown));
    output_done(&out);
}

TEST(without_resizing_what_the_sources_format_cannot_hold_becomes_png)
{
    auto_image m = noisy_image(20000, 3, true, 2);
    struct raw raw = raw_of(&m);
    struct decoder_ops ops = raw_ops;
    ops.media = MEDIA_WEBP;
    struct work_request q = request();
    struct work_reply r;
    struct output out = {0};
    q.limits.resize = 0;
    CHECK(make_by(&ops, &raw, &q, &r, &out) == WORK_OK);
    CHECK(r.media == MEDIA_PNG && r.width == 20000 && r.facts & WORK_LOSSLESS);
    output_done(&out);
}

/* Four inks as Adobe's programs store them; the caller frees. */
static uint8_t *ink_jpeg(size_t *ret_len)
{
    struct jpeg_compress_struct j;
    struct jpeg_error_mgr errors;
    unsigned char *mem = NULL;
    unsigned long len = 0;
    uint8_t row[40 * 4];
    JSAMPROW rows[1] = {row};
    memset(row, 90, sizeof row);
    j.err = jpeg_std_error(&errors);
    jpeg_create_compress(&j);
    jpeg_mem_dest(&j, &mem, &len);
    j.image_width = j.image_height = 40;
    j.input_components = 4;
    j.in_color_space = JCS_CMYK;
    jpeg_set_defaults(&j);
    jpeg_start_compress(&j, TRUE);
    jpeg_write_marker(&j, JPEG_COM, (const JOCTET *)"words", 5);
    for (int y = 0; y < 40; y++)
        jpeg_write_scanlines(&j, rows, 1);
    jpeg_finish_compress(&j);
    jpeg_destroy_compress(&j);
    *ret_len = len;
    return mem;
}

TEST(a_jpeg_of_inks_keeps_its_encoding_only_without_resizing)
{
    size_t len = 0;
    auto_free uint8_t *file = ink_jpeg(&len);
    for (uint32_t resize = 0; resize < 2; resize++) {
        struct work_request q = request();
        struct work_reply r;
        struct output out = {0};
        q.media = MEDIA_JPEG;
        q.input_len = len;
        q.limits.resize = resize;
        CHECK(picture_make_with(decoder_of(MEDIA_JPEG), &(struct source){.data = file, .len = len, .request = &q}, &r, &out) == WORK_OK);
        CHECK_MSG(!(r.facts & WORK_AS_IS) == (resize != 0), "resize %u", resize);
        CHECK(resize || (r.media == MEDIA_JPEG && out.len == len - 9));
        output_done(&out);
    }
}

TEST(tiny_pictures_are_enlarged)
{
    auto_image m = flat_image(7, 5, 90, 80, 70, 255), shown = {0};
    struct raw raw = raw_of(&m);
    struct work_request q = request();
    struct work_reply r;
    CHECK(show(&raw, &q, &r, &shown) == WORK_OK);
    auto_image want = flat_image(r.width, r.height, 90, 80, 70, 255);
    CHECK(MIN(r.width, r.height) == 28 && difference(&shown, &want) <= 4);
}

TEST(inks_become_colours)
{
    static const struct {
        uint8_t ink[4], least[3], most[3];
    } rows[] = {
        {{0, 0, 0, 0}, {255, 255, 255}, {255, 255, 255}}, {{0, 0, 0, 255}, {0, 0, 0}, {50, 50, 50}},
        {{255, 0, 0, 0}, {0, 120, 200}, {60, 190, 255}},  {{0, 255, 0, 0}, {200, 0, 100}, {255, 60, 170}},
        {{0, 0, 255, 0}, {230, 220, 0}, {255, 255, 60}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const uint8_t *k = rows[i].ink;
        auto_image m = flat_image(64, 64, k[0], k[1], k[2], k[3]), shown = {0};
        struct raw raw = raw_of(&m);
        raw.header.colour = COLOUR_CMYK;
        raw.header.alpha = false;
        struct work_request q = request();
        struct work_reply r;
        CHECK(show(&raw, &q, &r, &shown) == WORK_OK && !(r.facts & WORK_HAS_ALPHA));
        for (int c = 0; c < 3; c++)
            CHECK_MSG(shown.px[c] >= rows[i].least[c] && shown.px[c] <= rows[i].most[c], "ink %zu channel %d is %u", i, c,
                      shown.px[c]);
    }
}

TEST(a_broken_profile_is_ignored)
{
    auto_image m = drawn_image(100, 100, 9, 4), shown = {0};
    struct raw raw = raw_of(&m);
    raw.header.icc = (const uint8_t *)"not a profile at all";
    raw.header.icc_len = 20;
    struct work_request q = request();
    struct work_reply r;
    CHECK(show(&raw, &q, &r, &shown) == WORK_OK && same_pixels(&m, &shown));
}

TEST(numbers_without_sense_in_a_request_do_no_harm)
{
    auto_image m = noisy_image(90, 60, true, 4), shown = {0};
    struct raw raw = raw_of(&m);
    struct work_request q = request();
    struct work_reply r;
    q.limits = (struct fit_limits){.max_edge = UINT32_MAX, .min_edge = UINT32_MAX, .quality = UINT32_MAX, .resize = 9};
    q.preview_w = q.preview_h = UINT32_MAX;
    q.limits.rule.kind = 99;
    int status = show(&raw, &q, &r, &shown);
    CHECK_MSG(status == WORK_OK || status == WORK_TOO_LARGE, "status %d", status);
}
