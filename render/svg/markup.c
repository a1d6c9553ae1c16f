/* SPDX-License-Identifier: Apache-2.0 */
/* From bytes to a document: SVGZ is inflated by us, because librsvg would inflate whatever it is given without an end. */
#include "svg.h"

#include <libdeflate.h>
#include <string.h>

#include "base/limits.h"

static bool is_gzip(const uint8_t *data, size_t len)
{
    return len >= 2 && data[0] == 0x1f && data[1] == 0x8b;
}

static void free_decompressor(struct libdeflate_decompressor **z)
{
    libdeflate_free_decompressor(*z);
}

/* All members of the file, one behind the other. */
static int inflate_members(struct libdeflate_decompressor *z, const uint8_t *data, size_t len, uint8_t *out, size_t *ret_len,
                           struct complaint *c)
{
    size_t at = 0, made = 0, used, n;
    do {
        enum libdeflate_result r =
            libdeflate_gzip_decompress_ex(z, data + at, len - at, out + made, LIMIT_SVG_BYTES - made, &used, &n);
        if (r == LIBDEFLATE_INSUFFICIENT_SPACE)
            return complain(c, WORK_TOO_LARGE, "it inflates to more than %zu MiB", LIMIT_SVG_BYTES / MIB);
        if (r)
            return complain(c, WORK_MALFORMED, "its gzip stream is cut or damaged");
        at += used;
        made += n;
    } while (is_gzip(data + at, len - at));
    *ret_len = made;
    return WORK_OK;
}

int svg_inflate(const uint8_t *data, size_t len, uint8_t **ret, size_t *ret_len, struct complaint *c)
{
    cleanup(free_decompressor) struct libdeflate_decompressor *z = libdeflate_alloc_decompressor();
    auto_free uint8_t *out = malloc(LIMIT_SVG_BYTES); /* pages that are not written to cost nothing */
    if (!z || !out)
        return complain(c, WORK_NO_MEMORY, "out of memory for the markup");
    int status = inflate_members(z, data, len, out, ret_len, c);
    if (!status)
        *ret = take(out);
    return status;
}

/* "XML parse error: Error domain 1 code 76 on line 3 column 7 of data: Opening and ending tag mismatch": from the line on. */
static const char *gist(const GError *error)
{
    const char *words = error ? error->message : "", *line = strstr(words, " on line ");
    return line ? line + 4 : words;
}

/* One line of printable ASCII. */
static int complain_of(struct complaint *c, const GError *error)
{
    char words[WORK_DETAIL];
    size_t n = 0;
    for (const char *at = gist(error); *at && n + 1 < sizeof words; at++) {
        bool space = *at == '\n' || *at == ' ';
        if (!space && (*at < 0x21 || *at > 0x7e))
            words[n++] = '?';
        else if (!space || (n && words[n - 1] != ' '))
            words[n++] = space ? ' ' : *at;
    }
    while (n && words[n - 1] == ' ')
        n--;
    words[n] = '\0';
    return complain(c, WORK_MALFORMED, "%s", n ? words : "it is no SVG");
}

int svg_parse(const uint8_t *data, size_t len, RsvgHandle **ret, struct complaint *c)
{
    if (is_gzip(data, len))
        return complain(c, WORK_MALFORMED, "it is compressed more than once");
    auto_error GError *error = NULL;
    GInputStream *stream = g_memory_input_stream_new_from_data(data, (gssize)len, NULL);
    RsvgHandle *handle = rsvg_handle_new_from_stream_sync(stream, NULL, RSVG_HANDLE_FLAGS_NONE, NULL, &error);
    g_object_unref(stream);
    if (!handle)
        return complain_of(c, error);
    rsvg_handle_set_dpi(handle, 96);
    *ret = handle;
    return WORK_OK;
}
