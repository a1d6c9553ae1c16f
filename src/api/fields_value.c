/* SPDX-License-Identifier: Apache-2.0 */
/* Values of fields: see fields.h. */
#include "api/fields.h"

#include <math.h>
#include <string.h>

#include "base/limits.h"

/* ---------------------------------------------------------------- what fits */

bool field_has_choice(const struct fovea_field *field, const char *value)
{
    for (const char *const *c = field->choices; *c; c++)
        if (!strcmp(*c, value))
            return true;
    return false;
}

int64_t field_string_max(const struct fovea_field *field)
{
    return field->max ? field->max : LIMIT_PATH_BYTES;
}

static void add_integer(struct buf *b, const struct fovea_field *field)
{
    if (field->max == INT64_MAX)
        (void)buf_add_format(b, "a whole number from %lld", (long long)field->min);
    else
        (void)buf_add_format(b, "a whole number from %lld to %lld", (long long)field->min, (long long)field->max);
}

void field_add_takes(struct buf *b, const struct fovea_field *field)
{
    static const char *const fixed[] = {
        [FOVEA_OBJECT] = "a JSON object",
        [FOVEA_BOX] = "four numbers: x, y, width, height",
        [FOVEA_TIME] = "seconds, such as 83.5, or a time such as \"1:23.5\"",
        [FOVEA_BOOLEAN] = "true or false",
        [FOVEA_URL] = "a string",
    };
    (void)buf_add_format(b, "\"%s\" takes ", field->name);
    if (field->type == FOVEA_STRING)
        (void)buf_add_format(b, "a string shorter than %lld bytes", (long long)field_string_max(field));
    else if (field->type == FOVEA_INTEGER)
        add_integer(b, field);
    else if (field->type == FOVEA_PAGES)
        (void)buf_add_str(b, "a page number from 1, or pages such as \"1-6\"");
    else if (field->type == FOVEA_CHOICE)
        for (const char *const *c = field->choices; *c; c++)
            (void)buf_add_format(b, "%s\"%s\"", c == field->choices ? "" : c[1] ? ", " : " or ", *c);
    else
        (void)buf_add_str(b, fixed[field->type]);
}

static bool integer_fits(const struct fovea_field *field, int64_t value)
{
    return value >= field->min && value <= field->max;
}

/* One that is empty is refused later, by who knows the real size. */
static bool box_fits(const struct fovea_box *b)
{
    return isfinite(b->x) && isfinite(b->y) && isfinite(b->w) && isfinite(b->h);
}

static bool pages_fit(const struct fovea_pages *p)
{
    int64_t last = p->last ? p->last : p->first;
    return p->first >= 1 && last >= p->first; /* how many there are, only the source can tell */
}

static bool seconds_fit(double v)
{
    return isfinite(v) && v >= 0 && v <= LIMIT_VIDEO_SECONDS;
}

static const char *string_at(const void *member)
{
    return *(char *const *)member;
}

bool field_fits(const struct fovea_field *field, const void *request)
{
    const void *member = (const char *)request + field->offset;
    const struct fovea_box *box = member;
    const struct fovea_pages *pages = member;
    const struct fovea_time *time = member;
    switch (field->type) {
    case FOVEA_STRING:
    case FOVEA_OBJECT: /* its text is read by the tool */
        return !string_at(member) || strlen(string_at(member)) < (size_t)field_string_max(field);
    case FOVEA_CHOICE:
        return !string_at(member) || field_has_choice(field, string_at(member));
    case FOVEA_INTEGER:
        return !*(const int64_t *)member || integer_fits(field, *(const int64_t *)member);
    case FOVEA_BOX:
        return !box->set || box_fits(box);
    case FOVEA_PAGES:
        return (!pages->first && !pages->last) || pages_fit(pages);
    case FOVEA_TIME:
        return !time->set || seconds_fit(time->seconds);
    case FOVEA_BOOLEAN:
    case FOVEA_URL:
        return true;
    }
    return false;
}

/* ---------------------------------------------------------------- where it goes */

static void put(const struct fovea_field *field, const void *value, size_t size, void *request)
{
    memcpy((char *)request + field->offset, value, size);
}

void field_set_string(const struct fovea_field *field, const char *value, void *request)
{
    put(field, &value, sizeof value, request);
}

bool field_set_integer(const struct fovea_field *field, int64_t value, void *request)
{
    if (!integer_fits(field, value))
        return false;
    put(field, &value, sizeof value, request);
    return true;
}

bool field_set_box(const struct fovea_field *field, const double v[4], void *request)
{
    struct fovea_box box = {v[0], v[1], v[2], v[3], true};
    if (!box_fits(&box))
        return false;
    put(field, &box, sizeof box, request);
    return true;
}

bool field_set_pages(const struct fovea_field *field, const struct fovea_pages *pages, void *request)
{
    if (!pages_fit(pages))
        return false;
    put(field, pages, sizeof *pages, request);
    return true;
}

bool field_set_seconds(const struct fovea_field *field, double seconds, void *request)
{
    struct fovea_time time = {seconds, true};
    if (!seconds_fit(seconds))
        return false;
    put(field, &time, sizeof time, request);
    return true;
}

void field_set_boolean(const struct fovea_field *field, bool value, void *request)
{
    put(field, &value, sizeof value, request);
}

/* ---------------------------------------------------------------- spellings */

/* Digits at *s, which moves behind them; false where there are none, or too many to matter. */
static bool take_number(const char **s, int64_t *ret)
{
    const char *from = *s;
    int64_t v = 0;
    for (; **s >= '0' && **s <= '9' && *s - from < 18; ++*s)
        v = v * 10 + (**s - '0');
    *ret = v;
    return *s > from && (**s < '0' || **s > '9');
}

bool pages_parse(const char *words, struct fovea_pages *ret)
{
    struct fovea_pages p = {0};
    if (!take_number(&words, &p.first))
        return false;
    if (*words == '-') {
        words++;
        if (!take_number(&words, &p.last) || !p.last)
            return false;
    }
    if (*words)
        return false;
    p.last = p.last == p.first ? 0 : p.last;
    *ret = p;
    return true;
}

static double take_fraction(const char **s)
{
    double v = 0, unit = 0.1;
    for (++*s; **s >= '0' && **s <= '9'; ++*s) {
        v += unit * (**s - '0');
        unit /= 10;
    }
    return v;
}

bool seconds_parse(const char *words, double *ret)
{
    int64_t part, whole = 0;
    for (int n = 0;; n++) {
        if (!take_number(&words, &part) || (n && part >= 60) || whole > LIMIT_VIDEO_SECONDS)
            return false;
        whole = whole * 60 + part;
        if (*words != ':' || n == 2)
            break;
        words++;
    }
    double rest = *words == '.' ? take_fraction(&words) : 0;
    if (*words)
        return false;
    *ret = (double)whole + rest;
    return true;
}
