/* SPDX-License-Identifier: Apache-2.0 */
/* Ids and names of calls: see call_id.h. Every vendor refuses some spelling that another one makes. */
#include "lower/call_id.h"

#include <stdio.h>
#include <string.h>

#include "base/sha256.h"

enum { HASH_DIGITS = 10, NAME_MOST = 64 };

/* OpenAI's Chat Completions takes 40 letters, the others 64. */
static const size_t id_most[LOWER_WIRES] = {
    [LOWER_ANTHROPIC] = 64, [LOWER_CHAT] = 40, [LOWER_RESPONSES] = 64, [LOWER_GEMINI] = 64};

static bool plain_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static bool is_plain(struct span s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!plain_letter(s.at[i]))
            return false;
    return s.len > 0;
}

static size_t clean(struct span s, size_t most, char *to)
{
    size_t n = MIN(s.len, most);
    for (size_t i = 0; i < n; i++)
        to[i] = plain_letter(s.at[i]) ? s.at[i] : '_';
    to[n] = '\0';
    return n;
}

static void add_hash(struct span id, size_t nth, char *to)
{
    uint8_t digest[SHA256_LEN];
    char hex[SHA256_HEX_LEN + 1];
    struct sha256_state s;
    sha256_init(&s);
    sha256_add(&s, id.at, id.len);
    uint64_t rest = nth;
    for (int i = 0; nth > 0 && (i < 2 || rest > 0); i++, rest >>= 8)
        sha256_add(&s, &(uint8_t){(uint8_t)rest}, 1);
    sha256_end(&s, digest);
    sha256_hex(digest, hex);
    to[0] = '_';
    memcpy(to + 1, hex, HASH_DIGITS);
    to[1 + HASH_DIGITS] = '\0';
}

void call_id(enum lower_wire wire, struct span id, size_t nth, char ret[static CALL_ID_ROOM])
{
    size_t most = id_most[wire];
    if (nth == 0 && id.len <= most && is_plain(id)) {
        (void)clean(id, most, ret);
        return;
    }
    size_t n = clean(id, most - 1 - HASH_DIGITS, ret);
    add_hash(id, nth, ret + n);
}

void tool_name(struct span name, char ret[static CALL_ID_ROOM])
{
    if (clean(name, NAME_MOST, ret) == 0)
        (void)snprintf(ret, CALL_ID_ROOM, "tool");
}
