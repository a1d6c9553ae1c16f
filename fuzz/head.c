/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The head of an HTTP answer, line by line: what may have a body has one length and no coding, a place to go to is one, and what a
 * second reading of the same lines says is the same.
 * about: src/source/fetch_answer.c
 */
#include "fuzz.h"

#include "base/cleanup.h"
#include "source/fetch_answer.h"

enum { CAP = 1 << 20 };

/* Lines with their ends, as libcurl hands them on. */
static enum net_reason read_all(const char *text, size_t len, struct answer *a)
{
    enum net_reason r = NET_OK;
    for (size_t at = 0; at < len && r == NET_OK;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t n = end ? (size_t)(end - text) + 1 - at : len - at;
        r = answer_add(a, text + at, n);
        at += n;
    }
    return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct answer a = {0}, b = {0};
    enum net_reason r = read_all((const char *)data, len, &a);
    CLAIM(r < NET_REASONS && read_all((const char *)data, len, &b) == r);
    CLAIM(a.status == b.status && a.length == b.length && a.ended == b.ended && a.locations == b.locations &&
          !strcmp(a.location, b.location));
    CLAIM(a.location_len < sizeof a.location && !a.location[a.location_len]);
    if (r != NET_OK || !a.ended)
        return 0;
    CLAIM(a.status >= 200 && a.status <= 599);
    if (answer_judge(&a, CAP) != NET_OK)
        return 0;
    CLAIM(!(a.has_length && a.chunked));
    if (answer_is_redirect(&a))
        CLAIM(a.locations == 1 && a.location_len);
    else
        CLAIM(a.status == 200 && !a.coded && (!a.has_length || a.length <= CAP));
    return 0;
}
