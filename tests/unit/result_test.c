/* SPDX-License-Identifier: Apache-2.0 */
/* Results: JSON in the contract's shapes, notes that map coordinates back, earlier views remembered. */
#include "test.h"

#include <jansson.h>
#include <sys/mman.h>

#include "api/views.h"
#include "base/cleanup.h"
#include "comma.h"
#include "handles.h"
#include "percept/json.h"
#include "percept/note.h"
#include "percept/result.h"

/* The contract's own example: 3840x2160 shown at 1568x882. */
static struct perception example(void)
{
    struct perception p = {
        .id = "view:3f9a0c51d2e4",
        .ref = strdup("shots/a.png"),
        .path = strdup("/abs/shots/a.png"),
        .source = {.media = MEDIA_PNG, .size = {3840, 2160}, .extent_w = 3840, .extent_h = 2160, .bytes = 2210344, .frames = 1},
        .media = MEDIA_WEBP,
        .size = {1568, 882},
        .crop = {0, 0, 3840, 2160},
        .model = strdup("claude-opus-4-7"),
        .tokens = 1792,
    };
    uint8_t *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(map, "RIFF", 4);
    p.data = map;
    p.len = 4;
    p.map_len = 4096;
    return p;
}

static json_t *json_of(struct perception *p, unsigned flags)
{
    p->note = note_new(p, "a.png", NOTE_NO_GROUND);
    auto_result *r = result_of_perception(p);
    auto_free char *words = fovea_result_json_new(r, flags);
    return json_loads(words ? words : "", 0, NULL);
}

TEST(perception_json_has_the_contracts_members)
{
    static const char *const keys[] = {"ok",     "kind",   "id",   "ref",   "path",   "media_type", "width",
                                       "height", "bytes",  "source", "region", "page", "scale", "offset",
                                       "resized", "over_budget", "tokens", "note"};
    struct perception p = example();
    auto_json *j = json_of(&p, 0);
    for (size_t i = 0; i < COUNT(keys); i++)
        CHECK_MSG(json_object_get(j, keys[i]) != NULL, "%s is missing", keys[i]);
    CHECK(json_object_get(j, "data") == NULL);
    CHECK_STR(json_string_value(json_object_get(j, "id")), "view:3f9a0c51d2e4");
    CHECK_STR(json_string_value(json_object_get(j, "media_type")), "image/webp");
    CHECK(json_number_value(json_array_get(json_object_get(j, "scale"), 0)) == 2.449);
    CHECK(json_is_true(json_object_get(j, "resized")));
    CHECK(json_is_null(json_object_get(j, "region")));
    CHECK(json_integer_value(json_object_get(json_object_get(j, "tokens"), "image")) == 1792);
    CHECK(json_is_null(json_object_get(json_object_get(j, "source"), "pages")));
}

TEST(perception_json_carries_the_picture_only_when_asked)
{
    struct perception p = example();
    auto_json *j = json_of(&p, FOVEA_JSON_DATA);
    CHECK_STR(json_string_value(json_object_get(j, "data")), "UklGRg==");
}

TEST(note_says_how_to_map_coordinates)
{
    static const struct {
        struct area crop;
        struct size size;
        bool region;
        const char *note;
    } rows[] = {
        {{0, 0, 3840, 2160}, {1568, 882}, false,
         "a.png 3840x2160, shown at 1568x882. Multiply coordinates by 2.449 to map to the original."},
        {{0, 0, 3840, 2160}, {3840, 2160}, false, "a.png 3840x2160, shown pixel for pixel."},
        {{100, 50, 400, 300}, {400, 300}, true,
         "a.png 3840x2160, region 400x300 at 100,50, shown pixel for pixel. Add 100 to x and 50 to y to map to the "
         "original."},
        {{100, 50, 3136, 1764}, {1568, 882}, true,
         "a.png 3840x2160, region 3136x1764 at 100,50, shown at 1568x882. Multiply coordinates by 2, then add 100 to x "
         "and 50 to y to map to the original."},
        {{0, 0, 3840, 40}, {1568, 28}, false,
         "a.png 3840x2160, shown at 1568x28. Multiply x by 2.449 and y by 1.4286 to map to the original."},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct perception p = {.source = {.size = {3840, 2160}, .extent_w = 3840, .extent_h = 2160, .frames = 1}, .crop = rows[i].crop,
                               .size = rows[i].size, .region = rows[i].region};
        auto_free char *note = note_new(&p, "a.png", NOTE_NO_GROUND);
        CHECK_STR(note, rows[i].note);
    }
}

