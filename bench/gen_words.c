/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers (xorshift*, so that every machine draws the same picture) and the words, sentences and lines of code
 * that the pictures show. Ordinary words, so that an OCR has a fair chance. */
#include "gen.h"

#include <ctype.h>

#include "base/cleanup.h"

uint32_t rng_next(struct rng *r)
{
    uint64_t x = r->state ? r->state : 0x9e3779b97f4a7c15u;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    r->state = x;
    return (uint32_t)((x * 0x2545f4914f6cdd1du) >> 32);
}

uint32_t rng_below(struct rng *r, uint32_t n)
{
    return (uint32_t)(((uint64_t)rng_next(r) * n) >> 32);
}

double rng_unit(struct rng *r)
{
    return rng_next(r) / 4294967296.0;
}

static const char *const words[] = {
    "about",    "account",  "action",   "address",  "after",    "agent",    "answer",   "archive",  "arrow",
    "author",   "balance",  "before",   "between",  "branch",   "bridge",   "budget",   "button",   "camera",
    "capital",  "careful",  "change",   "channel",  "chapter",  "choice",   "circle",   "clear",    "climate",
    "cloud",    "column",   "common",   "company",  "complete", "contact",  "control",  "copper",   "corner",
    "country",  "courage",  "current",  "customer", "daily",    "danger",   "decide",   "deliver",  "depend",
    "design",   "detail",   "device",   "direct",   "distance", "document", "double",   "early",    "eastern",
    "editor",   "effect",   "energy",   "engine",   "enough",   "entire",   "estimate", "evening",  "event",
    "example",  "expect",   "export",   "family",   "feature",  "figure",   "filter",   "final",    "folder",
    "follow",   "forest",   "forward",  "freedom",  "garden",   "general",  "gentle",   "global",   "gravity",
    "ground",   "handle",   "harbor",   "health",   "history",  "horizon",  "image",    "import",   "include",
    "industry", "invoice",  "island",   "journey",  "kitchen",  "language", "layer",    "leader",   "letter",
    "library",  "light",    "limit",    "listen",   "local",    "machine",  "manage",   "market",   "master",
    "matter",   "measure",  "member",   "memory",   "message",  "method",   "middle",   "minute",   "mirror",
    "model",    "moment",   "morning",  "motion",   "mountain", "nation",   "nature",   "network",  "never",
    "normal",   "notice",   "number",   "object",   "office",   "open",     "order",    "orange",   "other",
    "output",   "packet",   "paper",    "parent",   "pattern",  "people",   "period",   "person",   "picture",
    "planet",   "pocket",   "point",    "policy",   "present",  "press",    "primary",  "print",    "private",
    "problem",  "process",  "product",  "profile",  "project",  "public",   "quality",  "question", "quick",
    "quiet",    "range",    "reason",   "record",   "region",   "release",  "remote",   "report",   "request",
    "result",   "return",   "review",   "river",    "round",    "sample",   "schedule", "science",  "screen",
    "season",   "second",   "section",  "server",   "service",  "session",  "shadow",   "signal",   "silver",
    "simple",   "single",   "social",   "source",   "special",  "spring",   "station",  "status",   "steady",
    "storage",  "street",   "strong",   "student",  "summer",   "support",  "surface",  "system",   "table",
    "target",   "teacher",  "theory",   "thread",   "ticket",   "together", "travel",   "under",    "update",
    "upper",    "useful",   "valley",   "value",    "version",  "village",  "vision",   "volume",   "water",
    "weather",  "weekly",   "western",  "window",   "winter",   "without",  "wonder",   "worker",   "yellow",
};

const char *rng_word(struct rng *r)
{
    return words[rng_below(r, COUNT(words))];
}

static void join_words(struct rng *r, unsigned n, bool capitals, char *buf, size_t size)
{
    size_t len = 0;
    for (unsigned i = 0; i < n && len + 16 < size; i++) {
        size_t start = len;
        len += (size_t)snprintf(buf + len, size - len, "%s%s", i ? " " : "", rng_word(r));
        if (capitals || !i)
            buf[start + (i > 0)] = (char)toupper(buf[start + (i > 0)]);
    }
}

void rng_title(struct rng *r, unsigned n, char *buf, size_t size)
{
    join_words(r, n, true, buf, size);
}

void rng_sentence(struct rng *r, unsigned n, char *buf, size_t size)
{
    join_words(r, n, false, buf, size - 1);
    size_t len = strlen(buf);
    snprintf(buf + len, size - len, ".");
}

/* $w is a word, $d a number. Leading blanks are the indent. */
static const char *const code_lines[] = {
    "static int $w_$w(struct $w *$w, size_t $w)",
    "{",
    "    if (!$w->$w || $w->len > $d)",
    "        return -EINVAL;",
    "    for (size_t i = 0; i < $w->count; i++) {",
    "        struct $w *$w = &$w->items[i];",
    "        $w->$w += $w_$w($w, i, \"$w\");",
    "        if ($w->state == $d) {",
    "            $w_$w($w, $w->$w);",
    "            continue;",
    "        }",
    "    }",
    "    const char *$w = $w_name($w->$w);",
    "    /* the $w comes after the $w, so that no $w is lost */",
    "    $w->$w = $w_new($d, \"$w $w\");",
    "    return $w_$w($w, $w) ? 0 : -ENOMEM;",
    "}",
    "",
    "// $w $w of the $w $w",
    "struct $w {",
    "    uint32_t $w, $w;",
    "    char $w[$d];",
    "};",
    "",
};

void rng_code_line(struct rng *r, char *buf, size_t size)
{
    const char *from = code_lines[rng_below(r, COUNT(code_lines))];
    size_t len = 0;
    for (; *from && len + 24 < size; from++) {
        if (from[0] == '$' && from[1] == 'w')
            len += (size_t)snprintf(buf + len, size - len, "%s", rng_word(r));
        else if (from[0] == '$' && from[1] == 'd')
            len += (size_t)snprintf(buf + len, size - len, "%u", 1 + rng_below(r, 4096));
        else
            buf[len++] = *from;
        from += from[0] == '$';
    }
    buf[len] = 0;
}
