/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of a scene's work, each answer of it by itself; nothing is allocated for it. */
#include "base/cleanup.h"
#include "inject.h"
#include "scenes.h"

static void add_bytes(uint64_t *hash, size_t *bytes, const uint8_t *p, size_t len)
{
    *hash = *hash ? *hash : 14695981039346656037u;
    for (size_t i = 0; i < len; i++)
        *hash = (*hash ^ p[i]) * 1099511628211u;
    *bytes += len;
}

void tell_bytes(struct outcome *o, const void *data, size_t len)
{
    add_bytes(&o->hash, &o->bytes, data, len);
    add_bytes(&o->now.hash, &o->now.bytes, data, len);
}

/* Does a refusal for that reason speak of the source, or of the call? One that failed is no reason for it. But where it cannot be told
 * whose file that is, it stays closed; and a worker that was cut off has died of its input, as far as anybody knows. */
static bool is_untrue(const char *reason)
{
    static const char *const of_source[] = {"absent", "unperceivable_type", "unreadable_type", "too_large", "malformed", "invalid_input",
                                            "blocked", "render_not_allowed", "FILE_NOT_FOUND", "UNSUPPORTED_FILE_TYPE",
                                            "FILE_TOO_LARGE", "FILE_MALFORMED", "INVALID_INPUT", "URL_BLOCKED"};
    static const struct {
        enum inject_kind kind;
        const char *reason;
    } but[] = {{INJECT_STAT, "absent"}, {INJECT_STAT, "FILE_NOT_FOUND"}, {INJECT_RECV, "malformed"}, {INJECT_RECV, "FILE_MALFORMED"}};
    bool of = false;
    for (size_t i = 0; i < COUNT(of_source); i++)
        of = of || !strcmp(reason, of_source[i]);
    for (size_t i = 0; i < COUNT(but); i++)
        of = of && (inject_kind() != but[i].kind || strcmp(reason, but[i].reason) != 0);
    return of;
}

void tell_refusal(struct outcome *o, const char *reason, const char *words)
{
    o->refused = o->now.refused = true;
    if (o->code == 0)
        (void)snprintf(o->words, sizeof o->words, "%s", words);
    if (is_untrue(reason) && !o->untrue[0])
        (void)snprintf(o->untrue, sizeof o->untrue, "%s: %s", reason, words);
}

void tell_reasoned(struct outcome *o, const char *words)
{
    char reason[32];
    size_t len = strspn(words, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    (void)snprintf(reason, sizeof reason, "%.*s", words[len] == ':' ? (int)len : 0, words);
    tell_refusal(o, reason, words);
}

void tell_answer(struct outcome *o)
{
    if (o->n < ANSWERS)
        tell_answer_at(o, o->n++, &o->now);
    o->now = (struct answer){0};
}

void tell_answer_at(struct outcome *o, size_t which, const struct answer *a)
{
    if (which >= ANSWERS)
        return;
    o->answers[which] = *a;
    o->answers[which].given = true;
}

bool answers_hold(const struct outcome *o, const struct outcome *right)
{
    for (size_t i = 0; i < ANSWERS; i++) {
        const struct answer *a = &o->answers[i], *as = &right->answers[i];
        if (a->given && !a->refused && (a->hash != as->hash || a->bytes != as->bytes))
            return false;
    }
    return true;
}
