/* SPDX-License-Identifier: Apache-2.0 */
/*
 * References to files, as people and models write them: refused exactly where there is no path, else spellings that are each a path, all
 * different, the one that was given first; and whatever the spelling, read back it is what was given or what a shell would make of it.
 * The first byte says whether there is a home.
 * about: src/source/ref.c
 */
#include "fuzz.h"

#include <ctype.h>
#include <errno.h>
#include <uninorm.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "source/ref.h"

static const char home[] = "/home/ann";

/* The path of a file: URL, or NULL. */
static char *path_of(const char *url)
{
    static const char local[] = "localhost";
    const char *s = url + strlen("file://");
    s += !strncmp(s, local, sizeof local - 1) && s[sizeof local - 1] == '/' ? sizeof local - 1 : 0;
    char *path = calloc(1, strlen(s) + 1), *to = path;
    CLAIM(path);
    for (; *s == '/' || to > path; s++) {
        unsigned byte = (unsigned char)*s;
        if (!byte)
            return path;
        if (byte == '%') {
            if (!isxdigit((unsigned char)s[1]) || !isxdigit((unsigned char)s[2]) || sscanf(s + 1, "%2x", &byte) != 1 || !byte)
                break;
            s += 2;
        }
        *to++ = (char)byte;
    }
    free(path);
    return NULL;
}

/* What a shell makes of one word. */
static char *word_of(const char *s)
{
    size_t n = strlen(s), len = 0;
    char *word = strdup(s);
    CLAIM(word);
    if (n > 1 && s[0] == s[n - 1] && (s[0] == '"' || s[0] == '\'')) {
        memmove(word, s + 1, n - 2);
        word[n - 2] = '\0';
        return word;
    }
    for (size_t i = 0; i < n; i++) {
        i += s[i] == '\\' && i + 1 < n;
        word[len++] = s[i];
    }
    word[len] = '\0';
    return word;
}

/* One name of a path, composed. */
static void add_composed(struct buf *to, const char *s, size_t len)
{
    size_t n = 0;
    uint8_t *c = utf8_valid(s, len) && len ? u8_normalize(UNINORM_NFC, (const uint8_t *)s, len, NULL, &n) : NULL;
    (void)buf_add(to, c ? (char *)c : s, c ? n : len);
    free(c);
}

/* Every spelling of one path comes to this: its home written out, plain blanks and apostrophes, composed. */
static char *read_back(const char *path, bool homely)
{
    auto_buf plain = BUF_INIT(16 * KIB), all = BUF_INIT(16 * KIB);
    bool at_home = homely && path[0] == '~' && (!path[1] || path[1] == '/');
    (void)buf_add_str(&plain, at_home ? home : "");
    for (const char *s = path + at_home; *s;) {
        bool narrow = !strncmp(s, "\u202f", 3), curly = !strncmp(s, "\u2019", 3);
        (void)buf_add(&plain, narrow ? " " : curly ? "'" : s, 1);
        s += narrow || curly ? 3 : 1;
    }
    for (const char *s = plain.len ? plain.data : ""; *s;) {
        size_t n = strcspn(s, "/");
        add_composed(&all, s, n);
        (void)buf_add(&all, s + n, s[n] == '/');
        s += n + (s[n] == '/');
    }
    CLAIM(!plain.error && buf_add(&all, "", 1) == 0);
    return buf_take(&all);
}

static bool any_has(const struct ref_variants *v, const char *word)
{
    for (size_t i = 0; i < v->n; i++)
        if (strstr(v->path[i], word))
            return true;
    return false;
}

/* The spellings that names of screenshots have are among them. */
static void claim_spellings(const char *given, const struct ref_variants *v)
{
    static const char *const halves[] = {" AM.", " PM.", " am.", " pm."};
    CLAIM(!strchr(given, '\'') || any_has(v, "\u2019"));
    for (size_t i = 0; i < COUNT(halves); i++)
        CLAIM(!strstr(given, halves[i]) || any_has(v, "\u202f"));
}

static void check(const char *given, bool homely, const struct ref_variants *v)
{
    auto_free char *word = word_of(given), *one = read_back(given, homely), *two = read_back(word, homely);
    CLAIM(v->n >= 1 && v->n <= LIMIT_PATH_VARIANTS);
    for (size_t i = 0; i < v->n; i++) {
        auto_free char *back = read_back(v->path[i], false);
        CLAIM(*v->path[i] && strlen(v->path[i]) < LIMIT_PATH_BYTES);
        CLAIM(!strcmp(back, one) || !strcmp(back, two));
        for (size_t k = 0; k < i; k++)
            CLAIM(strcmp(v->path[i], v->path[k]) != 0);
    }
    if (strlen(given) * 4 + sizeof home < LIMIT_PATH_BYTES) {
        bool at_home = homely && given[0] == '~' && (!given[1] || given[1] == '/');
        CLAIM(at_home ? !strncmp(v->path[0], home, sizeof home - 1) && !strcmp(v->path[0] + sizeof home - 1, given + 1)
                      : !strcmp(v->path[0], given));
        claim_spellings(given, v);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    bool homely = feed_u8(&f) & 1;
    auto_free char *text = feed_text(&f);
    struct ref_variants v = {0}, again = {0};
    auto_free char *given = strncmp(text, "file://", 7) ? strdup(text) : path_of(text);
    int r = ref_variants(text, homely ? home : NULL, &v);
    CLAIM(r == 0 || r == -EINVAL);
    if (!given || !*given)
        CLAIM(r == -EINVAL);
    else if (strlen(given) + sizeof home < LIMIT_PATH_BYTES)
        CLAIM(r == 0);
    if (r == 0)
        check(given, homely, &v);
    CLAIM(ref_variants(text, homely ? home : NULL, &again) == r && again.n == v.n);
    for (size_t i = 0; i < v.n; i++)
        CLAIM(!strcmp(v.path[i], again.path[i]));
    ref_variants_done(&v);
    ref_variants_done(&again);
    return 0;
}
