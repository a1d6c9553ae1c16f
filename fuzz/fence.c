/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of a vision model, as the host's model gets them: whatever they are, they stand between one beginning and one end of
 * the fence, and the name of a model opens no second one; not even for a reader who passes over blanks, accents and invisible characters
 * of any script and takes a letter for what it looks like.
 * about: src/percept/fence.c src/percept/words.c
 */
#include "fuzz.h"

#include <unictype.h>
#include <uninorm.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "percept/result.h"

/* What a letter of another alphabet is taken for: a few that have no decomposition, out of Unicode's own list of what is confused. */
static const struct {
    uint32_t like;
    char as;
} confused[] = {{0x1d1c, 'u'}, {0x57d, 'u'}, {0x578, 'n'}, {0x3c4, 't'}, {0x442, 't'}, {0x433, 'r'}, {0x455, 's'}, {0x435, 'e'},
                {0x501, 'd'}, {0x2039, '<'}, {0x276e, '<'}, {0x2044, '/'}, {0x2215, '/'}};

/* What is seen of one that came out of a decomposition; 0: nothing. */
static char seen_of(uint32_t c)
{
    for (size_t i = 0; i < COUNT(confused); i++)
        if (confused[i].like == c)
            return confused[i].as;
    if (uc_is_property_white_space(c) || uc_is_property_default_ignorable_code_point(c) ||
        uc_is_general_category_withtable(c, UC_CATEGORY_MASK_C | UC_CATEGORY_MASK_M | UC_CATEGORY_MASK_Z))
        return 0;
    return (char)(c >= 0x80 ? '?' : c == '\\' ? '/' : c >= 'A' && c <= 'Z' ? c + 32 : c);
}

/* The words as a lenient reader sees them: in small letters, compatible forms taken apart, without blanks, accents and what cannot be seen. */
static char *seen_in(const char *s)
{
    size_t len = strlen(s), step;
    char *seen = calloc(1, 18 * len + 1), *to = seen; /* no character has more parts */
    CLAIM(seen);
    for (size_t at = 0; at < len; at += step) {
        uint32_t c;
        size_t n = 0;
        step = utf8_decode(s + at, len - at, &c);
        uint32_t *parts = step ? u32_normalize(UNINORM_NFKD, &c, 1, NULL, &n) : NULL;
        for (size_t i = 0; i < n; i++)
            to += (*to = seen_of(parts[i])) != 0;
        free(parts);
        step = step ? step : 1;
    }
    *to = '\0';
    return seen;
}

/* Beginnings and ends of the fence. */
static void count(const char *words, unsigned *opens, unsigned *closes)
{
    static const char name[] = "untrusted";
    auto_free char *seen = seen_in(words);
    *opens = *closes = 0;
    for (const char *s = seen; (s = strchr(s, '<')); s++) {
        size_t slashes = strspn(s + 1, "/");
        if (!strncmp(s + 1 + slashes, name, sizeof name - 1))
            ++*(slashes ? closes : opens);
    }
}

static void check(struct answer *a)
{
    static const char end[] = "\n</untrusted>";
    unsigned opens, closes;
    fovea_result *r = result_of_answer(a);
    CLAIM(r);
    auto_free char *words = fovea_result_words_new(r);
    CLAIM(words && !strncmp(words, "<untrusted ", 11));
    count(words, &opens, &closes);
    CLAIM(opens == 1 && closes == 1);
    CLAIM(strstr(words, end));
    /* The first line is ours to its end. */
    const char *line = strchr(words, '\n');
    CLAIM(line && line[-1] == '>' && memchr(words, '>', (size_t)(line - words)) == line - 1);
    fovea_result_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    size_t name = feed_u8(&f) % 64;
    char model[64] = "m";
    feed_take(&f, model, name);
    model[name] = '\0';
    auto_free char *text = feed_text(&f);
    struct answer a = {.inspected = true, .text = strdup(text), .provider = strdup("local"), .model = strdup(model),
                       .cost = {.words = "0"}};
    CLAIM(a.text && a.provider && a.model);
    check(&a);
    return 0;
}
