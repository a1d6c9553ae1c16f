/* SPDX-License-Identifier: Apache-2.0 */
/* The worker's whole job on any bytes: an answer within its limits, never a crash. The last bytes choose the request. */
#include <assert.h>

#include "source/sniff.h"
#include "worker/picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static struct work_request request_from(const uint8_t tail[8], enum media media, size_t len)
{
    return (struct work_request){
        .magic = WORK_MAGIC,
        .media = media,
        .input_len = len,
        .frame = tail[0] & 3,
        .flags = (tail[1] & 1 ? WORK_WEBP_OK : 0) | (tail[1] & 32 ? WORK_SHEET : 0),
        .preview_w = tail[1] & 2 ? 64 : 0,
        .preview_h = 64,
        .region = {tail[2], tail[3], tail[4], tail[5], tail[1] & 4 ? FIT_UNIT : FIT_SOURCE, tail[1] >> 3 & 1},
        .limits = {.max_edge = 64u + tail[6], .min_edge = 28, .max_bytes = 1000u + 64u * tail[7], .quality = 75,
                   .resize = !(tail[1] & 16)},
    };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct sniff s;
    struct work_reply reply = {0};
    struct output out = {0};
    if (len < 8)
        return 0;
    sniff(data, len, len, &s);
    struct work_request q = request_from(data + len - 8, s.media, len);
    /* Large pictures are slow, not wrong: the limits on them have tests of their own. */
    if ((uint64_t)s.width * s.height > 4000000)
        return 0;
    if (picture_make(data, len, &q, &reply, &out) == WORK_OK) {
        sniff(out.data, out.len, out.len, &s);
        assert(s.media == reply.media && s.width == reply.width && s.height == reply.height);
    }
    output_done(&out);
    return 0;
}
