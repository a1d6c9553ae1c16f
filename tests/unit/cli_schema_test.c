/* SPDX-License-Identifier: Apache-2.0 */
/* A schema that an answer is to fit: where there is no room for it, nobody is asked without it. */
#include "cmd/schema.c"

#include <stdarg.h>

#include "test.h"

static char said[256];

void say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(said, sizeof said, format, args);
    va_end(args);
}

int read_named(const char *file, struct buf *b)
{
    (void)file;
    return buf_add_str(b, "{\"type\":\"object\"}");
}

TEST(a_schema_is_wrapped_as_it_is)
{
    auto_buf format = BUF_INIT(KIB);
    CHECK(schema_read("-", &format) == EXIT_DONE);
    CHECK_STR(format.data, "{\"type\":\"json_schema\",\"schema\":{\"type\":\"object\"}}");
}

TEST(want_of_memory_is_a_fault_and_no_question_without_the_schema)
{
    for (size_t room = 1; room < 48; room++) {
        auto_buf format = BUF_INIT(room);
        CHECK_MSG(schema_read("-", &format) == EXIT_FAULT, "%zu bytes", room);
        CHECK_STR(said, "--schema '-': out of memory");
    }
}
