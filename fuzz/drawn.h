/* SPDX-License-Identifier: Apache-2.0 */
/* For targets that draw with fonts: fontconfig keeps what it found, by pointers that the search for leaks does not follow; librsvg
 * never frees entities that libxml2 read for it; and cairo loses the table of a font that it cannot scale. A worker ends with its
 * answer, so that none of it matters. */
#ifndef FOVEA_FUZZ_DRAWN_H
#define FOVEA_FUZZ_DRAWN_H

const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\nleak:libxml2\nleak:libcairo";
}

#endif
