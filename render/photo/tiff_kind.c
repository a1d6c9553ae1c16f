/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the samples of a TIFF are. Plain grey, palette, RGB and CMYK of up to 16 bits are taken row by row as they are stored, so
 * that inks and profiles reach the shared colour step; libtiff's own conversion to RGBA takes the rest (separate planes, YCbCr,
 * Lab). Floating point, complex and signed numbers have no agreed black and white, and are refused.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "tiff.h"

/* With JPEG inside, libtiff gives RGB. */
static bool ycc_in_jpeg(const struct tiff_info *i)
{
    return i->photometric == PHOTOMETRIC_YCBCR && i->compression == COMPRESSION_JPEG && i->bits == 8 && i->samples == 3;
}

static bool small_samples(uint16_t bits)
{
    return bits == 1 || bits == 2 || bits == 4 || bits == 8;
}

static enum tiff_kind kind_of(const struct tiff_info *i, uint16_t planes, uint16_t inks)
{
    bool bytes = i->bits == 8 || i->bits == 16, one = i->samples == 1;
    if (planes == PLANARCONFIG_SEPARATE && !one)
        return TIFF_BY_LIBRARY;
    if (i->photometric == PHOTOMETRIC_MINISBLACK || i->photometric == PHOTOMETRIC_MINISWHITE)
        return bytes || (one && small_samples(i->bits)) ? TIFF_GRAY : TIFF_BY_LIBRARY;
    if (i->photometric == PHOTOMETRIC_PALETTE)
        return one && small_samples(i->bits) ? TIFF_PALETTE : TIFF_BY_LIBRARY;
    if (i->photometric == PHOTOMETRIC_RGB)
        return bytes && i->samples >= 3 ? TIFF_RGB : TIFF_BY_LIBRARY;
    if (i->photometric == PHOTOMETRIC_SEPARATED)
        return bytes && i->samples >= 4 && inks == INKSET_CMYK ? TIFF_INKS : TIFF_BY_LIBRARY;
    return ycc_in_jpeg(i) ? TIFF_RGB : TIFF_BY_LIBRARY;
}

/* Alpha is the first sample behind the colour, where the file says so. */
static void read_alpha(TIFF *t, struct tiff_info *i)
{
    static const uint8_t colours[] = {[TIFF_GRAY] = 1, [TIFF_PALETTE] = 1, [TIFF_RGB] = 3};
    uint16_t n = 0, *kinds = NULL;
    if (i->kind > TIFF_RGB || i->kind == TIFF_PALETTE || !TIFFGetField(t, TIFFTAG_EXTRASAMPLES, &n, &kinds) || !n || !kinds)
        return;
    i->alpha = (kinds[0] == EXTRASAMPLE_ASSOCALPHA || kinds[0] == EXTRASAMPLE_UNASSALPHA) && i->samples > colours[i->kind];
    i->premultiplied = i->alpha && kinds[0] == EXTRASAMPLE_ASSOCALPHA;
}

/* Levels of 16 bits; old writers put 8 bits there. */
static int read_palette(struct tiff_file *f, struct tiff_info *info, struct complaint *c)
{
    uint16_t *map[3];
    size_t n = (size_t)1 << info->bits;
    bool wide = false;
    if (!TIFFGetField(f->tiff, TIFFTAG_COLORMAP, &map[0], &map[1], &map[2]))
        return tiff_file_refuse(f, "the palette is missing", c);
    for (size_t i = 0; i < n && !wide; i++)
        wide = (map[0][i] | map[1][i] | map[2][i]) > 255;
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++)
            info->palette[i][k] = (uint8_t)(wide ? map[k][i] >> 8 : map[k][i]);
        info->palette[i][3] = 255;
    }
    return WORK_OK;
}

/* Grey of up to 8 bits is a palette too. */
static void fill_grays(struct tiff_info *info)
{
    unsigned most = (1u << info->bits) - 1;
    for (unsigned i = 0; info->bits <= 8 && i <= most; i++) {
        uint8_t v = (uint8_t)((info->inverted ? most - i : i) * 255 / most);
        memcpy(info->palette[i], (uint8_t[4]){v, v, v, 255}, 4);
    }
}

