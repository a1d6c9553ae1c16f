/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of the agents that connect, by the name they give themselves. */
#ifndef FOVEA_CLIENTS_H
#define FOVEA_CLIENTS_H

#include <stdbool.h>
#include <stddef.h>

enum { CLIENT_PAGE = 7500 }; /* bytes of text in one result that every agent keeps */

struct client_row {
    const char *name;
    bool webp;   /* hands a WebP picture on to the model */
    size_t page; /* bytes of text in one result that it surely keeps whole */
};

/*
 * The row of clientInfo.name as sent in initialize or in _meta: one that is called so, or begins so and goes on with
 * a character that is no letter or digit; case does not matter. NULL of NULL and of a stranger, who is to get neither
 * WebP nor more than CLIENT_PAGE.
 */
const struct client_row *client_known(const char *client_info_name);

#endif