TEST(note_says_on_what_transparent_parts_are_shown)
{
    static const struct {
        enum note_ground ground;
        const char *words;
    } rows[] = {{NOTE_NO_GROUND, "a.png 9x9, shown pixel for pixel."},
                {NOTE_ON_WHITE, "a.png 9x9, shown pixel for pixel. Its transparent parts are shown on white."},
                {NOTE_ON_GREY, "a.png 9x9, shown pixel for pixel. Its transparent parts are shown on grey."},
                {NOTE_ON_BOTH, "a.png 9x9, shown pixel for pixel. Its transparent parts are shown on white, or on grey where the content "
                               "is light."}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct perception p = {.source = {.size = {9, 9}, .extent_w = 9, .extent_h = 9, .frames = 1}, .crop = {0, 0, 9, 9}, .size = {9, 9}};
        auto_free char *note = note_new(&p, "a.png", rows[i].ground);
        CHECK_STR(note, rows[i].words);
    }
}

TEST(note_of_every_kind_maps_to_its_source)
{
    struct cell cells[] = {{{8, 8, 100, 50}, 1, 0, false, true}, {{116, 8, 100, 50}, 40, 4100, false, true},
                           {{8, 92, 100, 50}, 99, 9840, false, true}};
    struct cell frames[] = {{{8, 8, 100, 50}, 1, 0, true, true}, {{116, 8, 100, 50}, 40, 4100, true, true}};
    struct cell narrow[] = {{{8, 8, 9, 5}, 1, 0, true, true}, {{25, 8, 9, 5}, 40, 4100, true, false}};
    struct cell bare[] = {{{8, 8, 3, 5}, 1, 0, false, false}, {{19, 8, 3, 5}, 40, 4100, false, false}};
    struct cell pages[] = {{{8, 8, 100, 50}, 2, -1, true, false}, {{116, 8, 100, 50}, 3, -1, true, false}};
    struct area boxes[] = {{100, 50, 40, 30}}, beyond[] = {{0, 200, 100, 50}}, nothing[] = {{802, 0, 8, 10}},
                hair[] = {{0.001, 0, 0.001, 0.002}}, past[] = {{0, 0.002, 0.001, 0.0005}};
    struct cell one[] = {{{8, 8, 100, 50}, 1, 0, false, true}};
    static char other[] = "old.png";
    const struct {
        struct perception p;
        const char *note;
    } rows[] = {
        {{.source = {.media = MEDIA_PDF, .size = {612, 792}, .pages = 14}, .page = 2, .size = {1212, 1568},
          .crop = {0, 0, 612, 792}},
         "f page 2 of 14, 612x792 pt, shown at 1212x1568. Multiply coordinates by 0.5051 to map to points from the top left."},
        {{.source = {.media = MEDIA_PDF, .size = {612, 792}, .pages = 1}, .page = 1, .region = true, .size = {1568, 784},
          .crop = {10.5, 20, 200, 100}},
         "f page 1 of 1, 612x792 pt, region 200x100 at 10.5,20, shown at 1568x784. Multiply coordinates by 0.1276, then add 10.5 "
         "to x and 20 to y to map to points from the top left."},
        {{.source = {.media = MEDIA_SVG, .size = {24, 24}}, .size = {1568, 1568}, .crop = {0, 0, 24, 24}},
         "f 24x24 user units, shown at 1568x1568. Multiply coordinates by 0.01531 to map to user units."},
        {{.source = {.media = MEDIA_SVG, .size = {800, 200}, .css_pixels = true}, .size = {1568, 392}, .crop = {0, 0, 800, 200}},
         "f 800x200 CSS pixels, shown at 1568x392. Multiply coordinates by 0.5102 to map to CSS pixels."},
        {{.source = {.media = MEDIA_TEXT, .size = {1000, 1568}, .pages = 21}, .page = 2, .size = {1000, 1568},
          .crop = {0, 0, 1000, 1568}, .first_line = 41, .last_line = 80, .total_lines = 812, .line_top = 12,
          .line_height = 26},
         "f lines 41-80 of 812 (page 2 of 21), shown at 1000x1568. A row is 26 px tall, the first begins at y 12: line = 41 + "
         "floor((y - 12) / 26)."},
        {{.source = {.media = MEDIA_TEXT, .size = {1000, 1568}, .pages = 1}, .page = 1, .size = {1000, 1568},
          .crop = {0, 0, 1000, 1568}, .first_line = 1, .last_line = 9, .total_lines = 9},
         "f lines 1-9 of 9, shown at 1000x1568. Line numbers are in the margin."},
        {{.source = {.media = MEDIA_TEXT, .size = {1000, 1568}, .pages = 21}, .page = 2, .size = {1568, 784}, .region = true,
          .crop = {500, 10, 200, 100}, .total_lines = 812},
         "f page 2 of 21, region 200x100 at 500,10, shown at 1568x784. Multiply coordinates by 0.1276, then add 500 to x and 10 "
         "to y to map to the page's own units."},
        {{.source = {.media = MEDIA_MARKDOWN, .size = {1000, 1568}, .pages = 1}, .page = 1, .size = {1000, 1568},
          .crop = {0, 0, 1000, 1568}, .first_line = 1, .last_line = 9, .total_lines = 9},
         "f lines 1-9 of 9, shown at 1000x1568. Line numbers are in the margin."},
        {{.source = {.media = MEDIA_SVG, .size = {1, 1}}, .size = {1568, 1568}, .region = true,
          .crop = {0.0123456, 0.25, 0.05, 0.05}},
         "f 1x1 user units, region 0.05x0.05 at 0.012346,0.25, shown at 1568x1568. Multiply coordinates by 0.00003189, then add "
         "0.012346 to x and 0.25 to y to map to user units."},
        {{.source = {.media = MEDIA_PDF, .size = {600, 9000}, .pages = 1}, .page = 1, .size = {105, 1568}, .crop = {0, 0, 600, 9000}},
         "f page 1 of 1, 600x9000 pt, shown at 105x1568. Multiply x by 5.7143 and y by 5.7398 to map to points from the top left. It "
         "is long: at this size small text cannot be read; name a region to read it, such as 0,0,600,1176."},
        {{.source = {.media = MEDIA_PDF, .size = {5000, 10}, .pages = 1}, .page = 1, .size = {1568, 28}, .crop = {0, 0, 5000, 10}},
         "f page 1 of 1, 5000x10 pt, shown at 1568x28. Multiply x by 3.1888 and y by 0.3571 to map to points from the top left. It "
         "is long: at this size small text cannot be read; name a region to read it, such as 0,0,1176,10."},
        {{.source = {.media = MEDIA_SVG, .size = {100, 1500}, .pages = 8, .tile = {100, 196}}, .size = {105, 1568}, .crop = {0, 0, 100, 1500}},
         "f 100x1500 user units, shown at 105x1568. Multiply x by 0.9524 and y by 0.9566 to map to user units. It is long: at this size "
         "small text cannot be read. page 1 to 8 shows it in tiles of 100x196 user units."},
        {{.source = {.media = MEDIA_TIFF, .size = {1200, 12000}, .frames = 1, .pages = 2}, .page = 1, .size = {157, 1568},
          .crop = {0, 0, 1200, 12000}},
         "f 1200x12000, page 1 of 2, shown at 157x1568. Multiply x by 7.6433 and y by 7.6531 to map to the original. It is long: at this "
         "size small text cannot be read; name a region to read it, such as 0,0,1200,1600. Converted from TIFF."},
        {{.source = {.media = MEDIA_MP4, .size = {90, 60}, .frames = 1, .partial = true}, .sheet = true, .cells = one, .n_cells = 1,
          .size = {300, 200}, .crop = {0, 0, 300, 200}},
         "f 90x60, 1 frame at 0:00.0, its time beneath it; view it with time or frame to see it in full. Not all of it was "
         "looked at: what comes later may be missing. Name a time to see it."},
        {{.source = {.media = MEDIA_AVI, .size = {90, 60}, .frames = 1, .damaged = true}, .sheet = true, .cells = one, .n_cells = 1,
          .size = {300, 200}, .crop = {0, 0, 300, 200}},
         "f 90x60, 1 frame at 0:00.0, its time beneath it; view it with time or frame to see it in full. Parts of the file are damaged: "
         "frames are missing, and times behind them may be off."},
        {{.source = {.media = MEDIA_GIF, .size = {90, 60}, .frames = 2}, .sheet = true, .cells = frames, .n_cells = 2,
          .size = {300, 200}, .crop = {0, 0, 300, 200}},
         "f 90x60, 2 frames from 0:00.0 to 0:04.1 in 2 columns, numbers and times beneath each; view it with frame for one of "
         "them in full."},
        {{.source = {.media = MEDIA_GIF, .size = {90, 60}, .frames = 2}, .sheet = true, .cells = narrow, .n_cells = 2,
          .size = {40, 30}, .crop = {0, 0, 40, 30}},
         "f 90x60, 2 frames from 0:00.0 to 0:04.1 in 2 columns, numbers beneath each; view it with frame for one of them in full."},
        {{.source = {.media = MEDIA_GIF, .size = {90, 60}, .frames = 2}, .sheet = true, .cells = bare, .n_cells = 2,
          .size = {40, 30}, .crop = {0, 0, 40, 30}},
         "f 90x60, 2 frames from 0:00.0 to 0:04.1 in 2 columns; view it with frame for one of them in full."},
        {{.source = {.media = MEDIA_SVG, .size = {1, 1}, .extent_w = 1, .extent_h = 0.6}, .size = {4096, 2458}, .crop = {0, 0, 1, 0.6},
          .asked = {.max_edge = 9000}},
         "f 1x0.6 user units, shown at 4096x2458. Multiply coordinates by 0.0002441 to map to user units. It is drawn no larger than "
         "that, whatever max_edge says."},
        {{.source = {.media = MEDIA_PNG, .size = {400, 200}, .frames = 1}, .size = {400, 200}, .crop = {0, 0, 400, 200},
          .asked = {.max_edge = 100}},
         "f 400x200, shown pixel for pixel. max_edge was not looked at: images.autoResize is false in the config."},
        {{.source = {.media = MEDIA_PNG, .size = {810, 600}}, .region = true, .crop = {802, 0, 8, 10},
          .difference = {.made = true, .name = other, .own = {8, 10}, .changed = 80, .boxes = nothing, .n_boxes = 1}},
         "f 810x600, region 8x10 at 802,0, against old.png, which has nothing there: 80 of 80 pixels differ, in 1 box: 802,0 8x10. It "
         "shows before, after and the difference, in this order."},
        {{.source = {.media = MEDIA_PNG, .size = {810, 600}}, .region = true, .crop = {795, 0, 15, 10},
          .difference = {.made = true, .name = other, .size = {5, 10}, .own = {15, 10}, .part = {795, 0, 5, 10}, .changed = 80,
                         .boxes = nothing, .n_boxes = 1}},
         "f 810x600, region 15x10 at 795,0, against old.png, which has only 5x10 there: 80 of 150 pixels differ, in 1 box: 802,0 8x10. "
         "It shows before, after and the difference, in this order."},
        {{.source = {.media = MEDIA_PNG, .size = {90, 60}}, .region = true, .crop = {5, 5, 10, 10},
          .difference = {.made = true, .name = other, .region = true, .size = {10, 10}, .own = {10, 10}, .part = {7, 5, 10, 10},
                         .rounded = true}},
         "f 90x60, region 10x10 at 5,5, against old.png, region 10x10 at 7,5: they are equal as shown, at 8 bits a channel, so no "
         "picture is shown."},
        {{.source = {.media = MEDIA_MP4, .size = {90, 60}, .frames = 1}, .sheet = true, .cells = one, .n_cells = 1,
          .size = {300, 200}, .crop = {0, 0, 300, 200}},
         "f 90x60, 1 frame at 0:00.0, its time beneath it; view it with time or frame to see it in full."},
        {{.source = {.media = MEDIA_PDF, .size = {100, 200}, .pages = 3}, .page = 2, .region = true, .size = {9, 9},
          .crop = {0, 100, 100, 100},
          .difference = {.made = true, .name = other, .size = {1000, 1500}, .own = {1000, 1000}, .changed = 7, .boxes = beyond,
                         .n_boxes = 1, .named = true, .media = MEDIA_PDF, .part = {0, 100, 100, 150}}},
         "f page 2 of 3, 100x200 pt, region 100x100 at 0,100, against old.png, which is 100x150 in points and drawn larger: 7 of 1500000 "
         "pixels differ, in 1 box in points: 0,200 100x50. What lies outside it is of old.png alone. It shows before, after and "
         "the difference, named beneath each."},
        {{.source = {.media = MEDIA_SVG, .size = {1, 1}, .extent_w = 0.002, .extent_h = 0.002}, .region = true, .size = {9, 9},
          .crop = {0, 0, 0.002, 0.002},
          .difference = {.made = true, .name = other, .size = {500, 1000}, .own = {1000, 1000}, .changed = 500000, .boxes = hair,
                         .n_boxes = 1, .media = MEDIA_SVG, .part = {0, 0, 0.001, 0.002}}},
         "f 0.002x0.002 user units, region 0.002x0.002 at 0,0, against old.png, which has only 0.001x0.002 there in user units: 500000 of "
         "1000000 pixels differ, in 1 box in user units: 0.001,0 0.001x0.002. It shows before, after and the difference, in this order."},
        {{.source = {.media = MEDIA_SVG, .size = {1, 1}, .extent_w = 0.002, .extent_h = 0.002}, .size = {9, 9},
          .crop = {0, 0, 0.002, 0.002},
          .difference = {.made = true, .name = other, .size = {1000, 1250}, .own = {1000, 1000}, .changed = 9, .boxes = past,
                         .n_boxes = 1, .media = MEDIA_SVG, .part = {0, 0, 0.002, 0.0025}}},
         "f 0.002x0.002 user units against old.png, which is 0.002x0.0025 in user units and drawn larger: 9 of 1250000 pixels differ, in 1 "
         "box in user units: 0,0.002 0.001x0.0005. What lies outside it is of old.png alone. It shows before, after and the difference, "
         "in this order."},
        {{.source = {.media = MEDIA_MP4, .size = {1920, 1080}, .frames = 300, .duration_ms = 10000}, .frame = 123,
          .time_ms = 4100, .size = {1568, 882}, .crop = {0, 0, 1920, 1080}},
         "f 1920x1080, frame 123 of 300 at 0:04.1 of 0:10.0, shown at 1568x882. Multiply coordinates by 1.2245 to map to the "
         "original."},
        {{.source = {.media = MEDIA_MP4, .size = {1920, 1080}, .frames = 300, .approximate = true}, .sheet = true,
          .cells = cells, .n_cells = 3, .size = {300, 200}, .crop = {0, 0, 300, 200}},
         "f 1920x1080, 3 of about 300 frames from 0:00.0 to 0:09.84 in 2 columns, times beneath each; view it with time or frame "
         "for one of them in full."},
        {{.source = {.media = MEDIA_PDF, .size = {612, 792}, .pages = 14}, .page = 2, .last_page = 3, .sheet = true,
          .cells = pages, .n_cells = 2, .size = {300, 200}, .crop = {0, 0, 300, 200}},
         "f pages 2-3 of 14 in 2 columns, numbers beneath each; view it with page for one of them in full."},
        {{.source = {.media = MEDIA_PNG, .size = {1200, 12000}, .frames = 1, .pages = 9, .tile = {1200, 1568}},
          .size = {157, 1568}, .crop = {0, 0, 1200, 12000}},
         "f 1200x12000, shown at 157x1568. Multiply x by 7.6433 and y by 7.6531 to map to the original. It is long: at this size "
         "small text cannot be read. page 1 to 9 shows it in tiles of 1200x1568."},
        {{.source = {.media = MEDIA_PNG, .size = {1200, 12000}, .frames = 1, .pages = 9, .tile = {1200, 1568}}, .page = 3,
          .size = {1200, 1568}, .crop = {0, 3008, 1200, 1568}},
         "f 1200x12000, tile 3 of 9, y 3008 to 4576, shown pixel for pixel. Add 0 to x and 3008 to y to map to the original."},
        {{.source = {.media = MEDIA_TIFF, .size = {10, 10}, .frames = 1, .pages = 3}, .page = 1, .size = {10, 10},
          .crop = {0, 0, 10, 10}},
         "f 10x10, page 1 of 3, shown pixel for pixel. Converted from TIFF."},
        {{.source = {.media = MEDIA_PNG, .size = {1280, 720}}, .size = {9, 9}, .crop = {0, 0, 1280, 720},
          .difference = {.made = true, .name = other, .size = {1280, 720}, .own = {1280, 720}, .changed = 1200, .boxes = boxes,
                         .n_boxes = 1, .named = true}},
         "f 1280x720 against old.png: 1200 of 921600 pixels differ, in 1 box: 100,50 40x30. It shows before, after and the "
         "difference, named beneath each."},
        {{.source = {.media = MEDIA_PNG, .size = {1280, 720}}, .size = {9, 9}, .crop = {100, 50, 400, 200}, .region = true,
          .difference = {.made = true, .name = other, .size = {400, 200}, .own = {400, 200}, .changed = 1200, .boxes = boxes,
                         .n_boxes = 1, .panels = {{8, 8, 200, 100}, {216, 8, 200, 100}, {8, 142, 200, 100}}, .scale = {2, 2}}},
         "f 1280x720, region 400x200 at 100,50, against old.png: 1200 of 80000 pixels differ, in 1 box: 100,50 40x30. It shows before, "
         "after and the difference, in this order. Subtract the corner of one (8,8; 216,8; 8,142) from coordinates in it, multiply by "
         "2, then add 100 to x and 50 to y to map to the original."},
        {{.source = {.media = MEDIA_PNG, .size = {1280, 720}}, .crop = {0, 0, 1280, 720},
          .difference = {.made = true, .name = other, .size = {1280, 720}, .own = {1280, 720}}},
         "f 1280x720 against old.png: they are equal, pixel for pixel, so no picture is shown."},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct perception p = rows[i].p;
        if (p.source.extent_w == 0) {
            p.source.extent_w = p.source.size.w;
            p.source.extent_h = p.source.size.h;
        }
        auto_free char *note = note_new(&p, "f", NOTE_NO_GROUND);
        CHECK_STR(note, rows[i].note);
    }
}

