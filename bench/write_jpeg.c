/* SPDX-License-Identifier: Apache-2.0 */
/* JPEG: baseline or progressive, gray, CMYK (inverted, as Adobe writes it), and the EXIF of a camera. */
#include <err.h>
/* jpeglib.h needs stdio.h before it */
#include <jpeglib.h>

#include "base/cleanup.h"
#include "gen.h"

/* Big-endian TIFF with one directory of one entry: orientation. */
static void write_exif(struct jpeg_compress_struct *jpeg, int orientation)
{
    const uint8_t exif[] = {
        'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1,
        0, (uint8_t)orientation, 0, 0, 0, 0, 0, 0,
    };
    jpeg_write_marker(jpeg, JPEG_APP0 + 1, exif, sizeof(exif));
}

static void make_row(const struct raster *r, const struct how *how, uint32_t y, uint8_t *row)
{
    const uint8_t *px = r->px + (size_t)y * r->w * r->channels;
    for (uint32_t x = 0; x < r->w; x++, px += r->channels) {
        if (how->gray) {
            row[x] = (uint8_t)((px[0] * 77u + px[1] * 150u + px[2] * 29u) >> 8);
        } else if (how->cmyk) {
            uint8_t most = MAX(px[0], MAX(px[1], px[2]));
            for (uint32_t c = 0; c < 3; c++)
                row[4 * x + c] = (uint8_t)(most ? px[c] * 255u / most : 255u);
            row[4 * x + 3] = most;
        } else {
            memcpy(row + 3 * (size_t)x, px, 3);
        }
    }
}

static void set_up(struct jpeg_compress_struct *jpeg, const struct raster *r, const struct how *how)
{
    jpeg->image_width = r->w;
    jpeg->image_height = r->h;
    jpeg->input_components = how->gray ? 1 : how->cmyk ? 4 : 3;
    jpeg->in_color_space = how->gray ? JCS_GRAYSCALE : how->cmyk ? JCS_CMYK : JCS_RGB;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, how->quality, TRUE);
    if (how->progressive)
        jpeg_simple_progression(jpeg);
}

int write_jpeg(const char *path, const struct raster *r, const struct how *how)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    FILE *file = fopen(path, "wbe");
    auto_free uint8_t *row = malloc((size_t)r->w * 4);
    if (!file || !row)
        errx(1, "cannot write '%s'", path);
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_stdio_dest(&jpeg, file);
    set_up(&jpeg, r, how);
    jpeg_start_compress(&jpeg, TRUE);
    if (how->orientation)
        write_exif(&jpeg, how->orientation);
    for (uint32_t y = 0; y < r->h; y++) {
        make_row(r, how, y, row);
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    return fclose(file);
}
