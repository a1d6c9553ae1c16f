/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures and documents for generated sessions: small in bytes, true in size. A picture is one row of stripes and then copies
 * of it: deflate with fixed codes (RFC 1951, 3.2.6) says a copy of 258 bytes in three.
 */
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "lower/trace.h"

/* ---------------------------------------------------------------- sums */

static uint32_t crc32_of(const uint8_t *data, size_t len)
{
    uint32_t crc = ~0u;
    for (size_t i = 0; i < len; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static void add_u32(struct buf *to, uint32_t n)
{
    uint8_t bytes[] = {(uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n};
    (void)buf_add(to, bytes, sizeof bytes);
}

static int add_chunk(struct buf *to, const char *type, const void *data, size_t len)
{
    auto_buf chunk = BUF_INIT(LIMIT_TRACE_ENTRY);
    (void)buf_add(&chunk, type, 4);
    if (buf_add(&chunk, data, len) < 0)
        return to->error = chunk.error;
    add_u32(to, (uint32_t)len);
    (void)buf_add(to, chunk.data, chunk.len);
    add_u32(to, crc32_of((const uint8_t *)chunk.data, chunk.len));
    return to->error;
}

/* ---------------------------------------------------------------- deflate */

struct bits {
    struct buf *to;
    uint32_t held, n;
};

static void put(struct bits *b, uint32_t value, uint32_t n)
{
    b->held |= value << b->n;
    for (b->n += n; b->n >= 8; b->n -= 8, b->held >>= 8) {
        uint8_t low = (uint8_t)b->held;
        (void)buf_add(b->to, &low, 1);
    }
}

/* Codes go in from their highest bit. */
static void put_code(struct bits *b, uint32_t code, uint32_t n)
{
    while (n-- > 0)
        put(b, code >> n & 1, 1);
}

static void put_literal(struct bits *b, uint8_t c)
{
    if (c < 144)
        put_code(b, 0x30u + c, 8);
    else
        put_code(b, 0x190u + c - 144u, 9);
}

enum { COPY = 258, COPY_CODE = 0xc5 };

static void put_copy(struct bits *b, uint32_t distance)
{
    uint32_t d = distance - 1, extra = 0;
    while (d >> extra > 3)
        extra++;
    put_code(b, COPY_CODE, 8);
    put_code(b, distance <= 4 ? d : 2 * extra + (d >> extra), 5);
    put(b, d & ((1u << extra) - 1), extra);
}

/* Adler-32 of so many equal rows, row by row. */
static uint32_t adler32_of(const uint8_t *row, uint32_t len, uint32_t rows)
{
    uint64_t a = 1, sum = 0, plain = 0, weighted = 0;
    for (uint32_t i = 0; i < len; i++) {
        plain += row[i];
        weighted += (uint64_t)(len - i) * row[i];
    }
    for (uint32_t y = 0; y < rows; y++) {
        sum = (sum + len * a + weighted) % 65521;
        a = (a + plain) % 65521;
    }
    return (uint32_t)(sum << 16 | a);
}

/* Every row is the same: rows of `row` bytes, `height` times. */
static int add_rows(struct buf *to, const uint8_t *row, uint32_t len, uint32_t height)
{
    struct bits b = {.to = to};
    uint64_t total = (uint64_t)len * height;
    (void)buf_add(to, "\x78\x01", 2);
    put(&b, 1, 1); /* the last block */
    put(&b, 1, 2); /* fixed codes */
    for (uint64_t i = 0; i < total && !to->error;) {
        bool copy = i >= len && total - i >= COPY;
        if (copy)
            put_copy(&b, len);
        else
            put_literal(&b, row[i % len]);
        i += copy ? COPY : 1;
    }
    put_code(&b, 0, 7);
    put(&b, 0, (8 - b.n) % 8);
    add_u32(to, adler32_of(row, len, height));
    return to->error;
}

/* ---------------------------------------------------------------- files */

enum { TRACE_SIDE = 8192 };

int trace_png(struct buf *to, uint32_t width, uint32_t height, uint64_t seed)
{
    uint8_t row[TRACE_SIDE + 1] = {0}, head[13] = {0};
    auto_buf packed = BUF_INIT(LIMIT_TRACE_ENTRY), size = BUF_INIT(8);
    if (!width || !height || width > TRACE_SIDE || height > TRACE_SIDE)
        return to->error = -EFBIG;
    for (uint32_t x = 0; x < width; x++)
        row[1 + x] = (uint8_t)((x >> 5) * 37u + (seed >> (x >> 3 & 7) * 8));
    int r = add_rows(&packed, row, width + 1, height);
    if (r < 0)
        return to->error = r;
    add_u32(&size, width);
    add_u32(&size, height);
    if (size.error)
        return to->error = size.error;
    memcpy(head, size.data, 8);
    head[8] = 8; /* bits, gray */
    (void)buf_add(to, "\x89PNG\r\n\x1a\n", 8);
    (void)add_chunk(to, "IHDR", head, sizeof head);
    (void)add_chunk(to, "IDAT", packed.data, packed.len);
    return add_chunk(to, "IEND", "", 0);
}

/* Objects: 1 catalog, 2 pages, then one for each page. */
int trace_pdf(struct buf *to, uint32_t pages, uint64_t seed)
{
    auto_buf table = BUF_INIT(LIMIT_TRACE_ENTRY);
    size_t start = to->len;
    (void)buf_add_format(to, "%%PDF-1.4\n%% %llu\n", (unsigned long long)seed);
    for (uint32_t i = 1; i <= pages + 2; i++) {
        (void)buf_add_format(&table, "%010zu 00000 n \n", to->len - start);
        (void)buf_add_format(to, "%u 0 obj\n", i);
        if (i == 1)
            (void)buf_add_str(to, "<</Type/Catalog/Pages 2 0 R>>");
        for (uint32_t kid = 3; i == 2 && kid < pages + 3; kid++)
            (void)buf_add_format(to, "%s%u 0 R", kid == 3 ? "<</Type/Pages/Kids[" : " ", kid);
        if (i == 2)
            (void)buf_add_format(to, "]/Count %u>>", pages);
        if (i > 2)
            (void)buf_add_str(to, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<<>>>>");
        (void)buf_add_str(to, "\nendobj\n");
    }
    size_t at = to->len - start;
    (void)buf_add_format(to, "xref\n0 %u\n0000000000 65535 f \n", pages + 3);
    if (table.error)
        return to->error = table.error;
    (void)buf_add(to, table.data, table.len);
    return buf_add_format(to, "trailer\n<</Size %u/Root 1 0 R>>\nstartxref\n%zu\n%%%%EOF\n", pages + 3, at);
}
