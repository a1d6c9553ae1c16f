/* SPDX-License-Identifier: Apache-2.0 */
/* Two pictures held against each other: how many pixels changed, and where. */
#include "test.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "pixels.h"
#include "sandbox/check.h"
#include "fit/sheet.h"
#include "worker/diff.h"

struct outcome {
    int status;
    struct work_reply reply;
    struct output out;
    struct complaint c;
    bool believed; /* by the parent */
};

static void outcome_done(struct outcome *o)
{
    output_done(&o->out);
}
#define auto_outcome cleanup(outcome_done) struct outcome

static struct work_request request_of(const struct image *a, const struct image *b)
{
    return (struct work_request){
        .magic = WORK_MAGIC, .flags = WORK_DIFF | WORK_WEBP_OK, .raw_w = a->size.w, .raw_h = a->size.h,
        .input_len = image_stride(a) * a->size.h, .other_w = b->size.w, .other_h = b->size.h,
        .other_len = image_stride(b) * b->size.h,
        .limits = {.max_edge = 1568, .min_edge = 28, .max_bytes = 512000, .quality = 75, .resize = 1}};
}

/* What the parent sees: the picture and the cells behind it. */
static bool believe(const struct work_request *q, const struct outcome *o)
{
    size_t cells = o->out.n_cells * sizeof *o->out.cells, len;
    auto_free uint8_t *all = malloc(o->out.len + cells + 1);
    if (o->out.len)
        memcpy(all, o->out.data, o->out.len);
    if (cells)
        memcpy(all + o->out.len, o->out.cells, cells);
    return check_length(q, &o->reply, &len) && len == o->out.len + cells && check_reply(q, &o->reply, all);
}

/* Copies of exactly their length, so that a sanitizer sees a read behind them. */
static struct outcome diff_within(const struct image *a, const struct image *b, struct work_request q)
{
    struct outcome o = {0};
    auto_free uint8_t *before = malloc(q.input_len), *after = malloc(q.other_len);
    memcpy(before, a->px, q.input_len);
    memcpy(after, b->px, q.other_len);
    struct source s = {.data = before, .len = q.input_len, .request = &q, .other = after};
    o.status = diff_make(&s, &o.reply, &o.out, &o.c);
    o.believed = !o.status && believe(&q, &o);
    return o;
}

static struct outcome diff(const struct image *a, const struct image *b)
{
    return diff_within(a, b, request_of(a, b));
}

static void paint(struct image *m, struct rect r, uint8_t level)
{
    for (uint32_t y = r.y; y < r.y + r.h; y++)
        for (uint32_t x = r.x; x < r.x + r.w; x++)
            set_pixel(m, x, y, level, 0, 0, 255);
}

static bool box_is(const struct outcome *o, uint32_t i, struct rect r)
{
    const struct work_cell *c = i < o->out.n_cells ? &o->out.cells[i] : NULL;
    return c && c->x == r.x && c->y == r.y && c->w == r.w && c->h == r.h && c->number == i + 1;
}

TEST(equal_pictures_give_no_picture_and_no_box)
{
    auto_image a = noisy_image(301, 200, false, 3);
    auto_outcome o = diff(&a, &a);
    CHECK(o.status == WORK_OK && o.believed);
    CHECK(!o.reply.changed && !o.reply.cells && !o.reply.image_len && !o.out.len && !o.out.n_cells);
}

TEST(one_rectangle_is_one_tight_box_with_its_pixels_counted)
{
    auto_image a = drawn_image(640, 400, 5, 1), b = drawn_image(640, 400, 5, 1);
    paint(&b, (struct rect){100, 50, 40, 30}, 77);
    auto_outcome o = diff(&a, &b);
    CHECK(o.status == WORK_OK && o.believed);
    CHECK_MSG(o.reply.changed == 1200, "%llu", (unsigned long long)o.reply.changed);
    CHECK(o.out.n_cells == 1 && box_is(&o, 0, (struct rect){100, 50, 40, 30}));
}

