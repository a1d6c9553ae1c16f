/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state that goes to the client and comes back with its answers: JSON text behind an HMAC-SHA-256 under a key that
 * this process draws at random, so that whatever comes back changed, or for another form, is refused.
 */
#include "base/json_read.h"
#include "conformance.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/limits.h"
#include "base/sha256.h"

enum { KEY_LEN = 64 }; /* a block of SHA-256, as HMAC wants it */

static uint8_t key[KEY_LEN];
static bool key_drawn;

static void draw_key(void)
{
    key_drawn = getrandom(key, sizeof key, 0) == (ssize_t)sizeof key;
}

static int have_key(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, draw_key);
    return key_drawn ? 0 : -EIO;
}

static void half(uint8_t pad, const void *data, size_t len, uint8_t out[SHA256_LEN])
{
    struct sha256_state s;
    uint8_t padded[KEY_LEN];
    for (size_t i = 0; i < KEY_LEN; i++)
        padded[i] = key[i] ^ pad;
    sha256_init(&s);
    sha256_add(&s, padded, sizeof padded);
    sha256_add(&s, data, len);
    sha256_end(&s, out);
}

static void mac_hex(const char *text, char out[SHA256_HEX_LEN + 1])
{
    uint8_t digest[SHA256_LEN];
    half(0x36, text, strlen(text), digest);
    half(0x5c, digest, sizeof digest, digest);
    sha256_hex(digest, out);
}

/* Takes the same time wherever they differ. */
static bool same_mac(const char *a, const char *b)
{
    unsigned differ = 0;
    for (size_t i = 0; i < SHA256_HEX_LEN; i++)
        differ |= (unsigned)(a[i] ^ b[i]);
    return !differ;
}

char *fixture_seal(const char *form, unsigned round, json_t *answers)
{
    char mac[SHA256_HEX_LEN + 1];
    auto_buf b = BUF_INIT(LIMIT_MCP_STATE);
    auto_json *state = json_pack("{s:s, s:i, s:O}", "form", form, "round", (int)round, "answers", answers);
    auto_free char *text = state ? json_text_new(state, JSON_COMPACT) : NULL;
    if (!text || have_key() < 0)
        return NULL;
    mac_hex(text, mac);
    (void)buf_add_str(&b, mac);
    (void)buf_add_str(&b, text);
    return buf_take(&b);
}

int fixture_unseal(const char *sealed, const char *form, unsigned *ret_round, json_t **ret_answers)
{
    char mac[SHA256_HEX_LEN + 1];
    const char *name;
    int round;
    json_t *answers;
    if (strlen(sealed) <= SHA256_HEX_LEN || have_key() < 0)
        return -EBADMSG;
    mac_hex(sealed + SHA256_HEX_LEN, mac);
    if (!same_mac(sealed, mac))
        return -EBADMSG;
    auto_json *state = json_read(sealed + SHA256_HEX_LEN, strlen(sealed + SHA256_HEX_LEN), 0, NULL);
    if (!state || json_unpack(state, "{s:s, s:i, s:o}", "form", &name, "round", &round, "answers", &answers) < 0 ||
        strcmp(name, form) != 0)
        return -EBADMSG;
    *ret_round = (unsigned)round;
    *ret_answers = json_incref(answers);
    return 0;
}
