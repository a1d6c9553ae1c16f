/* SPDX-License-Identifier: Apache-2.0 */
/* Contact sheets: where pictures and words come to lie, and which frames of an animation are on one. */
#include "test.h"

#include "built.h"
#include "pictures.h"
#include "sandbox/check.h"
#include "worker/picture.h"
#include "worker/sheet.h"

static const struct fit_limits usual = {
    .max_edge = 1568, .min_edge = 28, .max_bytes = 512000, .quality = 75, .resize = 1};

static void filled(struct image *ret, uint32_t w, uint32_t h, const uint8_t rgba[4])
{
    CHECK(!image_init(ret, (struct size){w, h}));
    for (size_t i = 0; i < (size_t)w * h; i++)
        memcpy(ret->px + i * 4, rgba, 4);
    ret->opaque = rgba[3] == 255;
}

static const uint8_t *dot(const struct image *m, uint32_t x, uint32_t y)
{
    return image_row(m, y) + (size_t)x * 4;
}

static bool is(const uint8_t *p, uint8_t r, uint8_t g, uint8_t b)
{
    return p[0] == r && p[1] == g && p[2] == b && p[3] == 255;
}

/* Black pixels of a part of the sheet. */
static uint32_t ink(const struct image *m, struct rect r)
{
    uint32_t n = 0;
    for (uint32_t y = r.y; y < r.y + r.h; y++)
        for (uint32_t x = r.x; x < r.x + r.w; x++)
            n += is(dot(m, x, y), 0, 0, 0);
    return n;
}

TEST(a_picture_lies_in_its_cell_with_its_words_beneath)
{
    struct contact s;
    CHECK(!contact_init(&s, &usual, 5, 400, 300, (struct size){400, 300}));
    auto_image red = {0};
    filled(&red, 800, 600, (const uint8_t[4]){255, 0, 0, 255});
    CHECK(!contact_put(&s, 3, &red, 9, 1234, (struct label[]){{"frame 9", WORK_LABEL_NUMBER}, {NULL, 0}}));
    struct rect r = sheet_cell(&s.plan, 3), words = {r.x, r.y + r.h, r.w, SHEET_LABEL};
    CHECK(s.cells[3].x == r.x && s.cells[3].y == r.y && s.cells[3].w == r.w && s.cells[3].h == r.h);
    CHECK(s.cells[3].number == 9 && s.cells[3].time_ms == 1234);
    CHECK(is(dot(&s.image, r.x, r.y), 255, 0, 0) && is(dot(&s.image, r.x + r.w - 1, r.y + r.h - 1), 255, 0, 0));
    CHECK(!is(dot(&s.image, r.x - 1, r.y), 255, 0, 0) && !is(dot(&s.image, r.x + r.w, r.y), 255, 0, 0));
    CHECK(ink(&s.image, words) > 100 && ink(&s.image, (struct rect){0, 0, s.plan.size.w, s.plan.size.h}) == ink(&s.image, words));
    contact_done(&s);
}

TEST(a_picture_of_another_shape_is_centred_and_none_is_enlarged)
{
    struct contact s;
    CHECK(!contact_init(&s, &usual, 2, 100, 100, (struct size){100, 100}));
    auto_image wide = {0}, small = {0};
    filled(&wide, 400, 200, (const uint8_t[4]){0, 0, 255, 255});
    filled(&small, 10, 20, (const uint8_t[4]){0, 0, 255, 255});
    struct rect a = sheet_cell(&s.plan, 0), b = sheet_cell(&s.plan, 1);
    CHECK(!contact_put(&s, 0, &wide, 1, -1, NULL) && !contact_put(&s, 1, &small, 2, -1, NULL));
    CHECK(s.cells[0].w == 100 && s.cells[0].h == 50 && s.cells[0].x == a.x && s.cells[0].y == a.y + 25);
    CHECK(s.cells[1].w == 10 && s.cells[1].h == 20 && s.cells[1].x == b.x + 45 && s.cells[1].y == b.y + 40);
    contact_done(&s);
}