TEST(two_places_are_two_boxes_from_the_top)
{
    auto_image a = flat_image(500, 500, 255, 255, 255, 255), b = flat_image(500, 500, 255, 255, 255, 255);
    paint(&b, (struct rect){10, 400, 7, 5}, 1);
    paint(&b, (struct rect){300, 20, 3, 90}, 2);
    paint(&b, (struct rect){200, 20, 4, 4}, 2);
    auto_outcome o = diff(&a, &b);
    CHECK(o.believed && o.reply.changed == 35 + 270 + 16 && o.out.n_cells == 3);
    CHECK(box_is(&o, 0, (struct rect){200, 20, 4, 4}) && box_is(&o, 1, (struct rect){300, 20, 3, 90}));
    CHECK(box_is(&o, 2, (struct rect){10, 400, 7, 5}));
}

TEST(what_is_near_is_one_box_and_what_is_not_is_two)
{
    auto_image a = flat_image(200, 100, 255, 255, 255, 255), b = flat_image(200, 100, 255, 255, 255, 255);
    for (uint32_t gap = 1; gap < 40; gap++) {
        memcpy(b.px, a.px, image_stride(&a) * a.size.h);
        paint(&b, (struct rect){20, 20, 13, 5}, 0);
        paint(&b, (struct rect){33 + gap, 22, 9, 9}, 0);
        auto_outcome o = diff(&a, &b);
        CHECK_MSG(o.believed && o.out.n_cells == (gap < 10 ? 1 : 2), "gap %u: %u boxes", gap, o.out.n_cells);
    }
}

TEST(a_change_of_size_counts_what_only_one_of_them_has)
{
    auto_image a = flat_image(100, 50, 9, 9, 9, 255), b = flat_image(60, 80, 9, 9, 9, 255);
    auto_outcome o = diff(&a, &b);
    CHECK(o.believed && o.reply.changed == 40 * 50 + 60 * 30);
    CHECK(o.reply.source_w == 100 && o.reply.source_h == 80);
    auto_image taller = flat_image(100, 70, 9, 9, 9, 255);
    auto_outcome grown = diff(&a, &taller);
    CHECK(grown.believed && grown.reply.changed == 2000 && box_is(&grown, 0, (struct rect){0, 50, 100, 20}));
}

TEST(a_margin_of_one_of_them_is_a_box_of_its_own)
{
    auto_image a = flat_image(400, 300, 9, 9, 9, 255), b = flat_image(401, 301, 9, 9, 9, 255), c = flat_image(390, 320, 9, 9, 9, 255);
    paint(&a, (struct rect){100, 50, 40, 30}, 200);
    auto_outcome both = diff(&a, &b);
    CHECK(both.believed && both.reply.changed == 1200 + 301 + 400 && both.out.n_cells == 3);
    CHECK(box_is(&both, 0, (struct rect){400, 0, 1, 301}) && box_is(&both, 1, (struct rect){100, 50, 40, 30}) &&
          box_is(&both, 2, (struct rect){0, 300, 400, 1}));
    auto_outcome each = diff(&a, &c); /* one is wider, the other taller: the corner is nobody's */
    CHECK(each.believed && each.reply.changed == 1200 + 10 * 300 + 390 * 20 && each.out.n_cells == 3);
    CHECK(box_is(&each, 0, (struct rect){390, 0, 10, 300}) && box_is(&each, 1, (struct rect){100, 50, 40, 30}) &&
          box_is(&each, 2, (struct rect){0, 300, 390, 20}));
}