TEST(words_beside_a_picture_have_the_factors_of_its_note)
{
    struct perception p = example();
    p.source.media = MEDIA_SVG;
    p.size = (struct size){1568, 882};
    p.crop = (struct area){0, 0, 988.232, 555.57};
    p.again = true;
    p.note = note_new(&p, "a.svg", NOTE_NO_GROUND);
    auto_result *r = result_of_perception(&p);
    auto_free char *words = fovea_result_words_new(r);
    CHECK_MSG(strstr(words, "Multiply coordinates by 0.6303 ") && strstr(words, "scale 0.6303,"), "%s", words);
}

TEST(the_way_to_one_of_a_sheet_is_one_that_it_has)
{
    struct perception p = example();
    p.source.media = MEDIA_GIF;
    p.sheet = p.again = true;
    p.note = strdup("n");
    auto_result *r = result_of_perception(&p);
    auto_free char *words = fovea_result_words_new(r);
    CHECK_MSG(strstr(words, " and its frame]"), "%s", words);
}

TEST(small_units_have_more_places_in_json)
{
    struct perception p = example();
    p.source.media = MEDIA_SVG;
    p.region = true;
    p.size = (struct size){1568, 1568};
    p.crop = (struct area){0.0123456, 0.25, 0.05, 0.05};
    auto_json *j = json_of(&p, 0);
    CHECK(json_number_value(json_array_get(json_object_get(j, "offset"), 0)) == 0.0123456);
    CHECK(json_number_value(json_array_get(json_object_get(j, "region"), 0)) == 0.0123456);
}

