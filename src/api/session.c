/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions: one host of a context. Nothing in one changes after it was made but the main model, which has a lock. */
#include "api/session.h"

#include <errno.h>
#include <pthread.h>

#include "api/folders.h"
#include "api/lowering.h"
#include "api/recording.h"
#include "api/tally.h"
#include "api/tools.h"
#include "base/fault.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "base/text.h"
#include "percept/json.h"

struct fovea_session {
    fovea *f;
    struct folders *folders; /* perhaps shared with other sessions */
    bool model_unknown, no_webp;
    unsigned no_render;
    size_t max_text, max_image;
    pthread_mutex_t lock;
    char *main; /* PROVIDER/MODEL; NULL not known */
    char *answers; /* the tool call that the next call of a tool answers; NULL not known */
    char *name; /* "" when it has none */
    struct tally *tally; /* perhaps shared, like the folders */
    void (*on_text)(void *arg, const char *piece, size_t len);
    void *on_text_arg;
    struct lowering_slot lowering;
};

void fovea_session_free(fovea_session *s)
{
    if (!s)
        return;
    (void)pthread_mutex_destroy(&s->lock);
    folders_unref(s->folders);
    tally_unref(s->tally);
    (void)pthread_mutex_destroy(&s->lowering.lock);
    lowering_free(s->lowering.now);
    free(s->lowering.report);
    free(s->main);
    free(s->answers);
    free(s->name);
    free(s);
}

static void session_free_p(fovea_session **s)
{
    fovea_session_free(*s);
}

/* "what "words" why" */
static int wrong(struct fovea_fault *fault, const char *what, const char *words, const char *why)
{
    auto_buf shown = BUF_INIT(KIB);
    if (buf_add_shown(&shown, words, 100) < 0)
        return fault_oom(fault);
    return fault_set(fault, EINVAL, "%s \"%s\" %s", what, shown.data ? shown.data : "", why);
}

/* The part before the first "/" names the provider; ids of models may hold more of them. */
static int set_main(fovea_session *s, const char *main, struct fovea_fault *fault)
{
    const char *slash = main ? strchr(main, '/') : NULL;
    if (!main)
        return 0;
    if (!slash || slash == main || !slash[1])
        return wrong(fault, "main model", main, "is not PROVIDER/MODEL");
    if (strlen(main) >= LIMIT_CONFIG_VALUE)
        return wrong(fault, "main model", main, "is too long");
    return (s->main = strdup(main)) ? 0 : fault_oom(fault);
}

static bool good_name(const char *name)
{
    size_t len = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");
    return len && len <= LIMIT_SESSION_NAME && !name[len];
}

static int set_name(fovea_session *s, const struct fovea_session_options *o, struct fovea_fault *fault)
{
    const char *name = o->name ? o->name : o->like ? o->like->name : "";
    if (o->name && !good_name(o->name))
        return wrong(fault, "session", o->name, "is no name; use up to 64 of A-Z a-z 0-9 . _ -");
    if (o->call && (!*o->call || strlen(o->call) > LIMIT_CALL_ID || !utf8_valid(o->call, strlen(o->call))))
        return wrong(fault, "call", o->call, "is no id of a tool call");
    s->tally = o->like && !o->name ? tally_ref(o->like->tally) : tally_new();
    s->name = strdup(name);
    s->answers = o->call ? strdup(o->call) : NULL;
    return s->name && s->tally && !o->call == !s->answers ? 0 : fault_oom(fault);
}

static int set_folders(fovea_session *s, const struct fovea_session_options *o, struct fovea_fault *fault)
{
    if (o->like && o->like->f != s->f)
        return fault_set(fault, EINVAL, "a session like another one has its context");
    if (!o->like || o->cwd || o->roots)
        return folders_new(o->cwd, o->roots, &s->folders, fault);
    s->folders = folders_ref(o->like->folders);
    return 0;
}

int fovea_session_new(fovea *f, const struct fovea_session_options *options, fovea_session **ret,
                      struct fovea_fault *fault)
{
    static const struct fovea_session_options defaults;
    const struct fovea_session_options *o = options ? options : &defaults;
    cleanup(session_free_p) fovea_session *s = calloc(1, sizeof *s);
    if (!s)
        return fault_oom(fault);
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_mutex_init(&s->lowering.lock, NULL);
    s->f = f;
    s->model_unknown = o->model_unknown;
    s->no_webp = o->no_webp;
    s->no_render = o->no_render;
    s->max_text = o->max_text;
    s->max_image = o->max_image;
    s->on_text = o->on_text;
    s->on_text_arg = o->on_text_arg;
    int r = set_folders(s, o, fault);
    if (r == 0)
        r = set_main(s, o->main, fault);
    if (r == 0)
        r = set_name(s, o, fault);
    if (r < 0)
        return r;
    *ret = take(s);
    return 0;
}

int fovea_session_set_main(fovea_session *s, const char *provider, const char *model)
{
    char *main = NULL;
    if (!provider != !model)
        return -EINVAL;
    if (provider && (!*provider || !*model || strchr(provider, '/')))
        return -EINVAL;
    size_t most = LIMIT_CONFIG_VALUE;
    if (provider && strnlen(provider, most) + strnlen(model, most) + 1 >= most)
        return -EINVAL;
    if (provider && asprintf(&main, "%s/%s", provider, model) < 0)
        return -ENOMEM;
    (void)pthread_mutex_lock(&s->lock);
    char *old = s->main;
    s->main = main;
    (void)pthread_mutex_unlock(&s->lock);
    free(old);
    return 0;
}

