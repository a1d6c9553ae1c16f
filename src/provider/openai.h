/* SPDX-License-Identifier: Apache-2.0 */
/* What both wires of OpenAI share. */
#ifndef FOVEA_OPENAI_H
#define FOVEA_OPENAI_H

#include "provider/wire_priv.h"

/* The errors of both, and of the hosts that speak like them. */
void openai_error(struct wire_error *e, const json_t *root);

/* "high", or "original" where full detail was asked: never left to the model, whose own choice may cost ten times more. */
const char *openai_detail(const struct wire_request *q);

/* Appends the fields of a schema, which the two put into different frames. */
int openai_add_schema(const struct wire_request *q, struct buf *b);

/* The fields' names differ, their meaning does not: cached tokens are part of the input. */
struct openai_usage_names {
    const char *input, *input_details, *output, *output_details;
};
/* true when all of it was told. */
bool openai_read_usage(struct wire_usage *u, const json_t *usage, const struct openai_usage_names *names);

#endif
