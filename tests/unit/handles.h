/* SPDX-License-Identifier: Apache-2.0 */
/* The public header's handles as locals that are freed on every way out: auto_fovea *f = ...; NULL is fine. */
#ifndef FOVEA_TEST_HANDLES_H
#define FOVEA_TEST_HANDLES_H

#include "base/cleanup.h"
#include "fovea.h"

static inline void fovea_free_p(fovea **f)
{
    fovea_free(*f);
}
static inline void session_free_p(fovea_session **s)
{
    fovea_session_free(*s);
}
static inline void result_free_p(fovea_result **r)
{
    fovea_result_free(*r);
}
#define auto_fovea cleanup(fovea_free_p) fovea
#define auto_session cleanup(session_free_p) fovea_session
#define auto_result cleanup(result_free_p) fovea_result

#endif
