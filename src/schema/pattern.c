/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular expressions by PCRE2, interpreted (no JIT: nothing here makes memory executable). PCRE2's own limits count per
 * starting point and not the work between two of them, so every item of the pattern carries a callout that charges the
 * check's steps: by what was passed over since the last one, and by what an item may look at without taking it.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <errno.h>
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/limits.h"
#include "schema/schema_priv.h"

struct pattern {
    pcre2_code *code;
    size_t stride;
    struct pattern *next;
};

struct matcher {
    pcre2_match_data *data;
    pcre2_match_context *context;
    struct check *check;
    size_t last, stride;
};

enum { OUT_OF_STEPS = -1000 }; /* none of PCRE2's own codes */

static void words_of(int code, char words[128])
{
    if (pcre2_get_error_message(code, (PCRE2_UCHAR *)words, 128) < 0)
        (void)snprintf(words, 128, "cannot be read");
}

int pattern_new(const char *s, size_t len, struct pattern **ret, char words[128])
{
    static const uint32_t options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALLOW_EMPTY_CLASS | PCRE2_MATCH_UNSET_BACKREF |
                                    PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT;
    auto_buf text = BUF_INIT(LIMIT_SCHEMA_PATTERN);
    const char *why = "is too long";
    size_t stride;
    int code, r = ecma_translate(s, len, &text, &why, &stride);
    if (r) {
        (void)snprintf(words, 128, "%s", why);
        return r;
    }
    PCRE2_SIZE at;
    struct pattern *p = calloc(1, sizeof *p);
    if (!p)
        return -ENOMEM;
    p->code = pcre2_compile((PCRE2_SPTR)(text.data ? text.data : ""), text.len, options, &code, &at, NULL);
    if (!p->code) {
        words_of(code, words);
        free(p);
        return code == PCRE2_ERROR_HEAP_FAILED ? -ENOMEM : -EINVAL;
    }
    p->stride = stride;
    *ret = p;
    return 0;
}

void pattern_free(struct pattern *p)
{
    if (p)
        pcre2_code_free(p->code);
    free(p);
}

struct pattern *pattern_next_free(struct pattern *p)
{
    struct pattern *next = p->next;
    pattern_free(p);
    return next;
}

int pattern_keep(struct maker *m, const struct node *n, const char *keyword, const char *s, size_t len,
                 struct pattern **ret)
{
    char words[128];
    struct pattern *p;
    if (++m->patterns > LIMIT_SCHEMA_PATTERNS)
        return fault_set(m->fault, E2BIG, "the schema has more than %d regular expressions", LIMIT_SCHEMA_PATTERNS);
    int r = pattern_new(s, len, &p, words);
    if (r == -ENOMEM)
        return fault_oom(m->fault);
    if (r)
        return schema_wrong(m, n, keyword, "has a regular expression that is wrong: %s", words);
    p->next = m->schema->patterns;
    m->schema->patterns = *ret = p;
    return 0;
}

/* ---------------------------------------------------------------- matching */

static int charge(pcre2_callout_block *block, void *arg)
{
    struct matcher *m = arg;
    size_t now = block->current_position, moved = now > m->last ? now - m->last : m->last - now;
    m->last = now;
    return check_steps(m->check, 1 + (moved + MIN(m->stride, block->subject_length)) / 64) ? OUT_OF_STEPS : 0;
}

void matcher_free(struct matcher *m)
{
    if (!m)
        return;
    pcre2_match_data_free(m->data);
    pcre2_match_context_free(m->context);
    free(m);
}

static struct matcher *matcher_new(struct check *c)
{
    struct matcher *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->check = c;
    m->data = pcre2_match_data_create(1, NULL);
    m->context = pcre2_match_context_create(NULL);
    if (!m->data || !m->context) {
        matcher_free(m);
        return NULL;
    }
    pcre2_set_match_limit(m->context, LIMIT_SCHEMA_STEPS);
    pcre2_set_depth_limit(m->context, LIMIT_SCHEMA_STEPS);
    pcre2_set_heap_limit(m->context, LIMIT_SCHEMA_REGEX_KIB);
    pcre2_set_callout(m->context, charge, m);
    return m;
}

int pattern_match(struct check *c, const struct pattern *p, const char *s, size_t len)
{
    if (!c->matcher)
        c->matcher = matcher_new(c);
    if (!c->matcher)
        return -ENOMEM;
    int r = check_steps(c, 1 + len / 64);
    if (r)
        return r;
    c->matcher->last = 0;
    c->matcher->stride = p->stride;
    r = pcre2_match(p->code, (PCRE2_SPTR)s, len, 0, 0, c->matcher->data, c->matcher->context);
    if (r >= 0)
        return 1;
    switch (r) {
    case PCRE2_ERROR_NOMATCH: return 0;
    case PCRE2_ERROR_NOMEMORY: return -ENOMEM;
    case PCRE2_ERROR_MATCHLIMIT:
    case PCRE2_ERROR_DEPTHLIMIT:
    case PCRE2_ERROR_HEAPLIMIT:
    case OUT_OF_STEPS: return -E2BIG;
    default: return 0; /* text that is no UTF-8 matches nothing */
    }
}
