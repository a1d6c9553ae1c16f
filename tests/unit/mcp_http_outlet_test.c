/* SPDX-License-Identifier: Apache-2.0 */
/* The answer to one POST, without a connection: nobody sleeps here. */
#include "test.h"

#include "base/limits.h"
#include "mcp/http_outlet.h"

TEST(the_longest_answer_has_room_behind_any_number_of_notes)
{
    static char text[LIMIT_MCP_REPLY];
    memset(text, 'x', sizeof text);
    for (size_t note = 1; note <= 64 * KIB; note *= 8) {
        struct outlet *o = http_outlet_new(NULL);
        CHECK(o);
        if (!o)
            return;
        for (size_t sent = 0; sent < LIMIT_HTTP_EVENTS; sent += note + 23)
            (void)o->kind->send(o, text, note, false, 0);
        (void)o->kind->send(o, text, sizeof text, true, 200);
        CHECK(http_outlet_over(o));
        CHECK(!http_outlet_gone(o));
        outlet_unref(o);
    }
}
