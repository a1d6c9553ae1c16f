/* SPDX-License-Identifier: Apache-2.0 */
/* fovea-video: a frame by its number, one by its time, and a sheet. */
#include "look.h"

#define GOOD "fixtures/video/good/"

SCENE(video, {GOOD "h264.mp4", .media = MEDIA_MP4, .frame = 3}, {GOOD "vp8.webm", .media = MEDIA_WEBM, .flags = WORK_TIME, .time_ms = 400},
      {GOOD "mjpeg.avi", .media = MEDIA_AVI, .flags = WORK_SHEET})
SERVED({GOOD "h264.mp4", .media = MEDIA_MP4, .frame = 3})
WHOLE({GOOD "h264.mp4", .media = MEDIA_MP4, .frame = 3}, {GOOD "vp8.webm", .media = MEDIA_WEBM, .flags = WORK_TIME, .time_ms = 400},
      {GOOD "mjpeg.avi", .media = MEDIA_AVI, .flags = WORK_SHEET})

const struct scene *const scenes[] = {&drawn_video, &drawn_served, &drawn_whole, NULL};
