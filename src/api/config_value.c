/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of settings: from text to members of struct config, or to a fault that says what would be right. The words of
 * a value are shown only where they cannot be a secret: never those of a free string.
 */
#include "api/config_value.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/buf.h"
#include "base/fault.h"
#include "base/text.h"

enum { SHOWN_CHARS = 40, NANO_DIGITS = 9 };
static const int64_t nano = 1000000000;

int config_wrong(const struct config_place *at, const char *format, ...)
{
    char words[sizeof at->fault->text];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(words, sizeof words, format, args);
    va_end(args);
    return fault_set(at->fault, EINVAL, "%s:%zu: %s", at->file, at->line, words);
}

/* "must be ..., not "value"". */
static int wrong_value(const struct config_place *at, const struct config_key *key, const struct config_scalar *value,
                       const char *must)
{
    auto_buf shown = BUF_INIT(16 * SHOWN_CHARS);
    if (buf_add_shown(&shown, value->text, SHOWN_CHARS))
        return fault_oom(at->fault);
    return config_wrong(at, "%s must be %s, not \"%s\"", key->path, must, shown.data ? shown.data : "");
}

bool config_is_null(const struct config_scalar *v)
{
    return v->plain && (!v->len || !strcmp(v->text, "~") || !strcasecmp(v->text, "null"));
}

static int set_bool(const struct config_place *at, const struct config_key *key, const struct config_scalar *value,
                    void *member)
{
    bool yes = value->plain && !strcasecmp(value->text, "true");
    if (!yes && !(value->plain && !strcasecmp(value->text, "false")))
        return wrong_value(at, key, value, "true or false");
    *(bool *)member = yes;
    return 0;
}

/* Decimal digits only; false as well past int64_t. */
static bool parse_digits(const char *s, size_t len, int64_t *ret)
{
    int64_t n = 0;
    for (size_t i = 0; i < len; i++)
        if (s[i] < '0' || s[i] > '9' || __builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, s[i] - '0', &n))
            return false;
    *ret = n;
    return len > 0;
}

static int set_int(const struct config_place *at, const struct config_key *key, const struct config_scalar *value,
                   void *member)
{
    int64_t n;
    if (!value->plain || !parse_digits(value->text, value->len, &n) || n < key->min || n > key->max) {
        char must[80];
        (void)snprintf(must, sizeof must, "a whole number from %lld to %lld", (long long)key->min, (long long)key->max);
        return wrong_value(at, key, value, must);
    }
    *(int64_t *)member = n;
    return 0;
}

/* "12.34" as nano-dollars. */
static bool parse_usd(const char *s, int64_t max, int64_t *ret)
{
    size_t whole_len = strcspn(s, "."), part_len = s[whole_len] ? strlen(s + whole_len + 1) : 0;
    int64_t whole, part = 0;
    if (!parse_digits(s, whole_len, &whole) || whole > max || part_len > NANO_DIGITS ||
        (s[whole_len] && !parse_digits(s + whole_len + 1, part_len, &part)))
        return false;
    for (size_t i = part_len; i < NANO_DIGITS; i++)
        part *= 10;
    *ret = whole * nano + part;
    return true;
}

static int set_usd(const struct config_place *at, const struct config_key *key, const struct config_scalar *value,
                   void *member)
{
    if (config_is_null(value)) {
        *(int64_t *)member = -1;
        return 0;
    }
    if (!value->plain || !parse_usd(value->text, key->max, member))
        return wrong_value(at, key, value, "an amount such as 2.50");
    return 0;
}

static bool has_form(const char *text, const char *form)
{
    size_t len = strlen(form) - 1;
    int64_t n;
    if (form[len] == '*')
        return !strncmp(text, form, len);
    if (form[len] == '#')
        return !strncmp(text, form, len) && parse_digits(text + len, strlen(text + len), &n) && n > 0 && n <= 1000000;
    return !strcmp(text, form);
}

static int check_form(const struct config_place *at, const struct config_key *key, const struct config_scalar *value)
{
    char must[160] = "";
    size_t used = 0;
    for (const char *const *form = key->forms; *form; form++) {
        if (has_form(value->text, *form))
            return 0;
        const char *rest = strpbrk(*form, "*#");
        int n = snprintf(must + used, sizeof must - used, "%s%.*s%s", used ? " or " : "",
                         (int)(rest ? rest - *form : (long)strlen(*form)), *form,
                         !rest ? "" : *rest == '*' ? "..." : "N");
        used = MIN(used + (size_t)MAX(n, 0), sizeof must - 1);
    }
    /* An address may hold a password: only its scheme is shown. */
    if (!strstr(value->text, "://"))
        return wrong_value(at, key, value, must);
    size_t scheme = strspn(value->text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
    if (!scheme || strncmp(value->text + scheme, "://", 3) != 0)
        return config_wrong(at, "%s must be %s, not another address", key->path, must);
    return config_wrong(at, "%s must be %s, not an address of scheme \"%.*s\"", key->path, must,
                        (int)MIN(scheme, (size_t)32), value->text);
}

int config_copy_string(const struct config_place *at, const struct config_key *key, const struct config_scalar *value,
                       char **ret)
{
    if (!value->len || config_is_null(value))
        return config_wrong(at, "%s must not be empty", key->path);
    if (strlen(value->text) != value->len)
        return config_wrong(at, "%s holds a NUL character", key->path);
    if (value->len >= LIMIT_CONFIG_VALUE)
        return config_wrong(at, "%s is longer than %d bytes", key->path, LIMIT_CONFIG_VALUE - 1);
    char *copy = strdup(value->text);
    if (!copy)
        return fault_oom(at->fault);
    *ret = copy;
    return 0;
}

static int set_string(const struct config_place *at, const struct config_key *key, const struct config_scalar *value,
                      void *member)
{
    char *copy = NULL;
    int r;
    if (config_is_null(value) && key->text)
        return config_wrong(at, "%s must not be empty", key->path);
    if (!config_is_null(value) && (r = config_copy_string(at, key, value, &copy)) < 0)
        return r;
    if (copy && key->forms && (r = check_form(at, key, value)) < 0) {
        free(copy);
        return r;
    }
    free(*(char **)member);
    *(char **)member = copy;
    return 0;
}

static int set_no_list(const struct config_place *at, const struct config_key *key, const struct config_scalar *value,
                       void *member)
{
    (void)value, (void)member;
    return config_wrong(at, "%s must be a list, such as [\"%s\"]", key->path,
                        key->type == CONFIG_FOLDERS ? "${cwd}" : "example.org");
}

int config_set(const struct config_place *at, const struct config_key *key, const struct config_scalar *value,
               struct config *c)
{
    static int (*const setters[])(const struct config_place *, const struct config_key *, const struct config_scalar *,
                                  void *) = {
        [CONFIG_BOOL] = set_bool,     [CONFIG_INT] = set_int,      [CONFIG_USD] = set_usd,
        [CONFIG_STRING] = set_string, [CONFIG_HOSTS] = set_no_list, [CONFIG_FOLDERS] = set_no_list,
    };
    assert(key->type < COUNT(setters));
    return setters[key->type](at, key, value, (char *)c + key->offset);
}
