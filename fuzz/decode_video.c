/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MP4, QuickTime, WebM, Matroska, AVI, MPEG program and transport streams, FLV, ASF and Ogg through fovea-video's decoders: see shown.h.
 * about: render/video/video.c render/video/container.c render/video/frames.c render/video/decode.c render/video/pixels.c
 * render/video/whole.c render/video/looks.c
 * seeds: video
 * max_len: 65536
 * keep: 196608
 */
#include "render/video/video.h"
#include "shown.h"

static void say_nothing(void *who, int level, const char *format, va_list args)
{
    (void)who, (void)level, (void)format, (void)args;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    av_log_set_callback(say_nothing);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    return shown_file(video_decoder, data, len);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
    static const char *const words[] = {"moov", "mdat", "trak", "stts", "ctts", "stss", "stsz", "stco", "co64", "edts", "elst",
                                        "moof", "traf", "trun", "tkhd", "mvhd", "stsd", "avcC", "RIFF", "idx1", "movi",
                                        "strh", "strf", "FLV\1", "OggS", "\x80theora", "\x81theora", "\x82theora",
                                        "\x30\x26\xb2\x75", "\x91\x07\xdc\xb7", "\x36\x26\xb2\x75", "WMV2", "MP43",
                                        "G@", "\x1a\x45\xdf\xa3", "\x1f\x43\xb6\x75", "\xa3\x81", NULL};
    return shown_mutate(data, len, room, seed, words, NULL);
}
