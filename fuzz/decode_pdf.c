/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PDF through fovea-pdf's decoder: see shown.h.
 * about: render/pdf/decode.c render/pdf/document.c render/pdf/draw.c render/pdf/pages.c
 * max_len: 16384
 * keep: 196608
 */
#include "drawn.h"
#include "render/pdf/pdf.h"
#include "shown.h"

static const struct decoder_ops *decoder_here(enum media media)
{
    return media == MEDIA_PDF ? &decode_pdf : NULL;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const char *readable[LIMIT_RENDER_FILES + 1];
    (void)argc, (void)argv;
    pdf_prepare(readable);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    return shown_file(decoder_here, data, len);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
    static const char *const words[] = {
        "obj", "endobj", "stream", "endstream", "xref", "trailer", "startxref", "%%EOF", "/Type", "/Page", "/Pages", "/Kids",
        "/Count", "/MediaBox", "/CropBox", "/Rotate", "/UserUnit", "/Annots", "/Contents", "/Resources", "/Font", "/XObject", "/Filter",
        "/FlateDecode", "/DCTDecode", "/JBIG2Decode", "/CCITTFaxDecode", "/Length", "/Encrypt", "1 0 R", "<<", ">>", "[", "]",
        " re f ", " cm ", " Do ", " Tj ", "1e38", "-1", NULL};
    return shown_mutate(data, len, room, seed, words, NULL);
}
