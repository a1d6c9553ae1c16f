/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A provider's refusal, in whatever words: what is kept of them is bounded and can be shown, places and types are ones that the text names,
 * the same words say the same in capitals and quoted within JSON, and the picture that is chosen is one that was sent and that they can
 * mean. The first byte says which wire, the next ones what was sent.
 * about: src/lower/reject.c src/lower/reject_choose.c
 * max_len: 8192
 */
#include "fuzz.h"

#include <ctype.h>
#include <errno.h>

#include "base/cleanup.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "base/text.h"
#include "lower/write.h"

enum { SPOTS = 6 };

static bool same_place(const struct rejection *a, const struct rejection *b)
{
    return a->placed == b->placed && a->place.message == b->place.message && a->place.block == b->place.block && a->place.inner == b->place.inner;
}

static bool same_meaning(const struct rejection *a, const struct rejection *b)
{
    return a->cause == b->cause && same_place(a, b) && a->aim == b->aim && a->image == b->image && a->document == b->document &&
           a->in_result == b->in_result && a->format == b->format && !strcmp(a->type, b->type);
}

/* The text as it is searched: printable, small letters. */
static char *small(const char *text, size_t len)
{
    char *s = calloc(1, len + 1), *to = s;
    CLAIM(s);
    for (size_t i = 0; i < len; i++)
        if (text[i] && text[i] != '\\')
            *to++ = (char)(isupper((unsigned char)text[i]) ? text[i] | 0x20 : text[i]);
    return s;
}

static bool has_number(const char *s, size_t n)
{
    while (*s && !(isdigit((unsigned char)*s) && strtoull(s, NULL, 10) == n))
        s++;
    return *s;
}

static void claim_bounded(const struct rejection *r, const char *text)
{
    static const char *const roots[] = {"messages", "input", "contents"};
    size_t n = strnlen(r->words, sizeof r->words);
    bool root = false;
    CLAIM(n < sizeof r->words && utf8_valid(r->words, n));
    for (size_t i = 0; i < n; i++)
        CLAIM((unsigned char)r->words[i] >= ' ');
    CLAIM(memchr(r->type, 0, sizeof r->type) && (!r->type[0] || (!strncmp(r->type, "image/", 6) && strstr(text, r->type))));
    CLAIM(!(r->image && r->document) && (!r->format || r->cause == REJECT_UNSUPPORTED) && (!r->type[0] || r->format));
    CLAIM(r->cause != REJECT_UNKNOWN || r->placed);
    if (!r->placed)
        return;
    for (size_t i = 0; i < COUNT(roots); i++)
        root |= strstr(text, roots[i]) != NULL;
    CLAIM(root);
    CLAIM(has_number(text, r->place.message));
    CLAIM(r->place.block == SIZE_MAX || has_number(text, r->place.block));
    CLAIM(r->place.inner == -1 || (r->place.block != SIZE_MAX && has_number(text, (size_t)r->place.inner)));
}

/* Written otherwise, it says the same: in capitals, and as a string within JSON, as often as SDKs and hosts do that. */
static void check_otherwise(enum lower_wire wire, const char *text, size_t len, int code, const struct rejection *r)
{
    auto_free char *loud = strndup(text, len);
    auto_buf quoted = BUF_INIT(64 * KIB);
    struct rejection other = {0};
    for (size_t i = 0; i < len; i++) {
        if (!isprint((unsigned char)text[i]))
            return;
        loud[i] = (char)toupper((unsigned char)text[i]);
    }
    CLAIM(reject_read(wire, loud, len, &other) == code && (code < 0 || same_meaning(&other, r)));
    CLAIM(buf_add_json(&quoted, text, len) == 0);
    if (quoted.len >= LIMIT_PROVIDER_ERROR)
        return;
    other = (struct rejection){0};
    /* Without the quotes around it: they would part what stands at its ends from nothing. */
    int again = reject_read(wire, quoted.data + 1, quoted.len - 2, &other);
    CLAIM(again == code && (code < 0 || same_meaning(&other, r)));
}

static void make_spots(struct feed *f, struct reject_spot spots[SPOTS])
{
    static const char *const types[] = {"image/png", "image/jpeg", "image/webp", "application/pdf"};
    for (size_t i = 0; i < SPOTS; i++) {
        uint8_t a = feed_u8(f), b = feed_u8(f);
        spots[i] = (struct reject_spot){.place = {.message = a & 3, .block = a >> 2 & 3, .inner = (a >> 4 & 3) - 1}, .seq = (int64_t)i,
                                        .image = (b & 3) != 3, .in_result = b & 4, .repaired = b & 8, .bytes = (b >> 4) * 10000,
                                        .longest = 100u + b, .shortest = 1u + (a >> 5)};
        (void)snprintf(spots[i].type, sizeof spots[i].type, "%s", types[b & 3]);
    }
}

static void check_choice(const struct rejection *r, const struct reject_spot spots[SPOTS])
{
    const struct reject_spot *s = reject_choose(r, spots, SPOTS);
    CLAIM(s == reject_choose(r, spots, SPOTS) && !reject_choose(r, spots, 0));
    CLAIM(!s || (s >= spots && s < spots + SPOTS));
    bool exact = r->placed && r->place.block != SIZE_MAX;
    if (s && r->placed)
        CLAIM(s->place.message == r->place.message && (!exact || s->place.block == r->place.block));
    if (s && !exact)
        CLAIM((!r->image || s->image) && (!r->document || !s->image) && (!r->in_result || s->in_result));
    for (size_t i = 0; exact && !s && i < SPOTS; i++)
        CLAIM(spots[i].place.message != r->place.message || spots[i].place.block != r->place.block ||
              (r->place.inner >= 0 && spots[i].place.inner != r->place.inner));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    enum lower_wire wire = feed_u8(&f) % LOWER_WIRES;
    struct reject_spot spots[SPOTS];
    make_spots(&f, spots);
    struct rejection r, again, blank;
    memset(&r, 0xa5, sizeof r);
    memset(&again, 0xa5, sizeof again);
    memset(&blank, 0xa5, sizeof blank);
    auto_free char *text = malloc(f.left + !f.left);
    CLAIM(text);
    if (f.left)
        memcpy(text, f.at, f.left);
    int code = reject_read(wire, text, f.left, &r);
    CLAIM(code == 0 || code == -ENOENT);
    CLAIM(reject_read(wire, text, f.left, &again) == code);
    if (code < 0) {
        CLAIM(!memcmp(&r, &blank, sizeof r));
    } else {
        auto_free char *searched = small(text, f.left);
        CLAIM(same_meaning(&r, &again) && !strcmp(r.words, again.words));
        claim_bounded(&r, searched);
        check_choice(&r, spots);
    }
    if (f.left < LIMIT_PROVIDER_ERROR)
        check_otherwise(wire, text, f.left, code, &r);
    return 0;
}
