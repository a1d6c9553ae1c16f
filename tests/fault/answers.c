/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that are wrong: in their length, their number, their words, and in every field a reply has. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/media.h"
#include "fault.h"
#include "picture.h"

enum { FLOOD = 1000 };

static void none(struct job *j)
{
    fault_reply(j);
}
static void refuse(struct job *j)
{
    j->reply = (struct work_reply){.magic = WORK_MAGIC, .status = WORK_MALFORMED, .detail = "all of it is wrong"};
    fault_reply(j);
}
/* The status of that number, with and without words; what else it tells is little, and can be. */
static void status_bare(struct job *j)
{
    j->reply = (struct work_reply){.magic = WORK_MAGIC, .status = j->number, .source_w = 9, .source_h = 7, .extent_w = 9, .extent_h = 7, .unit_w = 1, .unit_h = 1,
                                   .frames = 1, .pages = 1};
    fault_reply(j);
}
static void status(struct job *j)
{
    j->reply = (struct work_reply){.magic = WORK_MAGIC, .status = j->number, .source_w = 9, .source_h = 7, .extent_w = 9, .extent_h = 7, .unit_w = 1, .unit_h = 1,
                                   .frames = 2, .pages = 2, .duration_ms = 65000, .detail = "so it says"};
    fault_reply(j);
}
static void tell_birth(struct job *j)
{
    j->reply = (struct work_reply){.magic = WORK_MAGIC, .status = WORK_UNSUPPORTED};
    memcpy(j->reply.detail, fault_birth, sizeof fault_birth);
    fault_reply(j);
}
static void slow(struct job *j)
{
    fault_doze(100);
    fault_reply(j);
}
/* What stands in the other input. */
static void tell_other(struct job *j)
{
    j->reply = (struct work_reply){.magic = WORK_MAGIC, .status = WORK_MALFORMED, .detail = "there is none"};
    if (j->other >= 0 && j->request.other_len < WORK_DETAIL) {
        memset(j->reply.detail, 0, sizeof j->reply.detail);
        (void)!pread(j->other, j->reply.detail, (size_t)j->request.other_len, 0);
    }
    fault_reply(j);
}
static void two_replies(struct job *j)
{
    fault_reply(j);
    j->reply.status = WORK_MALFORMED;
    fault_reply(j);
    fault_hang();
}
static void garbage(struct job *j)
{
    memset(&j->reply, 0xa5, sizeof j->reply);
    fault_reply(j);
}
static void short_reply(struct job *j)
{
    fault_send(&j->reply, sizeof j->reply - 1);
}
static void empty_reply(struct job *j)
{
    (void)j;
    fault_send("", 0);
    fault_hang();
}
static void long_reply(struct job *j)
{
    char bytes[sizeof j->reply + 16] = {0};
    memcpy(bytes, &j->reply, sizeof j->reply);
    fault_send(bytes, sizeof bytes);
}
static void wrong_magic(struct job *j)
{
    j->reply.magic++;
    fault_reply(j);
}
static void wrong_status(struct job *j)
{
    j->reply.status = WORK_STATUS_COUNT;
    fault_reply(j);
}
static void endless_detail(struct job *j)
{
    j->reply.status = WORK_MALFORMED;
    memset(j->reply.detail, 'x', sizeof j->reply.detail);
    fault_reply(j);
}
static void escape_in_detail(struct job *j)
{
    j->reply.status = WORK_MALFORMED;
    memcpy(j->reply.detail, "\033[2J", 5);
    fault_reply(j);
}
static void huge_length(struct job *j)
{
    j->reply.image_len = UINT64_MAX - 3;
    fault_reply(j);
}
static void no_length(struct job *j)
{
    j->reply.image_len = 0;
    (void)!ftruncate(j->output, 0);
    fault_reply(j);
}
static void lying_size(struct job *j)
{
    (void)!ftruncate(j->output, (off_t)j->reply.image_len + 1);
    fault_reply(j);
}
static void lying_length(struct job *j)
{
    j->reply.image_len += 4096;
    fault_reply(j);
}
static void lying_media(struct job *j)
{
    j->reply.media = MEDIA_JPEG;
    fault_reply(j);
}
static void barred_media(struct job *j)
{
    j->reply.media = MEDIA_WEBP;
    fault_reply(j);
}
static void lying_dimensions(struct job *j)
{
    j->reply.width = j->reply.height = PICTURE_SIDE + 1;
    fault_write_picture(j, PICTURE_SIDE + 1);
    fault_reply(j);
}
static void lying_header(struct job *j)
{
    fault_write_picture(j, PICTURE_SIDE + 1);
    fault_reply(j);
}
static void crop_outside(struct job *j)
{
    j->reply.crop.x = 1;
    fault_reply(j);
}
static void source_of_nothing(struct job *j)
{
    j->reply.source_w = 0;
    fault_reply(j);
}
static void unknown_fact(struct job *j)
{
    j->reply.facts = 1u << 31;
    fault_reply(j);
}
static void preview_unasked(struct job *j)
{
    j->reply.preview_w = j->reply.preview_h = 1;
    (void)!ftruncate(j->output, (off_t)j->reply.image_len + 4);
    fault_reply(j);
}


