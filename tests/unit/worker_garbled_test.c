/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the worker's own formats with a byte changed or an end missing. */
#include "test.h"

#include "garbled.h"

TEST(garbled_files_are_shown_or_refused_with_words)
{
    static const struct {
        const char *name;
        enum media media;
        uint32_t flags;
    } files[] = {
        {"jpeg-exif-orientation-6.jpg", MEDIA_JPEG, 0}, {"jpeg-with-wide-profile.jpg", MEDIA_JPEG, WORK_NO_GIF}, {"jpeg-ycck.jpg", MEDIA_JPEG, 0},
        {"gif-still.gif", MEDIA_GIF, 0},                {"gif-animated-3-frames.gif", MEDIA_GIF, WORK_SHEET},   {"gif-interlaced.gif", MEDIA_GIF, WORK_NO_GIF},
        {"webp-lossy-alpha.webp", MEDIA_WEBP, 0},       {"webp-animated-3-frames.webp", MEDIA_WEBP, WORK_SHEET}, {"webp-with-exif-gps-and-xmp.webp", MEDIA_WEBP, WORK_WEBP_OK},
        {"webp-lossless-alpha.webp", MEDIA_WEBP, WORK_RAW}, {"png-animated-2-frames.png", MEDIA_PNG, WORK_SHEET},
    };
    for (size_t i = 0; i < COUNT(files); i++) {
        char path[128];
        (void)snprintf(path, sizeof path, "fixtures/good/%s", files[i].name);
        garbled(path, files[i].media, decoder_of(files[i].media), files[i].flags);
    }
}