TEST(lines_of_a_part_that_cannot_be_told_are_null)
{
    struct perception p = example();
    p.source.media = MEDIA_TEXT;
    p.total_lines = 9;
    auto_json *j = json_of(&p, 0);
    CHECK(json_is_null(json_object_get(j, "lines")) && json_integer_value(json_object_get(j, "total_lines")) == 9);
}

TEST(json_of_a_sheet_has_cells_and_no_scale)
{
    struct perception p = example();
    p.source.media = MEDIA_MP4;
    p.source.duration_ms = 9840;
    p.sheet = true;
    p.cells = calloc(1, sizeof *p.cells);
    p.cells[0] = (struct cell){{8, 9, 100, 50}, 40, 4100, false, true};
    p.n_cells = 1;
    auto_json *j = json_of(&p, 0);
    auto_free char *cells = json_dumps(json_object_get(j, "cells"), JSON_COMPACT);
    CHECK_STR(cells, "[{\"frame\":40,\"time\":4.0999999999999996,\"box\":[8,9,100,50]}]");
    CHECK(json_is_null(json_object_get(j, "scale")) && json_is_null(json_object_get(j, "offset")));
    CHECK(json_is_true(json_object_get(j, "resized")) && !json_object_get(j, "time"));
    CHECK(json_number_value(json_object_get(json_object_get(j, "source"), "duration")) == 9.84);
}

