/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments by field table: from JSON, and from words of a command line. */
#include <errno.h>
#include <locale.h>
#include <math.h>

#include "api/tools.h"
#include "base/buf.h"
#include "base/fault.h"
#include "base/limits.h"
#include "base/text.h"
#include "percept/json.h"
#include "percept/result.h"

static bool known_choice(const struct fovea_field *field, const char *value)
{
    for (const char *const *c = field->choices; *c; c++)
        if (!strcmp(*c, value))
            return true;
    return false;
}

static int64_t string_max(const struct fovea_field *field)
{
    return field->max ? field->max : LIMIT_PATH_BYTES;
}

/* What a field takes, in words: for refusals, help and faults. */
static void add_takes(struct buf *b, const struct fovea_field *field)
{
    (void)buf_add_format(b, "\"%s\" takes ", field->name);
    if (field->type == FOVEA_STRING)
        (void)buf_add_format(b, "a string shorter than %lld bytes", (long long)string_max(field));
    else if (field->type == FOVEA_OBJECT)
        (void)buf_add_str(b, "a JSON object");
    else if (field->type == FOVEA_BOX)
        (void)buf_add_str(b, "four numbers: x, y, width, height, the last two above 0");
    else if (field->type == FOVEA_INTEGER && field->max == INT64_MAX)
        (void)buf_add_format(b, "a whole number from %lld", (long long)field->min);
    else if (field->type == FOVEA_INTEGER)
        (void)buf_add_format(b, "a whole number from %lld to %lld", (long long)field->min, (long long)field->max);
    else
        for (const char *const *c = field->choices; *c; c++)
            (void)buf_add_format(b, "%s\"%s\"", c == field->choices ? "" : c[1] ? ", " : " or ", *c);
}

static bool integer_fits(const struct fovea_field *field, int64_t value)
{
    return value >= field->min && value <= field->max;
}

static bool box_fits(const struct fovea_box *b)
{
    return isfinite(b->x) && isfinite(b->y) && isfinite(b->w) && isfinite(b->h) && b->w > 0 && b->h > 0;
}

static void set_string(const struct fovea_field *field, const char *value, void *request)
{
    memcpy((char *)request + field->offset, &value, sizeof value);
}

static bool set_integer(const struct fovea_field *field, int64_t value, void *request)
{
    if (!integer_fits(field, value))
        return false;
    memcpy((char *)request + field->offset, &value, sizeof value);
    return true;
}

static bool set_box(const struct fovea_field *field, const double v[4], void *request)
{
    struct fovea_box box = {v[0], v[1], v[2], v[3], true};
    if (!box_fits(&box))
        return false;
    memcpy((char *)request + field->offset, &box, sizeof box);
    return true;
}

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

static bool set_from_json(const struct fovea_field *field, const json_t *value, void *request)
{
    int64_t whole;
    double box[4];
    switch (field->type) {
    case FOVEA_STRING:
    case FOVEA_CHOICE:
        if (!json_is_string(value) || strlen(json_string_value(value)) != json_string_length(value) ||
            (field->type == FOVEA_CHOICE && !known_choice(field, json_string_value(value))))
            return false;
        set_string(field, json_string_value(value), request);
        return true;
    case FOVEA_INTEGER:
        return json_whole(value, &whole) && set_integer(field, whole, request);
    case FOVEA_BOX:
        return json_box(value, box) && set_box(field, box, request);
    case FOVEA_OBJECT:
        return json_is_object(value); /* becomes text when all the others are in order */
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
    add_takes(&b, field);
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
    set_string(field, json_string_value(text), request);
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
        if (!set_object(&tool->fields[i], arguments, request))
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

/* Zero is the default and always fits. */
static bool member_fits(const struct fovea_field *field, const void *request)
{
    const void *member = (const char *)request + field->offset;
    bool words = field->type == FOVEA_STRING || field->type == FOVEA_CHOICE || field->type == FOVEA_OBJECT;
    const char *string = words ? *(char *const *)member : NULL;
    const struct fovea_box *box = member;
    switch (field->type) {
    case FOVEA_STRING:
    case FOVEA_OBJECT: /* its text is read by the tool */
        return !string || strlen(string) < (size_t)string_max(field);
    case FOVEA_CHOICE:
        return !string || known_choice(field, string);
    case FOVEA_INTEGER:
        return !*(const int64_t *)member || integer_fits(field, *(const int64_t *)member);
    case FOVEA_BOX:
        return !box->set || box_fits(box);
    }
    return false;
}

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
        if (!missing && member_fits(&t->fields[i], request))
            continue;
        fovea_result *refusal = missing ? refuse_missing(&t->fields[i]) : refuse_value(&t->fields[i], NULL);
        if (!refusal)
            return fault_oom(fault);
        *ret_refusal = refusal;
        return 1;
    }
    return 0;
}

/* ---------------------------------------------------------------- from words */

static bool split_box(const char *value, locale_t plain, double ret[4])
{
    for (int i = 0; i < 4; i++) {
        char *end;
        ret[i] = strtod_l(value, &end, plain);
        if (end == value || *end != (i < 3 ? ',' : '\0'))
            return false;
        value = end + 1;
    }
    return true;
}

/* Where the host's locale writes 1,5 for one and a half, the commas here still part numbers. */
static bool word_box(const char *value, double ret[4])
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    bool good = plain && split_box(value, plain, ret);
    if (plain)
        freelocale(plain);
    return good;
}

static bool set_from_word(const struct fovea_field *field, const char *value, void *request)
{
    char *end;
    double box[4];
    if (field->type == FOVEA_BOX)
        return word_box(value, box) && set_box(field, box, request);
    if (field->type == FOVEA_INTEGER) {
        errno = 0;
        long long whole = strtoll(value, &end, 10);
        return !errno && end != value && !*end && set_integer(field, whole, request);
    }
    if (field->type == FOVEA_CHOICE && !known_choice(field, value))
        return false;
    set_string(field, value, request);
    return true;
}

int fovea_field_parse(const struct fovea_field *field, const char *value, void *request, struct fovea_fault *fault)
{
    if (set_from_word(field, value, request))
        return 0;
    auto_buf b = BUF_INIT(4 * KIB);
    add_takes(&b, field);
    return b.error ? fault_oom(fault) : fault_set(fault, EINVAL, "%s", b.data);
}