TEST(where_there_was_nothing_all_is_changed)
{
    auto_image any = flat_image(8, 10, 9, 9, 9, 255), b = drawn_image(8, 10, 3, 1);
    struct work_request q = request_of(&any, &b);
    q.raw_w = q.raw_h = 0;
    auto_outcome o = diff_within(&any, &b, q);
    CHECK(o.believed && o.reply.changed == 80 && box_is(&o, 0, (struct rect){0, 0, 8, 10}) && !o.out.cells[0].labels);
    q.raw_w = 8;
    auto_outcome half = diff_within(&any, &b, q);
    CHECK(half.status == WORK_MALFORMED);
    auto_image wide = drawn_image(300, 200, 3, 1);
    q = request_of(&any, &wide);
    q.raw_w = q.raw_h = 0;
    auto_outcome named = diff_within(&any, &wide, q);
    CHECK(named.believed && named.reply.changed == 60000 && named.out.cells[0].labels);
}

TEST(colours_that_nobody_sees_are_the_same)
{
    auto_image a = flat_image(80, 60, 255, 0, 0, 0), b = flat_image(80, 60, 0, 0, 255, 0);
    auto_outcome o = diff(&a, &b);
    CHECK(o.believed && !o.reply.changed);
    set_pixel(&b, 7, 8, 255, 0, 0, 1);
    auto_outcome seen = diff(&a, &b);
    CHECK(seen.believed && seen.reply.changed == 1 && box_is(&seen, 0, (struct rect){7, 8, 1, 1}));
}

TEST(on_white_what_looks_the_same_is_the_same)
{
    auto_image a = flat_image(80, 60, 255, 255, 255, 255), b = flat_image(80, 60, 0, 0, 0, 0);
    struct work_request q = request_of(&a, &b);
    auto_outcome strict = diff_within(&a, &b, q);
    CHECK(strict.believed && strict.reply.changed == 80 * 60);
    q.flags |= WORK_FLAT;
    auto_outcome same = diff_within(&a, &b, q);
    CHECK(same.believed && !same.reply.changed);
    set_pixel(&b, 7, 8, 0, 0, 0, 128);
    set_pixel(&a, 9, 8, 127, 127, 127, 255);
    set_pixel(&b, 9, 8, 0, 0, 0, 128);
    auto_outcome seen = diff_within(&a, &b, q);
    CHECK(seen.believed && seen.reply.changed == 1 && box_is(&seen, 0, (struct rect){7, 8, 1, 1}));
}

/* Two drawings on nothing, or one of them on paper. */
TEST(light_content_is_shown_on_grey_and_never_lost_on_white)
{
    auto_image a = flat_image(80, 60, 255, 255, 255, 0), b = flat_image(80, 60, 255, 255, 255, 0);
    for (uint32_t y = 10; y < 50; y++) {
        set_pixel(&a, 20, y, 255, 255, 255, 255);
        set_pixel(&b, 60, y, 255, 255, 255, 255);
    }
    struct work_request q = request_of(&a, &b);
    for (int flat = 0; flat < 2; flat++) {
        q.flags = WORK_DIFF | WORK_WEBP_OK | (flat ? WORK_FLAT : 0);
        auto_outcome o = diff_within(&a, &b, q);
        CHECK(o.believed && o.reply.changed == 80 && (o.reply.facts & (WORK_ON_GREY | WORK_ON_WHITE)) == WORK_ON_GREY);
        auto_image shown = {0};
        struct sheet plan;
        CHECK(!read_image((enum media)o.reply.media, o.out.data, o.out.len, &shown));
        sheet_plan(&q.limits, 3, 80, 60, (struct size){80, 60}, &plan);
        struct rect before = sheet_cell(&plan, 0), after = sheet_cell(&plan, 1);
        CHECK(image_row(&shown, before.y + 30)[(before.x + 20) * 4] == 255 && image_row(&shown, before.y + 30)[(before.x + 60) * 4] == 128);
        CHECK(image_row(&shown, after.y + 30)[(after.x + 60) * 4] == 255 && image_row(&shown, after.y + 30)[(after.x + 20) * 4] == 128);
    }
    for (uint32_t i = 0; i < 80 * 60; i++)
        memset(a.px + i * 4, 255, 4);
    auto_outcome paper = diff_within(&a, &b, q);
    CHECK(paper.believed && !paper.reply.changed);
    auto_outcome strict = diff(&a, &b);
    CHECK(strict.believed && strict.reply.facts & WORK_ON_GREY && strict.reply.changed == 80 * 60 - 40);
}