/* ---------------------------------------------------------------- the same, by the number of the job */

#define FIELD(name) {offsetof(struct work_reply, name), sizeof ((struct work_reply *)0)->name}
static const struct {
    size_t at, size;
} fields[] = {
    FIELD(magic), FIELD(status), FIELD(detail[0]), FIELD(detail[WORK_DETAIL - 1]), FIELD(source_w), FIELD(source_h), FIELD(extent_w),
    FIELD(extent_h), FIELD(origin_x), FIELD(origin_y), FIELD(unit_w), FIELD(unit_h), FIELD(frames), FIELD(pages), FIELD(cells), FIELD(orientation), FIELD(facts),
    FIELD(media), FIELD(width), FIELD(height), FIELD(crop.x), FIELD(crop.y), FIELD(crop.w), FIELD(crop.h), FIELD(first_line),
    FIELD(last_line), FIELD(total_lines), FIELD(line_top), FIELD(line_height), FIELD(rows), FIELD(missing), FIELD(time_ms),
    FIELD(duration_ms), FIELD(changed), FIELD(image_len), FIELD(preview_w), FIELD(preview_h),
};

/* Whole numbers and, read as such, numbers with a point: none, one, the ends, not a number, without end. */
static const uint64_t extremes[] = {
    0, 1, UINT32_MAX, UINT64_MAX, INT32_MAX, INT64_MAX, UINT64_C(1) << 31, UINT64_C(1) << 63, 0x7fc00000, 0x7f800000,
    UINT64_C(0x7ff8000000000000), UINT64_C(0x7ff0000000000000), UINT64_C(0xfff0000000000000), UINT64_C(0x3ff0000000000000),
    UINT64_C(0x4024000000000000), 65535,
};

/* One field is something else. */
static void lie(struct job *j)
{
    size_t which = j->number % COUNT(fields);
    uint64_t value = extremes[j->number / COUNT(fields) % COUNT(extremes)];
    memcpy((char *)&j->reply + fields[which].at, &value, fields[which].size);
    fault_reply(j);
}
/* One bit is. */
static void flip(struct job *j)
{
    size_t bit = (size_t)j->number * 2654435761u % (sizeof j->reply * 8);
    ((uint8_t *)&j->reply)[bit / 8] ^= (uint8_t)(1u << bit % 8);
    fault_reply(j);
}
static void halves(struct job *j)
{
    size_t half = sizeof j->reply / 2;
    fault_send(&j->reply, half);
    fault_send((const char *)&j->reply + half, sizeof j->reply - half);
}
static void greets_again(struct job *j)
{
    struct work_hello hello = {.magic = WORK_MAGIC, .codecs = "nothing but faults"};
    fault_send(&hello, sizeof hello);
    fault_reply(j);
}
static void flood(struct job *j)
{
    for (int i = 0; i < FLOOD; i++)
        fault_reply(j);
}
static void flood_of_garbage(struct job *j)
{
    memset(&j->reply, 0x5a, sizeof j->reply);
    for (int i = 0; i < FLOOD; i++)
        fault_send(&j->reply, j->number % sizeof j->reply + 1);
}
static void echo(struct job *j)
{
    fault_send(&j->request, sizeof j->request);
    fault_hang();
}
/* About when the limit is over: sometimes before, sometimes after. */
static void just_in_time(struct job *j)
{
    fault_doze(60 + j->number % 40);
    fault_reply(j);
}

const struct fault fault_answers[] = {
    {"status", status}, {"status-bare", status_bare},
    {"none", none}, {"refuse", refuse}, {"birth", tell_birth}, {"slow", slow}, {"other", tell_other}, {"two-replies", two_replies},
    {"garbage", garbage}, {"short-reply", short_reply}, {"empty-reply", empty_reply}, {"long-reply", long_reply},
    {"wrong-magic", wrong_magic}, {"wrong-status", wrong_status}, {"endless-detail", endless_detail},
    {"escape-in-detail", escape_in_detail}, {"huge-length", huge_length}, {"no-length", no_length},
    {"lying-size", lying_size}, {"lying-length", lying_length}, {"lying-media", lying_media},
    {"barred-media", barred_media}, {"lying-dimensions", lying_dimensions}, {"lying-header", lying_header},
    {"crop-outside", crop_outside}, {"source-of-nothing", source_of_nothing}, {"unknown-fact", unknown_fact},
    {"preview-unasked", preview_unasked}, {"lie", lie}, {"flip", flip}, {"halves", halves}, {"greets-again", greets_again},
    {"flood", flood}, {"flood-of-garbage", flood_of_garbage}, {"echo", echo}, {"just-in-time", just_in_time}, {NULL, NULL},
};
