/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments by field table, from JSON, and as a C caller filled them in. */
#include <math.h>

#include "api/fields.h"
#include "api/tools.h"
#include "base/fault.h"
#include "base/limits.h"
#include "base/text.h"
#include "percept/json.h"
#include "percept/result.h"

/* ---------------------------------------------------------------- from JSON */

/* Models write 2.0 where they mean 2. */
static bool json_whole(const json_t *value, int64_t *ret)
{
    if (json_is_integer(value)) {
        *ret = json_integer_value(value);
        return true;
    }
    double v = json_real_value(value);
    if (!json_is_real(value) || v != floor(v) || fabs(v) > 9e15)
        return false;
    *ret = (int64_t)v;
    return true;
}

static bool json_box(const json_t *value, double ret[4])
{
    if (!json_is_array(value) || json_array_size(value) != 4)
        return false;
    for (size_t i = 0; i < 4; i++) {
        const json_t *item = json_array_get(value, i);
        if (!json_is_number(item))
            return false;
        ret[i] = json_number_value(item);
    }
    return true;
}

/* A string without a NUL in it; NULL otherwise. */
static const char *json_words(const json_t *value)
{
    const char *words = json_string_value(value);
    return words && strlen(words) == json_string_length(value) ? words : NULL;
}

static bool set_words(const struct fovea_field *field, const json_t *value, void *request)
{
    const char *words = json_words(value);
    if (!words || (field->type == FOVEA_CHOICE && !field_has_choice(field, words)))
        return false;
    field_set_string(field, words, request);
    return true;
}

static bool set_pages(const struct fovea_field *field, const json_t *value, void *request)
{
    struct fovea_pages pages = {0};
    const char *words = json_words(value);
    return (words ? pages_parse(words, &pages) : json_whole(value, &pages.first)) && field_set_pages(field, &pages, request);
}

static bool set_time(const struct fovea_field *field, const json_t *value, void *request)
{
    double seconds = json_number_value(value);
    const char *words = json_words(value);
    return (words ? seconds_parse(words, &seconds) : json_is_number(value)) && field_set_seconds(field, seconds, request);
}

static bool set_from_json(const struct fovea_field *field, const json_t *value, void *request)
{
    int64_t whole;
    double box[4];
    switch (field->type) {
    case FOVEA_STRING:
    case FOVEA_CHOICE:
        return set_words(field, value, request);
    case FOVEA_INTEGER:
        return json_whole(value, &whole) && field_set_integer(field, whole, request);
    case FOVEA_BOX:
        return json_box(value, box) && field_set_box(field, box, request);
    case FOVEA_PAGES:
        return set_pages(field, value, request);
    case FOVEA_TIME:
        return set_time(field, value, request);
    case FOVEA_BOOLEAN:
        field_set_boolean(field, json_is_true(value), request);
        return json_is_boolean(value);
    case FOVEA_OBJECT:
        return json_is_object(value); /* becomes text when all the others are in order */
    case FOVEA_URL:
        return json_is_string(value); /* set likewise: it may hold what no string of C does */
    }
    return false;
}

static const struct fovea_field *field_named(const struct fovea_tool *tool, const char *name)
{
    for (size_t i = 0; i < tool->n_fields; i++)
        if (!strcmp(tool->fields[i].name, name))
            return &tool->fields[i];
    return NULL;
}

static fovea_result *refuse_unknown(const struct fovea_tool *tool, const char *name)
{
    auto_buf b = BUF_INIT(4 * KIB);
    (void)buf_add_str(&b, "unknown argument \"");
    (void)buf_add_shown(&b, name, 100);
    (void)buf_add_format(&b, "\"; %s takes", tool->name);
    for (size_t i = 0; i < tool->n_fields; i++)
        (void)buf_add_format(&b, "%s %s", i ? "," : "", tool->fields[i].name);
    return b.error ? NULL : result_refused(REASON_INVALID_INPUT, "%s", b.data);
}

static fovea_result *refuse_value(const struct fovea_field *field, const json_t *value)
{
    auto_buf b = BUF_INIT(4 * KIB);
    field_add_takes(&b, field);
    if (json_is_string(value) && strlen(json_string_value(value)) != json_string_length(value))
        (void)buf_add_str(&b, " without NUL bytes");
    return b.error ? NULL : result_refused(REASON_INVALID_INPUT, "%s", b.data);
}

