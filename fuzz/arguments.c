/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tool arguments from any JSON. Another judge, written here by what the table and the headers say, has the same verdict: taken or
 * refused, with words. What is taken lies in its request as it was given, in its field's range, strings without a NUL and of UTF-8 only;
 * nothing else is set. The same request comes of its own arguments again, and of the words that a command line would give.
 * about: src/api/tools.c src/api/fields.c src/api/fields_json.c src/api/fields_value.c src/api/fields_word.c
 */
#include "fuzz.h"

#include <errno.h>
#include <math.h>

#include "api/tools.h"
#include "base/cleanup.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "base/text.h"
#include "percept/json.h"

/* What a value comes to: as much of it as its field has. */
struct wanted {
    bool takes;
    int64_t whole, last;
    double real[4];
    const char *words; /* borrowed */
    size_t len;
};

/* ---------------------------------------------------------------- the other judge */

static bool whole_of(const json_t *v, int64_t *ret)
{
    double real = json_real_value(v);
    if (json_is_integer(v))
        *ret = json_integer_value(v);
    else if (json_is_real(v) && fabs(real) <= 9e15 && rint(real) == real)
        *ret = llrint(real);
    else
        return false;
    return true;
}

/* 1 to 18 digits. */
static size_t digits_of(const char *s, int64_t *ret)
{
    size_t n = strspn(s, "0123456789");
    *ret = n && n <= 18 ? strtoll(s, NULL, 10) : -1;
    return *ret < 0 ? 0 : n;
}

static bool pages_of(const char *s, struct wanted *w)
{
    size_t n = digits_of(s, &w->whole);
    if (!n)
        return false;
    if (!s[n])
        return true;
    size_t m = s[n] == '-' ? digits_of(s + n + 1, &w->last) : 0;
    return m && !s[n + 1 + m] && w->last > 0;
}

/* Up to three numbers with colons between them, those behind a colon below 60; then perhaps a point and digits. */
static bool time_of(const char *s, double *ret)
{
    double sum = 0;
    for (int part = 0; part < 3; part++) {
        int64_t v;
        size_t n = digits_of(s, &v);
        if (!n || (part && v > 59))
            return false;
        sum = sum * 60 + (double)v;
        s += n;
        if (*s != ':' || part == 2)
            break;
        s++;
    }
    if (*s == '.') {
        char *end;
        size_t n = strspn(s + 1, "0123456789");
        sum += n ? strtod(s, &end) : 0;
        s += 1 + n;
    }
    *ret = sum;
    return !*s;
}

static bool box_of(const json_t *v, double ret[4])
{
    bool takes = json_is_array(v) && json_array_size(v) == 4;
    for (size_t i = 0; takes && i < 4; i++) {
        const json_t *n = json_array_get(v, i);
        takes = json_is_number(n);
        ret[i] = json_number_value(n);
    }
    return takes;
}

static bool is_choice(const struct fovea_field *f, const char *s)
{
    size_t i = 0;
    while (f->choices[i] && strcmp(f->choices[i], s) != 0)
        i++;
    return f->choices[i] != NULL;
}

static bool pages_in_order(struct wanted *w)
{
    if (w->whole < 1 || (w->last && w->last < w->whole))
        return false;
    w->last = w->last == w->whole ? 0 : w->last;
    return true;
}

/* Not of null, which is as if it were not there. */
static struct wanted judge(const struct fovea_field *f, const json_t *v)
{
    struct wanted w = {.words = json_string_value(v), .len = json_string_length(v)};
    bool plain = w.words && !memchr(w.words, 0, w.len);
    switch (f->type) {
    case FOVEA_STRING:
        w.takes = plain;
        break;
    case FOVEA_CHOICE:
        w.takes = plain && is_choice(f, w.words);
        break;
    case FOVEA_URL:
        w.takes = w.words;
        break;
    case FOVEA_INTEGER:
        w.takes = whole_of(v, &w.whole) && w.whole >= f->min && w.whole <= f->max;
        break;
    case FOVEA_BOX:
        w.takes = box_of(v, w.real);
        break;
    case FOVEA_PAGES:
        w.takes = (plain ? pages_of(w.words, &w) : whole_of(v, &w.whole)) && pages_in_order(&w);
        break;
    case FOVEA_TIME:
        w.real[0] = json_number_value(v);
        w.takes = (plain ? time_of(w.words, w.real) : json_is_number(v)) && w.real[0] >= 0 && w.real[0] <= LIMIT_VIDEO_SECONDS;
        break;
    case FOVEA_BOOLEAN:
        w.whole = json_is_true(v);
        w.takes = json_is_boolean(v);
        break;
    case FOVEA_OBJECT:
        w.takes = json_is_object(v);
        break;
    }
    return w;
}

