/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in until the parts are merged. */
#include <errno.h>
#include "base/fault.h"
#define NO return fault_set(fault, ENOSYS, "not built yet")
int fovea_lower(fovea_session *s, const struct fovea_lower_request *request, fovea_write *write, void *arg, struct fovea_lowered *ret, struct fovea_fault *fault) { (void)s, (void)request, (void)write, (void)arg, (void)ret; NO; }
char *fovea_session_report_new(fovea_session *s) { (void)s; return NULL; }
int fovea_session_reject(fovea_session *s, const struct fovea_lower_request *request, const char *error, size_t len, struct fovea_repair *ret, struct fovea_fault *fault) { (void)s, (void)request, (void)error, (void)len, (void)ret; NO; }
int fovea_simulate(fovea *f, const struct fovea_simulate_request *request, fovea_write *write, void *arg, struct fovea_fault *fault) { (void)f, (void)request, (void)write, (void)arg; NO; }
const char *const *fovea_traces(void) { static const char *const none[] = {NULL}; return none; }
int fovea_trace(const char *name, fovea_write *write, void *arg, struct fovea_fault *fault) { (void)name, (void)write, (void)arg; NO; }
