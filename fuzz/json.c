/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON read in place, beside jansson: what jansson takes, the walk goes through with the same keys, strings and numbers;
 * on anything else it stays within the bytes. And what we write is what jansson reads.
 * about: src/base/json_scan.c src/base/json_size.c src/base/json_text.c src/base/text.c
 */
#include "fuzz.h"

#include <jansson.h>
#include <math.h>

#include "base/json_read.h"
#include "base/json_scan.h"
#include "base/json_size.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "base/text.h"

static void check_string(struct span s, const json_t *want)
{
    auto_buf got = BUF_INIT(MIB);
    CLAIM(span_is_string(s) && span_text(s, &got) == 0 && got.len == json_string_length(want));
    CLAIM(!got.len || !memcmp(got.data, json_string_value(want), got.len));
}

static void check_same(struct span s, const json_t *want);

static void check_members(struct span s, const json_t *want)
{
    struct span_walk w = span_enter(s);
    size_t n = 0;
    while (span_next(&w)) {
        CLAIM(w.value.at >= s.at && w.value.at + w.value.len <= s.at + s.len);
        if (json_is_array(want)) {
            check_same(w.value, json_array_get(want, n));
        } else {
            /* Keys are compared by what they mean. */
            auto_buf key = BUF_INIT(MIB);
            CLAIM(span_text((struct span){w.key.at - 1, w.key.len + 2}, &key) == 0);
            const json_t *value = json_object_getn(want, key.len ? key.data : "", key.len);
            CLAIM(value);
            check_same(w.value, value);
        }
        n++;
    }
    CLAIM(!w.bad && n == (json_is_array(want) ? json_array_size(want) : json_object_size(want)));
}

static void check_same(struct span s, const json_t *want)
{
    int64_t n;
    if (json_is_object(want) || json_is_array(want))
        check_members(s, want);
    else if (json_is_string(want))
        check_string(s, want);
    else if (json_is_integer(want))
        CLAIM(span_int(s, &n) && n == json_integer_value(want));
    else
        CLAIM(span_true(s) == json_is_true(want) && span_is(s, "null") == json_is_null(want));
}

/* On bytes that are no JSON: it ends, and all that it gives lies in them. */
static void check_any(struct span s, unsigned depth)
{
    struct span_walk w = span_enter(s);
    while (depth && span_next(&w)) {
        CLAIM(w.value.len && w.value.at >= s.at && w.value.at + w.value.len <= s.at + s.len);
        free(span_text_new(w.value));
        check_any(w.value, depth - 1);
    }
}

static void check_written(const char *text, size_t len)
{
    auto_buf b = BUF_INIT(8 * MIB), shown = BUF_INIT(8 * MIB);
    CLAIM(buf_add_json(&b, text, len) == 0);
    json_t *back = json_loadb(b.data, b.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    CLAIM(json_is_string(back));
    if (utf8_valid(text, len))
        CLAIM(json_string_length(back) == len && !memcmp(json_string_value(back), text, len));
    json_decref(back);
    auto_free char *word = strndup(text, len);
    CLAIM(word && buf_add_shown(&shown, word, 80) == 0);
    for (size_t i = 0, n; i < shown.len; i += n) {
        uint32_t c;
        n = utf8_decode(shown.data + i, shown.len - i, &c);
        CLAIM(n && !char_acts(c));
    }
}

static void check_real(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    double v = feed_real(&f), back;
    auto_buf b = BUF_INIT(KIB);
    if (!isfinite(v))
        return;
    CLAIM(buf_add_real(&b, v) == 0 && sscanf(b.data, "%lf", &back) == 1 && back == v);
    json_t *j = json_loadb(b.data, b.len, JSON_DECODE_ANY, NULL);
    CLAIM(json_is_real(j) && json_real_value(j) == v);
    json_decref(j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const char *text = (const char *)data;
    struct span s;
    json_t *root = json_read(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL);
    struct json_size size = json_measure(text, len, SIZE_MAX - 1, UINT32_MAX - 1);
    bool found = span_value(text, len, &s);
    if (found)
        CLAIM(s.len && s.at >= text && s.at + s.len <= text + len);
    if (root && size.depth <= LIMIT_JSON_SCAN_DEPTH) {
        CLAIM(found);
        check_same(s, root);
    }
    if (found)
        check_any(s, 8);
    CLAIM(json_fits(text, len, size.values) && (!size.values || !json_fits(text, len, size.values - 1)));
    check_written(text, len);
    check_real(data, len);
    json_decref(root);
    return 0;
}
