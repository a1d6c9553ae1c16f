/* SPDX-License-Identifier: Apache-2.0 */
/* fovea-ocr: the text of a picture, with the data of its language mapped or not; and its refusals. */
#include <unistd.h>

#include "base/cleanup.h"
#include "served.h"

enum { WIDTH = 240, HEIGHT = 80, BAR = 6 };

static const char *const places[] = {"/usr/share/tesseract-ocr/5/tessdata/eng.traineddata", "/usr/share/tesseract-ocr/4.00/tessdata/eng.traineddata"};
static uint8_t rows[WIDTH * HEIGHT];

static void fill(uint32_t x, uint32_t y, uint32_t w, uint32_t h)
{
    for (uint32_t i = 0; i < h; i++)
        memset(rows + (size_t)(y + i) * WIDTH + x, 0, w);
}

/* "HIT", of bars. */
static const char *picture(void)
{
    memset(rows, 0xff, sizeof rows);
    fill(60, 20, BAR, 40), fill(84, 20, BAR, 40), fill(60, 37, 30, BAR);
    fill(106, 20, BAR, 40);
    fill(126, 20, 36, BAR), fill(141, 20, BAR, 40);
    for (size_t i = 0; i < COUNT(places); i++)
        if (access(places[i], R_OK) == 0)
            return places[i];
    return NULL;
}

static const char *language;

static int setup(void)
{
    language = picture();
    return language ? 0 : -1;
}

static void read_text(const char *word, uint32_t flags, struct outcome *o)
{
    struct served s = {.request = {.magic = WORK_MAGIC, .flags = flags, .input_len = sizeof rows, .raw_w = WIDTH, .raw_h = HEIGHT}, .data = rows, .word = word};
    if (o->code == 0 && !o->refused)
        served_run(&s, o);
}

static void run_served(struct outcome *o)
{
    read_text(language, WORK_TEXT, o);
}

const struct scene scene_served = {.name = "served", .setup = setup, .run = run_served};
const struct scene *const scenes[] = {&scene_served, NULL};
