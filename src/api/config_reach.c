/* SPDX-License-Identifier: Apache-2.0 */
/* What --root may do: narrow the reach that a config file sets, never widen it. Folders are compared by where they truly
 * are; what goes on to the gate is how they were spelled, since paths will be spelled so too. */
#include <errno.h>
#include <string.h>

#include "api/config_value.h"
#include "base/buf.h"
#include "base/fault.h"
#include "base/text.h"

/* Whether a true path is the folder, or beneath it. */
static bool lies_in(const char *path, const char *folder)
{
    size_t n = strcmp(folder, "/") ? strlen(folder) : 0;
    return !strncmp(path, folder, n) && (path[n] == '/' || !path[n]);
}

static int add(const char *folder, char **list, size_t *n)
{
    for (size_t i = 0; i < *n; i++)
        if (!strcmp(list[i], folder))
            return 0;
    if (*n == LIMIT_ROOTS)
        return -E2BIG;
    if (!(list[*n] = strdup(folder)))
        return -ENOMEM;
    ++*n;
    return 0;
}

/* What one folder shares with the reach; *ret_any whether there was anything. */
static int add_shared(char *const *reach, const char *folder, char **list, size_t *n, bool *ret_any)
{
    auto_free char *wanted = canonicalize_file_name(folder);
    int r = wanted ? 0 : -errno;
    *ret_any = false;
    for (; *reach && r >= 0; reach++) {
        auto_free char *given = canonicalize_file_name(*reach);
        const char *both = !given ? NULL : lies_in(wanted, given) ? folder : lies_in(given, wanted) ? *reach : NULL;
        if (!both)
            continue;
        *ret_any = true;
        r = add(both, list, n);
    }
    return r;
}

/* Why a folder cannot be had, in a sentence. */
static int not_shared(const struct config *c, const char *folder, int why, struct fovea_fault *fault)
{
    auto_buf from = BUF_INIT(KIB), shown = BUF_INIT(KIB);
    (void)buf_add_shown(&shown, folder, 80);
    (void)buf_add_shown(&from, c->reach_file ? c->reach_file : "the config", 100);
    if (why == -ENOMEM || shown.error || from.error || !shown.data)
        return fault_oom(fault);
    if (why == -E2BIG)
        return fault_set(fault, EINVAL, "--root and fs_reach of %s share more than %d folders", from.data, LIMIT_ROOTS);
    if (why < 0)
        return fault_set(fault, EINVAL, "--root \"%s\" is no folder that can be read: %s", shown.data,
                         strerrordesc_np(-why));
    return fault_set(fault, EINVAL, "--root \"%s\" lies outside fs_reach of %s", shown.data, from.data);
}

int config_narrow(struct config *c, const char *const *folders, struct fovea_fault *fault)
{
    char *list[LIMIT_ROOTS + 1] = {0};
    size_t n = 0;
    int r = 0;
    if (!c->reach_set)
        return config_list_set(&c->fs_reach, folders, fault);
    for (; *folders && r >= 0; folders++) {
        bool any;
        r = add_shared(c->fs_reach, *folders, list, &n, &any);
        if (r < 0 || !any)
            r = not_shared(c, *folders, r, fault);
    }
    if (r >= 0)
        r = config_list_set(&c->fs_reach, (const char *const *)list, fault);
    for (size_t i = 0; i < n; i++)
        free(list[i]);
    return r;
}
