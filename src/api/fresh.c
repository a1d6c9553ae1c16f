/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read before edit: whether a file still holds what this session has last read of it. The path is found and the file hashed as
 * `read` does both, so that the two can be compared. Whatever cannot be read now was not read either.
 */
#include <errno.h>
#include <string.h>

#include "api/recorded.h"
#include "api/session.h"
#include "base/fault.h"
#include "base/limits.h"
#include "percept/json.h"

struct now {
    char *path; /* NULL: it is not there, not in reach, or no text */
    char sha256[SHA256_HEX_LEN + 1];
};

static int look_now(const struct call *c, const struct ref_variants *variants, struct now *ret, struct fovea_fault *fault)
{
    struct snapshot_lines lines = {.window = {.fd = -1}};
    enum snapshot_verdict verdict;
    int r = snapshot_take_lines(c->f->gate, variants, &c->scope, 1, 1, &verdict, &lines, fault);
    if (r == 0 && verdict == SNAPSHOT_TAKEN && !lines.bad_at) {
        sha256_hex(lines.sha256, ret->sha256);
        ret->path = absolute_new(variants->path[lines.window.variant]);
        r = ret->path ? 0 : fault_oom(fault);
    }
    snapshot_lines_done(&lines);
    return r;
}

static int find_now(const struct call *c, const char *path, struct now *ret, struct fovea_fault *fault)
{
    struct ref_variants variants = {0};
    int r = ref_is_url(path) ? -EINVAL : call_spellings(c, path, &variants);
    if (r == 0)
        r = look_now(c, &variants, ret, fault);
    else if (r == -ENOMEM)
        r = fault_oom(fault);
    else
        r = 0;
    ref_variants_done(&variants);
    return r;
}

int fovea_session_fresh(fovea_session *s, const char *path, struct fovea_fault *fault)
{
    struct session_place at;
    struct now now = {0};
    auto_call c = {0};
    auto_json *entry = NULL;
    auto_buf mark = BUF_INIT(LIMIT_MARK_BYTES);
    int r = session_place(s, &at, fault);
    if (r == 0)
        r = call_init(&c, at.f, s, NULL, fault);
    if (r == 0)
        r = find_now(&c, path, &now, fault);
    auto_free char *found = now.path;
    if (r < 0 || !found || buf_add_format(&mark, "read:%s", found) < 0)
        return r;
    r = recorded_entry(at.record, at.name, mark.data, &entry, fault);
    const char *read = json_string_value(json_object_get(json_object_get(entry, "result"), "sha256"));
    return r < 0 ? r : read && !strcmp(read, now.sha256);
}
