/* SPDX-License-Identifier: Apache-2.0 */
/* libcurl by dlopen: see curl.h. */
#include "base/curl.h"

#include <errno.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <time.h>

#include "base/symbol.h"

static struct curl_table table;
static bool loaded;

static void load(void)
{
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    bool all = library != NULL;
#define CURL_FIND(name) all = all && symbol_find(library, #name, &table.name);
    CURL_FUNCTIONS(CURL_FIND)
    loaded = all && table.curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

const struct curl_table *curl_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, load);
    return loaded ? &table : NULL;
}

/* Where memory was short OpenSSL's generator may be left in an error, which only drawing from it mends. libcurl does not draw: it asks
 * how the generator is, and would make no TLS connection ever again. */
static void mend_generator(void)
{
    unsigned char one;
    if (RAND_status() != 1)
        (void)RAND_bytes(&one, 1);
}

/* The file takes the place of libcurl's own file of authorities, not of its folder: both are the system's, so its own
 * stay trusted. */
CURLcode curl_set_tls(const struct curl_table *c, CURL *easy, const char *ca_file)
{
    mend_generator();
    CURLcode bad = c->curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    bad = bad ? bad : c->curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    bad = bad ? bad : c->curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    /* Without memory for its store of TLS sessions libcurl (7.88) ends the process. Connections are kept open instead. */
    bad = bad ? bad : c->curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
    return bad || !ca_file ? bad : c->curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file);
}

void pipe_guard_init(struct pipe_guard *g)
{
    sigset_t pipe, pending;
    (void)sigemptyset(&pipe);
    (void)sigaddset(&pipe, SIGPIPE);
    (void)sigpending(&pending);
    g->was_pending = sigismember(&pending, SIGPIPE) == 1;
    (void)pthread_sigmask(SIG_BLOCK, &pipe, &g->before);
}

void pipe_guard_done(struct pipe_guard *g)
{
    static const struct timespec now = {0};
    sigset_t pipe;
    (void)sigemptyset(&pipe);
    (void)sigaddset(&pipe, SIGPIPE);
    if (!g->was_pending)
        while (sigtimedwait(&pipe, NULL, &now) < 0 && errno == EINTR)
            ;
    (void)pthread_sigmask(SIG_SETMASK, &g->before, NULL);
}
