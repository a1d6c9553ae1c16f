/* SPDX-License-Identifier: Apache-2.0 */
/* The text of fovea-ocr: it has seen pixels that somebody else chose, so its numbers are added up again here. */
#include "base/cleanup.h"
#include "base/limits.h"
#include "base/text.h"
#include "sandbox/check.h"

enum { SURE = 10000 }; /* the highest confidence */

static bool plain(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (((unsigned char)text[i] < ' ' && text[i] != '\n') || text[i] == 0x7f)
            return false;
    return utf8_valid(text, len);
}

/* Only ends of lines stand between two lines, so that together they are the text. */
static bool only_ends(const char *text, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (text[i] != '\n')
            return false;
    return true;
}

static bool line_true(const struct work_line *l, const char *text, size_t text_len, size_t behind)
{
    return l->len && l->words && l->words <= l->len && l->confidence <= SURE && l->at >= behind && l->at <= text_len &&
           l->len <= text_len - l->at && only_ends(text, behind, l->at) && !memchr(text + l->at, '\n', l->len) &&
           utf8_valid(text + l->at, l->len);
}

bool check_text(const uint8_t *data, size_t len)
{
    struct work_text t;
    if (len < sizeof t)
        return false;
    memcpy(&t, data, sizeof t);
    if (t.magic != WORK_MAGIC || t.lines > LIMIT_OCR_LINES || t.text_len > LIMIT_OCR_TEXT || t.confidence > SURE ||
        t.cut > 1 || len != sizeof t + t.lines * sizeof(struct work_line) + t.text_len)
        return false;
    const char *text = (const char *)data + len - t.text_len;
    size_t behind = 0;
    uint64_t words = 0;
    for (size_t i = 0; i < t.lines; i++) {
        struct work_line l;
        memcpy(&l, data + sizeof t + i * sizeof l, sizeof l);
        if (!line_true(&l, text, t.text_len, behind))
            return false;
        behind = (size_t)l.at + l.len;
        words += l.words;
    }
    return behind == t.text_len && words == t.words && (t.words || !t.confidence) && plain(text, t.text_len);
}
