/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Narrowing: what --root, or the config of a personality, may do to the reach that a config file sets. Never widening
 * it. Folders are compared by where they truly are, and that goes on to the gate with how they were spelled, since
 * paths will be spelled so too: one that leads elsewhere by then is a fault there.
 */
#include <errno.h>
#include <string.h>

#include "api/config_value.h"
#include "base/buf.h"
#include "base/fault.h"
#include "base/path.h"
#include "base/text.h"

/* What both sides share. */
struct shared {
    size_t n;
    char *spelled[LIMIT_ROOTS + 1], *where[LIMIT_ROOTS + 1];
};

static void shared_done(struct shared *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->spelled[i]);
        free(s->where[i]);
    }
}

static int add(struct shared *s, const char *spelled, const char *where)
{
    for (size_t i = 0; i < s->n; i++)
        if (!strcmp(s->spelled[i], spelled))
            return 0;
    if (s->n == LIMIT_ROOTS)
        return -E2BIG;
    s->spelled[s->n] = strdup(spelled);
    s->where[s->n] = strdup(where);
    s->n++;
    return s->spelled[s->n - 1] && s->where[s->n - 1] ? 0 : -ENOMEM;
}

/* What one folder shares with the reach; *ret_any whether there was anything. */
static int add_shared(const struct config *c, const char *folder, struct shared *s, bool *ret_any)
{
    auto_free char *wanted = canonicalize_file_name(folder);
    int r = 0;
    *ret_any = false;
    if (!wanted)
        return -errno;
    for (size_t i = 0; c->fs_reach[i] && r >= 0; i++) {
        const char *spelled = c->fs_reach[i];
        auto_free char *given = c->reach_true ? strdup(c->reach_true[i]) : canonicalize_file_name(spelled);
        bool within = given && path_beneath(wanted, given);
        if (!within && !(given && path_beneath(given, wanted)))
            continue;
        *ret_any = true;
        r = within ? add(s, folder, wanted) : add(s, spelled, given);
    }
    return r;
}

/* Who narrows: --root, each of whose folders must be had, or a file. */
static const char *const by_root = "--root";

/* Why a folder cannot be had, in a sentence. */
static int not_shared(const struct config *c, const char *by, const char *folder, int why, struct fovea_fault *fault)
{
    auto_buf from = BUF_INIT(KIB), shown = BUF_INIT(KIB), who = BUF_INIT(KIB);
    bool file = by != by_root;
    (void)buf_add_shown(&shown, folder, 80);
    (void)buf_add_shown(&from, c->reach_file ? c->reach_file : "the config", 100);
    (void)buf_add_str(&who, file ? "fs_reach of " : "");
    (void)buf_add_shown(&who, by, 100);
    if (why == -ENOMEM || shown.error || from.error || who.error || !shown.data)
        return fault_oom(fault);
    if (why == -E2BIG)
        return fault_set(fault, EINVAL, "%s and fs_reach of %s share more than %d folders", who.data, from.data,
                         LIMIT_ROOTS);
    if (why < 0)
        return fault_set(fault, EINVAL, "%s%s \"%s\" is no folder that can be read: %s", who.data, file ? ":" : "",
                         shown.data, strerrordesc_np(-why));
    if (file)
        return fault_set(fault, EINVAL, "%s lies outside fs_reach of %s, which it may only narrow", who.data, from.data);
    return fault_set(fault, EINVAL, "--root \"%s\" lies outside fs_reach of %s", shown.data, from.data);
}

static int narrow(struct config *c, const char *by, const char *const *folders, struct fovea_fault *fault)
{
    cleanup(shared_done) struct shared s = {0};
    for (size_t i = 0; folders[i]; i++) {
        bool any;
        int r = add_shared(c, folders[i], &s, &any);
        if (r < 0 || (!any && by == by_root) || (!s.n && !folders[i + 1]))
            return not_shared(c, by, folders[i], r, fault);
    }
    int r = config_list_set(&c->fs_reach, (const char *const *)s.spelled, fault);
    return r < 0 ? r : config_list_set(&c->reach_true, (const char *const *)s.where, fault);
}

int config_narrow(struct config *c, const char *const *folders, struct fovea_fault *fault)
{
    return c->reach_set ? narrow(c, by_root, folders, fault) : config_list_set(&c->fs_reach, folders, fault);
}

int config_narrow_to_file(struct config *c, const char *file, char **before, struct fovea_fault *fault)
{
    char **wanted = c->fs_reach;
    c->fs_reach = before;
    int r = narrow(c, file, (const char *const *)wanted, fault);
    config_list_free(wanted);
    return r;
}
