/* SPDX-License-Identifier: Apache-2.0 */
/* WebP, lossy and lossless, with alpha where the raster has it. */
#include <err.h>
#include <webp/encode.h>

#include "gen.h"

int write_webp(const char *path, const struct raster *r, const struct how *how)
{
    WebPConfig config;
    WebPPicture picture;
    WebPMemoryWriter memory;
    WebPMemoryWriterInit(&memory);
    if (!WebPConfigInit(&config) || !WebPPictureInit(&picture))
        errx(1, "libwebp is of another version");
    config.quality = (float)how->quality;
    config.lossless = how->lossless;
    config.method = how->lossless ? 1 : 2;
    picture.use_argb = how->lossless;
    picture.width = (int)r->w;
    picture.height = (int)r->h;
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &memory;
    int stride = (int)(r->w * r->channels);
    int ok = r->channels == 4 ? WebPPictureImportRGBA(&picture, r->px, stride)
                              : WebPPictureImportRGB(&picture, r->px, stride);
    FILE *file = fopen(path, "wbe");
    if (!ok || !WebPEncode(&config, &picture) || !file || fwrite(memory.mem, 1, memory.size, file) != memory.size)
        errx(1, "cannot write '%s'", path);
    WebPMemoryWriterClear(&memory);
    WebPPictureFree(&picture);
    return fclose(file);
}
