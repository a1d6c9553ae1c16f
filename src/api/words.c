/* SPDX-License-Identifier: Apache-2.0 */
/* Words that view and read share: how a source that cannot be had is refused. Absent and out of reach are one case
 * here on purpose: the answer must not tell what exists where the caller may not look. */
#include "api/context.h"
#include "base/limits.h"
#include "base/text.h"

int add_quoted(struct buf *b, const char *ref)
{
    (void)buf_add_str(b, "\"");
    (void)buf_add_shown(b, ref, 300);
    return buf_add_str(b, "\"");
}

int add_bytes(struct buf *b, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    double v = (double)bytes;
    for (; v >= 1024 && unit + 1 < COUNT(units); unit++)
        v /= 1024;
    return buf_add_format(b, v == (double)(uint64_t)v ? "%.0f %s" : "%.1f %s", v, units[unit]);
}

static void add_absent(struct buf *b)
{
    (void)buf_add_str(b, " is not there or outside the folders that may be read; check the spelling, or add its folder "
                         "to fs_reach");
}

static enum reason describe(struct buf *b, enum snapshot_verdict verdict, uint64_t size, uint64_t cap,
                            enum reason not_regular)
{
    switch (verdict) {
    case SNAPSHOT_NOT_REGULAR:
        (void)buf_add_str(b, " is a folder, pipe, socket or device; name a regular file");
        return not_regular;
    case SNAPSHOT_TOO_LARGE:
        (void)buf_add_str(b, " has ");
        (void)add_bytes(b, size);
        (void)buf_add_str(b, ", more than the limit of ");
        (void)add_bytes(b, cap);
        (void)buf_add_str(b, "; make it smaller first, or raise view.maxBytes");
        return REASON_TOO_LARGE;
    case SNAPSHOT_TIMED_OUT:
        (void)buf_add_str(b, " could not be read in time; its file system does not answer");
        return REASON_TIMED_OUT;
    case SNAPSHOT_TAKEN:
    case SNAPSHOT_ABSENT:
        break;
    }
    add_absent(b);
    return REASON_ABSENT;
}

fovea_result *refuse_source(enum snapshot_verdict verdict, const char *ref, uint64_t size, uint64_t cap,
                            enum reason not_regular)
{
    auto_buf b = BUF_INIT(64 * KIB);
    (void)add_quoted(&b, ref);
    enum reason reason = describe(&b, verdict, size, cap, not_regular);
    return b.error ? NULL : result_refused(reason, "%s", b.data);
}

/* Doubled slashes and "." go; ".." stays, since only the file system knows where it leads. */
static void add_folded(struct buf *b, const char *path)
{
    while (*path) {
        size_t n = strcspn(path, "/");
        if (n && !(n == 1 && *path == '.')) {
            (void)buf_add_str(b, "/");
            (void)buf_add(b, path, n);
        }
        path += n + (path[n] == '/');
    }
}

char *absolute_new(const struct fovea *f, const char *variant)
{
    auto_buf raw = BUF_INIT(64 * KIB), shown = BUF_INIT(256 * KIB);
    if (*variant != '/')
        add_folded(&raw, f->cwd);
    add_folded(&raw, variant);
    if (raw.error || !raw.data)
        return NULL;
    if (utf8_valid(raw.data, raw.len))
        return buf_take(&raw);
    (void)buf_add_shown(&shown, raw.data, raw.len);
    return buf_take(&shown);
}
