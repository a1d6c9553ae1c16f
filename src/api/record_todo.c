/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in until the parts are merged. */
#include <errno.h>
#include "base/fault.h"
#define NO return fault_set(fault, ENOSYS, "not built yet")
int fovea_session_append(fovea_session *s, const char *json, size_t len, const char *key, struct fovea_appended *ret, struct fovea_fault *fault) { (void)s, (void)json, (void)len, (void)key, (void)ret; NO; }
int fovea_session_import(fovea_session *s, const char *wire, const char *json, size_t len, struct fovea_appended *ret, struct fovea_fault *fault) { (void)s, (void)json, (void)len, (void)wire, (void)ret; NO; }
int fovea_session_export(fovea_session *s, const char *wire, unsigned flags, fovea_write *write, void *arg, struct fovea_fault *fault) { (void)s, (void)wire, (void)flags, (void)write, (void)arg; NO; }
int fovea_session_entries(fovea_session *s, int64_t after, int (*each)(void *arg, int64_t seq, const char *json, size_t len), void *arg, struct fovea_fault *fault) { (void)s, (void)after, (void)each, (void)arg; NO; }
int fovea_session_fresh(fovea_session *s, const char *path, struct fovea_fault *fault) { (void)s, (void)path; NO; }
int fovea_sessions(fovea *f, const char *name, void (*tell)(const struct fovea_session_info *info, void *arg), void *arg, struct fovea_fault *fault) { (void)f, (void)name, (void)tell, (void)arg; NO; }
int fovea_session_delete(fovea *f, const char *name, struct fovea_fault *fault) { (void)f, (void)name; NO; }
int fovea_record_check(fovea *f, const char *session, bool repair, void (*tell)(const struct fovea_problem *problem, void *arg), void *arg, struct fovea_checked *ret, struct fovea_fault *fault) { (void)f, (void)session, (void)repair, (void)tell, (void)arg, (void)ret; NO; }
