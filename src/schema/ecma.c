/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ECMA-262 regular expressions (as with the u flag) in PCRE2's words. Whatever means the same in both is copied;
 * whatever only PCRE2 knows (verbs, options, recursion, POSIX classes, \A, \Q) is refused or made plain, so that a
 * pattern never does more than its author could have meant.
 */
#include <errno.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "schema/schema_priv.h"

struct reader {
    const char *s, *end;
    struct buf *out;
    const char *words;
    size_t stride;
};

/* White space and line ends as \s has them, and everything else; ranges, so that they fit into a class. */
#define SPACE "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}"
#define NO_SPACE                                                                                            \
    "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}"     \
    "\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}"

static int refuse(struct reader *r, const char *words)
{
    r->words = words;
    return -EINVAL;
}

/* ---------------------------------------------------------------- escapes */

static bool hex_digits(struct reader *r, size_t n, uint32_t *ret)
{
    uint32_t v = 0;
    for (size_t i = 0; i < n; i++) {
        int digit = r->s + i < r->end ? hex_digit(r->s[i]) : -1;
        if (digit < 0)
            return false;
        v = v << 4 | (uint32_t)digit;
    }
    r->s += n;
    *ret = v;
    return true;
}

/* \u{1f600}: one to six digits. */
static bool braced(struct reader *r, uint32_t *ret)
{
    const char *close = memchr(r->s, '}', (size_t)(r->end - r->s));
    if (r->s == r->end || *r->s != '{' || !close || close - r->s < 2 || close - r->s > 7)
        return false;
    r->s++;
    return hex_digits(r, (size_t)(close - r->s), ret) && r->s++ == close && *ret <= 0x10ffff;
}

static int add_code(struct reader *r, uint32_t c)
{
    if (c >= 0xd800 && c < 0xe000)
        return refuse(r, "a lone surrogate");
    return buf_add_format(r->out, "\\x{%x}", c);
}

