/* SPDX-License-Identifier: Apache-2.0 */
/* The size of JSON: see json_size.h. Strings, which are most of its bytes, are passed over by memchr. */
#include "base/json_size.h"

#include <limits.h>
#include <string.h>

#include "base/cleanup.h"

size_t json_string_end(const char *text, size_t len, size_t at)
{
    while (at < len) {
        const char *stop = memchr(text + at, '"', len - at);
        size_t end = stop ? (size_t)(stop - text) : len, slashes = 0;
        while (end - slashes > at && text[end - slashes - 1] == '\\')
            slashes++;
        at = MIN(end + 1, len);
        if (slashes % 2 == 0)
            break;
    }
    return at;
}

struct json_size json_measure(const char *text, size_t len, size_t max_values, unsigned max_depth)
{
    struct json_size s = {0};
    unsigned depth = 0;
    for (size_t at = 0; at < len && s.values <= max_values && s.depth <= max_depth;) {
        char c = text[at++];
        if (c == '"') {
            at = json_string_end(text, len, at);
        } else if (c == '{' || c == '[') {
            s.values++;
            depth++;
            s.depth = MAX(s.depth, depth);
        } else if (c == '}' || c == ']') {
            depth -= depth > 0;
        } else if (c == ',') {
            s.values++;
        }
    }
    return s;
}

bool json_fits(const char *text, size_t len, size_t max_values)
{
    return json_measure(text, len, max_values, UINT_MAX).values <= max_values;
}
