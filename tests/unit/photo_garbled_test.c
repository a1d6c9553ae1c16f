/* SPDX-License-Identifier: Apache-2.0 */
/* Files of fovea-photo's formats with a byte changed or an end missing. */
#include "test.h"

#include "garbled.h"
#include "render/photo/photo.h"

TEST(garbled_photos_are_shown_or_refused_with_words)
{
    static const struct {
        const char *name;
        enum media media;
        const struct decoder_ops *ops;
        uint32_t flags;
    } files[] = {
        {"rle8.bmp", MEDIA_BMP, &decode_bmp, 0},        {"rle4.bmp", MEDIA_BMP, &decode_bmp, 0},        {"wide-v5.bmp", MEDIA_BMP, &decode_bmp, 0},
        {"three.ico", MEDIA_ICO, &decode_ico, WORK_SHEET}, {"palette.ico", MEDIA_ICO, &decode_ico, 0}, {"palette-tiled.tif", MEDIA_TIFF, &decode_tiff, 0},
        {"cmyk.tif", MEDIA_TIFF, &decode_tiff, 0},      {"three-pages.tif", MEDIA_TIFF, &decode_tiff, WORK_SHEET}, {"rgb-planes.tif", MEDIA_TIFF, &decode_tiff, 0},
    };
    for (size_t i = 0; i < COUNT(files); i++) {
        char path[128];
        (void)snprintf(path, sizeof path, "photos/good/%s", files[i].name);
        garbled(path, files[i].media, files[i].ops, files[i].flags);
    }
}