static int escape_u(struct reader *r)
{
    uint32_t c, low;
    if (braced(r, &c))
        return add_code(r, c);
    if (!hex_digits(r, 4, &c))
        return refuse(r, "\\u without four digits");
    if (c >= 0xd800 && c < 0xdc00 && r->end - r->s >= 6 && r->s[0] == '\\' && r->s[1] == 'u') {
        r->s += 2;
        if (!hex_digits(r, 4, &low) || low < 0xdc00 || low > 0xdfff)
            return refuse(r, "half a surrogate pair");
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    return add_code(r, c);
}

static const char *const categories[][2] = {
    {"Cased_Letter", "L&"}, {"LC", "L&"}, {"Close_Punctuation", "Pe"}, {"Connector_Punctuation", "Pc"}, {"Control", "Cc"},
    {"cntrl", "Cc"}, {"Currency_Symbol", "Sc"}, {"Dash_Punctuation", "Pd"}, {"Decimal_Number", "Nd"}, {"digit", "Nd"},
    {"Enclosing_Mark", "Me"}, {"Final_Punctuation", "Pf"}, {"Format", "Cf"}, {"Initial_Punctuation", "Pi"},
    {"Letter", "L"}, {"Letter_Number", "Nl"}, {"Line_Separator", "Zl"}, {"Lowercase_Letter", "Ll"}, {"Mark", "M"},
    {"Combining_Mark", "M"}, {"Math_Symbol", "Sm"}, {"Modifier_Letter", "Lm"}, {"Modifier_Symbol", "Sk"},
    {"Nonspacing_Mark", "Mn"}, {"Number", "N"}, {"Open_Punctuation", "Ps"}, {"Other", "C"}, {"Other_Letter", "Lo"},
    {"Other_Number", "No"}, {"Other_Punctuation", "Po"}, {"Other_Symbol", "So"}, {"Paragraph_Separator", "Zp"},
    {"Private_Use", "Co"}, {"Punctuation", "P"}, {"punct", "P"}, {"Separator", "Z"}, {"Space_Separator", "Zs"},
    {"Spacing_Mark", "Mc"}, {"Surrogate", "Cs"}, {"Symbol", "S"}, {"Titlecase_Letter", "Lt"}, {"Unassigned", "Cn"},
    {"Uppercase_Letter", "Lu"},
};

/* \p{...}: PCRE2 knows scripts and binary properties by name, but categories by their short ones only. */
static int escape_p(struct reader *r, char letter)
{
    char name[48];
    const char *close = memchr(r->s, '}', (size_t)(r->end - r->s));
    if (r->s == r->end || *r->s != '{' || !close || (size_t)(close - r->s) > sizeof name)
        return refuse(r, "\\p without a name in braces");
    size_t len = (size_t)(close - r->s) - 1;
    memcpy(name, r->s + 1, len);
    name[len] = '\0';
    if (!len || name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=")])
        return refuse(r, "an unknown property");
    r->s = close + 1;
    const char *shortly = !strncmp(name, "gc=", 3) ? name + 3 : !strncmp(name, "General_Category=", 17) ? name + 17 : name;
    for (size_t i = 0; i < COUNT(categories); i++)
        if (!strcmp(shortly, categories[i][0]))
            return buf_add_format(r->out, "\\%c{%s}", letter, categories[i][1]);
    return buf_add_format(r->out, "\\%c{%s}", letter, shortly);
}

static int back_reference(struct reader *r)
{
    unsigned n = 0;
    r->stride = SIZE_MAX;
    for (; r->s < r->end && *r->s >= '0' && *r->s <= '9' && n < 1000; r->s++)
        n = 10 * n + (unsigned)(*r->s - '0');
    return buf_add_format(r->out, "\\g{%u}", n);
}

static int named_reference(struct reader *r)
{
    const char *close = memchr(r->s, '>', (size_t)(r->end - r->s));
    if (r->s == r->end || *r->s != '<' || !close)
        return refuse(r, "\\k without a name");
    r->stride = SIZE_MAX;
    (void)buf_add_str(r->out, "\\k");
    int failed = buf_add(r->out, r->s, (size_t)(close + 1 - r->s));
    r->s = close + 1;
    return failed;
}

static int escape_hex(struct reader *r)
{
    uint32_t c;
    return hex_digits(r, 2, &c) ? add_code(r, c) : refuse(r, "\\x without two digits");
}

static int escape_control(struct reader *r)
{
    char c = r->s < r->end ? *r->s : 0;
    if ((c | 0x20) < 'a' || (c | 0x20) > 'z')
        return refuse(r, "\\c without a letter");
    r->s++;
    return add_code(r, (uint32_t)c & 31);
}

static int escape_zero(struct reader *r)
{
    bool digit = r->s < r->end && *r->s >= '0' && *r->s <= '9';
    return digit ? refuse(r, "an octal escape") : add_code(r, 0);
}

static int plain_escape(struct reader *r, char c, bool in_class)
{
    if ((c && strchr("dDwWtnfr", c)) || c == 'b' || (c == 'B' && !in_class))
        return buf_add_format(r->out, "\\%c", c);
    bool letter = ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c >= '0' && c <= '9');
    if (letter || (unsigned char)c >= 0x80)
        return refuse(r, "an unknown escape");
    return c < ' ' ? add_code(r, (uint32_t)c) : buf_add_format(r->out, "\\%c", c);
}

static int escape(struct reader *r, bool in_class)
{
    if (r->s == r->end)
        return refuse(r, "a backslash at the end");
    char c = *r->s++;
    switch (c) {
    case 'u': return escape_u(r);
    case 'x': return escape_hex(r);
    case 'c': return escape_control(r);
    case 'p':
    case 'P': return escape_p(r, c);
    case '0': return escape_zero(r);
    case 'v': return add_code(r, 0x0b);
    case 's': return buf_add_str(r->out, in_class ? SPACE : "[" SPACE "]");
    case 'S': return buf_add_str(r->out, in_class ? NO_SPACE : "[^" SPACE "]");
    default: break;
    }
    if (!in_class && c == 'k')
        return named_reference(r);
    if (!in_class && c >= '1' && c <= '9') {
        r->s--;
        return back_reference(r);
    }
    return plain_escape(r, c, in_class);
}

/* ---------------------------------------------------------------- structure */

static int class(struct reader *r)
{
    (void)buf_add_str(r->out, "[");
    if (r->s < r->end && *r->s == '^')
        (void)buf_add(r->out, r->s++, 1);
    while (r->s < r->end && *r->s != ']') {
        char c = *r->s++;
        int failed = c == '\\' ? escape(r, true) : c == '[' ? buf_add_str(r->out, "\\[") : buf_add(r->out, &c, 1);
        if (failed)
            return failed;
    }
    if (r->s == r->end)
        return refuse(r, "a class without ']'");
    r->s++;
    return buf_add_str(r->out, "]");
}

static int group(struct reader *r)
{
    static const char *const kinds[] = {"?:", "?=", "?!", "?<=", "?<!"};
    size_t left = (size_t)(r->end - r->s);
    if (left && *r->s == '*')
        return refuse(r, "nothing to repeat");
    (void)buf_add_str(r->out, "(");
    if (!left || *r->s != '?')
        return r->out->error;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        size_t n = strlen(kinds[i]);
        if (left >= n && !memcmp(r->s, kinds[i], n)) {
            r->s += n;
            return buf_add_str(r->out, kinds[i]);
        }
    }
    if (left < 4 || r->s[1] != '<')
        return refuse(r, "an unknown kind of group");
    r->s += 2;
    return buf_add_str(r->out, "?<");
}

