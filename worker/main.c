/* SPDX-License-Identifier: Apache-2.0 */
/* fovea-worker: the bitmaps that models take as they are, in a jail without any file. */
#include <libdeflate.h>
#include <stdio.h>

#include "colour.h"
#include "diff.h"
#include "program.h"

static void name_codecs(char *out, size_t room)
{
    char name[64];
    size_t at = 0;
    for (size_t i = 0; decoder_at(i) && at < room; i++) {
        decoder_name(i, name, sizeof name);
        at += (size_t)snprintf(out + at, room - at, "%s, ", name);
    }
    colour_library(name, sizeof name);
    if (at < room)
        (void)snprintf(out + at, room - at, "%s, libdeflate " LIBDEFLATE_VERSION_STRING, name);
}

int main(int argc, char **argv)
{
    static const struct worker_program program = {
        .decoder_of = decoder_of, .other_work = diff_make, .other_flags = WORK_DIFF, .libraries = name_codecs};
    return worker_main(&program, argc, argv);
}
