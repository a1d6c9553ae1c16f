/* SPDX-License-Identifier: Apache-2.0 */
/* fovea-photo: what cameras, scanners and old programs wrote. */
#include "look.h"

#define GOOD "photos/good/"

SCENE(bmp, {GOOD "pal8.bmp", .media = MEDIA_BMP}, {GOOD "rle8-holes.bmp", .media = MEDIA_BMP}, {GOOD "rgba32-v5.bmp", .media = MEDIA_BMP},
      {GOOD "wide-v5.bmp", .media = MEDIA_BMP})
SCENE(ico, {GOOD "three.ico", .media = MEDIA_ICO, .page = 2}, {GOOD "png.ico", .media = MEDIA_ICO},
      {GOOD "three.ico", .media = MEDIA_ICO, .flags = WORK_SHEET, .page = 1, .last_page = 3})
SCENE(tiff, {GOOD "rgb.tif", .media = MEDIA_TIFF}, {GOOD "palette-tiled.tif", .media = MEDIA_TIFF}, {GOOD "jpeg.tif", .media = MEDIA_TIFF},
      {GOOD "rgb-planes.tif", .media = MEDIA_TIFF}, {GOOD "cmyk.tif", .media = MEDIA_TIFF}, {GOOD "wide.tif", .media = MEDIA_TIFF},
      {GOOD "three-pages.tif", .media = MEDIA_TIFF, .flags = WORK_SHEET, .page = 1, .last_page = 3})
SCENE(heif, {GOOD "alpha.heic", .media = MEDIA_HEIC}, {GOOD "two.heic", .media = MEDIA_HEIC, .page = 2}, {GOOD "wide.heic", .media = MEDIA_HEIC},
      {GOOD "marks.avif", .media = MEDIA_AVIF})
SERVED({GOOD "rgb.tif", .media = MEDIA_TIFF, .small = true})
WHOLE({GOOD "wide-v5.bmp", .media = MEDIA_BMP}, {GOOD "png.ico", .media = MEDIA_ICO}, {GOOD "wide.tif", .media = MEDIA_TIFF},
      {GOOD "jpeg.tif", .media = MEDIA_TIFF}, {GOOD "three-pages.tif", .media = MEDIA_TIFF, .flags = WORK_SHEET, .page = 1, .last_page = 3},
      {GOOD "alpha.heic", .media = MEDIA_HEIC}, {GOOD "wide.heic", .media = MEDIA_HEIC}, {GOOD "marks.avif", .media = MEDIA_AVIF})

const struct scene *const scenes[] = {&drawn_bmp, &drawn_ico, &drawn_tiff, &drawn_heif, &drawn_served, &drawn_whole, NULL};
