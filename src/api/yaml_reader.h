/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML files as a stream of events, so that nothing is built that nobody asks for: memory stays small whatever a file
 * holds. Of YAML this takes one document of mappings, lists and scalars; anchors, aliases and tags are refused, which
 * leaves no way to make a small file large.
 */
#ifndef FOVEA_YAML_READER_H
#define FOVEA_YAML_READER_H

#include <yaml.h>

#include "api/config_value.h"

struct yaml_reader {
    yaml_parser_t parser;
    struct config_place *at; /* its line follows the events; faults go to it */
    unsigned depth;          /* of mappings and lists */
    unsigned documents;
};

#define auto_event cleanup(yaml_event_delete) yaml_event_t

/* The text must outlive the reader. -ENOMEM is the only fault. */
int yaml_reader_init(struct yaml_reader *r, struct config_place *at, const char *text, size_t len);
void yaml_reader_done(struct yaml_reader *r);

/* The next event. Counts the depth, and moves the place to its line. */
int yaml_next(struct yaml_reader *r, yaml_event_t *ret);

/* The next event that is not about streams and documents; YAML_STREAM_END_EVENT at the end. A second document is a
 * fault. For what stands outside of any mapping or list. */
int yaml_next_root(struct yaml_reader *r, yaml_event_t *ret);

/* The words of a scalar; "" for any other event. Borrowed from it. */
struct config_scalar yaml_scalar(const yaml_event_t *e);

/* A scalar that says nothing: empty, ~ or null. */
bool yaml_is_null(const yaml_event_t *e);

#endif