TEST(each_picture_of_a_comparison_says_where_it_lies_and_how_it_maps)
{
    struct perception p = {.id = "view:3f9a0c51d2e4", .ref = strdup("a.png"), .source = {.media = MEDIA_PNG, .size = {400, 200}},
                           .media = MEDIA_PNG, .size = {424, 276}, .crop = {0, 50, 400, 100},
                           .difference = {.made = true, .size = {400, 100}, .own = {400, 100}, .changed = 7,
                                          .panels = {{8, 8, 200, 50}, {216, 8, 200, 50}, {8, 92, 200, 50}}, .scale = {2, 2}}};
    p.note = note_new(&p, "a.png", NOTE_NO_GROUND);
    auto_result *r = result_of_perception(&p);
    auto_free char *json = fovea_result_json_new(r, 0);
    CHECK(strstr(json, "\"cells\":[{\"panel\":\"before\",\"box\":[8,8,200,50],\"scale\":[2,2],\"offset\":[0,50]},{\"panel\":\"after\","
                       "\"box\":[216,8,200,50],\"scale\":[2,2],\"offset\":[0,50]},{\"panel\":\"difference\",\"box\":[8,92,200,50],"));
    CHECK(strstr(json, "\"scale\":null,\"offset\":null,\"resized\":true"));
}