static fovea_result *refuse_missing(const struct fovea_field *field)
{
    return result_refused(REASON_INVALID_INPUT, "\"%s\" is missing: %s", field->name, field->help);
}

/* The text takes the object's place, which keeps it. False when out of memory. */
static bool set_object(const struct fovea_field *field, json_t *arguments, void *request)
{
    const json_t *value = json_object_get(arguments, field->name);
    if (field->type != FOVEA_OBJECT || !json_is_object(value))
        return true;
    auto_free char *words = json_line_new(value);
    json_t *text = words ? json_string(words) : NULL;
    if (!text || json_object_set_new(arguments, field->name, text) < 0)
        return false;
    field_set_string(field, json_string_value(text), request);
    return true;
}

/* The gate has the word on every URL. It reads to the first NUL, so one inside becomes a control character that no URL may hold
 * either. False when out of memory. */
static bool set_url(const struct fovea_field *field, json_t *arguments, void *request)
{
    const json_t *value = json_object_get(arguments, field->name);
    if (field->type != FOVEA_URL || !json_is_string(value))
        return true;
    size_t len = json_string_length(value);
    auto_free char *words = malloc(len + 1);
    if (!words)
        return false;
    memcpy(words, json_string_value(value), len + 1);
    for (char *nul; (nul = memchr(words, 0, len));)
        *nul = 1;
    json_t *text = json_stringn(words, len);
    if (!text || json_object_set_new(arguments, field->name, text) < 0)
        return false;
    field_set_string(field, json_string_value(text), request);
    return true;
}

/* The first thing wrong with the arguments; *ret_wrong false when nothing is. An explicit null is no argument. */
static fovea_result *fill(const struct fovea_tool *tool, json_t *arguments, void *request, bool *ret_wrong)
{
    const char *name;
    json_t *value;
    *ret_wrong = true;
    json_object_foreach(arguments, name, value) {
        const struct fovea_field *field = field_named(tool, name);
        if (!field)
            return refuse_unknown(tool, name);
        if (!json_is_null(value) && !set_from_json(field, value, request))
            return refuse_value(field, value);
    }
    for (size_t i = 0; i < tool->n_fields; i++) {
        const json_t *given = json_object_get(arguments, tool->fields[i].name);
        if (tool->fields[i].required && (!given || json_is_null(given)))
            return refuse_missing(&tool->fields[i]);
        if (!set_object(&tool->fields[i], arguments, request) || !set_url(&tool->fields[i], arguments, request))
            return NULL;
    }
    *ret_wrong = false;
    return NULL;
}

int tool_arguments(const struct fovea_tool *tool, json_t *arguments, void *request, fovea_result **ret_refusal,
                   struct fovea_fault *fault)
{
    bool wrong = true;
    fovea_result *refusal = json_is_object(arguments)
                                ? fill(tool, arguments, request, &wrong)
                                : result_refused(REASON_INVALID_INPUT, "arguments must be a JSON object");
    if (wrong && !refusal)
        return fault_oom(fault);
    *ret_refusal = refusal;
    return 0;
}

/* ---------------------------------------------------------------- as a C caller filled it in */

static bool is_missing(const struct fovea_field *field, const void *request)
{
    const char *string = *(char *const *)(const void *)((const char *)request + field->offset);
    return field->required && field->type == FOVEA_STRING && (!string || !*string);
}

int tool_check(const char *tool, const void *request, fovea_result **ret_refusal, struct fovea_fault *fault)
{
    tool_run *run;
    const struct fovea_tool *t = tool_find(tool, &run);
    for (size_t i = 0; i < t->n_fields; i++) {
        bool missing = is_missing(&t->fields[i], request);
        if (!missing && field_fits(&t->fields[i], request))
            continue;
        fovea_result *refusal = missing ? refuse_missing(&t->fields[i]) : refuse_value(&t->fields[i], NULL);
        if (!refusal)
            return fault_oom(fault);
        *ret_refusal = refusal;
        return 1;
    }
    return 0;
}
