/* SPDX-License-Identifier: Apache-2.0 */
/* Strict base64 and data URLs. */
#include "source/data_url.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/b64.h"
#include "base/cleanup.h"
#include "test.h"

TEST(what_is_encoded_decodes_to_the_same)
{
    uint8_t data[259], back[300];
    char text[400];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 167 + i / 7);
    for (size_t len = 0; len <= sizeof data; len++) {
        size_t n = 999;
        b64_encode(data, len, text);
        CHECK(b64_decode_strict(text, B64_LEN(len), back, &n) == B64_FINE && n == len && !memcmp(back, data, len));
    }
}

/* One text for one run of bytes: every group of the last four characters that decodes is what the encoder writes. */
TEST(no_bytes_have_two_spellings)
{
    char text[4];
    uint8_t out[3];
    for (uint32_t v = 0; v < 1u << 24; v++) {
        /* all of the last two characters, and a sample of the others */
        text[0] = "A+/z9"[v % 5];
        text[1] = (char)(v >> 16);
        text[2] = (char)(v >> 8);
        text[3] = (char)v;
        size_t n;
        char again[4];
        if (b64_decode_strict(text, 4, out, &n))
            continue;
        b64_encode(out, n, again);
        if (memcmp(text, again, 4)) {
            CHECK_MSG(false, "%.4s", text);
            return;
        }
    }
}

TEST(each_fault_of_base64_has_its_name)
{
    static const struct {
        const char *text;
        enum b64_error want;
    } rows[] = {
        {"", B64_FINE},          {"QUJD", B64_FINE},     {"QUI=", B64_FINE},     {"QQ==", B64_FINE},
        {"QUJ", B64_LENGTH},     {"QQ", B64_LENGTH},     {"QQ=", B64_LENGTH},    {"Q", B64_LENGTH},
        {"QUJDQ", B64_LENGTH},   {"QUJD\n", B64_LENGTH}, {"QU D", B64_DIGIT},    {"QU\nD", B64_DIGIT},
        {"QU-D", B64_DIGIT},     {"QU_D", B64_DIGIT},    {"QU.D", B64_DIGIT},    {"QU\xc3\xa9", B64_DIGIT},
        {"====", B64_PADDING},   {"Q===", B64_PADDING},  {"=QUJ", B64_PADDING},  {"QQ==QUJD", B64_PADDING},
        {"QQ=A", B64_PADDING},   {"QR==", B64_BITS},     {"QUJ=", B64_BITS},     {"Qf==", B64_BITS},
        {"QQ==QQ==", B64_PADDING},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t out[16];
        size_t n = 77;
        enum b64_error got = b64_decode_strict(rows[i].text, strlen(rows[i].text), out, &n);
        CHECK_MSG(got == rows[i].want, "'%s': %d", rows[i].text, got);
        CHECK((n == 77) == (got != B64_FINE));
    }
}

static enum data_verdict taken(const char *text, size_t len, uint64_t cap, struct snapshot *s)
{
    enum data_verdict v = DATA_VERDICTS;
    CHECK(data_url_take(text, len, cap, &v, s, NULL) == 0);
    return v;
}

TEST(a_prefix_is_taken_off_or_refused)
{
    static const struct {
        const char *text;
        enum data_verdict want;
    } rows[] = {
        {"QUJD", DATA_TAKEN},
        {"data:image/png;base64,QUJD", DATA_TAKEN},
        {"DATA:image/svg+xml;charset=utf-8;base64,QUJD", DATA_TAKEN},
        {"", DATA_EMPTY},
        {"data:image/png;base64,", DATA_EMPTY},
        {"data:,QUJD", DATA_PREFIX},
        {"data:;base64,QUJD", DATA_PREFIX},
        {"data:image;base64,QUJD", DATA_PREFIX},
        {"data:image/;base64,QUJD", DATA_PREFIX},
        {"data:image/png", DATA_PREFIX},
        {"data:image/png;base64", DATA_PREFIX},
        {"data:image/png;base64QUJD", DATA_PREFIX},
        {"data:image/png;BASE64,QUJD", DATA_PREFIX},
        {"data: image/png;base64,QUJD", DATA_PREFIX},
        {"data:image/png ;base64,QUJD", DATA_PREFIX},
        {"data:", DATA_PREFIX},
        {"data:text/plain,hello", DATA_NOT_BASE64},
        {"data:text/plain;charset=utf-8,hello", DATA_NOT_BASE64},
        {"data:image/png;base64,QUJ", DATA_LENGTH},
        {"data:image/png;base64, QUJD", DATA_SPACE},
        {"data:image/png;base64,QU%3", DATA_DIGIT},
        {" QUJD", DATA_SPACE},
        {"QUJD\nQUJD\n", DATA_SPACE},
        {"QUJD\r\n", DATA_SPACE},
        {"QU-_", DATA_DIGIT},
        {"QU=D", DATA_PADDING},
        {"QR==", DATA_BITS},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct snapshot s = {.fd = -1};
        enum data_verdict got = taken(rows[i].text, strlen(rows[i].text), 1000, &s);
        CHECK_MSG(got == rows[i].want, "'%s': %s", rows[i].text, data_verdict_words(got));
        CHECK((s.fd >= 0) == (got == DATA_TAKEN) && (got != DATA_TAKEN || s.size == 3));
        snapshot_done(&s);
    }
}

TEST(the_cap_is_on_bytes_and_exact)
{
    struct snapshot s = {.fd = -1};
    CHECK(taken("QUI=", 4, 2, &s) == DATA_TAKEN && s.size == 2);
    snapshot_done(&s);
    CHECK(taken("QUI=", 4, 1, &s) == DATA_TOO_LARGE);
    CHECK(taken("QUJD", 4, 2, &s) == DATA_TOO_LARGE);
}

TEST(long_texts_come_in_pieces_and_end_sealed)
{
    const size_t len = 1000003;
    auto_free uint8_t *data = malloc(len), *back = malloc(len);
    auto_free char *text = malloc(B64_LEN(len));
    struct snapshot s = {.fd = -1};
    CHECK(data && back && text);
    if (!data || !back || !text)
        return;
    for (size_t i = 0; i < len; i++)
        data[i] = (uint8_t)(i * 31 + i / 251);
    b64_encode(data, len, text);
    CHECK(taken(text, B64_LEN(len), len, &s) == DATA_TAKEN && s.size == len);
    CHECK(pread(s.fd, back, len, 0) == (ssize_t)len && !memcmp(back, data, len));
    CHECK(fcntl(s.fd, F_GET_SEALS) & F_SEAL_WRITE);
    snapshot_done(&s);
    text[65535] = '='; /* at the end of a piece, where it is the end of nothing */
    CHECK(taken(text, B64_LEN(len), len, &s) != DATA_TAKEN);
}