TEST(equal_pictures_are_a_perception_without_pixels)
{
    struct perception p = {.id = "view:3f9a0c51d2e4", .ref = strdup("a.png"), .source = {.media = MEDIA_PNG, .size = {9, 9}},
                           .difference = {.made = true, .name = strdup("b.png"), .size = {9, 9}, .own = {9, 9}}};
    p.note = note_new(&p, "a.png", NOTE_NO_GROUND);
    auto_result *r = result_of_perception(&p);
    auto_free char *json = fovea_result_json_new(r, FOVEA_JSON_DATA), *words = fovea_result_words_new(r);
    struct fovea_image image;
    CHECK(fovea_result_image(r, &image) == -ENOENT);
    CHECK(strstr(json, "\"media_type\":null,\"width\":0,\"height\":0,\"bytes\":0") && !strstr(json, "\"data\""));
    CHECK(strstr(json, "\"difference\":{\"changed_pixels\":0,\"boxes\":[]}"));
    CHECK(strstr(words, "equal, pixel for pixel") && strstr(words, "[0 images follow]"));
}

TEST(refusal_json_has_reason_and_message)
{
    for (int reason = 0; reason < REASON_COUNT; reason++) {
        auto_result *r = result_refused((enum reason)reason, "say \"%s\"", "it");
        auto_free char *words = fovea_result_json_new(r, FOVEA_JSON_DATA);
        auto_json *j = json_loads(words, 0, NULL);
        CHECK(json_is_false(json_object_get(j, "ok")));
        CHECK_STR(json_string_value(json_object_get(j, "kind")), "refusal");
        CHECK_STR(json_string_value(json_object_get(j, "reason")), reason_name((enum reason)reason));
        CHECK_STR(json_string_value(json_object_get(j, "message")), "say \"it\"");
    }
}