static const json_t *given(const json_t *arguments, const struct fovea_field *f)
{
    const json_t *v = json_object_get(arguments, f->name);
    return v && !json_is_null(v) ? v : NULL;
}

static bool judge_all(const struct fovea_tool *t, json_t *arguments)
{
    size_t known = 0;
    if (!json_is_object(arguments))
        return false;
    for (size_t i = 0; i < t->n_fields; i++) {
        const struct fovea_field *f = &t->fields[i];
        const json_t *v = given(arguments, f);
        known += json_object_get(arguments, f->name) != NULL;
        if (v ? !judge(f, v).takes : f->required)
            return false;
    }
    return known == json_object_size(arguments);
}

/* ---------------------------------------------------------------- what was taken */

static void claim_words(const struct fovea_field *f, const char *got, const json_t *v, const struct wanted *w)
{
    CLAIM(got && utf8_valid(got, strlen(got)));
    if (f->type == FOVEA_OBJECT) {
        auto_json *again = json_read(got, strlen(got), JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL);
        CLAIM(again && json_equal((json_t *)(uintptr_t)again, (json_t *)(uintptr_t)v));
        return;
    }
    CLAIM(strlen(got) == w->len);
    for (size_t i = 0; i < w->len; i++) /* the gate refuses what stands for a NUL */
        CLAIM(got[i] == w->words[i] || (f->type == FOVEA_URL && !w->words[i] && got[i] == 1));
}

static void claim_member(const struct fovea_field *f, const void *request, const json_t *v)
{
    static const char none[sizeof(struct fovea_box)];
    static const size_t sizes[] = {
        [FOVEA_STRING] = sizeof(char *), [FOVEA_INTEGER] = sizeof(int64_t), [FOVEA_BOX] = sizeof(struct fovea_box),
        [FOVEA_CHOICE] = sizeof(char *), [FOVEA_OBJECT] = sizeof(char *),   [FOVEA_PAGES] = sizeof(struct fovea_pages),
        [FOVEA_TIME] = sizeof(struct fovea_time), [FOVEA_BOOLEAN] = sizeof(bool), [FOVEA_URL] = sizeof(char *),
    };
    const void *member = (const char *)request + f->offset;
    const struct fovea_box *box = member;
    const struct fovea_pages *pages = member;
    const struct fovea_time *time = member;
    struct wanted w;
    if (!v) {
        CLAIM(!memcmp(member, none, sizes[f->type]));
        return;
    }
    w = judge(f, v);
    switch (f->type) {
    case FOVEA_INTEGER:
        CLAIM(*(const int64_t *)member == w.whole && w.whole >= f->min && w.whole <= f->max);
        return;
    case FOVEA_BOX:
        CLAIM(box->set && box->x == w.real[0] && box->y == w.real[1] && box->w == w.real[2] && box->h == w.real[3]);
        CLAIM(isfinite(box->x) && isfinite(box->y) && isfinite(box->w) && isfinite(box->h));
        return;
    case FOVEA_PAGES:
        CLAIM(pages->first == w.whole && pages->last == w.last && pages->first >= 1);
        return;
    case FOVEA_TIME:
        CLAIM(time->set && fabs(time->seconds - w.real[0]) <= 1e-9 * (1 + w.real[0]) && time->seconds >= 0);
        return;
    case FOVEA_BOOLEAN:
        CLAIM(*(const bool *)member == (w.whole != 0));
        return;
    case FOVEA_STRING:
    case FOVEA_URL:
    case FOVEA_CHOICE:
    case FOVEA_OBJECT:
        claim_words(f, *(char *const *)member, v, &w);
    }
}

/* What a tool asks of a request before it runs: no string is too long, none that it needs is empty. */
static bool judge_request(const struct fovea_tool *t, const void *request)
{
    for (size_t i = 0; i < t->n_fields; i++) {
        const struct fovea_field *f = &t->fields[i];
        const void *member = (const char *)request + f->offset;
        const char *s = f->type == FOVEA_STRING || f->type == FOVEA_OBJECT ? *(char *const *)member : NULL;
        if (s && (strlen(s) >= (size_t)(f->max ? f->max : LIMIT_PATH_BYTES) || (f->required && !*s)))
            return false;
    }
    return true;
}

