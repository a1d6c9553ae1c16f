/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text that a host gives, on its way to a tree. It is measured before it is parsed. What other programs write and a strict parser
 * refuses is mended first, in as many letters, so that places stay what they were: half of a surrogate pair, which slicing strings
 * in JavaScript leaves, becomes U+FFFD, and a whole number of more than 64 bits the nearest real. Of a member that is there twice
 * the last one holds.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "api/arrival.h"
#include "base/fault.h"
#include "base/json_read.h"
#include "base/json_scan.h"
#include "base/json_size.h"
#include "base/limits.h"

/* An entry is read in place later on, and wraps what it came with in a few levels of its own. */
enum { MOST_DEPTH = LIMIT_JSON_SCAN_DEPTH - 32 };

/* A double has 17 digits; with "e2" they are as long as the shortest number that needs mending. */
enum { LEAST_DIGITS = 19, MOST_DIGITS = 308, MANTISSA = 17 };

void arrival_text_done(struct arrival_text *t)
{
    free(t->copy);
}

static int measure(const char *text, size_t len, struct fovea_fault *fault)
{
    struct json_size size = json_measure(text, len, LIMIT_TRANSCRIPT_VALUES, MOST_DEPTH);
    if (size.depth > MOST_DEPTH)
        return fault_set(fault, EINVAL, "the JSON is nested deeper than %d", MOST_DEPTH);
    if (size.values > LIMIT_TRANSCRIPT_VALUES)
        return fault_set(fault, EFBIG, "the JSON has more than the %d values that are taken at once", LIMIT_TRANSCRIPT_VALUES);
    return 0;
}

/* ---------------------------------------------------------------- mending */

/* Other letters at a place; the text is copied before the first. */
static int patch(struct arrival_text *t, size_t at, const char *letters, size_t n)
{
    if (!t->copy) {
        if (!(t->copy = malloc(t->len + 1)))
            return -ENOMEM;
        memcpy(t->copy, t->at, t->len);
        t->copy[t->len] = '\0';
        t->at = t->copy;
    }
    memcpy(t->copy + at, letters, n);
    return 0;
}

/* The code of "\uXXXX" at a place, or -1. */
static int unit_at(const char *text, size_t at, size_t end)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    int code = 0;
    if (end - at < 6 || text[at] != '\\' || text[at + 1] != 'u')
        return -1;
    for (size_t i = at + 2; i < at + 6; i++) {
        const char *digit = text[i] ? strchr(digits, text[i]) : NULL;
        if (!digit)
            return -1;
        int value = (int)(digit - digits);
        code = code << 4 | (value < 16 ? value : value - 6);
    }
    return code;
}

static int mend_string(struct arrival_text *t, size_t at, size_t end)
{
    int r = 0;
    while (r == 0 && at < end) {
        const char *slash = memchr(t->at + at, '\\', end - at);
        if (!slash)
            break;
        at = (size_t)(slash - t->at);
        int code = unit_at(t->at, at, end);
        bool half = code >= 0xd800 && code <= 0xdfff;
        int other = half && code < 0xdc00 ? unit_at(t->at, at + 6, end) : -1;
        bool pair = other >= 0xdc00 && other <= 0xdfff;
        if (half && !pair)
            r = patch(t, at, "\\ufffd", 6);
        at += pair ? 12 : code >= 0 ? 6 : 2;
    }
    return r;
}

/* In place of the digits: those of the nearest double, an exponent, and blanks. */
static int patch_number(struct arrival_text *t, size_t at, size_t len, double v)
{
    char text[48], to[MOST_DIGITS + 1];
    (void)snprintf(text, sizeof text, "%.*e", MANTISSA - 1, v); /* d.ddddddddddddddde+XX, with the point of the locale */
    const char *e = strchr(text, 'e');
    int exponent = (int)strtol(e + 1, NULL, 10) - (MANTISSA - 1);
    (void)snprintf(to, sizeof to, "%c%.*se%d", text[0], MANTISSA - 1, e - (MANTISSA - 1), exponent);
    size_t n = strlen(to);
    if (n > len)
        return 0;
    memset(to + n, ' ', len - n);
    return patch(t, at, to, len);
}

/* From a digit to behind the number. */
static int mend_number(struct arrival_text *t, size_t *at)
{
    size_t from = *at, end = from;
    char digits[MOST_DIGITS + 2];
    while (end < t->len && t->at[end] >= '0' && t->at[end] <= '9')
        end++;
    bool whole = end == t->len || !strchr(".eE+-", t->at[end]) || !t->at[end];
    size_t n = end - from;
    *at = end;
    if (n < LEAST_DIGITS || n > MOST_DIGITS || !whole || t->at[from] == '0')
        return 0;
    digits[0] = from && t->at[from - 1] == '-' ? '-' : '+';
    memcpy(digits + 1, t->at + from, n);
    digits[n + 1] = '\0';
    errno = 0;
    (void)strtoll(digits, NULL, 10);
    double v = errno == ERANGE ? strtod(digits + 1, NULL) : HUGE_VAL;
    return isfinite(v) ? patch_number(t, from, n, v) : 0;
}

static int mend(struct arrival_text *t)
{
    int r = 0;
    for (size_t at = 0; r == 0 && at < t->len;) {
        char c = t->at[at];
        if (c == '"') {
            size_t end = json_string_end(t->at, t->len, at + 1);
            r = mend_string(t, at + 1, end);
            at = end;
        } else if (c >= '0' && c <= '9') {
            r = mend_number(t, &at);
        } else {
            at++;
        }
    }
    return r;
}

int arrival_text(const char *text, size_t len, struct arrival_text *ret, struct fovea_fault *fault)
{
    static const char mark[] = "\xef\xbb\xbf";
    if (len > LIMIT_TRANSCRIPT_BYTES)
        return fault_set(fault, EFBIG, "%zu bytes are more than the %zu MiB that are taken at once", len,
                         LIMIT_TRANSCRIPT_BYTES / MIB);
    size_t skip = len >= 3 && !memcmp(text, mark, 3) ? 3 : 0;
    *ret = (struct arrival_text){.at = text + skip, .len = len - skip};
    int r = measure(ret->at, ret->len, fault);
    return r < 0 ? r : mend(ret) < 0 ? fault_oom(fault) : 0;
}

/* ---------------------------------------------------------------- parsing */

size_t arrival_line(const char *whole, const char *at)
{
    size_t line = 1;
    for (const char *p = whole; p < at && (p = memchr(p, '\n', (size_t)(at - p))); p++)
        line++;
    return line;
}

/* How much of the text is for the parser: an array or object by its brackets, since it takes room for all that it is given and looks
 * through it, which is too much where each line is a value. Where there is none it finds out what is wrong. */
static size_t value_len(const char *text, size_t len)
{
    struct span value;
    bool nest = span_value(text, len, &value) && (*value.at == '{' || *value.at == '[');
    return nest ? (size_t)(value.at - text) + value.len : len;
}

int arrival_value(const char *text, size_t len, const char *whole, json_t **ret, size_t *ret_end, struct fovea_fault *fault)
{
    json_error_t where;
    json_t *value = json_read(text, value_len(text, len), JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, &where);
    if (!value && json_error_code(&where) == json_error_out_of_memory)
        return fault_oom(fault);
    if (!value)
        return fault_set(fault, EINVAL, "line %zu: no JSON: %s", arrival_line(whole, text) + (size_t)MAX(where.line, 1) - 1,
                         where.text);
    *ret = value;
    *ret_end = (size_t)where.position;
    return 0;
}