fovea *session_context(const fovea_session *s)
{
    return s->f;
}

int session_main_new(fovea_session *s, char **ret, struct fovea_fault *fault)
{
    (void)pthread_mutex_lock(&s->lock);
    bool known = s->main;
    char *main = known ? strdup(s->main) : NULL;
    (void)pthread_mutex_unlock(&s->lock);
    if (known && !main)
        return fault_oom(fault);
    *ret = main;
    return 0;
}

struct lowering_slot *session_lowering(fovea_session *s)
{
    return &s->lowering;
}

int session_lend(fovea_session *s, struct call *c, struct fovea_fault *fault)
{
    int r = session_main_new(s, &c->main, fault);
    if (r < 0)
        return r;
    c->scope.max_text = s->max_text;
    c->max_image = s->max_image;
    c->no_webp |= s->no_webp;
    c->render &= ~s->no_render;
    c->max_patches = s->model_unknown ? (uint32_t)s->f->config.max_patches : 0;
    c->session = s->name;
    c->tally = s->tally;
    c->on_text = s->on_text;
    c->on_text_arg = s->on_text_arg;
    return folders_lend(s->folders, c, fault);
}

int session_place(const fovea_session *s, struct session_place *ret, struct fovea_fault *fault)
{
    if (!*s->name)
        return fault_set(fault, EINVAL, "the session has no name, so nothing of it is recorded");
    *ret = (struct session_place){s->f, s->f->record, s->name, s->f->render & ~s->no_render};
    return 0;
}

/* ---------------------------------------------------------------- tools */

/* Before the tool runs: the first call to begin is the one that was meant, however long it takes and however it ends. */
static char *take_answers(fovea_session *s)
{
    (void)pthread_mutex_lock(&s->lock);
    char *answers = take(s->answers);
    (void)pthread_mutex_unlock(&s->lock);
    return answers;
}

static void result_free_p(fovea_result **r)
{
    fovea_result_free(*r);
}

/* The arguments are taken over; NULL is none, or no memory for them, which errno says. */
static int record_result(const struct call *c, const char *tool, json_t *arguments, const char *answers, fovea_result *result,
                         fovea_result **ret, struct fovea_fault *fault)
{
    bool lost = !arguments && errno == ENOMEM;
    cleanup(result_free_p) fovea_result *made = result;
    auto_json *given = arguments;
    if (lost)
        return fault_set(fault, ENOMEM, "%s was done, but not recorded: out of memory", tool);
    struct recording g = {.call = c, .tool = tool, .arguments = json_is_object(given) ? given : NULL, .answers = answers,
                          .result = made, .kept = c->kept};
    int r = recording_add(&g, fault);
    if (r == 0)
        *ret = take(made);
    return r;
}

static int call_tool(fovea_session *s, const char *tool, const char *json, size_t len, const fovea_cancel *cancel,
                     fovea_result **ret, struct fovea_fault *fault)
{
    auto_call c;
    auto_kept kept = {.source = -1, .other = -1};
    auto_free char *answers = take_answers(s);
    fovea_result *result = NULL;
    int r = call_init(&c, s->f, s, cancel, fault);
    c.kept = *s->name ? &kept : NULL;
    if (r == 0)
        r = tool_call(&c, tool, json, len, &result, fault);
    if (r == 0 && c.kept)
        return record_result(&c, tool, json_read(json, len, JSON_ALLOW_NUL, NULL), answers, result, ret, fault);
    if (r == 0)
        *ret = result;
    return r;
}

static int ask_tool(fovea_session *s, const char *tool, const void *request, const fovea_cancel *cancel, fovea_result **ret,
                    struct fovea_fault *fault)
{
    auto_call c;
    auto_kept kept = {.source = -1, .other = -1};
    auto_free char *answers = take_answers(s);
    fovea_result *result = NULL;
    int r = call_init(&c, s->f, s, cancel, fault);
    c.kept = *s->name ? &kept : NULL;
    if (r == 0)
        r = tool_ask(&c, tool, request, &result, fault);
    if (r == 0 && c.kept)
        return record_result(&c, tool, tool_arguments_new(tool, request), answers, result, ret, fault);
    if (r == 0)
        *ret = result;
    return r;
}

/* The cancel of a call ends its waits for the record too. */
int fovea_session_call(fovea_session *s, const char *tool, const char *json, size_t len, fovea_cancel *cancel,
                       fovea_result **ret, struct fovea_fault *fault)
{
    record_cancel(s->f->record, cancel);
    int r = call_tool(s, tool, json, len, cancel, ret, fault);
    record_cancel(s->f->record, NULL);
    return r;
}

int fovea_session_ask(fovea_session *s, const char *tool, const void *request, fovea_cancel *cancel, fovea_result **ret,
                      struct fovea_fault *fault)
{
    record_cancel(s->f->record, cancel);
    int r = ask_tool(s, tool, request, cancel, ret, fault);
    record_cancel(s->f->record, NULL);
    return r;
}
