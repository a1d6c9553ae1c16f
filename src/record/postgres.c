/* SPDX-License-Identifier: Apache-2.0 */
/* PostgreSQL: this build has none. */
#include <errno.h>

#include "base/fault.h"
#include "record/record_backend.h"

static int no_open(const struct record_options *options, struct backend **ret, struct fovea_fault *fault)
{
    (void)options, (void)ret;
    return fault_set(fault, ENOTSUP, "this build has no PostgreSQL");
}

const struct backend_kind backend_postgres = {.scheme = "postgresql:", .open = no_open};