static int open_library(struct tiff_file *f, struct tiff_info *info, struct complaint *c)
{
    char why[1024] = "";
    if (!TIFFRGBAImageOK(f->tiff, why) || !TIFFRGBAImageBegin(&info->library, f->tiff, 1, why)) {
        info->library = (TIFFRGBAImage){0};
        return complain(c, WORK_UNSUPPORTED, "a TIFF of %u samples of %u bits, photometric %u, compression %u", info->samples,
                        info->bits, info->photometric, info->compression);
    }
    /* As it is stored; turning it is a later step's. */
    info->library.orientation = info->library.req_orientation = ORIENTATION_TOPLEFT;
    info->alpha = info->premultiplied = info->library.alpha != 0;
    return WORK_OK;
}

static int read_numbers(struct tiff_file *f, struct tiff_info *i, struct complaint *c)
{
    TIFF *t = f->tiff;
    uint16_t format = SAMPLEFORMAT_UINT;
    if (!TIFFGetField(t, TIFFTAG_IMAGEWIDTH, &i->width) || !TIFFGetField(t, TIFFTAG_IMAGELENGTH, &i->height))
        return tiff_file_refuse(f, "its size is missing", c);
    int status = check_sides(i->width, i->height, c);
    if (status)
        return status;
    (void)TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLEFORMAT, &format);
    (void)TIFFGetFieldDefaulted(t, TIFFTAG_BITSPERSAMPLE, &i->bits);
    (void)TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLESPERPIXEL, &i->samples);
    (void)TIFFGetFieldDefaulted(t, TIFFTAG_COMPRESSION, &i->compression);
    i->photometric = i->samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
    (void)TIFFGetField(t, TIFFTAG_PHOTOMETRIC, &i->photometric);
    if (format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID)
        return complain(c, WORK_UNSUPPORTED, "a TIFF of %s", format == SAMPLEFORMAT_INT     ? "signed numbers"
                                                             : format == SAMPLEFORMAT_IEEEFP ? "floating-point numbers"
                                                                                             : "complex numbers");
    if (!i->samples || i->samples > LIMIT_TIFF_SAMPLES)
        return complain(c, WORK_UNSUPPORTED, "a TIFF of %u samples a pixel", i->samples);
    if (!TIFFIsCODECConfigured(i->compression))
        return complain(c, WORK_UNSUPPORTED, "a TIFF in compression %u", i->compression);
    return WORK_OK;
}

static int read_chunks(struct tiff_file *f, struct tiff_info *i, struct complaint *c)
{
    i->tiled = TIFFIsTiled(f->tiff);
    uint32_t rows = 0;
    if (i->tiled)
        (void)TIFFGetField(f->tiff, TIFFTAG_TILELENGTH, &rows);
    else
        (void)TIFFGetFieldDefaulted(f->tiff, TIFFTAG_ROWSPERSTRIP, &rows);
    if (!rows)
        return tiff_file_refuse(f, "strips or tiles of no rows", c);
    i->chunk_rows = i->tiled ? rows : MIN(rows, i->height);
    return WORK_OK;
}

int tiff_read_info(struct tiff_file *f, struct tiff_info *ret, struct complaint *c)
{
    struct tiff_info *i = ret;
    uint16_t planes = PLANARCONFIG_CONTIG, inks = INKSET_CMYK;
    *i = (struct tiff_info){0};
    int status = read_numbers(f, i, c);
    if (!status)
        status = read_chunks(f, i, c);
    if (status)
        return status;
    (void)TIFFGetFieldDefaulted(f->tiff, TIFFTAG_PLANARCONFIG, &planes);
    (void)TIFFGetFieldDefaulted(f->tiff, TIFFTAG_INKSET, &inks);
    i->kind = kind_of(i, planes, inks);
    i->inverted = i->photometric == PHOTOMETRIC_MINISWHITE;
    if (i->kind == TIFF_BY_LIBRARY)
        return open_library(f, i, c);
    if (ycc_in_jpeg(i))
        (void)TIFFSetField(f->tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    read_alpha(f->tiff, i);
    fill_grays(i);
    return i->kind == TIFF_PALETTE ? read_palette(f, i, c) : WORK_OK;
}

void tiff_info_done(struct tiff_info *info)
{
    if (info->library.tif)
        TIFFRGBAImageEnd(&info->library);
    info->library.tif = NULL;
}
