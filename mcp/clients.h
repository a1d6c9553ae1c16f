/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FOVEA_MCP_CLIENTS_H
#define FOVEA_MCP_CLIENTS_H
#include <stdbool.h>
#include <stddef.h>
struct client_row {
    const char *name;
    bool webp;
    size_t page;
};
const struct client_row *client_known(const char *name);
#endif
