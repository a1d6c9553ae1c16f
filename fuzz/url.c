/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a URL, as a Location, as base64: refused, or in a form that is the same when it is read again. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/b64.h"
#include "source/data_url.h"
#include "source/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* What was let in is canonical, and let in again as the same. */
static void check_again(const struct url *u)
{
    char text[URL_TEXT], twice[URL_TEXT];
    struct url again;
    struct url_host host;
    int n = url_format(u, text);
    assert(n > 0 && n < URL_TEXT && u->target[0] == '/');
    for (int i = 0; i < n; i++)
        assert(text[i] > 0x20 && text[i] < 0x7f);
    assert(u->host.literal || (!host_is_near(u->host.name) && host_parse(u->host.name, strlen(u->host.name), &host) == 0));
    enum net_reason r = url_parse(text, (size_t)n, &again);
    if (r == NET_URL_TOO_LONG)
        return;
    assert(r == NET_OK);
    (void)url_format(&again, twice);
    assert(!strcmp(text, twice));
}

static void check_b64(const char *text, size_t len)
{
    uint8_t *bytes = malloc(B64_ROOM(len) + 1);
    char *back = malloc(len + 1);
    size_t n;
    if (bytes && back && b64_decode_strict(text, len, bytes, &n) == B64_FINE) {
        b64_encode(bytes, n, back);
        assert(B64_LEN(n) == len && !memcmp(back, text, len));
    }
    free(bytes);
    free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static struct url base;
    struct url u;
    struct snapshot s = {.fd = -1};
    enum data_verdict v;
    const char *text = (const char *)data;
    if (!base.target[0])
        (void)url_parse("https://a.test/d/e/x?q", 22, &base);
    if (url_parse(text, len, &u) == NET_OK)
        check_again(&u);
    if (url_join(&base, text, len, &u) == NET_OK)
        check_again(&u);
    check_b64(text, len);
    if (data_url_take(text, len, 1 << 16, &v, &s, NULL) == 0 && v == DATA_TAKEN)
        snapshot_done(&s);
    return 0;
}