TEST(many_specks_are_few_boxes_that_hold_every_one)
{
    static const uint32_t steps[] = {12, 25, 60, 150};
    for (size_t k = 0; k < COUNT(steps); k++) {
        auto_image a = flat_image(1200, 900, 255, 255, 255, 255), b = flat_image(1200, 900, 255, 255, 255, 255);
        uint32_t specks = 0, held = 0;
        for (uint32_t y = 3; y < 900; y += steps[k])
            for (uint32_t x = 5; x < 1200; x += steps[k], specks++)
                set_pixel(&b, x, y, 0, 0, 0, 255);
        auto_outcome o = diff(&a, &b);
        CHECK(o.believed && o.reply.changed == specks && o.out.n_cells >= 1 && o.out.n_cells <= LIMIT_DIFF_BOXES);
        for (uint32_t y = 3; y < 900; y += steps[k])
            for (uint32_t x = 5; x < 1200; x += steps[k])
                for (uint32_t i = 0; i < o.out.n_cells; i++) {
                    const struct work_cell *c = &o.out.cells[i];
                    held += x >= c->x && y >= c->y && x < c->x + c->w && y < c->y + c->h;
                }
        CHECK_MSG(held >= specks, "step %u: %u of %u", steps[k], held, specks);
    }
}

TEST(of_too_many_places_only_those_that_waste_the_least_become_one_box)
{
    auto_image a = flat_image(1200, 900, 255, 255, 255, 255), b = flat_image(1200, 900, 255, 255, 255, 255);
    for (uint32_t i = 0; i < LIMIT_DIFF_BOXES + 1; i++) /* the last two are nearer to each other than all others */
        set_pixel(&b, i < LIMIT_DIFF_BOXES ? 10 + i % 8 * 140 : 1010, 10 + i / 8 * 200, 0, 0, 0, 255);
    set_pixel(&b, 1030, 810, 0, 0, 0, 255);
    auto_outcome o = diff(&a, &b);
    uint32_t single = 0;
    CHECK(o.believed && o.reply.changed == LIMIT_DIFF_BOXES + 2 && o.out.n_cells == LIMIT_DIFF_BOXES);
    for (uint32_t i = 0; i < o.out.n_cells; i++)
        single += o.out.cells[i].w == 1 && o.out.cells[i].h == 1;
    CHECK_MSG(single >= LIMIT_DIFF_BOXES - 2, "%u are tight", single);
}

/* Reads the picture back and looks for a colour in the third cell. */
static uint32_t count_red(const struct outcome *o)
{
    auto_image m = {0};
    uint32_t n = 0;
    CHECK(!read_image((enum media)o->reply.media, o->out.data, o->out.len, &m));
    for (size_t i = 0; m.px && i < (size_t)m.size.w * m.size.h; i++)
        n += m.px[i * 4] > 180 && m.px[i * 4 + 1] < 60 && m.px[i * 4 + 2] < 100;
    return n;
}

TEST(one_pixel_of_a_large_picture_is_seen_on_the_map)
{
    auto_image a = flat_image(3000, 2000, 250, 250, 250, 255), b = flat_image(3000, 2000, 250, 250, 250, 255);
    set_pixel(&b, 2222, 1111, 249, 250, 250, 255);
    auto_outcome o = diff(&a, &b);
    CHECK(o.believed && o.reply.changed == 1 && box_is(&o, 0, (struct rect){2222, 1111, 1, 1}));
    CHECK(count_red(&o) >= 1);
}

static uint32_t count_blue(const struct image *m, struct rect r)
{
    uint32_t n = 0;
    for (uint32_t y = r.y; y < r.y + r.h; y++)
        for (uint32_t x = r.x; x < r.x + r.w; x++) {
            const uint8_t *p = m->px + ((size_t)y * m->size.w + x) * 4;
            n += p[0] < 60 && p[1] > 50 && p[1] < 130 && p[2] > 200;
        }
    return n;
}

