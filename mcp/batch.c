/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of a batch, gathered into one array (revision 2025-03-26). One for which the array has no room is sent
 * back to its maker, who says so instead. */
#include <pthread.h>

#include "base/buf.h"
#include "base/limits.h"
#include "core.h"

struct batch {
    struct outlet outlet;
    pthread_mutex_t lock;
    struct buf text;
    unsigned left;
};

static bool batch_send(struct outlet *o, const char *text, size_t len, bool last, int http)
{
    struct batch *b = (struct batch *)o;
    if (!last)
        return b->outlet.to->kind->send(b->outlet.to, text, len, false, http);
    (void)pthread_mutex_lock(&b->lock);
    size_t kept = len > LIMIT_MCP_NOTICE ? LIMIT_MCP_BATCH * LIMIT_MCP_NOTICE : 2; /* for the words of the others */
    bool fits = b->text.len + len + kept <= b->text.ceiling;
    if (fits) {
        (void)buf_add_str(&b->text, b->text.len ? "," : "[");
        (void)buf_add(&b->text, text, len);
    }
    (void)pthread_mutex_unlock(&b->lock);
    return fits;
}

/* For an array that cannot be kept: whoever waits for it must not wait for ever. */
static const char no_memory[] = "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32603,\"message\":\"out of memory\"}}";

/* Each answer ends once; with the last of them the array is complete. All of them cancelled leave nothing to send. */
static void batch_end(struct outlet *o)
{
    struct batch *b = (struct batch *)o;
    (void)pthread_mutex_lock(&b->lock);
    bool complete = !--b->left;
    (void)pthread_mutex_unlock(&b->lock);
    if (!complete)
        return;
    if ((b->text.len || b->text.error) && buf_add_str(&b->text, "]") < 0)
        (void)b->outlet.to->kind->send(b->outlet.to, no_memory, sizeof no_memory - 1, true, 500);
    else if (b->text.len)
        (void)b->outlet.to->kind->send(b->outlet.to, b->text.data, b->text.len, true, 200);
    b->outlet.to->kind->end(b->outlet.to);
}

static void batch_free(struct outlet *o)
{
    struct batch *b = (struct batch *)o;
    outlet_unref(b->outlet.to);
    buf_done(&b->text);
    (void)pthread_mutex_destroy(&b->lock);
    free(b);
}

static const struct outlet_kind batch_kind = {batch_send, batch_end, batch_free};

struct outlet *batch_outlet_new(struct outlet *to, unsigned count)
{
    struct batch *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    *b = (struct batch){.outlet = {.kind = &batch_kind}, .text = BUF_INIT(LIMIT_MCP_REPLY), .left = count};
    atomic_init(&b->outlet.refs, 1);
    (void)pthread_mutex_init(&b->lock, NULL);
    b->outlet.to = outlet_ref(to);
    return &b->outlet;
}
