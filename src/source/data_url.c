/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes from text: see data_url.h. They are decoded piece by piece into the memfd, never held twice. */
#include "source/data_url.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/b64.h"
#include "base/cleanup.h"
#include "base/fault.h"
#include "base/io.h"
#include "base/limits.h"

static const char *const words[DATA_VERDICTS] = {
    [DATA_TAKEN] = "nothing is wrong",
    [DATA_EMPTY] = "there are no bytes in it",
    [DATA_PREFIX] = "the prefix is not data:<mime>;base64,",
    [DATA_NOT_BASE64] = "the data URL is not base64; write data:<mime>;base64,",
    [DATA_LENGTH] = "the base64 text is cut off or lacks its padding",
    [DATA_SPACE] = "the base64 text has white space in it; write it in one piece, without line breaks",
    [DATA_DIGIT] = "the base64 text has a character outside A-Z a-z 0-9 + / (- and _ are not accepted)",
    [DATA_PADDING] = "the base64 text has = before its end",
    [DATA_BITS] = "the base64 text is not canonical: its last character has bits that stand for nothing",
    [DATA_TOO_LARGE] = "the bytes are more than the limit",
};

const char *data_verdict_words(enum data_verdict v)
{
    assert((unsigned)v < DATA_VERDICTS);
    return words[v];
}

/* RFC 7230: what types and parameters are made of. */
static bool is_token_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("!#$&^_.+-", c));
}

static size_t token_length(const char *s, size_t len)
{
    size_t n = 0;
    while (n < len && is_token_char(s[n]))
        n++;
    return n;
}

/* token SEPARATOR token at *at; moves past it. */
static bool skip_pair(const char *s, size_t len, char separator, size_t *at)
{
    size_t a = token_length(s + *at, len - *at);
    if (!a || *at + a >= len || s[*at + a] != separator)
        return false;
    size_t b = token_length(s + *at + a + 1, len - *at - a - 1);
    if (!b)
        return false;
    *at += a + 1 + b;
    return true;
}

/* Past "data:type/subtype;name=value;base64,". */
static enum data_verdict skip_prefix(const char *text, size_t len, size_t *ret_at)
{
    size_t at = 5;
    if (len < 5 || strncasecmp(text, "data:", 5)) {
        *ret_at = 0;
        return DATA_TAKEN;
    }
    if (!skip_pair(text, len, '/', &at))
        return DATA_PREFIX;
    while (at < len && text[at] == ';') {
        at++;
        if (len - at >= 7 && !memcmp(text + at, "base64,", 7)) {
            *ret_at = at + 7;
            return DATA_TAKEN;
        }
        if (!skip_pair(text, len, '=', &at))
            return DATA_PREFIX;
    }
    return at < len && text[at] == ',' ? DATA_NOT_BASE64 : DATA_PREFIX;
}

static enum data_verdict of_b64(enum b64_error e)
{
    static const enum data_verdict verdicts[] = {
        [B64_FINE] = DATA_TAKEN,      [B64_LENGTH] = DATA_LENGTH, [B64_DIGIT] = DATA_DIGIT,
        [B64_PADDING] = DATA_PADDING, [B64_BITS] = DATA_BITS,
    };
    return verdicts[e];
}

/* One piece; only the last one may end in padding. */
static enum data_verdict decode_piece(const char *text, size_t len, bool last, uint8_t *out, size_t *ret_len)
{
    enum b64_error e = b64_decode_strict(text, len, out, ret_len);
    if (!e && !last && *ret_len != B64_ROOM(len))
        e = B64_PADDING;
    return of_b64(e);
}

static int decode_into(int fd, const char *text, size_t len, enum data_verdict *ret_verdict, uint64_t *ret_size)
{
    auto_free uint8_t *piece = malloc(B64_ROOM(LIMIT_B64_PIECE));
    uint64_t size = 0;
    if (!piece)
        return -ENOMEM;
    while (len) {
        size_t n = MIN(len, LIMIT_B64_PIECE), got;
        *ret_verdict = decode_piece(text, n, n == len, piece, &got);
        if (*ret_verdict != DATA_TAKEN)
            return 0;
        int r = write_all(fd, piece, got);
        if (r < 0)
            return r;
        size += got;
        text += n;
        len -= n;
    }
    *ret_size = size;
    return memory_seal(fd);
}

/* The most usual mistake is told by its name, whatever else it makes of the text. */
static enum data_verdict name_space(enum data_verdict v, const char *text, size_t len)
{
    for (size_t i = 0; v != DATA_TAKEN && i < len; i++)
        if (strchr(" \t\r\n\f\v", text[i]) && text[i])
            return DATA_SPACE;
    return v;
}

/* Bytes that the text stands for, should it be right. */
static uint64_t decoded_size(const char *text, size_t len)
{
    size_t pad = len >= 4 && text[len - 1] == '=' ? text[len - 2] == '=' ? 2 : 1 : 0;
    return B64_ROOM((uint64_t)len) - (len >= 4 ? pad : 0);
}

int data_url_take(const char *text, size_t len, uint64_t cap, enum data_verdict *ret_verdict, struct snapshot *ret,
                  struct fovea_fault *fault)
{
    size_t at;
    uint64_t size = 0;
    enum data_verdict v = skip_prefix(text, len, &at);
    if (v == DATA_TAKEN && at == len)
        v = DATA_EMPTY;
    if (v == DATA_TAKEN && decoded_size(text + at, len - at) > cap)
        v = DATA_TOO_LARGE;
    if (v != DATA_TAKEN) {
        *ret_verdict = v;
        return 0;
    }
    auto_close int fd = memory_open("fovea-source");
    int r = fd < 0 ? fd : decode_into(fd, text + at, len - at, &v, &size);
    if (r == -ENOMEM || r == -ENOSPC)
        return fault_oom(fault);
    if (r < 0)
        return fault_set(fault, r, "cannot keep the bytes in memory: %s", strerrordesc_np(-r));
    *ret_verdict = name_space(v, text + at, len - at);
    if (v == DATA_TAKEN)
        *ret = (struct snapshot){.fd = take_fd(&fd), .size = size, .file_size = size};
    return 0;
}
