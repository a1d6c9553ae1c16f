/* SPDX-License-Identifier: Apache-2.0 */
/* Who set a key, in words: for those who ask, and for faults that only the whole of the settings shows. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "api/config_value.h"
#include "base/fault.h"
#include "base/text.h"

static const char *base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "config.yaml";
}

/* personalities/ID/config.yaml is told apart from the other by its folders. */
static const char *overlay_name(const char *path)
{
    const char *from = path ? strstr(path, "personalities/") : NULL;
    for (const char *next = from; next; next = strstr(next + 1, "personalities/"))
        from = next;
    return from ? from : base_name(path);
}

int config_origin_add(const struct config *c, const struct config_key *key, struct buf *ret)
{
    const struct config_origin *o = &c->origins[key - config_keys];
    if (o->from == ORIGIN_DEFAULT)
        return buf_add_str(ret, "default");
    int r = buf_add_shown(ret, o->from == ORIGIN_FILE ? base_name(c->file) : overlay_name(c->overlay), 200);
    return r < 0 ? r : buf_add_format(ret, ":%zu", o->line);
}

int config_mistaken(const struct config *c, const char *key, const char *value, const char *why, struct fovea_fault *fault)
{
    auto_buf from = BUF_INIT(2 * LIMIT_PATH_BYTES), shown = BUF_INIT(KIB);
    if (config_origin_add(c, config_key_find(key), &from) < 0 || buf_add_shown(&shown, value, 60) < 0)
        return fault_oom(fault);
    return fault_set(fault, EINVAL, "%s: %s \"%s\" %s", from.data, key, shown.data ? shown.data : "", why);
}
