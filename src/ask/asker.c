/* SPDX-License-Identifier: Apache-2.0 */
/* The connections of all questions, and the thread that loads libcurl (some milliseconds) while a picture is fitted. */
#include "ask/ask_priv.h"
#include "base/fault.h"
#include "base/thread.h"

int asker_new(struct asker **ret, struct fovea_fault *fault)
{
    auto_free struct asker *a = calloc(1, sizeof *a);
    if (!a)
        return fault_oom(fault);
    int r = http_new(&a->http, fault);
    if (r < 0)
        return r;
    (void)pthread_mutex_init(&a->lock, NULL);
    *ret = take(a);
    return 0;
}

void asker_free(struct asker *a)
{
    if (!a)
        return;
    if (a->warming)
        (void)pthread_join(a->warmer, NULL);
    http_free(a->http);
    (void)pthread_mutex_destroy(&a->lock);
    free(a);
}

static void *warm(void *arg)
{
    struct asker *a = arg;
    http_warm(a->http);
    return NULL;
}

/* A thread that cannot be had is no loss: the first question loads what it needs. */
void asker_warm(struct asker *a)
{
    (void)pthread_mutex_lock(&a->lock);
    if (!a->warming)
        a->warming = !thread_start(&a->warmer, NULL, warm, a);
    (void)pthread_mutex_unlock(&a->lock);
}