TEST(a_box_at_the_edge_has_its_frame_all_around)
{
    auto_image a = flat_image(300, 200, 255, 255, 255, 255), b = flat_image(300, 200, 255, 255, 255, 255), m = {0};
    paint(&b, (struct rect){260, 160, 40, 40}, 3);
    paint(&b, (struct rect){0, 0, 40, 40}, 3);
    auto_outcome o = diff(&a, &b);
    struct sheet s;
    struct work_request q = request_of(&a, &b);
    sheet_plan(&q.limits, 3, 300, 200, (struct size){300, 200}, &s);
    CHECK(o.believed && !read_image((enum media)o.reply.media, o.out.data, o.out.len, &m) && s.cell.w == 300);
    CHECK(s.columns * s.rows == 3); /* no place is empty where none need be */
    struct rect c = sheet_cell(&s, 2);
    CHECK(count_blue(&m, (struct rect){c.x + 298, c.y + 156, 2, 44}) >= 80); /* the right edge */
    CHECK(count_blue(&m, (struct rect){c.x + 256, c.y + 198, 44, 2}) >= 80); /* the lower one */
    CHECK(count_blue(&m, (struct rect){c.x, c.y, 2, 44}) >= 80);
    CHECK(count_blue(&m, (struct rect){c.x, c.y, 44, 2}) >= 80);
}

/* Found by the fuzzer: a sheet that is wider than its limits was refused. */
TEST(a_sheet_larger_than_narrow_limits_is_made_smaller_and_not_refused)
{
    static const struct size sizes[] = {{1, 90}, {90, 1}, {96, 96}, {3, 3}, {41, 41}};
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (uint32_t edge = 1; edge <= 320; edge += 7) {
            auto_image a = flat_image(sizes[i].w, sizes[i].h, 255, 255, 255, 255), b = flat_image(sizes[i].w, sizes[i].h, 9, 9, 9, 255);
            struct work_request q = request_of(&a, &b);
            q.limits.max_edge = edge;
            auto_outcome o = diff_within(&a, &b, q);
            CHECK_MSG(o.believed, "%ux%u within %u: %s", sizes[i].w, sizes[i].h, edge, o.c.detail);
        }
}

static uint32_t words_height(const struct image *m, struct rect cell)
{
    uint32_t top = UINT32_MAX, end = 0;
    for (uint32_t y = cell.y + cell.h + 1; y < cell.y + cell.h + SHEET_LABEL; y++)
        for (uint32_t x = cell.x; x < cell.x + cell.w; x++)
            if (m->px[((size_t)y * m->size.w + x) * 4] < 90) {
                top = MIN(top, y);
                end = y + 1;
            }
    return end > top ? end - top : 0;
}

TEST(names_of_the_three_are_of_one_size)
{
    static const uint32_t widths[] = {90, 400};
    for (size_t i = 0; i < COUNT(widths); i++) {
        auto_image a = flat_image(widths[i], 80, 255, 255, 255, 255), b = flat_image(widths[i], 80, 255, 255, 255, 255), m = {0};
        paint(&b, (struct rect){20, 20, 4, 4}, 3);
        auto_outcome o = diff(&a, &b);
        struct sheet s;
        struct work_request q = request_of(&a, &b);
        sheet_plan(&q.limits, 3, widths[i], 80, a.size, &s);
        CHECK(o.believed && !read_image((enum media)o.reply.media, o.out.data, o.out.len, &m));
        uint32_t first = words_height(&m, sheet_cell(&s, 0)), last = words_height(&m, sheet_cell(&s, 2));
        CHECK_MSG(first && first == last, "%u and %u", first, last);
    }
}

