/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea version`: which program, and which library it found. */
#include "options.h"
#include "out.h"

struct values {
    bool json;
};

static int run(struct invocation *in)
{
    const struct values *v = in->values;
    auto_buf b = BUF_INIT(LIMIT_CLI_WORDS);
    if (v->json)
        (void)buf_add_format(&b, "{\"name\":\"fovea\",\"version\":\"%s\",\"library\":\"%s\"}\n", FOVEA_VERSION,
                             fovea_version());
    else
        (void)buf_add_format(&b, "fovea %s\n", fovea_version());
    return out_buf(&b);
}

static const struct option options[] = {
    {"json", 0, OPTION_FLAG, NULL, offsetof(struct values, json), "one line of JSON"},
    {0},
};

const struct command command_version = {
    .name = "version",
    .summary = "say which version this is",
    .arguments = "",
    .about = "Prints the version of the program; with --json also that of the library it runs with.",
    .options = options,
    .values_size = sizeof(struct values),
    .run = run,
};
