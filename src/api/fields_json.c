/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments by field table, to JSON: those of a request that is filled in, and the JSON Schema that says what is taken. */
#include <errno.h>
#include <math.h>

#include "api/tools.h"
#include "base/cleanup.h"
#include "base/json_read.h"

/* ---------------------------------------------------------------- of a request */

/* A whole number as such: 1 and 1.0 are not equal in JSON. */
static json_t *number_value(double v)
{
    bool whole = v == floor(v) && fabs(v) < 9e15;
    return whole ? json_integer((json_int_t)v) : json_real(v);
}

static json_t *box_value(const struct fovea_box *box)
{
    const double from[] = {box->x, box->y, box->w, box->h};
    json_t *list = json_array();
    int bad = 0;
    for (size_t i = 0; i < COUNT(from); i++)
        bad |= json_array_append_new(list, number_value(from[i]));
    return json_if_whole(list, bad);
}

static json_t *pages_value(const struct fovea_pages *p)
{
    if (!p->first)
        return NULL;
    return p->last > p->first ? json_sprintf("%lld-%lld", (long long)p->first, (long long)p->last) : json_integer(p->first);
}

static json_t *words_value(const struct fovea_field *field, const char *words)
{
    if (!words || field->type != FOVEA_OBJECT)
        return words ? json_string(words) : NULL;
    return json_read(words, strlen(words), JSON_ALLOW_NUL, NULL);
}

/* NULL: it is not set, or memory is out, which errno says. */
static json_t *member_value(const struct fovea_field *field, const void *request)
{
    const void *member = (const char *)request + field->offset;
    const struct fovea_box *box = member;
    const struct fovea_time *time = member;
    switch (field->type) {
    case FOVEA_BOX:
        return box->set ? box_value(box) : NULL;
    case FOVEA_INTEGER:
        return *(const int64_t *)member ? json_integer(*(const int64_t *)member) : NULL;
    case FOVEA_PAGES:
        return pages_value(member);
    case FOVEA_TIME:
        return time->set ? number_value(time->seconds) : NULL;
    case FOVEA_BOOLEAN:
        return *(const bool *)member ? json_true() : NULL;
    case FOVEA_STRING:
    case FOVEA_URL:
    case FOVEA_CHOICE:
    case FOVEA_OBJECT:
        break;
    }
    return words_value(field, *(char *const *)member);
}

json_t *tool_arguments_new(const char *tool, const void *request)
{
    tool_run *run;
    const struct fovea_tool *t = tool_find(tool, &run);
    json_t *o = json_object();
    int bad = 0;
    for (size_t i = 0; i < t->n_fields; i++) {
        errno = 0;
        json_t *value = member_value(&t->fields[i], request);
        if (value)
            bad |= json_object_set_new(o, t->fields[i].name, value);
        else
            bad |= errno == ENOMEM;
    }
    return json_if_whole(o, bad);
}

/* ---------------------------------------------------------------- as a schema */

/* These return 0, or what failed for want of memory. */
static int add_range(json_t *o, const struct fovea_field *field)
{
    int bad = json_object_set_new(o, "minimum", json_integer(field->min));
    return field->max == INT64_MAX ? bad : bad | json_object_set_new(o, "maximum", json_integer(field->max));
}

static int add_items(json_t *o)
{
    int bad = json_object_set_new(o, "items", json_pack("{s:s}", "type", "number"));
    bad |= json_object_set_new(o, "minItems", json_integer(4));
    return bad | json_object_set_new(o, "maxItems", json_integer(4));
}

static int add_choices(json_t *o, const struct fovea_field *field)
{
    json_t *values = json_array();
    int bad = 0;
    for (const char *const *c = field->choices; *c; c++)
        bad |= json_array_append_new(values, json_string(*c));
    return json_object_set_new(o, "enum", values) | bad;
}

/* Two types side by side, in the one form that every client and provider takes: a list of types is not. */
static json_t *either_schema(const struct fovea_field *field)
{
    bool pages = field->type == FOVEA_PAGES;
    return json_pack("{s:[{s:s, s:i}, {s:s}], s:s}", "anyOf", "type", pages ? "integer" : "number", "minimum", pages ? 1 : 0,
                     "type", "string", "description", field->help);
}

static json_t *field_schema(const struct fovea_field *field)
{
    static const char *const types[] = {
        [FOVEA_STRING] = "string", [FOVEA_INTEGER] = "integer", [FOVEA_BOX] = "array", [FOVEA_CHOICE] = "string",
        [FOVEA_OBJECT] = "object", [FOVEA_BOOLEAN] = "boolean", [FOVEA_URL] = "string"};
    if (field->type == FOVEA_PAGES || field->type == FOVEA_TIME)
        return either_schema(field);
    json_t *o = json_pack("{s:s, s:s}", "type", types[field->type], "description", field->help);
    int bad = 0;
    if (field->type == FOVEA_INTEGER)
        bad = add_range(o, field);
    else if (field->type == FOVEA_BOX)
        bad = add_items(o);
    else if (field->type == FOVEA_CHOICE)
        bad = add_choices(o, field);
    return json_if_whole(o, bad);
}

char *fovea_tool_schema_new(const struct fovea_tool *tool)
{
    json_t *properties = json_object(), *required = json_array();
    int bad = 0;
    for (size_t i = 0; i < tool->n_fields; i++) {
        bad |= json_object_set_new(properties, tool->fields[i].name, field_schema(&tool->fields[i]));
        if (tool->fields[i].required)
            bad |= json_array_append_new(required, json_string(tool->fields[i].name));
    }
    json_t *schema = json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties, "required", required,
                               "additionalProperties", 0);
    char *words = schema && !bad ? json_text_new(schema, JSON_COMPACT) : NULL;
    json_decref(schema);
    return words;
}
