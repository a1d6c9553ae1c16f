/* SPDX-License-Identifier: Apache-2.0 */
/* fovea-photo: pictures that no model takes as they are (BMP, ICO, TIFF, HEIC, AVIF), in a jail without any file. */
#include <libheif/heif.h>
#include <stdio.h>
#include <string.h>
#include <tiffio.h>

#include "base/cleanup.h"
#include "colour.h"
#include "photo.h"
#include "program.h"

static const struct decoder_ops *photo_decoder(enum media media)
{
    static const struct decoder_ops *const all[] = {&decode_bmp, &decode_ico, &decode_tiff, &decode_heic, &decode_avif};
    for (size_t i = 0; i < COUNT(all); i++)
        if (all[i]->media == media)
            return all[i];
    return NULL;
}

/* "LIBTIFF, Version 4.5.0", and a copyright in the lines below. */
static void name_tiff(char *out, size_t room)
{
    const char *text = TIFFGetVersion(), *version = strstr(text, "ersion ");
    size_t len = version ? strcspn(version + 7, "\n") : 0;
    (void)snprintf(out, room, "libtiff %.*s", (int)MIN(len, 20), version ? version + 7 : "");
}

static void name_libraries(char *out, size_t room)
{
    char tiff[32], colour[32];
    name_tiff(tiff, sizeof tiff);
    colour_library(colour, sizeof colour);
    (void)snprintf(out, room, "BMP and ICO built in, %s, libheif %s, %s", tiff, heif_get_version(), colour);
}

/* Newer versions of libheif load their codecs, which are code, when they are first asked. */
static void load_codecs(const char **readable)
{
    (void)readable;
    (void)heif_init(NULL);
}

int main(int argc, char **argv)
{
    static const struct worker_program program = {
        .decoder_of = photo_decoder, .prepare = load_codecs, .libraries = name_libraries};
    return worker_main(&program, argc, argv);
}
