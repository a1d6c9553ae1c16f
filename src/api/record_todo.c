/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in until lowering is merged. */
#include <errno.h>
#include "base/fault.h"
int fovea_session_export(fovea_session *s, const char *wire, unsigned flags, fovea_write *write, void *arg, struct fovea_fault *fault) { (void)s, (void)wire, (void)flags, (void)write, (void)arg; return fault_set(fault, ENOSYS, "not built yet"); }
