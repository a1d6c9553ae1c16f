/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an MCP message: read, or refused with a typed error. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct rpc_error error = {0};
    struct message m;
    json_t *id = NULL;
    char *text = malloc(len + 1);
    if (!text)
        return 0;
    memcpy(text, data, len);
    text[len] = '\0';
    json_t *root = message_load(text, len, &id, &error);
    assert(root || error.code);
    if (root && message_read(root, &m, &error))
        assert(error.code);
    json_decref(root);
    json_decref(id);
    free(text);
    return 0;
}
