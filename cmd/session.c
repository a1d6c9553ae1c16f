/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea session`: the record of a conversation. The table of its actions, and what they share. */
#include "session.h"

#include <string.h>

#include "actions.h"
#include "options.h"
#include "out.h"

/* ---------------------------------------------------------------- shared */

int record_exit(int code)
{
    static const int refused[] = {-ENOENT, -EEXIST, -EINVAL, -EBADMSG, -EFBIG, -E2BIG, -ECANCELED};
    for (size_t i = 0; i < COUNT(refused); i++)
        if (code == refused[i])
            return EXIT_REFUSED;
    return EXIT_FAULT;
}

void opened_done(struct opened *o)
{
    fovea_session_free(o->session);
    fovea_free(o->f);
}

int session_open(const struct invocation *in, const char *name, bool json, struct opened *ret)
{
    struct fovea_fault fault;
    if (context_open(&in->common, &ret->f, &fault) < 0)
        return out_fault(&fault, json, EXIT_FAULT);
    int r = name ? fovea_session_new(ret->f, &(struct fovea_session_options){.name = name}, &ret->session, &fault) : 0;
    return r < 0 ? out_fault(&fault, json, r == -EINVAL ? EXIT_USAGE : EXIT_FAULT) : 0;
}

static void tell_nobody(const struct fovea_session_info *info, void *arg)
{
    (void)info, (void)arg;
}

int session_exists(const struct opened *o, const char *name, bool json)
{
    struct fovea_fault fault;
    int r = fovea_sessions(o->f, name, tell_nobody, NULL, &fault);
    return r < 0 ? out_fault(&fault, json, record_exit(r)) : 0;
}

int number_above_0(const char *command, const char *option, const char *words, int64_t *ret)
{
    size_t digits = words ? strspn(words, "0123456789") : 0;
    int64_t n = 0;
    for (size_t i = 0; i < digits && digits <= 15; i++)
        n = n * 10 + (words[i] - '0');
    if (words && (!n || words[digits])) {
        say("%s: --%s takes a whole number above 0, not '%s'", command, option, words);
        return EXIT_USAGE;
    }
    *ret = n;
    return 0;
}

int wire_check(const char *command, const char *wire)
{
    static const char *const names[] = {"anthropic", "openai-chat", "openai-responses", "gemini", NULL};
    for (const char *const *n = names; *n; n++)
        if (!wire || !strcmp(wire, *n))
            return 0;
    const char *near = nearest(wire, names);
    say("%s: --wire takes anthropic, openai-chat, openai-responses or gemini, not '%s'%s%s", command, wire,
        near ? "; did you mean " : "", near ? near : "");
    return EXIT_USAGE;
}

struct span_walk entry_members(const char *json, size_t len)
{
    struct span object = {0};
    (void)span_value(json, len, &object);
    return span_enter(object);
}

/* ---------------------------------------------------------------- the table */

static const struct action actions[] = {
    {"append", "SESSION [FILE]", "key json ",
     "append entries: JSON, one object, an array or lines of them, from FILE or stdin; all of them or none. Prints their numbers",
     1, 2, session_append},
    {"import", "SESSION [FILE]", "wire json ",
     "append what a request of --wire holds behind the stored conversation; a different one is refused. Prints how many "
     "entries were new", 1, 2, session_import},
    {"list", "", "json ", "list the sessions, the latest first", 0, 0, session_list},
    {"show", "SESSION", "at expanded json ", "draw the conversation; with --json its entries, a line each", 1, 1, session_show},
    {"export", "SESSION", "wire full data ",
     "print it as it was recorded: entries, a line each, or the messages of --wire; nothing is left out or made to fit", 1, 1,
     session_export},
    {"usage", "SESSION", "json ", "add up what its usage entries say, by model", 1, 1, session_usage},
    {"fresh", "SESSION PATH", "json ",
     "exit 0 when the session's last read of PATH saw the bytes that the file has now, 1 when not", 2, 2, session_fresh},
    {"reject", "SESSION", "error model wire retain json ",
     "a provider refused the lowered request with --error: find the picture that it names and repair it from now on", 1, 1,
     session_reject},
    {"fsck", "[SESSION]", "repair json ", "look at every byte of the record, or of one session; exit 1 when a problem is left", 0, 1,
     session_fsck},
    {"delete", "SESSION", "json ", "take a session out of the record, with the bytes that no other one uses", 1, 1,
     session_delete},
    {0},
};

#define AT(member) offsetof(struct session_values, member)
static const struct option options[] = {
    {"key", 0, OPTION_STRING, "KEY", AT(key), "append once under this key, however often it is tried"},
    {"wire", 0, OPTION_STRING, "anthropic|openai-chat|openai-responses|gemini", AT(wire), "whose messages they are"},
    {"error", 0, OPTION_STRING, "FILE", AT(error), "what the provider answered; '-' is stdin"},
    {"model", 'm', OPTION_STRING, "P/M", AT(model), "the model that the request was for; default: the config's"},
    {"retain", 0, OPTION_STRING, "POLICY", AT(retain), "the policy that it was lowered with: auto, all, turns:N"},
    {"at", 0, OPTION_STRING, "N", AT(at), "as it was in turn N"},
    {"expanded", 0, OPTION_FLAG, NULL, AT(expanded), "16 lines of each result instead of 4"},
    {"full", 0, OPTION_FLAG, NULL, AT(full), "an object {wire, headers, body} around the messages"},
    {"data", 0, OPTION_FLAG, NULL, AT(data), "the bytes of pictures and documents in it, as base64"},
    {"repair", 0, OPTION_FLAG, NULL, AT(repair), "make anew what can be made from the entries"},
    {"json", 0, OPTION_FLAG, NULL, AT(json), "JSON instead of words"},
    {0},
};

const struct command command_session = {
    .name = "session",
    .summary = "keep a conversation: append, import, show, export, check",
    .arguments = "ACTION ...",
    .about = "A session is a conversation that fovea keeps: what the user, the model and its tools said, and every picture once. "
             "Entries are only ever added. 'fovea lower' makes the next request from it, for any provider. The commands that "
             "look and ask record into it with --session. It is kept in $XDG_STATE_HOME/fovea/record.db, or where the config's "
             "record.store says. FILE '-' is stdin.",
    .examples = "echo '{\"kind\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"hello\"}]}' | fovea session append work\n"
                "fovea session import work --wire anthropic request.json\n"
                "fovea session show work --expanded\n"
                "fovea session export work --data > work.jsonl\n"
                "fovea session reject work --error answer.json --model anthropic/claude-opus-4-7\n"
                "fovea session fsck\n",
    .options = options,
    .actions = actions,
    .values_size = sizeof(struct session_values),
    .min_args = 1,
    .max_args = 3,
    .context = true,
    .run = actions_run,
};
