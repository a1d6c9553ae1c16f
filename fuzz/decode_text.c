/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain text through fovea-text's pages: any bytes are text, whatever the sniffer takes them for. See shown.h.
 * about: render/text/plain.c render/text/encoding.c render/text/row.c render/text/wrap.c render/text/zero.c
 * max_len: 16384
 * keep: 196608
 */
#include "drawn.h"
#include "render/text/fonts.h"
#include "render/text/plain.h"
#include "shown.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const char *readable[LIMIT_RENDER_FILES + 1];
    (void)argc, (void)argv;
    fonts_prepare(readable);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    size_t n = shown_len(data, len);
    auto_free uint8_t *copy = shown_copy(data, n);
    struct work_request q = shown_request(n < len ? data + n : NULL, MEDIA_TEXT, n);
    shown_run(&render_plain, &(struct source){.data = copy, .len = n, .request = &q}, &(struct sniff){.media = MEDIA_TEXT});
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
    static const char *const words[] = {"\t", "\r\n", "\n", "\f", "\xef\xbb\xbf", "\xff\xfe", "\xe2\x80\xae",
                                        "\xe4\xbd\xa0\xe5\xa5\xbd", "\xcc\x81", "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb", "\xd7\xa9\xd7\x9c", "\x1b[31m",
                                        "0123456789012345678901234567890123456789", NULL};
    return shown_mutate(data, len, room, seed, words, NULL);
}
