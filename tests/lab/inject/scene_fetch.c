/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenes of fetching a URL: over TLS, through a redirect, from an address; and one that ends where nobody listens, so short that every
 * call of it can fail. They need the network of tests/net: inject_fetch.py plays them there, and names its authority in INJECT_CA.
 */
#include <openssl/crypto.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "inject.h"
#include "scenes.h"
#include "source/fetch.h"

static struct fetch_policy policy;

static int setup_fetch(void)
{
    policy = (struct fetch_policy){.ca_file = getenv("INJECT_CA")};
    return policy.ca_file ? 0 : -1;
}

/* What came, as a NUL-terminated text; this look at it does not fail. */
static void body_of(const struct fetch_result *got, char text[static 64])
{
    bool ready = inject_pause();
    ssize_t n = got->body.fd < 0 ? 0 : pread(got->body.fd, text, 63, 0);
    text[MAX(n, 0)] = '\0';
    inject_resume(ready);
}

static void fetch(const char *url, enum net_reason right, struct outcome *o)
{
    struct fetch_result got = {.body = {.fd = -1}};
    struct fovea_fault fault = {0};
    char text[64] = "";
    if (o->code < 0 || o->refused)
        return;
    int r = fetch_url(&policy, url, 0, NULL, &got, &fault);
    tell_fault(o, r, &fault);
    if (r == 0 && got.reason != right && got.words[0])
        tell_refusal(o, "", got.words);
    if (r == 0 && !got.reason)
        body_of(&got, text);
    tell_str(o, text);
    if (r == 0) {
        tell_answer(o);
        fetch_result_done(&got);
    }
}

static void run_fetch(struct outcome *o)
{
    fetch("https://a.test/ok", NET_OK, o);
    fetch("https://8.8.8.8/ok", NET_OK, o);
}

static void run_refused(struct outcome *o)
{
    fetch("https://refused.test/", NET_CONNECT, o);
}

/* The thread that looked a name up lets go of its last block a little later than the fetch ends; and OpenSSL keeps words of the
 * last errors of each thread. */
static void teardown_fetch(void)
{
    OPENSSL_thread_stop();
    (void)usleep(5000);
}

const struct scene scene_fetch = {"fetch", setup_fetch, run_fetch, NULL, teardown_fetch, SCENE_USUAL};
const struct scene scene_fetch_refused = {"fetch_refused", setup_fetch, run_refused, NULL, teardown_fetch, SCENE_SMALL};
