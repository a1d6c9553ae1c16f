/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every wire reads alike. The other side may be any program, so each field is asked for by name and type and absent
 * otherwise; words that people will read have the key masked before they are kept.
 */
#include "provider/wire_priv.h"

#include <errno.h>
#include <math.h>

#include "base/json_read.h"
#include "base/json_size.h"

void wire_reply_init(struct wire_reply *r, const char *secret)
{
    *r = (struct wire_reply){
        .text = BUF_INIT(LIMIT_ANSWER_BYTES),
        .usage = {.cost_nano = -1},
        .error = {.retry_after_ms = -1, .secret = secret},
    };
}

void wire_error_done(struct wire_error *e)
{
    if (!e)
        return;
    free(e->message);
    *e = (struct wire_error){.retry_after_ms = -1, .secret = e->secret};
}

void wire_reply_done(struct wire_reply *r)
{
    if (!r)
        return;
    buf_done(&r->text);
    free(r->why);
    free(r->model);
    wire_error_done(&r->error);
    wire_reply_init(r, NULL);
}

const json_t *wire_at(const json_t *object, const char *name)
{
    return json_object_get(object, name);
}

const char *wire_text_at(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

int64_t wire_int_at(const json_t *object, const char *name)
{
    int64_t n = json_integer_value(json_object_get(object, name));
    return n < 0 ? 0 : n;
}

/* 1: it is there; 0: it is not; -1: it is nothing to be believed. */
static int read_count(const json_t *value, int64_t *ret)
{
    if (!value || json_is_null(value))
        return 0;
    double n = json_number_value(value);
    if (!json_is_number(value) || !(n >= 0 && n <= LIMIT_TOKENS) || n != floor(n))
        return -1;
    *ret = (int64_t)n;
    return 1;
}

bool wire_counts_at(const json_t *object, const struct wire_count *counts, size_t n)
{
    int64_t value = 0;
    for (size_t i = 0; i < n; i++)
        if (read_count(wire_at(object, counts[i].name), &value) < (counts[i].must ? 1 : 0))
            return false;
    for (size_t i = 0; i < n; i++)
        (void)read_count(wire_at(object, counts[i].name), counts[i].to);
    return true;
}

json_t *wire_parse(const char *data, size_t len)
{
    errno = EBADMSG;
    json_t *root = json_fits(data, len, LIMIT_REPLY_VALUES) ? json_read(data, len, JSON_ALLOW_NUL, NULL) : NULL;
    if (root && !json_is_object(root)) {
        json_decref(root);
        root = NULL;
    }
    return root;
}

int wire_unread(const json_t *root)
{
    return root || errno != ENOMEM ? -EBADMSG : -ENOMEM;
}

/* A NUL would end the text for whoever reads it as a string. */
int wire_add_answer(struct wire_reply *r, const json_t *string)
{
    const char *s = json_string_value(string);
    size_t left = json_string_length(string);
    r->begun |= left > 0;
    while (s && left && !r->text.error) {
        const char *nul = memchr(s, '\0', left);
        size_t run = nul ? (size_t)(nul - s) : left;
        (void)buf_add(&r->text, s, run);
        if (nul)
            (void)buf_add_str(&r->text, "\xef\xbf\xbd");
        s += run + (nul != NULL);
        left -= run + (nul != NULL);
    }
    return r->text.error;
}

/* Masked as a whole: a secret may come in two pieces. */
int wire_add_why(struct wire_reply *r, const char *words)
{
    auto_buf all = BUF_INIT(LIMIT_PROVIDER_WORDS);
    if (!words || !*words)
        return 0;
    wire_add_cut(&all, r->why ? r->why : "", r->why ? strlen(r->why) : 0);
    wire_add_cut(&all, words, strlen(words));
    char *why = all.error ? NULL : wire_masked(r->error.secret, all.data);
    if (!why)
        return -ENOMEM;
    free(r->why);
    r->why = why;
    return 0;
}

int wire_set_why(struct wire_reply *r, const char *words)
{
    if (!words || !*words)
        return 0;
    free(take(r->why));
    return wire_add_why(r, words);
}

int wire_set_model(struct wire_reply *r, const char *name)
{
    if (r->model || !name || !*name)
        return 0;
    r->model = wire_masked(r->error.secret, name);
    return r->model ? 0 : -ENOMEM;
}

int wire_set_stop(struct wire_reply *r, const struct wire_reason *reasons, size_t count, const char *name)
{
    if (!name)
        return 0;
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(reasons[i].name, name)) {
            r->stop = reasons[i].stop;
            return 0;
        }
    }
    r->stop = WIRE_STOP_OTHER;
    return r->why ? 0 : wire_set_why(r, name);
}
