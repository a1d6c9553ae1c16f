/* SPDX-License-Identifier: Apache-2.0 */
/* One folder in /tmp for all tests of a program: made when it is first wanted, removed with all in it when the program ends. */
#ifndef FOVEA_TEST_TOP_H
#define FOVEA_TEST_TOP_H

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "test.h"
#include "tree.h"

static char top[128]; /* without a slash at its end */

static inline void top_remove(void)
{
    tree_remove(top);
}

/* True where this call made it: then it is empty. */
static inline bool top_make(void)
{
    if (top[0])
        return false;
    (void)snprintf(top, sizeof top, "/tmp/fovea-%.64s-XXXXXX", program_invocation_short_name);
    bool made = mkdtemp(top) != NULL;
    CHECK_MSG(made, "%s", top);
    if (made)
        (void)atexit(top_remove);
    return made;
}

/* A path in it; good until 8 calls later. */
static inline const char *in_top(const char *name)
{
    static char paths[8][LIMIT_PATH_BYTES];
    static unsigned next;
    char *path = paths[next++ % COUNT(paths)];
    (void)snprintf(path, LIMIT_PATH_BYTES, "%s/%s", top, name);
    return path;
}

/* Makes it too, and has this program keep its state, settings and cache there, not where people have theirs. True as above. */
static inline bool top_is_home(void)
{
    if (!top_make())
        return false;
    CHECK(setenv("HOME", top, 1) == 0 && setenv("XDG_STATE_HOME", in_top("state"), 1) == 0 &&
          setenv("XDG_CONFIG_HOME", in_top("config"), 1) == 0 && setenv("XDG_CACHE_HOME", in_top("cache"), 1) == 0);
    return true;
}

/* A file there, for its owner only, with these bytes. */
static inline void put_bytes(const char *name, const void *bytes, size_t len)
{
    auto_close int fd = open(in_top(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK_MSG(fd >= 0 && write(fd, bytes, len) == (ssize_t)len, "%s", name);
}

static inline void put(const char *name, const char *text)
{
    put_bytes(name, text, strlen(text));
}

/* All bytes of a file from anywhere; the caller frees. */
static inline char *bytes_of(const char *path, size_t *ret_len)
{
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st = {0};
    CHECK_MSG(fd >= 0 && fstat(fd, &st) == 0, "%s", path);
    char *bytes = malloc((size_t)st.st_size + 1);
    ssize_t n = read(fd, bytes, (size_t)st.st_size);
    CHECK_MSG(n == st.st_size, "%s", path);
    *ret_len = (size_t)MAX(n, 0);
    return bytes;
}

/* A copy there of a file from anywhere. */
static inline void copy_file(const char *from, const char *name)
{
    size_t len;
    auto_free char *bytes = bytes_of(from, &len);
    put_bytes(name, bytes, len);
}

#endif
