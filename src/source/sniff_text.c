/* SPDX-License-Identifier: Apache-2.0 */
/* Text and SVG. Text is UTF-8, or UTF-16 with its mark, without the control bytes that no editor writes. SVG is text
 * whose first element is svg; XML that names its encoding need not be text to us. */
#include "base/text.h"
#include "source/sniff_priv.h"

/* Tab, line ends, form feed, backspace, bell and escape are in logs and terminal recordings; the rest is binary. */
static bool is_text_byte(uint8_t c)
{
    return c >= 0x20 ? c != 0x7f : (c >= 7 && c <= 13) || c == 27;
}

static bool is_utf16(const struct head *h)
{
    bool little = IS(h, 0, "\xff\xfe");
    if (!little && !IS(h, 0, "\xfe\xff"))
        return false;
    for (size_t i = 2; has(h, i, 2); i += 2) {
        uint32_t c = little ? le16(h, i) : be16(h, i);
        if (c < 0x80 && !is_text_byte((uint8_t)c))
            return false;
    }
    return true;
}

typedef uint8_t vec __attribute__((vector_size(16)));

/* Sixteen at once, by the same rule: this runs over the head of every text that is read. */
static bool are_text_bytes(const uint8_t *s, size_t len)
{
    vec bad = {0};
    size_t i = 0;
    for (; i + sizeof(vec) <= len; i += sizeof(vec)) {
        vec v;
        memcpy(&v, s + i, sizeof v);
        bad |= (vec)(v == 0x7f) | ((vec)(v < 0x20) & (vec)((vec)(v - 7) > 6) & (vec)(v != 27));
    }
    for (size_t k = 0; k < sizeof(vec); k++)
        if (bad[k])
            return false;
    while (i < len && is_text_byte(s[i]))
        i++;
    return i == len;
}

static bool is_utf8(const struct head *h)
{
    if (!are_text_bytes(h->at, h->len))
        return false;
    size_t good = utf8_valid_prefix((const char *)h->at, h->len);
    return good == h->len || (!h->whole && h->len - good < 4); /* the last character may go on */
}

static size_t skip_space(const struct head *h, size_t i)
{
    while (has(h, i, 1) && strchr(" \t\r\n\f", h->at[i]) && h->at[i])
        i++;
    return i;
}

/* The place behind the next `end`, or the end of the head. */
static size_t skip_past(const struct head *h, size_t i, const char *end)
{
    const void *at = has(h, i, 1) ? memmem(h->at + i, h->len - i, end, strlen(end)) : NULL;
    return at ? (size_t)((const uint8_t *)at - h->at) + strlen(end) : h->len;
}

/* A document type with an internal subset has > inside [ ], and either may be quoted. A quote within a comment is none. */
static size_t skip_doctype(const struct head *h, size_t i)
{
    for (bool inside = false; has(h, i, 1); i++) {
        if (IS(h, i, "<!--"))
            i = skip_past(h, i + 4, "-->") - 1;
        else if (h->at[i] == '"' || h->at[i] == '\'')
            i = skip_past(h, i + 1, h->at[i] == '"' ? "\"" : "'") - 1;
        else if (h->at[i] == '[')
            inside = true;
        else if (h->at[i] == ']')
            inside = false;
        else if (h->at[i] == '>' && !inside)
            return i + 1;
    }
    return i;
}

static bool is_name_byte(uint32_t c)
{
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

/* <svg or <prefix:svg, and the name ends there. */
static bool is_svg_tag(const struct head *h, size_t i)
{
    size_t start = ++i;
    while (is_name_byte(u8(h, i)))
        i++;
    if (u8(h, i) == ':' && i > start) {
        start = ++i;
        while (is_name_byte(u8(h, i)))
            i++;
    }
    return i - start == 3 && IS(h, start, "svg") && has(h, i, 1) && strchr(" \t\r\n/>", (int)u8(h, i));
}

size_t sniff_text_start(const struct head *h)
{
    return skip_space(h, IS(h, 0, "\xef\xbb\xbf") ? 3 : 0);
}

static bool is_svg(const struct head *h)
{
    for (size_t i = sniff_text_start(h);; i = skip_space(h, i)) {
        if (IS(h, i, "<?"))
            i = skip_past(h, i, "?>");
        else if (IS(h, i, "<!--"))
            i = skip_past(h, i, "-->");
        else if (IS(h, i, "<!DOCTYPE") || IS(h, i, "<!doctype"))
            i = skip_doctype(h, i);
        else
            return IS(h, i, "<") && is_svg_tag(h, i);
    }
}

bool sniff_is_text(const struct head *h)
{
    return h->len && (is_utf16(h) || is_utf8(h));
}

/* In UTF-16 from an offset on the same, by the letters that matter. */
static bool is_wide_svg(const struct head *h, size_t from, bool little)
{
    uint8_t narrow[4096];
    size_t n = 0;
    for (size_t i = from; n < sizeof narrow && has(h, i, 2); i += 2) {
        uint32_t c = little ? le16(h, i) : be16(h, i);
        narrow[n++] = c < 0x80 ? (uint8_t)c : '?';
    }
    return is_svg(&(struct head){.at = narrow, .len = n});
}

bool sniff_is_foreign_svg(const struct head *h)
{
    if (IS(h, 0, "<\0?\0x\0m\0l\0") || IS(h, 0, "\0<\0?\0x\0m\0l"))
        return is_wide_svg(h, 0, h->at[0] == '<');
    size_t declaration = skip_past(h, 0, "?>");
    return IS(h, 0, "<?xml") && memmem(h->at, declaration, "encoding", strlen("encoding")) && is_svg(h);
}

enum media sniff_text(const struct head *h)
{
    return is_svg(h) || (is_utf16(h) && is_wide_svg(h, 2, IS(h, 0, "\xff\xfe"))) ? MEDIA_SVG : MEDIA_TEXT;
}
