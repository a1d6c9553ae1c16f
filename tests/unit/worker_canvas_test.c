/* SPDX-License-Identifier: Apache-2.0 */
/* The canvas of animations: that the short cut to a late frame shows what drawing all frames shows. */
#include "test.h"

#include "pictures.h"
#include "worker/canvas.h"

enum { SIDE = 12, FRAMES = 14 };

/* A frame somewhere, often over all of the canvas; its pixels follow from its number. */
static struct frame random_frame(uint32_t *seed)
{
    struct frame f = {.box = {noise(seed) % SIDE, noise(seed) % SIDE, 1 + noise(seed) % SIDE, 1 + noise(seed) % SIDE}};
    if (noise(seed) % 3 == 0)
        f.box = (struct rect){0, 0, SIDE + noise(seed) % 2, SIDE};
    f.dispose = noise(seed) % 3;
    f.over = noise(seed) % 2;
    f.transparent = noise(seed) % 2;
    return f;
}

static void draw(struct canvas *v, const struct frame *f, uint32_t number)
{
    uint8_t line[(SIDE + 1) * 4];
    CHECK(!canvas_begin(v, f, NULL));
    for (uint32_t y = 0; y < f->box.h; y++) {
        for (uint32_t x = 0; x < f->box.w; x++) {
            uint8_t a = f->transparent && (x + y) % 3 ? (uint8_t)((x + y) % 3 * 100 - 100) : 255;
            memcpy(line + x * 4, (uint8_t[4]){(uint8_t)number, (uint8_t)(number * 16), (uint8_t)x, a}, 4);
        }
        canvas_draw(v, y, line);
    }
}

TEST(a_short_cut_to_a_frame_shows_the_same_as_drawing_all)
{
    uint32_t seed = 99;
    size_t shortened = 0;
    for (int round = 0; round < 500; round++) {
        struct frame frames[FRAMES + 1];
        struct replay r = {.size = {SIDE, SIDE}, .want = 1 + noise(&seed) % FRAMES};
        struct canvas all = {0}, part = {0};
        CHECK(!canvas_init(&all, r.size, NULL) && !canvas_init(&part, r.size, NULL));
        for (uint32_t i = 1; i <= r.want; i++) {
            frames[i] = random_frame(&seed);
            replay_add(&r, &frames[i]);
            draw(&all, &frames[i], i);
        }
        for (uint32_t i = r.first; i <= r.want; i++)
            draw(&part, &frames[i], i);
        CHECK(r.first >= 1 && r.first <= r.want);
        shortened += r.first > 1;
        /* What is fully transparent has no colour. */
        for (size_t i = 0; i < (size_t)SIDE * SIDE * 4; i += 4)
            CHECK_MSG(all.pixels[i + 3] == part.pixels[i + 3] &&
                          (!all.pixels[i + 3] || !memcmp(all.pixels + i, part.pixels + i, 4)),
                      "round %d, pixel %zu, frames %u to %u", round, i / 4, r.first, r.want);
        canvas_done(&all);
        canvas_done(&part);
    }
    CHECK(shortened > 100);
}

TEST(rows_past_the_canvas_are_ignored)
{
    struct canvas v = {0};
    uint8_t line[40 * 4] = {1, 2, 3, 255};
    CHECK(!canvas_init(&v, (struct size){4, 4}, NULL));
    CHECK(!canvas_begin(&v, &(struct frame){.box = {100, 2, 40, 40}, .dispose = DISPOSE_RESTORE}, NULL));
    for (uint32_t y = 0; y < 40; y++)
        canvas_draw(&v, y, line);
    CHECK(!canvas_begin(&v, &(struct frame){.box = {3, 3, 40, 40}, .dispose = DISPOSE_CLEAR}, NULL));
    canvas_draw(&v, 0, line);
    CHECK(v.pixels[15 * 4] == 1 && !v.pixels[0]);
    canvas_done(&v);
}
