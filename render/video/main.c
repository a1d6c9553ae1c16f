/* SPDX-License-Identifier: Apache-2.0 */
/* fovea-video: frames of videos, in a jail without any file. */
#include <errno.h>
#include <iconv.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
#include <stdio.h>

#include "base/limits.h"
#include "program.h"
#include "video.h"

#define PARTS(v) AV_VERSION_MAJOR(v), AV_VERSION_MINOR(v), AV_VERSION_MICRO(v)

static void name_libraries(char *out, size_t room)
{
    unsigned format = avformat_version(), codec = avcodec_version(), scale = swscale_version();
    (void)snprintf(out, room, "libavformat %u.%u.%u, libavcodec %u.%u.%u, libswscale %u.%u.%u", PARTS(format), PARTS(codec),
                   PARTS(scale));
}

/* Told to nobody: the words are about the file, and would be written by its leave. */
static void say_nothing(void *who, int level, const char *format, va_list args)
{
    (void)who, (void)level, (void)format, (void)args;
}

/* The demuxer of transport streams wants tables of letters, for the names of stations that nobody here reads; the jail has no such
 * files. It goes on without a name. */
__attribute__((visibility("default"))) iconv_t iconv_open(const char *to, const char *from)
{
    (void)to, (void)from;
    errno = EINVAL;
    return (iconv_t)-1;
}

int main(int argc, char **argv)
{
    static const struct worker_program program = {
        .decoder_of = video_decoder,
        .libraries = name_libraries,
        .limits = {LIMIT_VIDEO_MEMORY, LIMIT_RAW_OUTPUT, LIMIT_WORKER_CPU_S, NULL},
    };
    av_log_set_callback(say_nothing);
    return worker_main(&program, argc, argv);
}
