/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls, results and entries as a terminal shows them, of any bytes: raw, or put into each place that a transcript has for words. Judged
 * by a reader of its own: valid UTF-8 without a character that acts on a terminal or on the order of what is read; no line is wider than
 * was promised, by the C library's table of widths; none begins in the middle of a character; there are no more of them than promised,
 * and none but the first can pass for the start of an entry.
 * about: src/percept/render.c src/percept/render_entry.c src/percept/columns.c
 * max_len: 2048
 */
#include "fuzz.h"

#include <jansson.h>
#include <locale.h>
#include <wchar.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/limits.h"
#include "fovea.h"
#include "percept/result.h"

enum { QUESTION = 100, LINE = 120, BRIEF = 4, WHOLE = 16, INDENT = 2 };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    CLAIM(setlocale(LC_CTYPE, "C.UTF-8") && wcwidth(0x4e2d) == 2);
    return 0;
}

/* ---------------------------------------------------------------- the other reader */

/* One character of what was made; what is no UTF-8 breaks a claim. */
static uint32_t character(const char **s)
{
    const unsigned char *p = (const unsigned char *)*s;
    size_t more = *p < 0x80 ? 0 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : 3;
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000}, kept[] = {0x7f, 0x1f, 0x0f, 0x07};
    uint32_t c = *p & kept[more];
    CLAIM(*p < 0x80 || (*p >= 0xc2 && *p <= 0xf4));
    for (size_t i = 1; i <= more; i++) {
        CLAIM(p[i] >= 0x80 && p[i] <= 0xbf);
        c = c * 64 + (p[i] - 0x80u);
    }
    CLAIM(c >= least[more] && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff));
    *s += more + 1;
    return c;
}

/* Controls, what turns the order of reading, ends a line elsewhere, or is not seen. A newline is judged where it stands. */
static bool acts(uint32_t c)
{
    static const uint32_t ranges[][2] = {
        {0, 0x1f}, {0x7f, 0x9f}, {0xad, 0xad}, {0x61c, 0x61c}, {0x200b, 0x200b}, {0x200e, 0x200f}, {0x2028, 0x202e},
        {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff}};
    for (size_t i = 0; i < COUNT(ranges); i++)
        if (c >= ranges[i][0] && c <= ranges[i][1])
            return true;
    return false;
}

static size_t columns_of(uint32_t c)
{
    int w = wcwidth((wchar_t)c);
    return w < 0 ? 1 : (size_t)w;
}

struct shape {
    size_t lines, first, widest; /* of the first line, and of the others */
    bool indented;               /* all but the first */
};

/* In colour a character is as wide as two letters. */
static struct shape shape_of(const char *s)
{
    struct shape shape = {.lines = 1, .indented = true};
    size_t columns = 0, last = 0;
    for (const char *start = s;;) {
        bool begins = s == start;
        if (!*s || *s == '\n') {
            size_t *most = shape.lines == 1 ? &shape.first : &shape.widest;
            *most = columns > *most ? columns : *most;
            if (!*s)
                return shape;
            shape.lines++;
            start = ++s;
            shape.indented &= s[0] == ' ' && s[1] == ' ';
            columns = last = 0;
            continue;
        }
        uint32_t c = character(&s);
        CLAIM(!acts(c));
        CLAIM(!begins || columns_of(c) > 0);
        last = c == 0xfe0f ? last == 1 : columns_of(c);
        columns += last;
    }
}

/* ---------------------------------------------------------------- calls */

/* What is asked stands behind all the rest, which is the same where nothing is asked. */
static void claim_question(const char *tool, const char *arguments, size_t len, const char *line)
{
    json_t *object = json_loadb(arguments, len, JSON_ALLOW_NUL, NULL);
    bool asks = json_is_string(json_object_get(object, "question")) || json_is_string(json_object_get(object, "prompt"));
    if (!memchr(arguments, '\0', len) && asks) {
        (void)json_object_del(object, "question");
        (void)json_object_del(object, "prompt");
        auto_free char *rest = json_dumps(object, 0);
        auto_free char *without = rest ? fovea_render_call_new(tool, rest, strlen(rest)) : NULL;
        size_t n = without ? strlen(without) : 0;
        CLAIM(without && !strncmp(line, without, n) && !strncmp(line + n, ": ", 2));
        CLAIM(shape_of(line + n + 2).first <= QUESTION);
    }
    json_decref(object);
}

