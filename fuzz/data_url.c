/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A source given as text: what is taken is the bytes that its base64 stands for, none over the ceiling, and any way of refusing has
 * its words.
 * about: src/source/data_url.c
 */
#include "fuzz.h"

#include <strings.h>
#include <unistd.h>

#include "base/b64.h"
#include "base/cleanup.h"
#include "source/data_url.h"

enum { CAP = 2000 };

static void check_taken(const char *text, size_t len, const struct snapshot *s)
{
    const char *comma = len >= 5 && !strncasecmp(text, "data:", 5) ? memrchr(text, ',', len) : NULL;
    const char *at = comma ? comma + 1 : text;
    size_t n = (size_t)(text + len - at), got;
    auto_free uint8_t *want = malloc(B64_ROOM(n) + 1), *have = malloc(s->size + 1);
    CLAIM(want && have && s->size && s->size <= CAP);
    CLAIM(b64_decode_strict(at, n, want, &got) == B64_FINE && got == s->size);
    CLAIM(pread(s->fd, have, s->size + 1, 0) == (ssize_t)s->size && !memcmp(have, want, got));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct snapshot s = {.fd = -1};
    struct fovea_fault fault = {0};
    enum data_verdict v = DATA_VERDICTS;
    const char *text = (const char *)data;
    CLAIM(data_url_take(text, len, CAP, &v, &s, &fault) == 0 && v < DATA_VERDICTS);
    if (v != DATA_TAKEN) {
        CLAIM(s.fd == -1 && data_verdict_words(v) && *data_verdict_words(v));
        return 0;
    }
    check_taken(text, len, &s);
    snapshot_done(&s);
    return 0;
}
