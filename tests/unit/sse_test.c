/* SPDX-License-Identifier: Apache-2.0 */
/* Event streams: what the standard says of lines, fields and chunks, and what garbage and size do. */
#include "test.h"

#include <errno.h>

#include "base/limits.h"
#include "provider/sse.h"

static int note(void *ctx, const char *name, const char *data, size_t len)
{
    struct buf *b = ctx;
    (void)buf_add_format(b, "[%s|", name);
    (void)buf_add(b, data, len);
    (void)buf_add_str(b, "]");
    return !strcmp(name, "stop") ? 7 : 0;
}

static int feed(const char *bytes, size_t len, size_t step, struct buf *got)
{
    struct sse s;
    int r = 0;
    sse_init(&s);
    for (size_t i = 0; i < len && !r; i += step)
        r = sse_feed(&s, bytes + i, MIN(step, len - i), note, got);
    if (!r)
        r = sse_end(&s, note, got);
    sse_done(&s);
    return r;
}

TEST(events_are_the_same_however_the_stream_is_cut_into_pieces)
{
    static const struct {
        const char *bytes, *want;
    } rows[] = {
        {"data: a\n\n", "[message|a]"},
        {"data:a\r\rdata:b\r\n\r\ndata: c\n\n", "[message|a][message|b][message|c]"},
        {"event: x\ndata: 1\ndata: 2\n\n", "[x|1\n2]"},
        {"event: x\n\ndata: 1\n\n", "[message|1]"},
        {": a comment\n: another\ndata: 1\n\n", "[message|1]"},
        {"\xef\xbb\xbf" "data: bom\n\n", "[message|bom]"},
        {"data: \xef\xbb\xbf\n\n", "[message|\xef\xbb\xbf]"},
        {"id: 4\nretry: 10\nfoo: bar\nnonsense\ndata: 1\n\n", "[message|1]"},
        {"data\n\n", "[message|]"},
        {"data:\ndata:\n\n", "[message|\n]"},
        {"data:  two\n\n", "[message| two]"},
        {"\n\n\r\n\n", ""},
        {"event: stop\ndata: 1\n\ndata: never\n\n", "[stop|1]"},
        {"data: no blank line\n", "[message|no blank line]"},
        {"data: half a li", ""},
        {"data: a\ndata: half", ""},
        {"data : a\n\n", ""},
        {"DATA: a\n\n", ""},
        {"event: a\nevent: b\ndata: c\n\n", "[b|c]"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t step = 1; step < 12; step++) {
            auto_buf got = BUF_INIT(4096);
            (void)feed(rows[i].bytes, strlen(rows[i].bytes), step, &got);
            CHECK_STR(got.data ? got.data : "", rows[i].want);
        }
    }
}

TEST(a_handler_ends_the_stream_with_its_own_code)
{
    auto_buf got = BUF_INIT(4096);
    CHECK(feed("event: stop\ndata: 1\n\n", 21, 100, &got) == 7);
}

TEST(bytes_of_any_value_pass_through_and_do_no_harm)
{
    char bytes[4096];
    unsigned seed = 1;
    for (int round = 0; round < 200; round++) {
        for (size_t i = 0; i < sizeof bytes; i++) {
            seed = seed * 1103515245u + 12345u;
            bytes[i] = "data:event\r\n \0\xff{}"[(seed >> 16) % 17];
        }
        auto_buf got = BUF_INIT(1 << 20), again = BUF_INIT(1 << 20);
        int r = feed(bytes, sizeof bytes, sizeof bytes, &got), s = feed(bytes, sizeof bytes, 3, &again);
        CHECK(r == s && got.len == again.len && (!got.len || !memcmp(got.data, again.data, got.len)));
    }
}

TEST(a_line_without_an_end_meets_its_ceiling)
{
    struct sse s;
    auto_buf got = BUF_INIT(64);
    static char piece[1 << 20];
    int r = 0;
    memset(piece, 'x', sizeof piece);
    sse_init(&s);
    for (size_t i = 0; i < LIMIT_SSE_EVENT / sizeof piece + 2 && !r; i++)
        r = sse_feed(&s, piece, sizeof piece, note, &got);
    CHECK(r == -EFBIG);
    sse_done(&s);
}

TEST(an_event_of_endless_lines_meets_its_ceiling)
{
    struct sse s;
    auto_buf got = BUF_INIT(64);
    static char piece[1 << 16];
    int r = 0;
    memset(piece, 'x', sizeof piece);
    memcpy(piece, "data: ", 6);
    piece[sizeof piece - 1] = '\n';
    sse_init(&s);
    for (size_t i = 0; i < LIMIT_SSE_EVENT / sizeof piece + 3 && !r; i++)
        r = sse_feed(&s, piece, sizeof piece, note, &got);
    CHECK(r == -EFBIG);
    sse_done(&s);
}
