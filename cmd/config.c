/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea config check|show`: whether the settings are right, and what holds now and who said so. */
#include <string.h>

#include "base/json_text.h"
#include "context.h"
#include "options.h"
#include "out.h"

struct values {
    bool json;
    const char *personality;
};

struct listing {
    struct buf b;
    bool json, check;
    unsigned told;
};

static void tell_json(struct listing *l, const struct fovea_setting_now *s)
{
    (void)buf_add_str(&l->b, l->told ? ",{\"key\":" : "[{\"key\":");
    (void)buf_add_json_str(&l->b, s->key);
    (void)buf_add_str(&l->b, ",\"value\":");
    (void)buf_add_json_str(&l->b, s->value);
    (void)buf_add_str(&l->b, ",\"from\":");
    (void)buf_add_json_str(&l->b, s->from);
    (void)buf_add_str(&l->b, "}");
}

/* check shows only what someone set, and what follows from it. */
static void tell(const struct fovea_setting_now *s, void *arg)
{
    struct listing *l = arg;
    if (l->check && !strcmp(s->from, "default") && *s->key != '(')
        return;
    if (l->json)
        tell_json(l, s);
    else
        (void)buf_add_format(&l->b, "%-28s %-40s %s\n", s->key, s->value, s->from);
    l->told++;
}

static int run(struct invocation *in)
{
    const struct values *v = in->values;
    struct fovea_fault fault;
    auto_fovea *f = NULL;
    bool check = !strcmp(in->args[0], "check");
    if (!check && strcmp(in->args[0], "show") != 0) {
        static const char *const names[] = {"check", "show", NULL};
        const char *near = nearest(in->args[0], names);
        say("config: unknown action '%s'; %s%s", in->args[0], near ? "did you mean " : "it is check or show", near ? near : "");
        return EXIT_USAGE;
    }
    in->common.personality = v->personality;
    if (context_open(&in->common, &f, &fault) < 0)
        return out_fault(&fault, v->json, EXIT_FAULT);
    struct listing l = {.b = BUF_INIT(LIMIT_CLI_TEXT * 16), .json = v->json, .check = check};
    if (fovea_settings(f, tell, &l) < 0)
        l.b.error = -ENOMEM;
    if (v->json)
        (void)buf_add_str(&l.b, l.told ? "]\n" : "[]\n");
    int bad = out_buf(&l.b);
    buf_done(&l.b);
    if (!bad && check && !v->json)
        say_plain("the settings are right");
    return bad;
}

static const struct option options[] = {
    {"json", 0, OPTION_FLAG, NULL, offsetof(struct values, json), "an array of settings as one line of JSON"},
    {"personality", 0, OPTION_STRING, "ID", offsetof(struct values, personality), "the settings as that personality has them"},
    {0},
};

const struct command command_config = {
    .name = "config",
    .summary = "check the settings, or show what holds and who said so",
    .arguments = "check|show",
    .about = "check reads config.yaml, the personality and models.yaml, names the first mistake with its line, and otherwise "
             "prints what was set and which model would answer. show prints every setting with its value and origin. Keys of "
             "providers are masked.",
    .examples = "fovea config check\n"
                "fovea config show --json\n",
    .options = options,
    .values_size = sizeof(struct values),
    .min_args = 1,
    .max_args = 1,
    .context = true,
    .run = run,
};
