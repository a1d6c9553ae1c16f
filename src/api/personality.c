/* SPDX-License-Identifier: Apache-2.0 */
/* Personalities: finding the folder, and reading the two files in it. See personality.h. */
#include "api/personality.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/fault.h"
#include "base/text.h"

/* It becomes part of a path: nothing in it may lead elsewhere. */
static bool is_id(const char *id)
{
    size_t n = strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
    return n && n <= LIMIT_PERSONALITY_ID && !id[n] && strcmp(id, ".") != 0 && strcmp(id, "..") != 0;
}

static int find_folder(const struct personality_options *options, struct buf *ret, struct fovea_fault *fault)
{
    auto_buf shown = BUF_INIT(KIB);
    struct stat st;
    if (!is_id(options->id)) {
        (void)buf_add_shown(&shown, options->id, 60);
        return fault_set(fault, EINVAL,
                         "personality \"%s\" is no name: use 1 to %d of letters, digits, \".\", \"_\" and \"-\"",
                         shown.data ? shown.data : "", LIMIT_PERSONALITY_ID);
    }
    if (!*options->beside)
        return fault_set(fault, ENOENT,
                         "no personality can be found without a home folder; set HOME or XDG_CONFIG_HOME");
    if (buf_add_format(ret, "%s/personalities/%s", options->beside, options->id) < 0 ||
        buf_add_shown(&shown, ret->data, 160) < 0)
        return fault_set(fault, ret->error ? ret->error : ENOMEM, "the path of personality \"%s\" is too long",
                         options->id);
    if (stat(ret->data, &st) == 0 && S_ISDIR(st.st_mode))
        return 0;
    return fault_set(fault, ENOENT, "there is no personality \"%s\": no folder %s", options->id, shown.data);
}

/* Without the file, every tool there is. */
static int load_tools(const char *path, const char *name, uint32_t *ret_tools, struct fovea_fault *fault)
{
    auto_buf text = BUF_INIT(LIMIT_CONFIG_BYTES + 32 * KIB);
    struct config_place at = {.file = name, .line = 1, .fault = fault};
    struct stat st;
    int r = config_read(path, name, true, &text, &st, fault);
    if (r > 0)
        *ret_tools = UINT32_MAX;
    return r ? MIN(r, 0) : toolset_parse(&at, text.data ? text.data : "", text.len, ret_tools);
}

int personality_load(const struct personality_options *options, struct config *c, uint32_t *ret_tools,
                     struct fovea_fault *fault)
{
    auto_buf folder = BUF_INIT(3 * LIMIT_PATH_BYTES);
    char name[LIMIT_PERSONALITY_ID + 64];
    uint32_t tools;
    int r = find_folder(options, &folder, fault);
    size_t len = folder.len;
    if (r == 0 && buf_add_str(&folder, "/toolset.yaml") < 0)
        r = fault_oom(fault);
    if (r < 0)
        return r;
    (void)snprintf(name, sizeof name, "personalities/%s/toolset.yaml", options->id);
    if ((r = load_tools(folder.data, name, &tools, fault)) < 0)
        return r;
    folder.len = len;
    if (buf_add_str(&folder, "/config.yaml") < 0)
        return fault_oom(fault);
    (void)snprintf(name, sizeof name, "personalities/%s/config.yaml", options->id);
    r = config_overlay(folder.data, name, options->cwd, options->home, c, fault);
    if (r == 0)
        *ret_tools = tools;
    return r;
}
