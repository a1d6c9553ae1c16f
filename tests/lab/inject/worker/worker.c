/* SPDX-License-Identifier: Apache-2.0 */
/* fovea-worker: its decoders, encoders, sheets, stripping of metadata, and differences. */
#include "look.h"

#define GOOD "fixtures/good/"

SCENE(png, {GOOD "png-rgb-8.png", .media = MEDIA_PNG, .small = true}, {GOOD "png-palette-4-interlaced.png", .media = MEDIA_PNG, .edge = 40},
      {GOOD "png-rgba-16.png", .media = MEDIA_PNG, .edge = 30}, {GOOD "png-with-wide-profile.png", .media = MEDIA_PNG, .edge = 30},
      {GOOD "png-with-exif-gps-and-text.png", .media = MEDIA_PNG}, {GOOD "png-gray-8.png", .media = MEDIA_PNG, .flags = WORK_RAW},
      {GOOD "png-rgba-8.png", .media = MEDIA_PNG, .flags = WORK_RGBA})
SCENE(jpeg, {GOOD "jpeg-baseline.jpg", .media = MEDIA_JPEG}, {GOOD "jpeg-progressive.jpg", .media = MEDIA_JPEG, .edge = 40},
      {GOOD "jpeg-cmyk.jpg", .media = MEDIA_JPEG}, {GOOD "jpeg-exif-orientation-6.jpg", .media = MEDIA_JPEG, .small = true},
      {GOOD "jpeg-with-exif-gps-and-comment.jpg", .media = MEDIA_JPEG}, {GOOD "jpeg-with-wide-profile.jpg", .media = MEDIA_JPEG})
SCENE(webp, {GOOD "webp-lossy.webp", .media = MEDIA_WEBP, .flags = WORK_WEBP_OK}, {GOOD "webp-lossless-alpha.webp", .media = MEDIA_WEBP, .edge = 40},
      {GOOD "webp-lossy-alpha.webp", .media = MEDIA_WEBP, .small = true},
      {GOOD "webp-with-exif-gps-and-xmp.webp", .media = MEDIA_WEBP, .flags = WORK_WEBP_OK})
SCENE(gif, {GOOD "gif-still.gif", .media = MEDIA_GIF}, {GOOD "gif-transparent.gif", .media = MEDIA_GIF, .edge = 30},
      {GOOD "gif-interlaced.gif", .media = MEDIA_GIF, .flags = WORK_NO_GIF})
SCENE(frames, {GOOD "gif-animated-offset-frames.gif", .media = MEDIA_GIF, .frame = 3}, {GOOD "gif-animated-3-frames.gif", .media = MEDIA_GIF, .flags = WORK_SHEET},
      {GOOD "png-animated-2-frames.png", .media = MEDIA_PNG, .frame = 2}, {GOOD "png-animated-2-frames.png", .media = MEDIA_PNG, .flags = WORK_SHEET},
      {GOOD "webp-animated-3-frames.webp", .media = MEDIA_WEBP, .frame = 2}, {GOOD "webp-animated-3-frames.webp", .media = MEDIA_WEBP, .flags = WORK_SHEET})
/* Large enough that threads help. */
SCENE(screen, {GOOD "png-screen-1280x800.png", .media = MEDIA_PNG, .edge = 700}, {GOOD "jpeg-photo-3000x2000.jpg", .media = MEDIA_JPEG, .edge = 600, .bytes = 60000, .flags = WORK_WEBP_OK})
SCENE(diff, {.text = "", .media = MEDIA_PNG, .flags = WORK_DIFF, .raw_w = 64, .raw_h = 48}, {.text = "", .media = MEDIA_PNG, .flags = WORK_DIFF | WORK_FLAT, .raw_w = 20, .raw_h = 90, .edge = 60})
SERVED({GOOD "png-rgb-8.png", .media = MEDIA_PNG, .small = true}, {GOOD "gif-animated-3-frames.gif", .media = MEDIA_GIF, .flags = WORK_SHEET},
       {.text = "", .media = MEDIA_PNG, .flags = WORK_DIFF, .raw_w = 64, .raw_h = 48})
WHOLE({GOOD "png-with-wide-profile.png", .media = MEDIA_PNG, .edge = 30}, {GOOD "png-rgba-16.png", .media = MEDIA_PNG, .edge = 30},
      {GOOD "jpeg-with-wide-profile.jpg", .media = MEDIA_JPEG}, {GOOD "jpeg-progressive.jpg", .media = MEDIA_JPEG, .edge = 40, .flags = WORK_WEBP_OK},
      {GOOD "jpeg-cmyk.jpg", .media = MEDIA_JPEG}, {GOOD "webp-lossy-alpha.webp", .media = MEDIA_WEBP, .small = true},
      {GOOD "webp-lossless-alpha.webp", .media = MEDIA_WEBP, .edge = 40, .flags = WORK_WEBP_OK}, {GOOD "gif-interlaced.gif", .media = MEDIA_GIF, .flags = WORK_NO_GIF},
      {GOOD "webp-animated-3-frames.webp", .media = MEDIA_WEBP, .flags = WORK_SHEET}, {GOOD "png-animated-2-frames.png", .media = MEDIA_PNG, .frame = 2},
      {GOOD "jpeg-baseline.jpg", .media = MEDIA_JPEG, .edge = 60, .bytes = 900, .flags = WORK_WEBP_OK},
      {.text = "", .media = MEDIA_PNG, .flags = WORK_DIFF, .raw_w = 64, .raw_h = 48})

const struct scene *const scenes[] = {&drawn_png, &drawn_jpeg, &drawn_webp, &drawn_gif, &drawn_frames, &drawn_screen, &drawn_diff, &drawn_served, &drawn_whole, NULL};