/* The length of {2}, {2,} or {2,3} at s, or 0. */
static size_t braces(const struct reader *r)
{
    const char *s = r->s;
    size_t first = 0, commas = 0;
    for (; s < r->end && *s != '}'; s++) {
        if (*s == ',' && first && !commas)
            commas++;
        else if (*s < '0' || *s > '9')
            return 0;
        else
            first++;
    }
    return s < r->end && first ? (size_t)(s - r->s) + 1 : 0;
}

/* A repeat with a lower bound looks so far ahead at once. */
static void note_stride(struct reader *r)
{
    size_t n = 0;
    for (const char *s = r->s; *s >= '0' && *s <= '9' && n < 100000; s++)
        n = 10 * n + (size_t)(*s - '0');
    r->stride = MAX(r->stride, n);
}

/* A quantifier, whose first character is read; after it only '?' may follow. */
static int quantifier(struct reader *r, char c)
{
    size_t more = c == '{' ? braces(r) : 0;
    if (c == '{' && !more)
        return buf_add_str(r->out, "\\{");
    if (more)
        note_stride(r);
    (void)buf_add(r->out, &c, 1);
    (void)buf_add(r->out, r->s, more);
    r->s += more;
    if (r->s < r->end && *r->s == '?')
        (void)buf_add(r->out, r->s++, 1);
    if (r->s < r->end && (strchr("*+?", *r->s)) && *r->s)
        return refuse(r, "nothing to repeat");
    return r->out->error;
}

static int item(struct reader *r)
{
    char c = *r->s++;
    switch (c) {
    case '\\': return escape(r, false);
    case '[': return class(r);
    case '(': return group(r);
    case '.': return buf_add_str(r->out, "[^\\n\\r\\x{2028}\\x{2029}]");
    case '*':
    case '+':
    case '?':
    case '{': return quantifier(r, c);
    case '}': return buf_add_str(r->out, "\\}");
    case ']': return buf_add_str(r->out, "\\]");
    default: return buf_add(r->out, &c, 1);
    }
}

int ecma_translate(const char *pattern, size_t len, struct buf *out, const char **ret_words, size_t *ret_stride)
{
    struct reader r = {pattern, pattern + len, out, "is too long", 0};
    int failed = 0;
    while (!failed && r.s < r.end)
        failed = item(&r);
    *ret_words = r.words;
    *ret_stride = r.stride;
    return failed == -EFBIG ? -EINVAL : failed;
}
