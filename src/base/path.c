/* SPDX-License-Identifier: Apache-2.0 */
/* Paths as strings: see path.h. */
#include "base/path.h"

#include <string.h>

bool path_beneath(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    while (n && folder[n - 1] == '/')
        n--;
    return !strncmp(path, folder, n) && (path[n] == '/' || !path[n]);
}
