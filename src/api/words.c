/* SPDX-License-Identifier: Apache-2.0 */
/* Words that view and read share: how a source that cannot be had is refused. Absent and out of reach are one case
 * here on purpose: the answer must not tell what exists where the caller may not look. */
#include "api/context.h"

#include <stdarg.h>
#include <strings.h>

#include "base/limits.h"
#include "base/text.h"

void show_bytes(uint64_t bytes, char out[32])
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    uint64_t tenths = bytes > UINT64_MAX / 10 ? UINT64_MAX : bytes * 10;
    for (; tenths >= 10240 && unit + 1 < COUNT(units); unit++)
        tenths /= 1024;
    unsigned long long whole = tenths / 10, tenth = tenths % 10;
    if (tenth)
        (void)snprintf(out, 32, "%llu.%llu %s", whole, tenth, units[unit]);
    else
        (void)snprintf(out, 32, "%llu %s", whole, units[unit]);
}

void show_over(uint64_t size, uint64_t limit, char has[32], char may[32])
{
    show_bytes(size, has);
    show_bytes(limit, may);
    if (strcmp(has, may) != 0)
        return;
    (void)snprintf(has, 32, "%llu bytes", (unsigned long long)size);
    (void)snprintf(may, 32, "%llu bytes", (unsigned long long)limit);
}

fovea_result *refuse_named(enum reason reason, const char *ref, const char *format, ...)
{
    auto_buf b = BUF_INIT(64 * KIB);
    va_list args;
    (void)buf_add_str(&b, "\"");
    (void)buf_add_shown(&b, ref, 300);
    (void)buf_add_str(&b, "\" ");
    va_start(args, format);
    (void)buf_add_vformat(&b, format, args);
    va_end(args);
    return b.error ? NULL : result_refused(reason, "%s", b.data);
}

fovea_result *refuse_source(enum snapshot_verdict verdict, const char *ref, uint64_t size, uint64_t cap,
                            enum reason not_regular)
{
    char has[32], may[32];
    switch (verdict) {
    case SNAPSHOT_NOT_REGULAR:
        return refuse_named(not_regular, ref, "is a folder, pipe, socket or device; name a regular file");
    case SNAPSHOT_TOO_LARGE:
        show_over(size, cap, has, may);
        return refuse_named(REASON_TOO_LARGE, ref,
                            "has %s, more than the limit of %s; make it smaller first%s", has, may,
                            cap < LIMIT_VIEW_BYTES_MOST ? ", or raise view.maxBytes" : "");
    case SNAPSHOT_TIMED_OUT:
        return refuse_named(REASON_TIMED_OUT, ref, "could not be read in time; its file system does not answer");
    case SNAPSHOT_TAKEN:
    case SNAPSHOT_ABSENT:
        break;
    }
    return refuse_named(REASON_ABSENT, ref,
                        "is not there or outside the folders that may be read; check the spelling, or widen the reach "
                        "(fs_reach, --root)");
}

bool ref_is_url(const char *ref)
{
    size_t n = strspn(ref, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");
    return n > 1 && !strncmp(ref + n, "://", 3) && strncasecmp(ref, "file:", 5) != 0;
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

char *absolute_new(const char *spelling)
{
    auto_buf raw = BUF_INIT(64 * KIB), shown = BUF_INIT(256 * KIB);
    add_folded(&raw, spelling);
    if (raw.error || !raw.data)
        return NULL;
    if (utf8_valid(raw.data, raw.len))
        return buf_take(&raw);
    (void)buf_add_shown(&shown, raw.data, raw.len);
    return buf_take(&shown);
}