static void claim_call(const char *tool, const char *arguments, size_t len)
{
    auto_free char *line = fovea_render_call_new(tool, arguments, len);
    CLAIM(line);
    struct shape shape = shape_of(line);
    CLAIM(shape.lines == 1 && shape.first <= 3 * QUESTION + strlen(" : "));
    if (arguments)
        claim_question(tool, arguments, len, line);
}

/* ---------------------------------------------------------------- results */

static void claim_result(fovea_result *r)
{
    CLAIM(r);
    bool foot = fovea_result_kind(r) == FOVEA_ANSWER || fovea_result_kind(r) == FOVEA_PERCEPTION;
    for (int expanded = 0; expanded < 2; expanded++) {
        auto_free char *got = fovea_render_result_new(r, expanded);
        CLAIM(got);
        struct shape shape = shape_of(got);
        CLAIM(shape.lines <= (expanded ? WHOLE : BRIEF) + 1u + foot && shape.first <= LINE && shape.widest <= LINE);
        CLAIM(!foot || shape.lines > 1);
    }
    fovea_result_free(r);
}

static char *copy(const char *s)
{
    char *same = strdup(s);
    CLAIM(same);
    return same;
}

static void try_result(uint8_t how, struct feed *f)
{
    char name[200];
    size_t n = feed_u8(f) % sizeof name;
    feed_take(f, name, n);
    name[n] = '\0';
    size_t len = f->left;
    auto_free char *words = feed_text(f);
    struct text text = {.text = NULL, .len = len, .first = 1, .last = 1, .total = 1};
    struct answer answer = {.mime = how & 8 ? "image/webp" : NULL};
    struct perception perception = {.id = "view:0123456789ab", .media = MEDIA_WEBP, .size = {9, 9}, .crop = {0, 0, 9, 9}};
    switch (how % 5) {
    case 0: /* whatever bytes it holds */
        text.text = malloc(len + 1);
        CLAIM(text.text);
        memcpy(text.text, words, len + 1);
        claim_result(result_of_text(&text));
        return;
    case 1:
        answer.text = copy(words);
        answer.provider = copy("p");
        answer.model = copy(name);
        claim_result(result_of_answer(&answer));
        return;
    case 2:
        perception.note = copy(words);
        claim_result(result_of_perception(&perception));
        return;
    case 3:
        claim_result(result_refused((enum reason)(how / 5 % REASON_COUNT), "%s", words));
        return;
    default:
        claim_result(result_failed((enum fail)(how / 5 % FAIL_COUNT), words, &(struct cost){.words = "0"}));
    }
}

/* ---------------------------------------------------------------- entries */

