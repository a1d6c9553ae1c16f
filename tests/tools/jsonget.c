/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jsonget FILE|- [path.to.key]: checks that the input is exactly one JSON value and prints the one the path names
 * (numbers index arrays): strings bare, anything else as compact JSON. Exit status 1: no such key; 2: no JSON.
 */
#include <jansson.h>
#include <string.h>

#include "base/cleanup.h"

static json_t *step(json_t *at, const char *key)
{
    char *end;
    unsigned long index = strtoul(key, &end, 10);
    return json_is_array(at) && !*end ? json_array_get(at, index) : json_object_get(at, key);
}

static json_t *walk(json_t *root, char *path)
{
    char *rest = path, *key;
    while (root && (key = strsep(&rest, ".")))
        root = *key ? step(root, key) : root;
    return root;
}

int main(int argc, char **argv)
{
    json_error_t error;
    if (argc < 2)
        return 2;
    json_t *root = !strcmp(argv[1], "-") ? json_loadf(stdin, JSON_DECODE_ANY, &error)
                                         : json_load_file(argv[1], JSON_DECODE_ANY, &error);
    if (!root) {
        fprintf(stderr, "jsonget: %s at byte %d\n", error.text, error.position);
        return 2;
    }
    json_t *found = walk(root, argc > 2 ? argv[2] : (char[]){""});
    auto_free char *text = found && !json_is_string(found) ? json_dumps(found, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    if (found)
        puts(text ? text : json_string_value(found));
    json_decref(root);
    return !found;
}
