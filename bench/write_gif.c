/* SPDX-License-Identifier: Apache-2.0 */
/* GIF, still or animated: one palette for all of the stacked frames. */
#include <err.h>
#include <fcntl.h>
#include <gif_lib.h>

#include "base/cleanup.h"
#include "gen.h"

static void put_frame(GifFileType *gif, const uint8_t *indices, uint32_t w, uint32_t h, bool animated)
{
    GraphicsControlBlock control = {.DelayTime = 10, .TransparentColor = NO_TRANSPARENT_COLOR};
    GifByteType extension[4];
    EGifGCBToExtension(&control, extension);
    if (animated)
        EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, sizeof(extension), extension);
    bool ok = EGifPutImageDesc(gif, 0, 0, (int)w, (int)h, false, NULL) == GIF_OK;
    for (uint32_t y = 0; y < h && ok; y++)
        ok = EGifPutLine(gif, (GifPixelType *)indices + (size_t)y * w, (int)w) == GIF_OK;
    if (!ok)
        errx(1, "giflib: %s", GifErrorString(gif->Error));
}

int write_gif(const char *path, const struct raster *r, const struct how *how)
{
    uint8_t palette[256][3] = {{0}};
    uint32_t frames = how->frames ? how->frames : 1, h = r->h / frames;
    auto_free uint8_t *indices = malloc((size_t)r->w * r->h);
    if (!indices)
        errx(1, "out of memory");
    to_palette(r, palette, indices);
    ColorMapObject *map = GifMakeMapObject(256, (GifColorType *)palette);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    GifFileType *gif = fd < 0 ? NULL : EGifOpenFileHandle(fd, NULL);
    if (!map || !gif)
        errx(1, "cannot write '%s'", path);
    EGifSetGifVersion(gif, true);
    EGifPutScreenDesc(gif, (int)r->w, (int)h, 8, 0, map);
    for (uint32_t i = 0; i < frames; i++)
        put_frame(gif, indices + (size_t)i * r->w * h, r->w, h, frames > 1);
    GifFreeMapObject(map);
    return EGifCloseFile(gif, NULL) == GIF_OK ? 0 : -1;
}
