/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors of every vendor, read into one form, with the verdict of whether another try may help: what their own SDKs
 * retry (408, 409, 429, 5xx), less what is final although its status says otherwise (a spent budget), unless the server
 * says itself (x-should-retry). A body that is no JSON (an edge's HTML) is named by its status.
 */
#include <locale.h>
#include <math.h>
#include <strings.h>
#include <time.h>

#include "base/json_text.h"
#include "provider/wire_priv.h"

void wire_error_words(struct wire_error *e, const char *words)
{
    if (!words || !*words)
        return;
    char *message = wire_masked(e->secret, words);
    if (!message)
        return;
    free(e->message);
    e->message = message;
}

void wire_error_word(const struct wire_error *e, char to[WIRE_WORD], const char *word)
{
    if (!word || !*word || wire_shows(e->secret, word))
        return;
    size_t n = 0;
    for (; n < WIRE_WORD - 1 && word[n]; n++)
        to[n] = word[n] > ' ' && word[n] < 0x7f ? word[n] : '_';
    to[n] = '\0';
}

/* A code is a word with some hosts and a number with others. */
static void read_code(struct wire_error *e, const json_t *code)
{
    char digits[24];
    if (json_is_integer(code)) {
        (void)snprintf(digits, sizeof digits, "%lld", (long long)json_integer_value(code));
        wire_error_word(e, e->code, digits);
    }
    wire_error_word(e, e->code, json_string_value(code));
}

const json_t *wire_error_common(struct wire_error *e, const json_t *root)
{
    const json_t *error = wire_at(root, "error");
    wire_error_words(e, json_string_value(error));
    if (!error && wire_text_at(root, "message"))
        error = root;
    if (!json_is_object(error))
        return NULL;
    wire_error_words(e, wire_text_at(error, "message"));
    wire_error_word(e, e->kind, wire_text_at(error, "type"));
    read_code(e, wire_at(error, "code"));
    return error;
}

const char *wire_header(const char *headers, const char *name, size_t *ret_len)
{
    size_t n = strlen(name);
    *ret_len = 0;
    for (const char *line = headers; line && *line;) {
        size_t len = strcspn(line, "\r\n");
        if (len > n && !strncasecmp(line, name, n) && line[n] == ':') {
            const char *value = line + n + 1, *end = line + len;
            while (value < end && (*value == ' ' || *value == '\t'))
                value++;
            while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
                end--;
            *ret_len = (size_t)(end - value);
            return value;
        }
        line += len;
        line += strspn(line, "\r\n");
    }
    return "";
}

/* A number of the given milliseconds each; -1 for anything else. */
static int64_t read_wait(const char *s, size_t len, double each)
{
    char digits[32];
    if (!len || len >= sizeof digits)
        return -1;
    memcpy(digits, s, len);
    digits[len] = '\0';
    if (digits[strspn(digits, "0123456789.")])
        return -1;
    double ms = real_read(digits, NULL) * each;
    return ms < 1e12 ? (int64_t)ceil(ms) : (int64_t)1e12;
}

/* "Wed, 21 Oct 2026 07:28:00 GMT": the names of days and months are English, whatever the host's locale calls them. */
static bool read_date(const char *text, struct tm *ret)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain)
        return false;
    const char *end = strptime_l(text, "%a, %d %b %Y %H:%M:%S GMT", ret, plain);
    freelocale(plain);
    return end != NULL;
}

/* Retry-After may be a date; the answer's own Date is the clock that it was meant by. */
static int64_t read_wait_date(const char *headers, const char *until, size_t len)
{
    char text[2][40];
    struct tm t[2] = {0};
    size_t date_len;
    const char *date = wire_header(headers, "date", &date_len);
    if (!len || len >= sizeof text[0] || !date_len || date_len >= sizeof text[0])
        return -1;
    (void)snprintf(text[0], sizeof text[0], "%.*s", (int)date_len, date);
    (void)snprintf(text[1], sizeof text[1], "%.*s", (int)len, until);
    for (int i = 0; i < 2; i++)
        if (!read_date(text[i], &t[i]))
            return -1;
    int64_t seconds = (int64_t)timegm(&t[1]) - (int64_t)timegm(&t[0]);
    return seconds < 0 ? 0 : seconds * 1000;
}

static void read_retry_after(struct wire_error *e, const char *headers)
{
    size_t len;
    const char *value = wire_header(headers, "retry-after-ms", &len);
    int64_t wait = read_wait(value, len, 1);
    if (wait < 0) {
        value = wire_header(headers, "retry-after", &len);
        wait = read_wait(value, len, 1000);
    }
    if (wait < 0)
        wait = read_wait_date(headers, value, len);
    if (wait >= 0)
        e->retry_after_ms = wait;
}

/* 501 and 505 say that the server cannot, not that it cannot now. */
static bool status_retries(int status)
{
    return status == 408 || status == 409 || status == 429 || (status >= 500 && status != 501 && status != 505);
}

static void default_words(struct wire_error *e)
{
    static const struct {
        int status;
        const char *words;
    } known[] = {
        {400, "the request was refused"}, {401, "the key was refused"}, {402, "payment is required"},
        {403, "access is forbidden"}, {404, "no such model or path"}, {408, "the request took too long"},
        {413, "the request is too large"}, {429, "too many requests"}, {500, "the provider failed"},
        {502, "bad gateway"}, {503, "the provider is unavailable"}, {504, "the provider took too long"},
        {529, "the provider is overloaded"},
    };
    char text[96];
    const char *words = e->status >= 300 && e->status < 400 ? "redirects are not followed" : "no reason given";
    for (size_t i = 0; i < COUNT(known); i++)
        if (known[i].status == e->status)
            words = known[i].words;
    (void)snprintf(text, sizeof text, "HTTP %d: %s", e->status, words);
    wire_error_words(e, e->status ? text : "the provider reported an error without a reason");
}

void wire_error_read(const struct wire *w, const struct wire_answer *a, struct wire_error *e)
{
    size_t len;
    wire_error_done(e);
    e->status = a->status;
    e->retry = status_retries(a->status);
    auto_json *root = a->len ? wire_parse(a->body, a->len) : NULL;
    read_retry_after(e, a->headers);
    w->error(e, root);
    const char *should = wire_header(a->headers, "x-should-retry", &len);
    if ((len == 4 && !strncasecmp(should, "true", 4)) || (len == 5 && !strncasecmp(should, "false", 5)))
        e->retry = len == 4;
    if (!e->message)
        default_words(e);
}

int wire_fail(const struct wire *w, struct wire_reply *r, const json_t *root)
{
    wire_error_done(&r->error);
    w->error(&r->error, root);
    if (!r->error.message)
        default_words(&r->error);
    r->stop = WIRE_STOP_ERROR;
    return 1;
}
