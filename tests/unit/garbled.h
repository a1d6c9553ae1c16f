/* SPDX-License-Identifier: Apache-2.0 */
/* Good files with one byte changed, or cut there: whatever comes of it is a picture, or a refusal with words. */
#ifndef FOVEA_TEST_GARBLED_H
#define FOVEA_TEST_GARBLED_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/media.h"
#include "built.h"
#include "worker/picture.h"

/* Every byte of the head, where most that is said stands, and some of the rest. */
enum { GARBLED_HEAD = 120, GARBLED_STEP = 23, GARBLED_MORE = 60, GARBLED_MOST = 1 << 16 };

static uint8_t *garbled_read(const char *name, size_t *ret_len)
{
    struct stat st;
    auto_close int fd = open(built(name), O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0 || st.st_size > GARBLED_MOST)
        return NULL;
    uint8_t *data = malloc((size_t)st.st_size);
    *ret_len = data && read(fd, data, (size_t)st.st_size) == st.st_size ? (size_t)st.st_size : 0;
    return data;
}

static void garbled_show(const char *name, enum media media, const struct decoder_ops *ops, const uint8_t *data, size_t len, uint32_t flags)
{
    /* A copy of just that length, so that a read behind its end is seen. */
    auto_free uint8_t *copy = malloc(len + !len);
    struct work_request q = {.magic = WORK_MAGIC, .media = media, .input_len = len, .flags = flags, .page = flags & WORK_SHEET ? 1 : 0, .last_page = flags & WORK_SHEET ? 2 : 0,
                             .limits = {.max_edge = 64, .max_bytes = 100000, .quality = 75, .resize = !(flags & WORK_NO_GIF)}};
    struct work_reply reply = {0};
    struct output out = {0};
    if (len)
        memcpy(copy, data, len);
    struct source s = {.data = copy, .len = len, .request = &q};
    int status = picture_make_with(ops, &s, &reply, &out);
    CHECK_MSG(status ? reply.detail[0] && status < WORK_STATUS_COUNT : out.len && reply.width && reply.height, "%s: %d", name, status);
    output_done(&out);
}

static void garbled(const char *name, enum media media, const struct decoder_ops *ops, uint32_t flags)
{
    size_t len = 0;
    auto_free uint8_t *data = garbled_read(name, &len);
    CHECK_MSG(data && len, "%s", name);
    for (size_t at = 0; at < len; at += at < GARBLED_HEAD ? 1 : MAX((size_t)GARBLED_STEP, len / GARBLED_MORE)) {
        uint8_t was = data[at];
        static const uint8_t masks[] = {0x01, 0xff};
        for (size_t i = 0; i < sizeof masks; i++) {
            data[at] = was ^ masks[i];
            garbled_show(name, media, ops, data, len, flags);
        }
        data[at] = was;
        garbled_show(name, media, ops, data, at, flags);
    }
}

#endif
