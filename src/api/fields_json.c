/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments by field table, to JSON: those of a request that is filled in, and the JSON Schema that says what is taken. */
#include <math.h>

#include "api/tools.h"
#include "base/cleanup.h"

/* ---------------------------------------------------------------- of a request */

static json_t *box_value(const struct fovea_box *box)
{
    const double from[] = {box->x, box->y, box->w, box->h};
    json_t *list = json_array();
    for (size_t i = 0; i < COUNT(from); i++) {
        bool whole = from[i] == floor(from[i]) && fabs(from[i]) < 9e15;
        (void)json_array_append_new(list, whole ? json_integer((json_int_t)from[i]) : json_real(from[i]));
    }
    return list;
}

/* NULL: it is not set. */
static json_t *member_value(const struct fovea_field *field, const void *request)
{
    const void *member = (const char *)request + field->offset;
    const struct fovea_box *box = member;
    if (field->type == FOVEA_BOX)
        return box->set ? box_value(box) : NULL;
    if (field->type == FOVEA_INTEGER)
        return *(const int64_t *)member ? json_integer(*(const int64_t *)member) : NULL;
    const char *string = *(char *const *)member;
    if (!string || field->type != FOVEA_OBJECT)
        return string ? json_string(string) : NULL;
    return json_loads(string, JSON_ALLOW_NUL, NULL);
}

json_t *tool_arguments_new(const char *tool, const void *request)
{
    tool_run *run;
    const struct fovea_tool *t = tool_find(tool, &run);
    json_t *o = json_object();
    for (size_t i = 0; i < t->n_fields; i++) {
        json_t *value = member_value(&t->fields[i], request);
        if (value)
            (void)json_object_set_new(o, t->fields[i].name, value);
    }
    return o;
}

/* ---------------------------------------------------------------- as a schema */

static json_t *field_schema(const struct fovea_field *field)
{
    static const char *const types[] = {
        [FOVEA_STRING] = "string", [FOVEA_INTEGER] = "integer", [FOVEA_BOX] = "array", [FOVEA_CHOICE] = "string",
        [FOVEA_OBJECT] = "object"};
    json_t *o = json_pack("{s:s, s:s}", "type", types[field->type], "description", field->help);
    if (field->type == FOVEA_INTEGER) {
        (void)json_object_set_new(o, "minimum", json_integer(field->min));
        if (field->max != INT64_MAX)
            (void)json_object_set_new(o, "maximum", json_integer(field->max));
    } else if (field->type == FOVEA_BOX) {
        (void)json_object_set_new(o, "items", json_pack("{s:s}", "type", "number"));
        (void)json_object_set_new(o, "minItems", json_integer(4));
        (void)json_object_set_new(o, "maxItems", json_integer(4));
    } else if (field->type == FOVEA_CHOICE) {
        json_t *values = json_array();
        for (const char *const *c = field->choices; *c; c++)
            (void)json_array_append_new(values, json_string(*c));
        (void)json_object_set_new(o, "enum", values);
    }
    return o;
}

char *fovea_tool_schema_new(const struct fovea_tool *tool)
{
    json_t *properties = json_object(), *required = json_array();
    for (size_t i = 0; i < tool->n_fields; i++) {
        (void)json_object_set_new(properties, tool->fields[i].name, field_schema(&tool->fields[i]));
        if (tool->fields[i].required)
            (void)json_array_append_new(required, json_string(tool->fields[i].name));
    }
    json_t *schema = json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties, "required", required,
                               "additionalProperties", 0);
    char *words = schema ? json_dumps(schema, JSON_COMPACT) : NULL;
    json_decref(schema);
    return words;
}
