/* SPDX-License-Identifier: Apache-2.0 */
/* HTML within Markdown is not laid out: its tags are taken away and its text stays, but for what no browser shows. Placeholders such
 * as <file> look like tags and are none; they stay too. */
#include "md_html.h"

#include <string.h>

#include "base/cleanup.h"

static const struct {
    const char *name;
    uint32_t c;
} entities[] = {
    {"amp", '&'},       {"lt", '<'},        {"gt", '>'},        {"quot", '"'},      {"apos", '\''},     {"nbsp", 0xa0},
    {"copy", 0xa9},     {"reg", 0xae},      {"trade", 0x2122},  {"hellip", 0x2026}, {"mdash", 0x2014},  {"ndash", 0x2013},
    {"lsquo", 0x2018},  {"rsquo", 0x2019},  {"ldquo", 0x201c},  {"rdquo", 0x201d},  {"laquo", 0xab},    {"raquo", 0xbb},
    {"bull", 0x2022},   {"middot", 0xb7},   {"deg", 0xb0},      {"plusmn", 0xb1},   {"times", 0xd7},    {"divide", 0xf7},
    {"larr", 0x2190},   {"uarr", 0x2191},   {"rarr", 0x2192},   {"darr", 0x2193},   {"harr", 0x2194},   {"rArr", 0x21d2},
    {"le", 0x2264},     {"ge", 0x2265},     {"ne", 0x2260},     {"asymp", 0x2248},  {"infin", 0x221e},  {"euro", 0x20ac},
    {"pound", 0xa3},    {"yen", 0xa5},      {"cent", 0xa2},     {"sect", 0xa7},     {"para", 0xb6},     {"dagger", 0x2020},
    {"frac12", 0xbd},   {"frac14", 0xbc},   {"sup2", 0xb2},     {"sup3", 0xb3},     {"micro", 0xb5},    {"szlig", 0xdf},
    {"auml", 0xe4},     {"ouml", 0xf6},     {"uuml", 0xfc},     {"Auml", 0xc4},     {"Ouml", 0xd6},     {"Uuml", 0xdc},
    {"eacute", 0xe9},   {"egrave", 0xe8},   {"agrave", 0xe0},   {"ccedil", 0xe7},   {"ntilde", 0xf1},   {"check", 0x2713},
    {"ensp", 0x2002},   {"emsp", 0x2003},   {"thinsp", 0x2009}, {"lbrace", '{'},    {"rbrace", '}'},    {"vert", '|'},
    {"ast", '*'},       {"num", '#'},       {"lowbar", '_'},    {"lbrack", '['},    {"rbrack", ']'},    {"grave", '`'},
};

/* Tags that end a line where they stand; then those that do not. */
static const char *const breaking[] = {"br", "p", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "table",
                                       "ul", "ol", "dl", "dt", "dd", "pre", "blockquote", "summary", "details", "section",
                                       "article", "header", "footer", "main", "nav", "figure", "figcaption", "center"};
static const char *const inlined[] = {"a", "abbr", "b", "big", "cite", "code", "del", "dfn", "em", "font", "i", "img", "ins",
                                      "kbd", "mark", "picture", "q", "s", "samp", "small", "source", "span", "strike", "strong",
                                      "sub", "sup", "tbody", "td", "tfoot", "th", "thead", "tt", "u", "var", "video", "wbr",
                                      "svg", "iframe", "input", "button", "label", "caption", "col"};

/* What is not shown, up to its end. */
static const struct html_unseen unseen[] = {{"<!--", "-->"}, {"<script", "</script"}, {"<style", "</style"}};

/* The value of a digit; one that is none has more than any base. */
static uint32_t digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - (uint32_t)'0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - (uint32_t)'a' + 10 : 99;
}

static uint32_t number_of(struct span digits, unsigned base)
{
    uint32_t n = 0;
    for (size_t i = 0; i < digits.len; i++) {
        uint32_t v = digit(digits.at[i]);
        if (v >= base || n > 0x10ffff)
            return 0;
        n = n * base + v;
    }
    return n > 0x10ffff || (n >= 0xd800 && n < 0xe000) ? 0 : n;
}

