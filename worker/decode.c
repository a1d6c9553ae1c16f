/* SPDX-License-Identifier: Apache-2.0 */
/* The bitmaps that models take as they are: the list of their decoders. */
#include "decode.h"

#include <stdio.h>
#include <webp/decode.h>

#include "base/cleanup.h"
#include "picture.h"

static const struct {
    const struct decoder_ops *ops;
    int (*version)(void); /* of the library that runs: 0xMMmmrr; NULL when ops->library says it */
} decoders[] = {
    {&decode_png, NULL},
    {&decode_jpeg, NULL},
    {&decode_gif, NULL},
    {&decode_webp, WebPGetDecoderVersion},
};

const struct decoder_ops *decoder_of(enum media media)
{
    for (size_t i = 0; i < COUNT(decoders); i++)
        if (decoders[i].ops->media == media)
            return decoders[i].ops;
    return NULL;
}

const struct decoder_ops *decoder_at(size_t i)
{
    return i < COUNT(decoders) ? decoders[i].ops : NULL;
}

void decoder_name(size_t i, char *out, size_t room)
{
    unsigned v = decoders[i].version ? (unsigned)decoders[i].version() : 0;
    if (v)
        (void)snprintf(out, room, "%s %u.%u.%u", decoders[i].ops->library, v >> 16 & 0xff, v >> 8 & 0xff, v & 0xff);
    else
        (void)snprintf(out, room, "%s", decoders[i].ops->library);
}
