/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fonts for the programs that draw text. They are found inside the jail: what lies in a folder of fonts may be as hostile as
 * anything else, and nothing is written. Only programs that call this link fontconfig.
 */
#ifndef FOVEA_FONTSET_H
#define FOVEA_FONTSET_H

#include <stddef.h>

/* Before the jail: appends the folders where fonts, their settings and their caches are, those of the user too (HOME), to the
 * n that are there; the list ends with NULL. Returns how many there are now, at most LIMIT_RENDER_FILES. */
size_t fontset_name(const char **readable, size_t n);

/* Inside it, before the first text: reads the settings and caches. Once. */
void fontset_ready(void);

#endif
