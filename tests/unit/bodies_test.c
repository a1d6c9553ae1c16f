/* SPDX-License-Identifier: Apache-2.0 */
/* Entries in memory: whole, and no more of them than their ceiling. */
#include "test.h"

#include <errno.h>

#include "api/bodies.h"
#include "base/cleanup.h"
#include "base/limits.h"

#define auto_bodies cleanup(bodies_done) struct bodies

TEST(a_body_is_kept_with_every_byte_that_it_has)
{
    static const char text[] = "{\"a\":\0\"b\"}";
    auto_bodies b = BODIES_INIT(64);
    CHECK(bodies_add(&b, text, sizeof text - 1) == 0 && b.n == 1 && b.list[0].len == sizeof text - 1);
    CHECK(!memcmp(b.list[0].text, text, sizeof text));
}

TEST(bodies_end_at_their_ceiling_and_say_what_to_do)
{
    auto_bodies b = BODIES_INIT(4 * MIB);
    static char text[3 * MIB];
    struct fovea_fault fault = {0};
    CHECK(bodies_add(&b, text, sizeof text) == 0 && bodies_add(&b, text, sizeof text) == -EFBIG && b.n == 1);
    CHECK(bodies_add(&b, text, MIB) == 0 && bodies_add(&b, text, 1) == -EFBIG);
    bodies_drop(&b);
    CHECK(bodies_add(&b, text, 1) == 0 && b.n == 2);
    CHECK(bodies_fault(&b, -EFBIG, "s", &fault) == -EFBIG);
    CHECK_STR(fault.text, "session \"s\" is longer than the 4 MiB or 16777216 entries that are gone through at once; take an earlier turn "
                          "of it, and go on in a new session");
    CHECK(bodies_fault(&b, -ENOMEM, "s", &fault) == -ENOMEM);
}
