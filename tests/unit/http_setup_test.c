/* SPDX-License-Identifier: Apache-2.0 */
/* A libcurl that does not know an option: what it cannot do without is said, the rest is passed over. */
#include "test.h"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include "base/curl.h"

static struct curl_table table;
static const struct curl_table *stand_in(void)
{
    return &table;
}
#define curl_load stand_in
#include "provider/http.c"
#undef curl_load

static CURLoption unknown;
static CURLcode failing;
static long keeps_sessions = -1;

static CURLcode set_option(CURL *easy, CURLoption option, ...)
{
    (void)easy;
    if (option == CURLOPT_SSL_SESSIONID_CACHE) {
        va_list value;
        va_start(value, option);
        keeps_sessions = va_arg(value, long);
        va_end(value);
    }
    return option == unknown ? failing : CURLE_OK;
}

static int on_bytes(void *ctx, const char *bytes, size_t len)
{
    (void)ctx;
    (void)bytes;
    (void)len;
    return 0;
}

static bool begin(void)
{
    if (!curl_load())
        return false;
    table = *curl_load();
    table.curl_easy_setopt = set_option;
    return true;
}

/* Without memory for its store of them libcurl 7.88 ends the process: found by the lab of failures, in the scene of asking. */
TEST(libcurl_is_given_no_tls_sessions_to_keep)
{
    if (!begin())
        SKIP("no libcurl");
    unknown = 0;
    CHECK(curl_set_tls(&table, NULL, NULL) == CURLE_OK && keeps_sessions == 0);
}

/* libcurl refuses TLS as long as it is in an error: found by the lab of failures, in the scene of fetching. */
TEST(a_generator_that_lost_its_state_is_mended_before_libcurl_asks)
{
    if (!begin())
        SKIP("no libcurl");
    unknown = 0;
    CHECK(RAND_status() == 1 && EVP_RAND_uninstantiate(RAND_get0_primary(NULL)) && RAND_status() == 0);
    CHECK(curl_set_tls(&table, NULL, NULL) == CURLE_OK && RAND_status() == 1);
}

TEST(a_libcurl_that_is_too_old_is_told_apart_from_one_without_memory)
{
    static const struct {
        CURLoption option;
        CURLcode failing;
        int code;
        const char *words;
    } rows[] = {
        {CURLOPT_PROTOCOLS_STR, CURLE_UNKNOWN_OPTION, -ENOSYS, "libcurl is too old"},
        {CURLOPT_PROTOCOLS_STR, CURLE_UNSUPPORTED_PROTOCOL, -ENOSYS, "libcurl is too old"},
        {CURLOPT_CAINFO, CURLE_NOT_BUILT_IN, -ENOSYS, "libcurl is too old"},
        {CURLOPT_URL, CURLE_OUT_OF_MEMORY, -ENOMEM, "out of memory"},
    };
    if (!begin())
        SKIP("no libcurl");
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct http *h;
        struct http_answer a = {.on_bytes = on_bytes};
        struct fovea_fault f = {0};
        unknown = rows[i].option;
        failing = rows[i].failing;
        CHECK(!http_new(&h, NULL));
        int code = http_get(h, &(struct http_request){.url = "https://127.0.0.1:1/", .headers = "", .ca_file = "x"}, &a, &f);
        CHECK_MSG(code == rows[i].code && strstr(f.text, rows[i].words), "row %zu: %d %s", i, code, f.text);
        http_answer_done(&a);
        http_free(h);
    }
}

TEST(a_libcurl_that_cannot_exit_quickly_will_do)
{
    if (!begin())
        SKIP("no libcurl");
    struct http_request q = {.url = "https://127.0.0.1:1/"};
    struct run r = {.curl = &table, .q = &q, .get = true};
    unknown = CURLOPT_QUICK_EXIT;
    failing = CURLE_UNKNOWN_OPTION;
    CHECK(set_up(NULL, &r, NULL) == CURLE_OK);
}