static void claim_refusal(const fovea_result *refusal)
{
    const char *words = fovea_result_text(refusal), *reason = fovea_result_reason(refusal);
    CLAIM(*words && utf8_valid(words, strlen(words)) && reason && !strcmp(reason, "invalid_input"));
}

static void claim_checked(const struct fovea_tool *t, const void *request)
{
    fovea_result *refusal = NULL;
    struct fovea_fault fault;
    int r = tool_check(t->name, request, &refusal, &fault);
    CLAIM(r == !judge_request(t, request));
    if (r)
        claim_refusal(refusal);
    fovea_result_free(refusal);
}

/* Of the arguments that would set it. Zero is not said, nor what is false. */
static void claim_again(const struct fovea_tool *t, const void *request)
{
    auto_free void *second = calloc(1, t->request_size);
    auto_json *arguments = tool_arguments_new(t->name, request);
    fovea_result *refusal = NULL;
    struct fovea_fault fault;
    CLAIM(second && arguments);
    auto_json *kept = json_deep_copy_whole(arguments);
    CLAIM(kept && tool_arguments(t, arguments, second, &refusal, &fault) == 0 && !refusal);
    auto_json *third = tool_arguments_new(t->name, second);
    CLAIM(third && json_equal(kept, third));
}

/* A command line has only words; what it takes of them, JSON takes, and the same comes of it. */
static void claim_command_line(const struct fovea_field *f, const json_t *v, void *room)
{
    const char *s = json_string_value(v);
    bool same = f->type == FOVEA_STRING || f->type == FOVEA_CHOICE || f->type == FOVEA_PAGES || f->type == FOVEA_TIME;
    struct fovea_fault fault = {0};
    if (!s || memchr(s, 0, json_string_length(v)))
        return;
    int r = fovea_field_parse(f, s, room, &fault);
    CLAIM(r == 0 || (r == -EINVAL && fault.text[0]));
    if (!same)
        return;
    CLAIM((r == 0) == judge(f, v).takes);
    if (r == 0)
        claim_member(f, room, v);
}

static void try_tool(const struct fovea_tool *t, const json_t *arguments)
{
    auto_free void *request = calloc(1, t->request_size), *room = calloc(1, t->request_size);
    auto_json *mine = json_deep_copy_whole(arguments);
    fovea_result *refusal = NULL;
    struct fovea_fault fault;
    CLAIM(request && room && mine && tool_arguments(t, mine, request, &refusal, &fault) == 0);
    CLAIM(!refusal == judge_all(t, (json_t *)(uintptr_t)arguments));
    for (size_t i = 0; i < t->n_fields; i++) {
        const json_t *v = given(arguments, &t->fields[i]);
        if (!refusal)
            claim_member(&t->fields[i], request, v);
        if (v)
            claim_command_line(&t->fields[i], v, room);
    }
    if (refusal) {
        claim_refusal(refusal);
    } else {
        claim_checked(t, request);
        claim_again(t, request);
    }
    fovea_result_free(refusal);
}

/* Its schema names the fields and no others. */
static void claim_schema(const struct fovea_tool *t)
{
    auto_free char *words = fovea_tool_schema_new(t);
    CLAIM(words);
    auto_json *schema = json_read(words, strlen(words), JSON_REJECT_DUPLICATES, NULL);
    const json_t *properties = json_object_get(schema, "properties");
    CLAIM(json_is_false(json_object_get(schema, "additionalProperties")) && json_object_size(properties) == t->n_fields);
    for (size_t i = 0; i < t->n_fields; i++)
        CLAIM(json_object_get(properties, t->fields[i].name));
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    size_t n;
    const struct fovea_tool *tools = fovea_tools(&n);
    (void)argc;
    (void)argv;
    for (size_t i = 0; i < n; i++)
        claim_schema(&tools[i]);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    size_t n;
    const struct fovea_tool *tools = fovea_tools(&n);
    auto_json *arguments = json_read((const char *)data, len, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
    for (size_t i = 0; arguments && i < n; i++)
        try_tool(&tools[i], arguments);
    return 0;
}