TEST(text_json_keeps_the_text_exactly)
{
    struct text t = {.path = strdup("/a"), .text = strdup("one\r\ntw\"o\n"), .len = 10, .first = 10, .last = 11,
                     .total = 500};
    auto_result *r = result_of_text(&t);
    auto_free char *words = fovea_result_json_new(r, 0);
    auto_json *j = json_loads(words, 0, NULL);
    CHECK_STR(json_string_value(json_object_get(j, "text")), "one\r\ntw\"o\n");
    CHECK(json_integer_value(json_array_get(json_object_get(j, "lines"), 1)) == 11);
    CHECK(json_integer_value(json_object_get(j, "total_lines")) == 500);
}

TEST(earlier_views_are_recalled_and_the_oldest_forgotten)
{
    struct views *v = views_new();
    struct view_memory m;
    for (int i = 0; i < 5000; i++) {
        struct perception p = {.crop = {(uint32_t)i, 0, 1, 1}, .size = {1, 1}};
        snprintf(p.id, sizeof p.id, "view:%012x", i);
        views_remember(v, &p, "ref.png");
    }
    CHECK(views_recall(v, "view:000000001387", &m));
    CHECK(m.crop.x == 4999);
    CHECK_STR(m.ref, "ref.png");
    view_memory_done(&m);
    CHECK(!views_recall(v, "view:000000000000", &m));
    views_free(v);
}

TEST(an_earlier_view_without_a_time_has_none)
{
    struct views *v = views_new();
    struct view_memory m;
    struct perception p = {.id = "view:000000000001", .source = {.media = MEDIA_PNG}, .time_ms = -1, .crop = {0, 0, 1, 1}, .size = {1, 1}};
    views_remember(v, &p, "a.png");
    CHECK(views_recall(v, p.id, &m) && m.time_ms == 0 && !m.timed && !m.against);
    view_memory_done(&m);
    views_free(v);
}

static int copies_left = -1; /* until one fails; below 0: none does */

char *__real_strdup(const char *s);
char *__wrap_strdup(const char *s);
char *__wrap_strdup(const char *s)
{
    return copies_left >= 0 && copies_left-- == 0 ? NULL : __real_strdup(s);
}

/* A comparison without its other source would be a view of the first one, at the wrong size. */
TEST(an_earlier_view_is_remembered_and_recalled_whole_or_not_at_all)
{
    char path[] = "/a.png", other[] = "/b.png", model[] = "gpt-5";
    struct perception p = {.id = "view:000000000002", .source = {.media = MEDIA_PNG}, .crop = {0, 0, 1, 1}, .size = {1, 1},
                           .asked = {.model = true}, .model = model, .difference = {.made = true, .ref = path, .path = other}};
    enum { COPIES = 4 };
    for (int n = 0; n <= 2 * COPIES; n++) {
        struct views *v = views_new();
        struct view_memory first = {0}, m = {0};
        copies_left = n;
        views_remember(v, &p, "a.png");
        CHECK_MSG(views_recall(v, p.id, &first) == (n == 2 * COPIES), "%d", n);
        copies_left = -1;
        CHECK_MSG(views_recall(v, p.id, &m) == (n >= COPIES), "%d", n);
        if (n >= COPIES) {
            CHECK_STR(m.against, path);
            CHECK_STR(m.against_path, other);
            CHECK_STR(m.model, model);
        }
        view_memory_done(&first);
        view_memory_done(&m);
        views_free(v);
    }
}

