/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer to one POST: a body when the first thing said is also the last, an event stream otherwise. The connection
 * sleeps in the library while there is nothing to say; whoever sends wakes it.
 */
#ifndef FOVEA_MCP_HTTP_OUTLET_H
#define FOVEA_MCP_HTTP_OUTLET_H

#include <microhttpd.h>

#include "outlet.h"

/* NULL when out of memory. The connection must outlive the sleep, not the outlet. */
struct outlet *http_outlet_new(struct MHD_Connection *connection);

enum outlet_says {
    OUTLET_WAITS,  /* nothing yet: the connection was put to sleep */
    OUTLET_PLAIN,  /* *ret_response is the whole answer */
    OUTLET_STREAM, /* *ret_response is an event stream */
    OUTLET_GONE,   /* nobody is there to hear */
};

/* Only for the thread that serves the connection. The caller queues and destroys the response. */
enum outlet_says http_outlet_ready(struct outlet *o, int *ret_status, struct MHD_Response **ret_response);

/* Nobody listens any more (gone), or the server ends; wakes the connection. */
void http_outlet_cut(struct outlet *o, bool gone);

/* True when the last word was said, or nobody listens; the second alone. */
bool http_outlet_over(struct outlet *o);
bool http_outlet_gone(struct outlet *o);

#endif
