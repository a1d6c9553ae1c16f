/* SPDX-License-Identifier: Apache-2.0 */
/* Markup as a run of bytes, for what has to be known of it before, or beside, what librsvg makes of it. */
#ifndef FOVEA_SVG_SCAN_H
#define FOVEA_SVG_SCAN_H

#include <stdbool.h>
#include <string.h>

struct text {
    const char *at, *end;
};

static inline size_t text_left(struct text t)
{
    return (size_t)(t.end - t.at);
}

static inline bool starts(struct text t, const char *word)
{
    size_t len = strlen(word);
    return text_left(t) >= len && !memcmp(t.at, word, len);
}

static inline bool is_word(struct text t, const char *word)
{
    return text_left(t) == strlen(word) && starts(t, word);
}

static inline bool has_word(struct text t, const char *word)
{
    return memmem(t.at, text_left(t), word, strlen(word));
}

/* To its end when the word is not there. */
static inline void skip_past(struct text *t, const char *word)
{
    const char *found = memmem(t->at, text_left(*t), word, strlen(word));
    t->at = found ? found + strlen(word) : t->end;
}

/* A remark or a processing instruction, if one begins here. The first --> of <!--> is no end. */
static inline bool skip_aside(struct text *t)
{
    bool remark = starts(*t, "<!--");
    if (!remark && !starts(*t, "<?"))
        return false;
    t->at += remark ? 4 : 2;
    skip_past(t, remark ? "-->" : "?>");
    return true;
}

#endif
