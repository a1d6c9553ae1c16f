/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tool arguments from any JSON: filled in, or refused with words.
 * about: src/api/tools.c src/api/fields.c src/api/fields_json.c src/api/fields_value.c
 */
#include "fuzz.h"

#include "api/tools.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    size_t n;
    const struct fovea_tool *tools = fovea_tools(&n);
    json_t *arguments = json_loadb((const char *)data, len, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
    for (size_t i = 0; arguments && i < n; i++) {
        void *request = calloc(1, tools[i].request_size);
        fovea_result *refusal = NULL;
        struct fovea_fault fault;
        if (request && tool_arguments(&tools[i], arguments, request, &refusal, &fault) == 0 && refusal)
            CLAIM(*fovea_result_text(refusal));
        fovea_result_free(refusal);
        free(request);
    }
    json_decref(arguments);
    return 0;
}