uint32_t html_entity(struct span s)
{
    if (s.len < 3 || s.at[0] != '&' || s.at[s.len - 1] != ';')
        return 0;
    struct span name = {s.at + 1, s.len - 2};
    if (name.len > 2 && name.at[0] == '#' && (name.at[1] == 'x' || name.at[1] == 'X'))
        return number_of((struct span){name.at + 2, name.len - 2}, 16);
    if (name.at[0] == '#')
        return number_of((struct span){name.at + 1, name.len - 1}, 10);
    for (size_t i = 0; i < COUNT(entities); i++)
        if (strlen(entities[i].name) == name.len && memcmp(entities[i].name, name.at, name.len) == 0)
            return entities[i].c;
    return 0;
}

static bool listed(const char *const *list, size_t n, const char *name, size_t len)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(list[i]) == len && strncasecmp(list[i], name, len) == 0)
            return true;
    return false;
}

static bool is_letter(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

size_t html_markup(struct span s, bool *ret_break)
{
    *ret_break = false;
    if (s.len < 3 || s.at[0] != '<')
        return 0;
    size_t from = s.at[1] == '/' ? 2 : 1, to = from;
    while (to < s.len && is_letter(s.at[to]))
        to++;
    const char *name = (const char *)s.at + from;
    *ret_break = listed(breaking, COUNT(breaking), name, to - from);
    bool known = *ret_break || listed(inlined, COUNT(inlined), name, to - from);
    const uint8_t *end = known ? memchr(s.at + to, '>', s.len - to) : NULL;
    return end ? (size_t)(end - s.at) + 1 : 0;
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '/';
}

static bool begins(struct span s, const char *word)
{
    size_t len = strlen(word);
    return s.len >= len && strncasecmp((const char *)s.at, word, len) == 0;
}

bool html_is(struct span tag, const char *name)
{
    size_t len = strlen(name);
    return tag.len > len && begins(tag, name) && (is_blank(tag.at[len]) || tag.at[len] == '>');
}

const struct html_unseen *html_unseen(struct span s)
{
    for (size_t i = 0; i < COUNT(unseen); i++)
        if (i == 0 ? begins(s, unseen[i].start) : html_is(s, unseen[i].start))
            return &unseen[i];
    return NULL;
}

/* <!--> is a comment too. */
bool html_seen_again(const struct html_unseen *u, struct span s, size_t *ret_at)
{
    for (const uint8_t *at = s.at, *end = s.at + s.len; at < end; at++) {
        at = memchr(at, u->end[0], (size_t)(end - at));
        if (!at)
            return false;
        struct span rest = {at, (size_t)(end - at)};
        if (!begins(rest, u->end))
            continue;
        const uint8_t *close = memchr(at, '>', rest.len);
        *ret_at = close ? (size_t)(close - s.at) + 1 : s.len;
        return true;
    }
    return false;
}

/* From `at` on, up to one of these. */
static size_t length_to(struct span tag, size_t at, const char *ends)
{
    size_t n = 0;
    while (at + n < tag.len && !(tag.at[at + n] && strchr(ends, tag.at[at + n])))
        n++;
    return n;
}

struct span html_attribute(struct span tag, const char *name)
{
    size_t i = length_to(tag, 0, " \t\r\n/>");
    while (i < tag.len) {
        while (i < tag.len && is_blank(tag.at[i]))
            i++;
        size_t from = i, len = length_to(tag, i, " \t\r\n/>=");
        i += len;
        struct span value = {tag.at + i, 0};
        if (i < tag.len && tag.at[i] == '=') {
            bool quoted = ++i < tag.len && (tag.at[i] == '"' || tag.at[i] == '\'');
            const char ends[2] = {quoted ? (char)tag.at[i] : ' ', 0};
            i += quoted;
            value = (struct span){tag.at + i, length_to(tag, i, quoted ? ends : " \t\r\n>")};
            i += value.len + quoted;
        } else if (!len) {
            i++;
        }
        if (len == strlen(name) && strncasecmp((const char *)tag.at + from, name, len) == 0)
            return value;
    }
    return (struct span){NULL, 0};
}
