/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Re-validation of what a worker answered: in range, explained by the plan, and true to the bytes. A reply that fails
 * any of it is treated as a crash.
 */
#include "sandbox/check.h"

#include "base/cleanup.h"
#include "base/limits.h"
#include "fit/plan.h"
#include "source/sniff.h"

static const uint32_t all_facts =
    WORK_AS_IS | WORK_OVER_BUDGET | WORK_ON_WHITE | WORK_ON_GREY | WORK_HAS_ALPHA | WORK_LOSSLESS;

static bool printable(const char *s, size_t room)
{
    for (size_t i = 0; i < room; i++) {
        if (!s[i])
            return true;
        if (s[i] < ' ' || s[i] > '~')
            return false;
    }
    return false;
}

bool check_hello(const struct work_hello *hello)
{
    return hello->magic == WORK_MAGIC && printable(hello->layer, sizeof hello->layer) &&
           printable(hello->codecs, sizeof hello->codecs) && hello->error >= 0 && !hello->error == !hello->layer[0];
}

static bool preview_fits(const struct work_request *request, const struct work_reply *reply)
{
    uint32_t w = reply->preview_w, h = reply->preview_h;
    return !w == !h && w <= MIN(request->preview_w, LIMIT_PREVIEW_SIDE) &&
           h <= MIN(request->preview_h, LIMIT_PREVIEW_SIDE);
}

bool check_length(const struct work_request *request, const struct work_reply *reply, size_t *ret_len)
{
    if (reply->image_len < 1 || reply->image_len > LIMIT_WORKER_OUTPUT || !preview_fits(request, reply))
        return false;
    size_t len = (size_t)reply->image_len + (size_t)reply->preview_w * reply->preview_h * 4;
    if (len > LIMIT_WORKER_OUTPUT)
        return false;
    *ret_len = len;
    return true;
}

static bool size_plausible(const struct work_reply *r)
{
    return r->source_w >= 1 && r->source_w <= LIMIT_SIDE && r->source_h >= 1 && r->source_h <= LIMIT_SIDE;
}

static bool frames_plausible(const struct work_reply *r)
{
    return r->frames >= 1 && r->frames <= LIMIT_FRAMES;
}

/* The crop is the one asked for, and the size what the plan (or its ladder) makes of it. */
static bool planned(const struct work_request *request, const struct work_reply *r)
{
    struct rect crop;
    if (!fit_crop(&request->region, (struct size){r->source_w, r->source_h}, &crop))
        return false;
    return crop.x == r->crop.x && crop.y == r->crop.y && crop.w == r->crop.w && crop.h == r->crop.h &&
           fit_explains(&request->limits, (struct size){crop.w, crop.h}, (struct size){r->width, r->height});
}

static bool media_allowed(const struct work_request *request, uint32_t media)
{
    return media == MEDIA_PNG || media == MEDIA_JPEG ||
           (media == MEDIA_GIF && !(request->flags & WORK_NO_GIF)) ||
           (media == MEDIA_WEBP && (request->flags & WORK_WEBP_OK));
}

/* Type, size and upright orientation as the picture's own header has them. */
static bool true_to_bytes(const struct work_reply *r, const uint8_t *data)
{
    struct sniff s;
    sniff(data, (size_t)MIN(r->image_len, LIMIT_SNIFF_BYTES), r->image_len, &s);
    return s.media == (enum media)r->media && s.width == r->width && s.height == r->height && s.orientation == 1;
}

/* Rows have no header; their number of bytes and the plan say all there is to know. No ladder stands between. */
static bool rows_true(const struct work_request *request, const struct work_reply *r)
{
    struct size target = fit_target(&request->limits, (struct size){r->crop.w, r->crop.h});
    return r->media == MEDIA_NONE && r->width == target.w && r->height == target.h &&
           r->image_len == (uint64_t)r->width * r->height;
}

static bool picture_true(const struct work_request *request, const struct work_reply *r, const uint8_t *data)
{
    if (request->flags & WORK_TEXT)
        return check_text(data, (size_t)r->image_len);
    return size_plausible(r) && frames_plausible(r) && r->orientation >= 1 && r->orientation <= 8 &&
           !(r->facts & ~all_facts) && planned(request, r) &&
           (request->flags & WORK_RAW ? rows_true(request, r)
                                      : media_allowed(request, r->media) && true_to_bytes(r, data));
}

/* Statuses whose numbers reach a message. */
static bool refusal_plausible(const struct work_reply *r)
{
    return r->status == WORK_BAD_REGION ? size_plausible(r) : r->status == WORK_BAD_FRAME ? frames_plausible(r) : true;
}

bool check_reply(const struct work_request *request, const struct work_reply *reply, const uint8_t *data)
{
    if (reply->magic != WORK_MAGIC || reply->status >= WORK_STATUS_COUNT ||
        !printable(reply->detail, sizeof reply->detail))
        return false;
    return reply->status == WORK_OK ? picture_true(request, reply, data) : refusal_plausible(reply);
}
