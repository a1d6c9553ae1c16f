/* SPDX-License-Identifier: Apache-2.0 */
/* Faults: see fault.h. */
#include "base/fault.h"

#include <errno.h>
#include <stdarg.h>

#undef fault_set /* what the analyzer is told they return */
#undef fault_oom

int fault_set(struct fovea_fault *f, int code, const char *format, ...)
{
    if (code > 0)
        code = -code;
    if (f) {
        va_list args;
        f->code = code;
        va_start(args, format);
        (void)vsnprintf(f->text, sizeof f->text, format, args);
        va_end(args);
    }
    return code;
}

int fault_oom(struct fovea_fault *f)
{
    return fault_set(f, ENOMEM, "out of memory");
}