/* # is where words go. */
static const char *const places[] = {
    "{\"kind\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"#\"}]}",
    "{\"kind\":\"system\",\"role\":\"#\",\"parts\":[{\"type\":\"text\",\"text\":\"x\"}]}",
    "{\"kind\":\"user\",\"parts\":[{\"type\":\"image\",\"media_type\":\"#\",\"width\":640,\"height\":480,\"name\":\"#\"}]}",
    "{\"kind\":\"user\",\"parts\":[{\"type\":\"document\",\"url\":\"#\",\"broken\":\"#\",\"pages\":3}]}",
    "{\"kind\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"name\":\"#\",\"arguments\":{\"path\":\"#\",\"question\":\"#\"}}]}",
    "{\"kind\":\"assistant\",\"parts\":[{\"type\":\"opaque\",\"wire\":\"#\",\"thinking\":true,\"text\":\"#\"}]}",
    "{\"kind\":\"assistant\",\"parts\":[{\"type\":\"opaque\",\"wire\":\"#\",\"value\":{\"type\":\"#\"}}]}",
    "{\"kind\":\"perception\",\"name\":\"#\",\"arguments\":{\"file_path\":\"#\"},\"parts\":[{\"type\":\"text\",\"text\":\"#\"},"
    "{\"type\":\"image\",\"media_type\":\"#\",\"view\":\"#\"}]}",
    "{\"kind\":\"tool_result\",\"name\":\"#\",\"error\":true,\"parts\":[{\"type\":\"text\",\"text\":\"#\"},{\"type\":\"text\","
    "\"text\":\"#\"}]}",
    "{\"kind\":\"tool_result\",\"name\":\"t\",\"result\":{\"kind\":\"answer\",\"text\":\"#\",\"model\":\"#\",\"provider\":\"#\","
    "\"mimeType\":\"#\"},\"parts\":[{\"type\":\"text\",\"text\":\"x\"}]}",
    "{\"kind\":\"tool_result\",\"name\":\"t\",\"result\":{\"kind\":\"answer\",\"content\":[{\"type\":\"text\",\"text\":\"#\"}],"
    "\"details\":{\"model\":\"#\"}},\"parts\":[]}",
    "{\"kind\":\"usage\",\"model\":\"#\",\"input\":\"#\",\"output\":2,\"cache_read\":7,\"cost_usd\":\"#\"}",
    "{\"kind\":\"request\",\"wire\":\"#\",\"tools\":[1,2]}",
    "{\"kind\":\"repair\",\"entry\":4,\"part\":1,\"how\":\"#\",\"why\":\"#\"}",
    "{\"kind\":\"#\"}",
};

static void claim_entry(const char *entry, size_t len, bool cut)
{
    size_t elements = 1;
    for (size_t i = 0; i < len; i++)
        elements += entry[i] == ',' || entry[i] == '{';
    for (int expanded = 0; expanded < 2; expanded++) {
        auto_free char *got = fovea_render_entry_new(entry, len, expanded);
        CLAIM(got && *got);
        struct shape shape = shape_of(got);
        CLAIM(shape.indented && shape.first <= 12 * (QUESTION + INDENT) + LINE);
        CLAIM(strlen(got) <= 8 * len + 40 * elements + 200);
        if (cut) {
            CLAIM(shape.lines <= (expanded ? WHOLE : BRIEF) + elements + 3);
            CLAIM(shape.widest <= 9 * (QUESTION + 16));
        }
    }
}

/* Bytes as a JSON string has them, that of one that is no UTF-8 too. */
static void add_escaped(struct buf *b, const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c < ' ' || c == '"' || c == '\\')
            (void)buf_add_format(b, "\\u%04x", c);
        else
            (void)buf_add(b, s + i, 1);
    }
}

/* The words of each place lie between bytes 0xf8, which no UTF-8 has. */
static void try_places(const char *template, const char *words, size_t len)
{
    auto_buf entry = BUF_INIT(64 * KIB);
    const char *end = words + len;
    for (const char *at = template; *at; at++) {
        if (*at != '#') {
            (void)buf_add(&entry, at, 1);
            continue;
        }
        const char *stop = memchr(words, 0xf8, (size_t)(end - words));
        stop = stop ? stop : end;
        add_escaped(&entry, words, (size_t)(stop - words));
        words = stop < end ? stop + 1 : end;
    }
    CLAIM(!entry.error);
    claim_entry(entry.data, entry.len, strstr(template, "tool_result") || strstr(template, "perception"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    uint8_t what = feed_u8(&f), how = feed_u8(&f);
    auto_free char *rest = feed_text(&f);
    size_t left = f.left;
    char *newline = memchr(rest, '\n', left);
    switch (what % 4) {
    case 0:
        claim_entry(rest, left, false);
        return 0;
    case 1:
        try_places(places[how % COUNT(places)], rest, left);
        return 0;
    case 2:
        if (newline)
            *newline = '\0';
        claim_call(rest, newline ? newline + 1 : NULL, newline ? left - (size_t)(newline + 1 - rest) : 0);
        return 0;
    default:
        try_result(how, &f);
        return 0;
    }
}
