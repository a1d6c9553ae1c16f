/* SPDX-License-Identifier: Apache-2.0 */
/* Where this build's programs and fixtures stand: found from the test's own path, so that it can be run from anywhere. */
#ifndef FOVEA_TEST_BUILT_H
#define FOVEA_TEST_BUILT_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"

/* The folder of the build, above tests/NAME_test, without a slash at its end. It stays good, and is each thread's own. */
static inline const char *build_folder(void)
{
    static _Thread_local char path[LIMIT_PATH_BYTES - 256];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    for (int up = 0; n > 0 && up < 2; up++) {
        path[n] = '\0';
        n = strrchr(path, '/') - path;
    }
    path[MAX(n, 0)] = '\0';
    return path;
}

static inline const char *built_in(const char *folder, const char *name)
{
    static _Thread_local char paths[8][LIMIT_PATH_BYTES];
    static _Thread_local unsigned next;
    char *path = paths[next++ % COUNT(paths)];
    (void)snprintf(path, LIMIT_PATH_BYTES, "%s/%s%s", build_folder(), folder, name);
    return path;
}

/* The path of something in it; good until 8 calls later in this thread. */
static inline const char *built(const char *name)
{
    return built_in("", name);
}

/* The same of a good fixture. */
static inline const char *fixture(const char *name)
{
    return built_in("fixtures/good/", name);
}

/* Whether fovea-NAME is built: a machine need not have the libraries of all programs. */
static inline bool has_program(const char *name)
{
    return access(built_in("fovea-", name), X_OK) == 0;
}

#endif
