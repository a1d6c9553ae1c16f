/* SPDX-License-Identifier: Apache-2.0 */
/* From bytes to a document: SVGZ is inflated by us, because librsvg would inflate whatever it is given without an end. */
#include "svg.h"

#include <libdeflate.h>
#include <stdio.h>
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

/* Limits of the parser and of librsvg, which call what is beyond them an error like any other, in words of their own. */
static const struct {
    const char *sign, *words;
    enum work_status status;
} limits[] = {
    {"Excessive depth in document", "its elements are nested deeper than the parser goes", WORK_TOO_LARGE},
    {"Detected an entity reference loop", "its entities stand for more than the parser takes", WORK_TOO_LARGE},
    {"cannot load more than 1000000 XML elements", "it has more than 1000000 elements", WORK_TOO_LARGE},
    {"cannot load more than", "it has more elements or attributes than librsvg takes", WORK_TOO_LARGE},
    {"exceeded more than 500000 referenced elements", "it refers to elements, as with <use>, more than 500000 times", WORK_TOO_LARGE},
    {"referenced elements", "it refers to elements, as with <use>, more often than librsvg takes", WORK_TOO_LARGE},
    {"nested layers", "its layers are nested deeper than librsvg goes", WORK_TOO_LARGE},
    {"out of memory", "out of memory for the drawing", WORK_NO_MEMORY},
};

int svg_past_limit(const GError *error, struct complaint *c)
{
    for (size_t i = 0; error && i < COUNT(limits); i++)
        if (strstr(error->message, limits[i].sign))
            return complain(c, limits[i].status, "%s", limits[i].words);
    return WORK_OK;
}

/* Where the parser stopped; what it found there is the file's and stays here. */
static int complain_of(struct complaint *c, const GError *error)
{
    unsigned line, column;
    int status = svg_past_limit(error, c);
    if (status)
        return status;
    const char *where = error ? strstr(error->message, " on line ") : NULL;
    /* NOLINTNEXTLINE(cert-err34-c): the words are the library's own, and its numbers fit into an int */
    if (where && sscanf(where, " on line %u column %u", &line, &column) == 2)
        return complain(c, WORK_MALFORMED, "its markup is broken at line %u, column %u", line, column);
    return complain(c, WORK_MALFORMED, "its markup is no SVG, or broken");
}

bool svg_looks_like(const uint8_t *data, size_t len)
{
    static const char utf16[] = "<\0s\0v\0g";
    size_t head = MIN(len, LIMIT_SNIFF_BYTES);
    return is_gzip(data, len) || memmem(data, head, "<svg", 4) || memmem(data, head, ":svg", 4) ||
           memmem(data, head, utf16, sizeof utf16 - 1);
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
