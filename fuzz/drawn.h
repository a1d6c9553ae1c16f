/* SPDX-License-Identifier: Apache-2.0 */
/* For targets that draw with fonts: fontconfig keeps what it found, by pointers that the search for leaks does not follow; and
 * librsvg never frees entities that libxml2 read for it. A worker ends with its answer, so that neither matters. A target that knows
 * of more says so in DRAWN_LOSES. */
#ifndef FOVEA_FUZZ_DRAWN_H
#define FOVEA_FUZZ_DRAWN_H

#ifndef DRAWN_LOSES
#define DRAWN_LOSES ""
#endif

const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\nleak:libxml2\n" DRAWN_LOSES;
}

#endif
