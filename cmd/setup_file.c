/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The config on disk. A link is followed to the file it names, so that a home kept in a repository stays one; the file
 * is replaced whole; and one that changed since it was read is left alone, for some agents write theirs all the time.
 */
#include <fcntl.h>
#include <string.h>

#include "base/fault.h"
#include "base/text.h"
#include "context.h"
#include "out.h"
#include "replace.h"
#include "setup.h"

void setup_file_done(struct setup_file *f)
{
    buf_done(&f->text);
}

int setup_name_of(int fd, char path[LIMIT_PATH_BYTES])
{
    char link[32];
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, LIMIT_PATH_BYTES - 1);
    if (n <= 0 || n >= LIMIT_PATH_BYTES - 1)
        return n < 0 ? -errno : -ENAMETOOLONG;
    path[n] = 0;
    return 0;
}

static int nothing_there(const char *path, struct setup_file *ret, struct fovea_fault *fault)
{
    struct stat st;
    if (lstat(path, &st) == 0)
        return fault_set(fault, ENOENT, "'%s' is a link to nothing; make or remove what it names", path);
    (void)snprintf(ret->path, sizeof ret->path, "%s", path);
    return 0;
}

int setup_file_read(const char *path, struct setup_file *ret, struct fovea_fault *fault)
{
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT)
        return nothing_there(path, ret, fault);
    if (fd < 0 || fstat(fd, &ret->before) < 0)
        return fault_set(fault, errno, "cannot read '%s': %s", path, strerror(errno));
    if (!S_ISREG(ret->before.st_mode))
        return fault_set(fault, EINVAL, "'%s' is no regular file", path);
    int r = setup_name_of(fd, ret->path);
    if (r == 0)
        r = read_all(fd, &ret->text);
    if (r < 0)
        return fault_set(fault, r, "cannot read '%s': %s", path, strerror(-r));
    ret->there = true;
    return 0;
}

/* The folders of a new config; private ones, as they are the user's own. */
static int make_folders(const char *path, mode_t mode)
{
    char folder[LIMIT_PATH_BYTES];
    (void)snprintf(folder, sizeof folder, "%s", path);
    for (char *at = strchr(folder + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = 0;
        if (mkdir(folder, mode) < 0 && errno != EEXIST)
            return -errno;
        *at = '/';
    }
    return 0;
}

static bool changed(const struct setup_file *f)
{
    struct stat now;
    if (lstat(f->path, &now) < 0)
        return f->there;
    return !f->there || now.st_ino != f->before.st_ino || now.st_dev != f->before.st_dev ||
           now.st_size != f->before.st_size || now.st_mtim.tv_sec != f->before.st_mtim.tv_sec ||
           now.st_mtim.tv_nsec != f->before.st_mtim.tv_nsec;
}

int setup_file_write(const struct setup_file *f, const struct buf *text, bool project, struct fovea_fault *fault)
{
    int r = f->there ? 0 : make_folders(f->path, project ? 0777 : 0700);
    if (r == 0 && changed(f))
        return fault_set(fault, ESTALE, "'%s' changed while this ran; run it again", f->path);
    if (r == 0)
        r = replace_file(f->path, text->data, text->len, f->there ? &f->before : NULL, project ? 0666 : 0600, true);
    return r < 0 ? fault_set(fault, r, "cannot write '%s': %s", f->path, strerror(-r)) : 0;
}

/* ---------------------------------------------------------------- the change, shown */

enum { CONTEXT_LINES = 3 };

static size_t line_length(const char *at, size_t rest)
{
    const char *end = memchr(at, '\n', rest);
    return end ? (size_t)(end - at) + 1 : rest;
}

static size_t count_lines(const char *at, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; n++)
        i += line_length(at + i, len - i);
    return n;
}

/* Whole lines, each behind its mark; what could act on a terminal is shown, not sent. */
static void add_lines(struct buf *b, const char *mark, const char *at, size_t len)
{
    while (len) {
        size_t line = line_length(at, len), words = line - (at[line - 1] == '\n');
        (void)buf_add_str(b, mark);
        for (size_t i = 0; i < words;) {
            auto_buf piece = BUF_INIT(LIMIT_SETUP_BYTES);
            const char *tab = memchr(at + i, '\t', words - i);
            size_t n = tab ? (size_t)(tab - at) - i : words - i;
            (void)buf_add(&piece, at + i, n);
            (void)buf_add_shown(b, part_of(b, &piece), LIMIT_SETUP_BYTES);
            if (tab)
                (void)buf_add_str(b, "\t");
            i += n + (tab != NULL);
        }
        (void)buf_add_str(b, "\n");
        at += line;
        len -= line;
    }
}

/* Bytes of whole lines that both begin with. */
static size_t same_start(const struct buf *from, const struct buf *to)
{
    size_t at = 0, most = MIN(from->len, to->len);
    while (at < most) {
        size_t a = line_length(from->data + at, from->len - at), b = line_length(to->data + at, to->len - at);
        if (a != b || memcmp(from->data + at, to->data + at, a) != 0)
            break;
        at += a;
    }
    return at;
}

/* And that both end with, beyond the start. */
static size_t same_end(const struct buf *from, const struct buf *to, size_t start)
{
    size_t n = 0, whole = 0, most = MIN(from->len, to->len) - start;
    while (n < most && from->data[from->len - 1 - n] == to->data[to->len - 1 - n]) {
        n++;
        bool from_line = from->len - n == start || from->data[from->len - n - 1] == '\n';
        bool to_line = to->len - n == start || to->data[to->len - n - 1] == '\n';
        if (from_line && to_line)
            whole = n;
    }
    return whole;
}

static size_t lines_back(const char *text, size_t at, int lines)
{
    while (at && lines--)
        for (at--; at && text[at - 1] != '\n';)
            at--;
    return at;
}

static size_t lines_on(const char *text, size_t at, size_t len, int lines)
{
    while (at < len && lines--)
        at += line_length(text + at, len - at);
    return at;
}

void add_diff(struct buf *b, const char *path, bool there, const struct buf *from, const struct buf *to)
{
    struct buf none = {.data = (char[]){""}};
    from = from->data ? from : &none;
    size_t start = same_start(from, to), end = same_end(from, to, start);
    size_t before = lines_back(from->data, start, CONTEXT_LINES);
    size_t old_end = from->len - end, new_end = to->len - end;
    size_t after = lines_on(from->data, old_end, from->len, CONTEXT_LINES) - old_end;
    size_t old_lines = count_lines(from->data + before, old_end + after - before);
    size_t new_lines = count_lines(to->data + before, new_end + after - before);
    size_t first = count_lines(from->data, before) + 1;
    (void)buf_add_str(b, "--- ");
    (void)buf_add_shown(b, there ? path : "/dev/null", LIMIT_PATH_BYTES);
    (void)buf_add_str(b, "\n+++ ");
    (void)buf_add_shown(b, path, LIMIT_PATH_BYTES);
    (void)buf_add_format(b, "\n@@ -%zu,%zu +%zu,%zu @@\n", old_lines ? first : 0, old_lines, first, new_lines);
    add_lines(b, " ", from->data + before, start - before);
    add_lines(b, "-", from->data + start, old_end - start);
    add_lines(b, "+", to->data + start, new_end - start);
    add_lines(b, " ", from->data + old_end, after);
}
