/* SPDX-License-Identifier: Apache-2.0 */
/*
 * toolset.yaml from any bytes: tools that there are, or refused in words that name the file; the same the second time. A plain list of
 * names is read by hand besides, and must come to the same.
 * about: src/api/toolset.c src/api/yaml_reader.c
 */
#include "fuzz.h"

#include <errno.h>

#include "api/personality.h"
#include "api/tools.h"
#include "base/cleanup.h"

static int parse(const char *text, size_t len, uint32_t *ret, struct fovea_fault *fault)
{
    struct config_place at = {.file = "toolset.yaml", .cwd = "/cwd", .home = "/home/ann", .fault = fault};
    return toolset_parse(&at, text, len, ret);
}

static uint32_t bit_of(const char *name, size_t len)
{
    size_t n;
    uint32_t bits = 0;
    const struct fovea_tool *tools = fovea_tools(&n);
    bool vision = len == 6 && !memcmp(name, "vision", 6);
    for (size_t i = 0; i < n; i++)
        if ((strlen(tools[i].name) == len && !memcmp(tools[i].name, name, len)) ||
            (vision && (!strcmp(tools[i].name, "inspect_image") || strstr(tools[i].name, "_analyze"))))
            bits |= UINT32_C(1) << i;
    return bits;
}

/* "[a, b]": 1 and the tools, 0 when one of them is none, -1 when it is written in any other way. */
static int by_hand(const char *s, uint32_t *ret)
{
    int known = 1;
    *ret = 0;
    if (*s++ != '[')
        return -1;
    for (;;) {
        s += strspn(s, " ");
        size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz_");
        if (!n)
            return -1;
        known &= bit_of(s, n) != 0;
        *ret |= bit_of(s, n);
        s += n;
        s += strspn(s, " ");
        if (*s == ']')
            break;
        if (*s++ != ',')
            return -1;
    }
    return s[1] && strcmp(s + 1, "\n") != 0 ? -1 : known;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct fovea_fault a = {0}, b = {0};
    uint32_t tools = 0xabababab, again = 0xabababab, want = 0;
    size_t n;
    auto_free char *text = feed_text(&(struct feed){data, len});
    int r = parse(text, len, &tools, &a);
    (void)fovea_tools(&n);
    CLAIM(parse(text, len, &again, &b) == r && again == tools && !strcmp(a.text, b.text));
    if (r == 0) {
        CLAIM(!(tools >> n));
    } else {
        CLAIM(tools == 0xabababab && a.code == r && !strncmp(a.text, "toolset.yaml", 12));
        for (const char *c = a.text; *c; c++)
            CLAIM((unsigned char)*c >= ' ' && *c != 0x7f);
    }
    int known = strlen(text) == len ? by_hand(text, &want) : -1;
    CLAIM(known < 0 || (known ? r == 0 && tools == want : r == -EINVAL));
    return 0;
}
