/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of a vision model, as the host's model gets them: whatever they are, they stand between one beginning and one end of
 * the fence, and the name of a model opens no second one.
 * about: src/percept/words.c
 */
#include "fuzz.h"

#include <strings.h>

#include "base/cleanup.h"
#include "percept/result.h"

/* Beginnings and ends of the fence, counted as a lenient reader would: blanks of any kind within, in any case. */
static void count(const char *s, unsigned *opens, unsigned *closes)
{
    static const char name[] = "untrusted", blanks[] = " \t\r\n\v\f";
    *opens = *closes = 0;
    for (; (s = strchr(s, '<')); s++) {
        const char *at = s + 1 + strspn(s + 1, blanks);
        bool close = *at == '/';
        at += close;
        at += strspn(at, blanks);
        if (strncasecmp(at, name, sizeof name - 1) == 0)
            ++*(close ? closes : opens);
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
