/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments by field table, from words of a command line. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/fields.h"
#include "base/fault.h"
#include "base/json_text.h"
#include "base/limits.h"

/* Where the host's locale writes 1,5 for one and a half, the commas here still part numbers. */
static bool split_box(const char *value, double ret[4])
{
    for (int i = 0; i < 4; i++) {
        char *end;
        ret[i] = real_read(value, &end);
        if (end == value || *end != (i < 3 ? ',' : '\0'))
            return false;
        value = end + 1;
    }
    return true;
}

static bool word_box(const struct fovea_field *field, const char *value, void *request)
{
    double box[4];
    return split_box(value, box) && field_set_box(field, box, request);
}

static bool word_integer(const struct fovea_field *field, const char *value, void *request)
{
    char *end;
    errno = 0;
    long long whole = strtoll(value, &end, 10);
    return !errno && end != value && !*end && field_set_integer(field, whole, request);
}

static bool word_pages(const struct fovea_field *field, const char *value, void *request)
{
    struct fovea_pages pages;
    return pages_parse(value, &pages) && field_set_pages(field, &pages, request);
}

static bool word_time(const struct fovea_field *field, const char *value, void *request)
{
    double seconds;
    return seconds_parse(value, &seconds) && field_set_seconds(field, seconds, request);
}

static bool word_boolean(const struct fovea_field *field, const char *value, void *request)
{
    bool yes = !strcmp(value, "true");
    if (!yes && strcmp(value, "false") != 0)
        return false;
    field_set_boolean(field, yes, request);
    return true;
}

static bool word_string(const struct fovea_field *field, const char *value, void *request)
{
    if (field->type == FOVEA_CHOICE && !field_has_choice(field, value))
        return false;
    field_set_string(field, value, request);
    return true;
}

int fovea_field_parse(const struct fovea_field *field, const char *value, void *request, struct fovea_fault *fault)
{
    static bool (*const set[])(const struct fovea_field *field, const char *value, void *request) = {
        [FOVEA_STRING] = word_string, [FOVEA_INTEGER] = word_integer, [FOVEA_BOX] = word_box,
        [FOVEA_CHOICE] = word_string, [FOVEA_OBJECT] = word_string,   [FOVEA_PAGES] = word_pages,
        [FOVEA_TIME] = word_time,     [FOVEA_BOOLEAN] = word_boolean, [FOVEA_URL] = word_string,
    };
    if (set[field->type](field, value, request))
        return 0;
    auto_buf b = BUF_INIT(4 * KIB);
    field_add_takes(&b, field);
    return b.error ? fault_oom(fault) : fault_set(fault, EINVAL, "%s", b.data);
}
