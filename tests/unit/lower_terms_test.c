/* SPDX-License-Identifier: Apache-2.0 */
/* What lowering knows of letters, hosts and models, by rows. */
#include "test.h"

#include <errno.h>

#include "base/cleanup.h"
#include "lower/replay.h"
#include "lower/terms.h"
#include "lower/write.h"

TEST(blank_is_what_the_vendors_servers_strip_however_it_is_written)
{
    static const struct {
        const char *text;
        bool blank;
    } rows[] = {
        {"\"\"", true},
        {"\" \\t\\n\\r\\f\"", true},
        {"\"\\u0020\\u0085\\u00a0\\u1680\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff\"", true},
        {"\"\xc2\x85\xc2\xa0\xe1\x9a\x80\xe2\x80\x80\xe2\x80\x8a\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\x9f\xe3\x80\x80\xef\xbb\xbf\"", true},
        {"\"\x1c\x20\"", true},
        {"\"a\"", false},
        {"\"\\\\\"", false},
        {"\"\\b\"", false},
        {"\"\\/\"", false},
        {"\"\\u0041\"", false},
        {"\"\\u\"", false},
        {"\"\xe2\x80\x8b\"", false}, /* a space of no width is kept */
        {"\"\xf0\x9f\x98\x80\"", false},
        {"\"\xe2\x80\"", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        CHECK_MSG(is_blank((struct span){rows[i].text, strlen(rows[i].text)}) == rows[i].blank, "row %zu", i);
}

TEST(a_host_that_nobody_knows_has_the_terms_of_its_wire)
{
    for (int wire = 0; wire < LOWER_WIRES; wire++) {
        const struct terms_host *h = terms_host_find("nobody", (enum lower_wire)wire);
        CHECK(!h->provider && h->wire == (enum lower_wire)wire && h->limits.request_bytes > 0);
    }
    CHECK_STR(terms_host_find("anthropic", LOWER_ANTHROPIC)->provider, "anthropic");
}

TEST(the_version_of_a_gemini_is_the_number_behind_its_name)
{
    static const struct {
        const char *model;
        int version;
    } rows[] = {{"gemini-2.5-pro", 2}, {"gemini-3-flash", 3}, {"gemini-12", 12}, {"gemini-pro", 0}, {"gpt-5", 0}, {"gemini-99999999999", 9999}};
    for (size_t i = 0; i < COUNT(rows); i++)
        CHECK_MSG(terms_gemini_version(rows[i].model) == rows[i].version, "%s: %d", rows[i].model, terms_gemini_version(rows[i].model));
}

TEST(a_name_that_is_too_long_is_refused)
{
    char model[4096];
    struct target t;
    struct fovea_fault fault = {0};
    memset(model, 'm', sizeof model - 1);
    model[sizeof model - 1] = '\0';
    CHECK(target_make(NULL, &(struct target_ask){.provider = "p", .model = model, .wire = "gemini"}, &t, &fault) == -EINVAL);
    CHECK_STR(fault.text, "the name of the model is too long");
    CHECK(target_make(NULL, &(struct target_ask){.provider = model, .model = "m", .wire = "gemini"}, &t, &fault) == -EINVAL);
}

