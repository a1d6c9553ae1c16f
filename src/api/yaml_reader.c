/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a YAML file, bounded: see yaml_reader.h. */
#include "api/yaml_reader.h"

#include "base/fault.h"

int yaml_reader_init(struct yaml_reader *r, struct config_place *at, const char *text, size_t len)
{
    *r = (struct yaml_reader){.at = at};
    if (!yaml_parser_initialize(&r->parser))
        return fault_oom(at->fault);
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)text, len);
    yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
    return 0;
}

void yaml_reader_done(struct yaml_reader *r)
{
    yaml_parser_delete(&r->parser);
}

static int wrong_yaml(struct yaml_reader *r)
{
    const yaml_parser_t *p = &r->parser;
    if (p->error == YAML_MEMORY_ERROR)
        return fault_oom(r->at->fault);
    r->at->line = p->problem_mark.line + 1;
    return config_wrong(r->at, "not valid YAML: %s", p->problem ? p->problem : "unreadable");
}

static const char *unwanted(const yaml_event_t *e)
{
    switch (e->type) {
    case YAML_ALIAS_EVENT:
        return "aliases";
    case YAML_SCALAR_EVENT:
        return e->data.scalar.anchor ? "anchors" : e->data.scalar.tag ? "tags" : NULL;
    case YAML_MAPPING_START_EVENT:
        return e->data.mapping_start.anchor ? "anchors" : e->data.mapping_start.tag ? "tags" : NULL;
    case YAML_SEQUENCE_START_EVENT:
        return e->data.sequence_start.anchor ? "anchors" : e->data.sequence_start.tag ? "tags" : NULL;
    default:
        return NULL;
    }
}

int yaml_next(struct yaml_reader *r, yaml_event_t *ret)
{
    const char *what;
    if (!yaml_parser_parse(&r->parser, ret))
        return wrong_yaml(r);
    r->at->line = ret->start_mark.line + 1;
    if ((what = unwanted(ret)))
        return config_wrong(r->at, "%s are not supported; write the value out", what);
    if (ret->type == YAML_MAPPING_START_EVENT || ret->type == YAML_SEQUENCE_START_EVENT)
        r->depth++;
    else if (ret->type == YAML_MAPPING_END_EVENT || ret->type == YAML_SEQUENCE_END_EVENT)
        r->depth--;
    return r->depth <= LIMIT_CONFIG_DEPTH ? 0 : config_wrong(r->at, "nested more than %d deep", LIMIT_CONFIG_DEPTH);
}

int yaml_next_root(struct yaml_reader *r, yaml_event_t *ret)
{
    for (;;) {
        int err = yaml_next(r, ret);
        if (err < 0)
            return err;
        if (ret->type == YAML_DOCUMENT_START_EVENT && r->documents++)
            return config_wrong(r->at, "a second document; put all settings in one");
        if (ret->type != YAML_STREAM_START_EVENT && ret->type != YAML_DOCUMENT_START_EVENT &&
            ret->type != YAML_DOCUMENT_END_EVENT)
            return 0;
        yaml_event_delete(ret);
    }
}

struct config_scalar yaml_scalar(const yaml_event_t *e)
{
    if (e->type != YAML_SCALAR_EVENT)
        return (struct config_scalar){.text = ""};
    return (struct config_scalar){(const char *)e->data.scalar.value, e->data.scalar.length,
                                  e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE};
}

bool yaml_is_null(const yaml_event_t *e)
{
    struct config_scalar value = yaml_scalar(e);
    return e->type == YAML_SCALAR_EVENT && config_is_null(&value);
}
