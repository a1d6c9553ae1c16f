/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SVG and SVGZ through fovea-svg's decoders: see shown.h. librsvg is Rust and not instrumented; what is ours is: the root's
 * attributes, extents, parts of a whole, layers that are spared, and inflating.
 * about: render/svg/svg.c render/svg/extent.c render/svg/markup.c render/svg/opacity.c render/svg/part.c
 * max_len: 16384
 * keep: 196608
 */
/* Of a font that librsvg has it scale out of all measure, cairo loses the font. Only that: a surface that we would lose is seen. */
#define DRAWN_LOSES "leak:cairo_scaled_font_create\nleak:cairo_ft_font_face_create_for_pattern\n"

#include "drawn.h"
#include "render/svg/svg.h"
#include "shown.h"

/* cairo has no frame pointers, so that the names of its functions are found only by its unwind tables; as deep as those two lie. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "fast_unwind_on_malloc=0:malloc_context_size=8";
}

static const struct decoder_ops *decoder_here(enum media media)
{
    return media == MEDIA_SVG ? &decode_svg : media == MEDIA_SVGZ ? &decode_svgz : NULL;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const char *readable[LIMIT_RENDER_FILES + 1];
    (void)argc, (void)argv;
    svg_prepare(readable);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    return shown_file(decoder_here, data, len);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
    static const char *const words[] = {
        "<svg xmlns='http://www.w3.org/2000/svg'>", "</svg>", "<svg ", " width='100'", " height='50%'", " viewBox='0 0 10 10'",
        " viewBox='-1e5 3 1e-9 7'", " preserveAspectRatio='xMinYMax slice'", "<rect width='9' height='9'/>", "<g opacity='.5'>",
        "</g>", "<text>a</text>", " opacity='.5'", " opacity='0'", " stroke='red'", " fill='none'", "<path d='M0 0h9v9'", "/>",
        " transform='scale(1e6)'", "<use href='#a'/>", " id='a'", "<style>", "</style>", "<!--", "-->", "<![CDATA[",
        "<?xml version='1.0'?>", "<!DOCTYPE svg [<!ENTITY e 'x'>]>", "&e;", "em", "mm", "1e308", "nan", NULL};
    return shown_mutate(data, len, room, seed, words, NULL);
}
