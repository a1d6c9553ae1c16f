/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea cache clear`: forgets the answers that are kept on disk. */
#include <string.h>

#include "context.h"
#include "options.h"
#include "out.h"

struct values {
    bool json;
};

static int run(struct invocation *in)
{
    const struct values *v = in->values;
    struct fovea_fault fault;
    int64_t count;
    auto_fovea *f = NULL;
    auto_buf b = BUF_INIT(LIMIT_CLI_WORDS);
    if (strcmp(in->args[0], "clear") != 0) {
        say("cache: unknown action '%s'; it is clear", in->args[0]);
        return EXIT_USAGE;
    }
    if (context_open(&in->common, &f, &fault) < 0 || fovea_cache_clear(f, &count, &fault) < 0)
        return out_fault(&fault, v->json, EXIT_FAULT);
    if (v->json)
        (void)buf_add_format(&b, "{\"ok\":true,\"kind\":\"cache\",\"forgotten\":%lld}\n", (long long)count);
    else
        (void)buf_add_format(&b, "%lld answer%s forgotten\n", (long long)count, count == 1 ? "" : "s");
    return out_buf(&b);
}

static const struct option options[] = {
    {"json", 0, OPTION_FLAG, NULL, offsetof(struct values, json), "say how many as one line of JSON"},
    {0},
};

const struct command command_cache = {
    .name = "cache",
    .summary = "forget the answers that are kept on disk",
    .arguments = "clear",
    .about = "Answers of models are kept in $XDG_CACHE_HOME/fovea, up to vision.cacheBytes, so that the same question to the "
             "same picture costs nothing again. clear forgets them all and says how many there were.",
    .examples = "fovea cache clear\n",
    .options = options,
    .values_size = sizeof(struct values),
    .min_args = 1,
    .max_args = 1,
    .context = true,
    .run = run,
};