TEST(the_three_are_arranged_as_large_as_the_limits_allow)
{
    static const struct {
        struct size size;
        bool stacked;
    } rows[] = {{{300, 900}, false}, {{900, 200}, true}, {{1200, 3000}, false}, {{3000, 500}, true}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct size s = rows[i].size;
        auto_image a = flat_image(s.w, s.h, 255, 255, 255, 255), b = flat_image(s.w, s.h, 255, 255, 255, 255);
        paint(&b, (struct rect){10, 10, 50, 50}, 3);
        auto_outcome o = diff(&a, &b);
        CHECK(o.believed && o.reply.width <= 1568 && o.reply.height <= 1568);
        uint32_t least = MIN(1568u - 16, rows[i].stacked ? s.w : s.w * 3);
        CHECK_MSG(o.reply.width >= least || o.reply.height >= 1568 - 40, "row %zu: %ux%u", i, o.reply.width,
                  o.reply.height);
        CHECK(o.reply.crop.w == o.reply.width && o.reply.crop.h == o.reply.height);
    }
}

TEST(inputs_that_are_not_what_they_say_are_refused)
{
    auto_image a = flat_image(20, 20, 1, 1, 1, 255);
    struct work_request good = request_of(&a, &a);
    static const struct {
        uint32_t w, h;
    } rows[] = {{0, 20}, {20, 0}, {21, 20}, {20, 19}, {LIMIT_SIDE + 1, 20}, {65535, 65535}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct work_request q = good, other = good;
        q.raw_w = rows[i].w;
        q.raw_h = rows[i].h;
        other.other_w = rows[i].w;
        other.other_h = rows[i].h;
        auto_outcome o = diff_within(&a, &a, q), p = diff_within(&a, &a, other);
        CHECK(o.status == WORK_MALFORMED && p.status == WORK_MALFORMED);
    }
    struct source s = {.data = a.px, .len = good.input_len, .request = &good};
    struct work_reply r;
    struct output out = {0};
    CHECK(diff_make(&s, &r, &out, NULL) == WORK_MALFORMED);
}

TEST(shapes_that_share_next_to_nothing_stay_within_bounds)
{
    auto_image a = flat_image(65535, 3, 0, 0, 0, 255), b = flat_image(2, 60000, 0, 0, 0, 255);
    auto_outcome o = diff(&a, &b);
    CHECK_MSG(o.believed && o.reply.changed == 65533u * 3 + 2u * 59997, "%d %s", o.status, o.c.detail);
    CHECK(o.out.n_cells >= 1);
}

static double milliseconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

TEST(noise_all_over_is_one_box_in_little_time)
{
    auto_image a = noisy_image(2000, 1500, true, 1), b = noisy_image(2000, 1500, true, 2);
    double began = milliseconds();
    auto_outcome o = diff(&a, &b);
    CHECK(o.believed && o.out.n_cells == 1 && o.reply.changed > 2900000);
    CHECK(milliseconds() - began < 10000);
}

/* The rows of a picture, right before memory that nobody may read. */
static const uint8_t *at_the_edge(const struct image *m)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), len = image_stride(m) * m->size.h, room = (len + page - 1) / page * page;
    uint8_t *at = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED || mprotect(at + room, page, PROT_NONE))
        abort();
    memcpy(at + room - len, m->px, len);
    return at + room - len;
}

TEST(rows_narrower_than_what_the_scaler_reads_at_once_end_with_their_memory)
{
    for (uint32_t w = 1; w <= 5; w++) {
        auto_image a = noisy_image(w, 1024, true, w), b = noisy_image(w, 1024, true, w + 9);
        struct work_request q = request_of(&a, &b);
        q.limits.max_edge = 300;
        auto_outcome o = {0};
        struct source s = {.data = at_the_edge(&a), .len = q.input_len, .request = &q, .other = at_the_edge(&b)};
        o.status = diff_make(&s, &o.reply, &o.out, &o.c);
        CHECK(o.status == WORK_OK && believe(&q, &o));
    }
}
