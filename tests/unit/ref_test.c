/* SPDX-License-Identifier: Apache-2.0 */
/* References become spellings, in the contract's order. */
#include "source/ref.h"

#include <errno.h>

#include "base/cleanup.h"
#include "test.h"

#define NNBSP "\xe2\x80\xaf"
#define CURLY "\xe2\x80\x99"
#define E_ACUTE "\xc3\xa9"
#define E_SPLIT "e\xcc\x81"

static const struct {
    const char *ref, *home;
    const char *want[LIMIT_PATH_VARIANTS];
} rows[] = {
    {"a.png", NULL, {"a.png"}},
    {"~", "/home/u", {"/home/u"}},
    {"~/a.png", "/home/u", {"/home/u/a.png"}},
    {"~/a.png", NULL, {"~/a.png"}},
    {"~other/a.png", "/home/u", {"~other/a.png"}},
    {"a~", "/home/u", {"a~"}},
    {"file:///x/a%20b%25.png", NULL, {"/x/a b%.png"}},
    {"file://localhost/x", NULL, {"/x"}},
    {"/x/a%20b.png", NULL, {"/x/a%20b.png"}},
    {"a\\ b.png", NULL, {"a\\ b.png", "a b.png"}},
    {"\"a b.png\"", NULL, {"\"a b.png\"", "a b.png"}},
    {"'~/a'", "/h", {"'~/a'", "/h/a", CURLY "~/a" CURLY}},
    {"'a", NULL, {"'a", CURLY "a"}},
    {"Shot 9.41 AM.png", NULL, {"Shot 9.41 AM.png", "Shot 9.41" NNBSP "AM.png"}},
    {"Shot 9.41 pm.png", NULL, {"Shot 9.41 pm.png", "Shot 9.41" NNBSP "pm.png"}},
    {"Shot 9.41 AMX.png", NULL, {"Shot 9.41 AMX.png"}},
    {E_ACUTE ".png", NULL, {E_ACUTE ".png", E_SPLIT ".png"}},
    {E_ACUTE "/" E_ACUTE, NULL, {E_ACUTE "/" E_ACUTE, E_SPLIT "/" E_SPLIT, E_ACUTE "/" E_SPLIT}},
    {E_ACUTE "'", NULL, {E_ACUTE "'", E_SPLIT "'", E_ACUTE CURLY, E_SPLIT CURLY}},
    {"bad\xff" E_ACUTE, NULL, {"bad\xff" E_ACUTE}},
    {"\\", NULL, {"\\"}},
    {"''", NULL, {"''", CURLY CURLY}},
    {"a ", NULL, {"a "}},
    {"a b", NULL, {"a b"}},
    {E_ACUTE "/", NULL, {E_ACUTE "/", E_SPLIT "/"}},
};

TEST(each_reference_gives_its_spellings_in_order)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ref_variants v = {0};
        CHECK_MSG(!ref_variants(rows[i].ref, rows[i].home, &v), "%s", rows[i].ref);
        for (size_t k = 0; k < LIMIT_PATH_VARIANTS && (rows[i].want[k] || k < v.n); k++)
            CHECK_STR(k < v.n ? v.path[k] : NULL, rows[i].want[k]);
        ref_variants_done(&v);
    }
}

TEST(what_can_be_no_path_is_refused)
{
    char longest[LIMIT_PATH_BYTES + 1];
    memset(longest, 'x', sizeof longest);
    longest[LIMIT_PATH_BYTES - 1] = '\0';
    struct ref_variants v = {0};
    CHECK(!ref_variants(longest, NULL, &v));
    ref_variants_done(&v);
    longest[LIMIT_PATH_BYTES - 1] = 'x';
    longest[LIMIT_PATH_BYTES] = '\0';
    static const char *const bad[] = {"", "file://", "file://host/x", "file://localhost", "file:///a%00b", "file:///a%zz",
                                      "file:///a%2"};
    for (size_t i = 0; i < COUNT(bad); i++)
        CHECK_MSG(ref_variants(bad[i], NULL, &v) == -EINVAL, "%s", bad[i]);
    CHECK(ref_variants(longest, NULL, &v) == -EINVAL);
    CHECK(ref_variants("~/x", longest, &v) == -EINVAL);
    CHECK(!v.n);
}

TEST(a_spelling_too_long_for_a_path_is_left_out)
{
    char quotes[LIMIT_PATH_BYTES];
    struct ref_variants v = {0};
    memset(quotes, '\'', sizeof quotes);
    quotes[0] = 'a';
    quotes[sizeof quotes - 1] = '\0';
    CHECK(!ref_variants(quotes, NULL, &v) && v.n == 1);
    ref_variants_done(&v);
}

TEST(the_worst_reference_keeps_within_the_limit)
{
    struct ref_variants v = {0};
    CHECK(!ref_variants("\\ " E_ACUTE "/it's " E_ACUTE " AM.png", "/h", &v));
    CHECK(v.n == LIMIT_PATH_VARIANTS);
    ref_variants_done(&v);
    ref_variants_done(&v);
    ref_variants_done(NULL);
}