TEST(what_is_transparent_is_laid_on_white)
{
    struct contact s;
    CHECK(!contact_init(&s, &usual, 1, 50, 50, (struct size){50, 50}));
    auto_image nothing = {0};
    filled(&nothing, 50, 50, (const uint8_t[4]){7, 7, 7, 0});
    CHECK(!contact_put(&s, 0, &nothing, 1, -1, NULL));
    CHECK(is(dot(&s.image, s.cells[0].x, s.cells[0].y), 255, 255, 255));
    contact_done(&s);
}

TEST(what_is_light_is_laid_on_grey_and_the_sheet_says_so)
{
    struct contact s;
    auto_image light = {0}, dark = {0};
    filled(&light, 50, 50, (const uint8_t[4]){255, 255, 255, 100});
    filled(&dark, 50, 50, (const uint8_t[4]){0, 0, 0, 0});
    CHECK(!contact_init(&s, &usual, 2, 50, 50, (struct size){50, 50}));
    CHECK(!contact_put(&s, 0, &light, 1, -1, NULL) && s.image.on_grey && !s.image.on_white);
    CHECK(is(dot(&s.image, s.cells[0].x, s.cells[0].y), 178, 178, 178));
    CHECK(!contact_put(&s, 1, &dark, 2, -1, NULL) && s.image.on_grey && s.image.on_white);
    s.ground = LEVEL_GREY; /* one for all */
    CHECK(!contact_put(&s, 1, &dark, 2, -1, NULL) && is(dot(&s.image, s.cells[1].x, s.cells[1].y), 128, 128, 128));
    contact_done(&s);
}

