/* SPDX-License-Identifier: Apache-2.0 */
/* Paths as strings: nothing here looks at a file system. */
#ifndef FOVEA_PATH_H
#define FOVEA_PATH_H

#include <stdbool.h>

/* Is an absolute path the folder, or beneath it? Slashes at the folder's end mean nothing: "/" and "" hold all. */
bool path_beneath(const char *path, const char *folder);

#endif