TEST(envelope_is_the_contracts_byte_for_byte)
{
    struct answer a = {
        .text = strdup("a \"menu\"\nopen"), .parsed = json_pack("{s:f, s:f, s:i}", "third", 1.0 / 3, "tenth", 0.1, "n", 3),
        .parsed_text = strdup("{}"), .provider = strdup("anthropic"), .model = strdup("claude-opus-4-7"),
        .cost = {3400000, "0.0034"}, .input_tokens = 1287, .output_tokens = -1, .note = strdup("seen small"),
    };
    auto_result *r = result_of_answer(&a);
    auto_free char *words = fovea_result_json_new(r, 0);
    CHECK_STR(words, "{\"ok\":true,\"kind\":\"answer\",\"text\":\"a \\\"menu\\\"\\nopen\","
                     "\"parsed\":{\"third\":0.3333333333333333,\"tenth\":0.1,\"n\":3},\"model\":\"claude-opus-4-7\","
                     "\"cost_usd\":0.0034,\"input_tokens\":1287,\"output_tokens\":null,\"provider\":\"anthropic\","
                     "\"cached\":false,\"output_is_untrusted\":true,\"note\":\"seen small\"}");
}

TEST(inspected_answer_has_content_and_details_only)
{
    struct answer a = {.inspected = true, .text = strdup("yes"), .provider = strdup("home"), .model = strdup("a/b"),
                       .path = strdup("/abs/a.png"), .mime = "image/webp"};
    auto_result *r = result_of_answer(&a);
    auto_free char *words = fovea_result_json_new(r, 0);
    CHECK_STR(words, "{\"ok\":true,\"kind\":\"answer\",\"content\":[{\"type\":\"text\",\"text\":\"yes\"}],"
                     "\"details\":{\"model\":\"home/a/b\",\"imagePath\":\"/abs/a.png\",\"mimeType\":\"image/webp\"}}");
    struct fovea_answer seen;
    CHECK(fovea_result_answer(r, &seen) == 0 && seen.inspected && !seen.parsed && !strcmp(seen.text, "yes"));
}

TEST(error_has_prefix_code_and_cost_or_words_alone)
{
    static const struct {
        int64_t nano;
        const char *json;
    } rows[] = {
        {0, "{\"ok\":false,\"kind\":\"error\",\"code\":\"execution_failed\",\"error\":\"LLM_ERROR: no\",\"cost_usd\":0}"},
        {1, "{\"ok\":false,\"kind\":\"error\",\"code\":\"execution_failed\",\"error\":\"LLM_ERROR: no\",\"cost_usd\":1e-09}"},
        {1500000000,
         "{\"ok\":false,\"kind\":\"error\",\"code\":\"execution_failed\",\"error\":\"LLM_ERROR: no\",\"cost_usd\":1.5}"},
        {-1,
         "{\"ok\":false,\"kind\":\"error\",\"code\":\"execution_failed\",\"error\":\"LLM_ERROR: no\",\"cost_usd\":null}"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct cost cost = {.nano = rows[i].nano};
        auto_result *r = result_failed(FAIL_LLM_ERROR, "no", &cost);
        auto_free char *words = fovea_result_json_new(r, 0);
        CHECK_STR(words, rows[i].json);
        CHECK_STR(fovea_result_code(r), "execution_failed");
    }
    auto_result *plain = result_failed_plain("inspect_image request failed.");
    auto_free char *words = fovea_result_json_new(plain, 0);
    CHECK_STR(words, "{\"ok\":false,\"kind\":\"error\",\"error\":\"inspect_image request failed.\"}");
    CHECK(!fovea_result_code(plain));
}

TEST(native_perception_says_so_and_carries_the_question)
{
    struct perception p = example();
    p.question = strdup("which?");
    p.note = strdup("n");
    auto_result *r = result_of_perception(&p);
    struct fovea_image image;
    auto_free char *words = fovea_result_json_new(r, 0);
    CHECK(strstr(words, "\"native\":true") && !fovea_result_image(r, &image) && !strcmp(image.question, "which?"));
}

TEST(a_result_says_the_same_whatever_the_locale)
{
    struct perception p = example();
    p.size = (struct size){1568, 800};
    p.note = note_new(&p, "a.png", NOTE_NO_GROUND);
    auto_result *r = result_of_perception(&p);
    auto_free char *json = fovea_result_json_new(r, 0), *words = fovea_result_words_new(r);
    if (!comma_on())
        SKIP("no locale with a comma can be made here (localedef)");
    auto_free char *json_there = fovea_result_json_new(r, 0), *words_there = fovea_result_words_new(r);
    comma_off();
    CHECK(strstr(words, "scale 2.449 by 2.7,"));
    CHECK_STR(json_there, json);
    CHECK_STR(words_there, words);
}