/* What is said of frames: all of it, all of it in small letters, or a number alone; half a number is none. */
TEST(words_never_leave_their_cell_and_are_told)
{
    static const struct {
        uint32_t width, tells;
    } rows[] = {{300, 3}, {140, 3}, {70, 3}, {40, 1}, {6, 0}};
    static const struct label labels[] = {{"frame 12  0:07.31", 3}, {"12  0:07.31", 3}, {"12", 1}, {NULL, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct contact s;
        uint32_t w = rows[i].width;
        CHECK(!contact_init(&s, &usual, 4, w, 30, (struct size){w, 30}));
        auto_image white = {0};
        filled(&white, w, 30, (const uint8_t[4]){255, 255, 255, 255});
        CHECK(!contact_put(&s, 0, &white, 12, 7310, labels));
        struct rect r = sheet_cell(&s.plan, 0);
        uint32_t all = ink(&s.image, (struct rect){0, 0, s.plan.size.w, s.plan.size.h});
        CHECK_MSG(s.cells[0].labels == rows[i].tells, "%u: %u", w, s.cells[0].labels);
        CHECK(!all == !rows[i].tells && all == ink(&s.image, (struct rect){r.x, r.y + r.h, r.w, SHEET_LABEL}));
        contact_done(&s);
    }
}

TEST(a_sheet_of_none_or_too_many_is_refused)
{
    struct contact s;
    CHECK(contact_init(&s, &usual, 0, 4, 3, (struct size){0, 0}) == -EFBIG);
    CHECK(contact_init(&s, &usual, LIMIT_SHEET_CELLS + 1, 4, 3, (struct size){0, 0}) == -EFBIG);
}

TEST(letters_are_all_there_each_another_and_cut_at_the_border)
{
    static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.:/#-+,()?";
    uint8_t seen[sizeof all][9][5] = {{{0}}};
    for (size_t i = 0; i + 1 < sizeof all; i++) {
        auto_image m = {0};
        filled(&m, 5, 9, (const uint8_t[4]){255, 255, 255, 255});
        CHECK(letters_draw(&m, 0, 0, 7, (char[2]){all[i], 0}) <= 5);
        CHECK_MSG(ink(&m, (struct rect){0, 0, 5, 9}) >= 3, "'%c'", all[i]);
        for (uint32_t p = 0; p < 45; p++)
            seen[i][p / 5][p % 5] = m.px[p * 4];
        for (size_t k = 0; k < i; k++)
            CHECK_MSG(memcmp(seen[k], seen[i], sizeof seen[i]) || (all[k] == 'O' && all[i] == '0'), "'%c' is '%c'", all[i], all[k]);
    }
    auto_image m = {0};
    filled(&m, 30, 10, (const uint8_t[4]){255, 255, 255, 255});
    CHECK(letters_draw(&m, 25, 5, 14, "WWWW") == letters_draw(NULL, 0, 0, 14, "WWWW"));
    CHECK(letters_draw(NULL, 0, 0, 14, "") == 0 && letters_draw(NULL, 0, 0, 14, "\x80\xff~") > 0);
}

TEST(times_are_minutes_seconds_and_hundredths_rounded_up)
{
    static const struct {
        int64_t ms;
        const char *words;
    } rows[] = {{0, "0:00.00"}, {1160, "0:01.16"}, {7391, "0:07.40"}, {59991, "1:00.00"}, {60000, "1:00.00"},
                {3723000, "1:02:03.00"}, {-5, "0:00.00"}, {INT64_MAX, "2562047788015:12:55.81"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char out[24];
        contact_time(rows[i].ms, out);
        CHECK_STR(out, rows[i].words);
    }
}

/* ---------------------------------------------------------------- animations */

struct shown {
    int status;
    struct work_reply reply;
    struct output out;
    bool believed;
};

static void shown_done(struct shown *s)
{
    output_done(&s->out);
}
#define auto_shown cleanup(shown_done) struct shown

static struct shown show(const struct buf *file, enum media media, uint32_t flags)
{
    struct shown s = {0};
    struct work_request q = {.magic = WORK_MAGIC, .media = media, .input_len = file->len, .flags = WORK_SHEET | flags, .limits = usual};
    auto_free uint8_t *exact = malloc(file->len);
    memcpy(exact, file->data, file->len);
    s.status = picture_make_with(decoder_of(media), &(struct source){.data = exact, .len = file->len, .request = &q}, &s.reply, &s.out);
    size_t cells = s.out.n_cells * sizeof *s.out.cells, len = 0;
    if (s.status)
        return s;
    auto_free uint8_t *all = malloc(s.out.len + cells + 1);
    memcpy(all, s.out.data, s.out.len);
    if (cells)
        memcpy(all + s.out.len, s.out.cells, cells);
    s.believed = check_length(&q, &s.reply, &len) && len == s.out.len + cells && check_reply(&q, &s.reply, all);
    if (!s.out.copy) { /* it is the file itself, which goes now */
        s.out.data = NULL;
        s.out.len = 0;
    }
    return s;
}

/* n frames of 0.1 s: a red canvas, on which a green square goes right. */
static void make_walk(struct buf *b, uint32_t n)
{
    auto_free struct gif_part *parts = calloc(n, sizeof *parts);
    for (uint32_t i = 0; i < n; i++)
        parts[i] = (struct gif_part){.box = {i % 100, 10, 20, 20}, .index = 2, .dispose = DISPOSE_PREVIOUS, .transparent = -1};
    parts[0] = (struct gif_part){.box = {0, 0, 120, 90}, .index = 1, .transparent = -1};
    make_gif(b, 120, 90, parts, n);
}

TEST(a_long_animation_is_twelve_frames_all_along_it)
{
    auto_buf b = BUF_INIT(FILE_MAX);
    make_walk(&b, 45);
    auto_shown s = show(&b, MEDIA_GIF, WORK_RGBA);
    CHECK(s.status == WORK_OK && s.believed && s.reply.frames == 45 && s.out.n_cells == 12 && s.reply.duration_ms == 4500);
    CHECK(s.reply.extent_w == 120 && s.reply.extent_h == 90 && s.reply.source_w == 120);
    for (uint32_t i = 0; i < s.out.n_cells; i++) {
        const struct work_cell *c = &s.out.cells[i];
        CHECK_MSG(c->time_ms == (int64_t)(c->number - 1) * 100, "cell %u is frame %u", i, c->number);
        if (i)
            CHECK_MSG(c->number > c[-1].number && c->number - c[-1].number <= 8, "cell %u is frame %u", i, c->number);
        struct image m = {.size = {s.reply.width, s.reply.height}, .opaque = true, .px = s.out.copy};
        /* The square is where this frame has it, and what was under the one before is back. */
        uint32_t at = c->number - 1;
        CHECK(c->w == 120 && c->h == 90 && is(dot(&m, c->x + 119, c->y + 89), 255, 0, 0));
        if (i)
            CHECK(is(dot(&m, c->x + at, c->y + 10), 0, 255, 0) && is(dot(&m, c->x + at - 1, c->y + 10), 255, 0, 0));
    }
}

TEST(a_flash_of_one_frame_is_shown_and_what_stands_still_only_once)
{
    struct gif_part parts[41];
    for (uint32_t flash = 0; flash < 2; flash++) {
        auto_buf b = BUF_INIT(FILE_MAX);
        for (uint32_t i = 0; i < COUNT(parts); i++)
            parts[i] = (struct gif_part){.box = {0, 0, 120, 90}, .index = flash && i == 19 ? 1 : 3, .transparent = -1};
        make_gif(&b, 120, 90, parts, COUNT(parts));
        auto_shown s = show(&b, MEDIA_GIF, 0);
        CHECK(s.status == WORK_OK && s.believed && s.reply.frames == 41 && s.out.n_cells == (flash ? 3 : 1));
        CHECK(s.out.n_cells && s.out.cells[0].number == 1);
        if (s.out.n_cells == 3)
            CHECK(s.out.cells[1].number == 20 && s.out.cells[1].time_ms == 1900 && s.out.cells[2].number > 20);
    }
}

/* A white square that goes right on nothing: on white all frames are one. */
TEST(light_frames_without_a_ground_are_told_apart_and_shown_on_grey)
{
    auto_buf b = BUF_INIT(FILE_MAX);
    struct gif_part parts[5];
    for (uint32_t i = 0; i < COUNT(parts); i++)
        parts[i] = (struct gif_part){.box = {i * 22, 10, 20, 20}, .index = 2, .dispose = DISPOSE_BACKGROUND, .transparent = 0};
    make_gif(&b, 120, 90, parts, COUNT(parts));
    memset((uint8_t *)b.data + 13 + 2 * 3, 255, 3); /* the third colour */
    auto_shown s = show(&b, MEDIA_GIF, WORK_RGBA);
    CHECK(s.status == WORK_OK && s.believed && s.out.n_cells == 5);
    CHECK((s.reply.facts & (WORK_ON_GREY | WORK_ON_WHITE)) == WORK_ON_GREY);
    struct image m = {.size = {s.reply.width, s.reply.height}, .opaque = true, .px = s.out.copy};
    for (uint32_t i = 0; i < s.out.n_cells; i++) {
        const struct work_cell *c = &s.out.cells[i];
        CHECK(is(dot(&m, c->x + i * 22 + 10, c->y + 20), 255, 255, 255) && is(dot(&m, c->x + i * 22 + 10, c->y + 50), 128, 128, 128));
    }
    memset((uint8_t *)b.data + 13 + 2 * 3, 0, 3); /* dark ones are on white, as ever */
    auto_shown dark = show(&b, MEDIA_GIF, WORK_RGBA);
    CHECK(dark.believed && dark.out.n_cells == 5 && (dark.reply.facts & (WORK_ON_GREY | WORK_ON_WHITE)) == WORK_ON_WHITE);
}

TEST(a_short_animation_shows_every_frame_and_a_still_picture_itself)
{
    for (uint32_t n = 1; n <= 12; n++) {
        auto_buf b = BUF_INIT(FILE_MAX);
        make_walk(&b, n);
        auto_shown s = show(&b, MEDIA_GIF, 0);
        CHECK(s.status == WORK_OK && s.believed && s.reply.frames == n && s.out.n_cells == (n > 1 ? n : 0));
        for (uint32_t i = 0; i < s.out.n_cells; i++)
            CHECK(s.out.cells[i].number == i + 1);
        if (n == 1)
            CHECK(s.reply.crop.w == 120 && s.reply.crop.h == 90);
    }
}

TEST(a_frame_that_lasts_long_does_not_swallow_the_others)
{
    auto_buf b = BUF_INIT(FILE_MAX);
    make_walk(&b, 30);
    /* The delay of the first: behind the header, the colours and the extension's head. */
    uint8_t *delay = (uint8_t *)b.data + 13 + 12 + 4;
    CHECK(delay[-4] == 0x21 && delay[-3] == 0xf9);
    delay[0] = 0xff, delay[1] = 0xff;
    auto_shown s = show(&b, MEDIA_GIF, 0);
    CHECK(s.believed && s.out.n_cells == 12 && s.out.cells[0].number == 1 && s.out.cells[11].number == 30);
    for (uint32_t i = 1; i < s.out.n_cells; i++)
        CHECK(s.out.cells[i].number > s.out.cells[i - 1].number && s.out.cells[i].time_ms >= 655350);
}

TEST(more_frames_than_may_be_drawn_end_the_sheet_early)
{
    auto_buf b = BUF_INIT(FILE_MAX);
    auto_free struct gif_part *parts = calloc(70, sizeof *parts);
    for (uint32_t i = 0; i < 70; i++) /* a million pixels each, none of which hides what is below */
        parts[i] = (struct gif_part){.box = {0, 0, 1000, 1000}, .index = (uint8_t)(i % 4), .transparent = 3};
    make_gif(&b, 1000, 1000, parts, 70);
    auto_shown s = show(&b, MEDIA_GIF, 0);
    CHECK(s.status == WORK_OK && s.believed && s.reply.frames == 70 && s.out.n_cells >= 3);
    CHECK_MSG(s.out.n_cells && s.out.cells[s.out.n_cells - 1].number == 50, "%u", s.out.cells[s.out.n_cells - 1].number);
    for (uint32_t i = 0; i < 70; i++) /* the same, but each hides all below: only twelve need be drawn */
        parts[i].transparent = -1;
    auto_buf opaque = BUF_INIT(FILE_MAX);
    make_gif(&opaque, 1000, 1000, parts, 70);
    auto_shown all = show(&opaque, MEDIA_GIF, 0);
    CHECK(all.status == WORK_OK && all.believed && all.out.n_cells >= 4 && all.out.cells[all.out.n_cells - 1].number == 70);
}

TEST(a_damaged_frame_refuses_the_sheet)
{
    auto_buf b = BUF_INIT(FILE_MAX);
    make_walk(&b, 5);
    b.len -= 3;
    auto_shown s = show(&b, MEDIA_GIF, 0);
    CHECK(s.status == WORK_MALFORMED && s.reply.detail[0]);
}

/* What a sheet shows of each frame is what a decoder gives of it alone. */
static void compare_frames(const char *name, enum media media, uint32_t frames)
{
    auto_buf file = BUF_INIT(FILE_MAX);
    FILE *f = fopen(fixture(name), "rb");
    if (!f)
        SKIP("no fixtures");
    buf_grew(&file, fread(buf_reserve(&file, 1 << 20), 1, 1 << 20, f));
    (void)fclose(f);
    auto_shown s = show(&file, media, WORK_RGBA);
    CHECK_MSG(s.status == WORK_OK && s.believed && s.out.n_cells == frames, "%s: %u", name, s.out.n_cells);
    for (uint32_t i = 0; i < s.out.n_cells; i++) {
        const struct work_cell *c = &s.out.cells[i];
        auto_picture p = decode_with(media, file.data, file.len, c->number, 0);
        uint32_t wrong = 0;
        CHECK(c->w == p.size.w && c->h == p.size.h);
        for (uint32_t y = 0; y < p.size.h; y++)
            for (uint32_t x = 0; x < p.size.w; x++) {
                const uint8_t *a = pixel(&p, x, y), *got = s.out.copy + ((size_t)(c->y + y) * s.reply.width + c->x + x) * 4;
                for (int k = 0; k < 3; k++)
                    wrong += got[k] != (a[k] * a[3] + 255 * (255 - a[3]) + 127) / 255;
            }
        CHECK_MSG(!wrong, "%s frame %u: %u", name, i + 1, wrong);
    }
}

TEST(frames_on_a_sheet_are_those_that_are_shown_alone)
{
    compare_frames("gif-animated-3-frames.gif", MEDIA_GIF, 3);
    compare_frames("gif-animated-offset-frames.gif", MEDIA_GIF, 4);
    compare_frames("png-animated-2-frames.png", MEDIA_PNG, 1); /* they are equal */
    compare_frames("webp-animated-3-frames.webp", MEDIA_WEBP, 3);
}
