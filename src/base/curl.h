/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcurl, loaded when the first connection is made: linking it costs every start of the program some milliseconds, and
 * most runs need no network. The functions' types come from its header.
 */
#ifndef FOVEA_CURL_H
#define FOVEA_CURL_H

#include <signal.h>
#include <stdbool.h>

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#define CURL_FUNCTIONS(X)                                                                                          \
    X(curl_global_init) X(curl_easy_init) X(curl_easy_cleanup) X(curl_easy_reset) X(curl_easy_setopt)               \
    X(curl_easy_getinfo) X(curl_multi_init) X(curl_multi_cleanup) X(curl_multi_add_handle)    \
    X(curl_multi_remove_handle) X(curl_multi_perform) X(curl_multi_poll) X(curl_multi_info_read)                    \
    X(curl_multi_setopt) X(curl_slist_append) X(curl_slist_free_all)

/* NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is declared cannot stand in parentheses */
#define CURL_DECLARE(name) __typeof__(name) *name;
struct curl_table {
    CURL_FUNCTIONS(CURL_DECLARE)
};

/* NULL when it is not installed. Stays loaded; any thread may ask. */
const struct curl_table *curl_load(void);

/* Certificates are checked, by the system's authorities and those of ca_file (PEM; may be NULL). */
CURLcode curl_set_tls(const struct curl_table *c, CURL *easy, const char *ca_file);

/* OpenSSL writes to sockets that may be closed: between the two, this thread neither dies of it nor loses a SIGPIPE that
 * was not libcurl's. */
struct pipe_guard {
    sigset_t before;
    bool was_pending;
};
void pipe_guard_init(struct pipe_guard *g);
void pipe_guard_done(struct pipe_guard *g);

#endif
