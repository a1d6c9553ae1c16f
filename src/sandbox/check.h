/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a worker's words can be true. The worker has read hostile bytes; nothing it says is believed without this. */
#ifndef FOVEA_CHECK_H
#define FOVEA_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/proto.h"

/* A greeting: right magic, strings that end and are printable ASCII. */
bool check_hello(const struct work_hello *hello);

/* How many bytes of output the reply speaks of; false when it cannot be (too many, a preview nobody asked for). */
bool check_length(const struct work_request *request, const struct work_reply *reply, size_t *ret_len);

/* The text that fovea-ocr wrote, len bytes of it in all: lines that lie in order within valid UTF-8 without control
 * characters, counts that add up. */
bool check_text(const uint8_t *data, size_t len);

/* The whole reply against the request and, when its status is WORK_OK, against the output's bytes. */
bool check_reply(const struct work_request *request, const struct work_reply *reply, const uint8_t *data);

#endif
