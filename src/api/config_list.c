/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of settings: NULL-terminated arrays of strings. Entries of fs_reach expand to absolute folders. */
#include <errno.h>
#include <string.h>

#include "api/config_value.h"
#include "base/buf.h"
#include "base/fault.h"
#include "base/text.h"
#include "source/host.h"

void config_list_free(char **list)
{
    for (char **entry = list; entry && *entry; entry++)
        free(*entry);
    free(list);
}

static char ***member(const struct config_key *key, struct config *c)
{
    return (char ***)((char *)c + key->offset);
}

int config_list_clear(const struct config_place *at, const struct config_key *key, struct config *c)
{
    char **empty = calloc(1, sizeof *empty);
    if (!empty)
        return fault_oom(at->fault);
    config_list_free(*member(key, c));
    *member(key, c) = empty;
    return 0;
}

static int wrong_entry(const struct config_place *at, const struct config_key *key, const char *entry, const char *why)
{
    auto_buf shown = BUF_INIT(KIB);
    if (buf_add_shown(&shown, entry, 60))
        return fault_oom(at->fault);
    return config_wrong(at, "%s entry \"%s\" %s", key->path, shown.data, why);
}

/* What stands for the first words of an entry, or NULL; *ret_len is how long those words are. */
static const char *variable(const struct config_place *at, const char *entry, size_t *ret_len)
{
    const struct {
        const char *name, *value;
    } all[] = {{"${cwd}", at->cwd}, {"${home}", at->home}, {"~", at->home}};
    for (size_t i = 0; i < COUNT(all); i++) {
        size_t len = strlen(all[i].name);
        if (all[i].value && !strncmp(entry, all[i].name, len) && (entry[len] == '/' || !entry[len])) {
            *ret_len = len;
            return all[i].value;
        }
    }
    return NULL;
}

static int expand(const struct config_place *at, const struct config_key *key, char **entry)
{
    auto_buf whole = BUF_INIT(LIMIT_PATH_BYTES);
    size_t len = 0;
    const char *value = variable(at, *entry, &len), *rest = *entry + len;
    if (strstr(rest, "${") || (!value && **entry == '~'))
        return wrong_entry(at, key, *entry, "has an unknown variable; ${cwd}, ${home} or ~/ may start it");
    if (!value && **entry != '/')
        return wrong_entry(at, key, *entry, "must be absolute, or start with ${cwd}, ${home} or ~/");
    if (value && buf_add_str(&whole, value) == 0)
        (void)buf_add_str(&whole, rest);
    else
        (void)buf_add_str(&whole, *entry);
    if (whole.error == -EFBIG)
        return wrong_entry(at, key, *entry, "is too long");
    char *expanded = buf_take(&whole);
    if (!expanded)
        return fault_oom(at->fault);
    free(*entry);
    *entry = expanded;
    return 0;
}

static int check_host(const struct config_place *at, const struct config_key *key, const char *entry)
{
    static const char right[] = "a host, such as \"example.org\" or \"*.example.org\"";
    if (host_rule_valid(entry))
        return 0;
    if (strstr(entry, "://") || strchr(entry, '@')) /* may hold a password */
        return config_wrong(at, "an entry of %s must be %s, not a URL", key->path, right);
    auto_buf why = BUF_INIT(KIB);
    return buf_add_format(&why, "must be %s", right) < 0 ? fault_oom(at->fault) : wrong_entry(at, key, entry, why.data);
}

int config_list_add(const struct config_place *at, const struct config_key *key, const struct config_scalar *value,
                    struct config *c)
{
    auto_free char *entry = NULL;
    char ***list = member(key, c);
    size_t n = 0;
    while ((*list)[n])
        n++;
    if (n >= (size_t)key->max)
        return config_wrong(at, "%s has more than %lld entries", key->path, (long long)key->max);
    int r = config_copy_string(at, key, value, &entry);
    if (r == 0 && key->type == CONFIG_FOLDERS)
        r = expand(at, key, &entry);
    else if (r == 0)
        r = check_host(at, key, entry);
    if (r < 0)
        return r;
    char **grown = reallocarray(*list, n + 2, sizeof *grown);
    if (!grown)
        return fault_oom(at->fault);
    *list = grown;
    grown[n] = take(entry);
    grown[n + 1] = NULL;
    return 0;
}

int config_list_set(char ***list, const char *const *values, struct fovea_fault *fault)
{
    size_t n = 0;
    while (values[n])
        n++;
    char **copy = calloc(n + 1, sizeof *copy);
    for (size_t i = 0; copy && i < n; i++)
        if (!(copy[i] = strdup(values[i]))) {
            config_list_free(copy);
            copy = NULL;
        }
    if (!copy)
        return fault_oom(fault);
    config_list_free(*list);
    *list = copy;
    return 0;
}
