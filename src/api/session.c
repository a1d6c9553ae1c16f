/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions: one host of a context. Nothing in one changes after it was made but the main model, which has a lock. */
#include "api/session.h"

#include <errno.h>
#include <pthread.h>

#include "api/config_value.h"
#include "api/tools.h"
#include "base/fault.h"
#include "base/limits.h"
#include "base/text.h"

struct fovea_session {
    fovea *f;
    char *cwd;    /* free of links; NULL: the context's */
    char **roots; /* likewise, NULL-terminated; NULL: no narrowing */
    bool model_unknown, no_webp;
    size_t max_text, max_image;
    pthread_mutex_t lock;
    char *main; /* PROVIDER/MODEL; NULL not known */
};

void fovea_session_free(fovea_session *s)
{
    if (!s)
        return;
    (void)pthread_mutex_destroy(&s->lock);
    config_list_free(s->roots);
    free(s->cwd);
    free(s->main);
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

/* The true path; where nothing is there, the path itself, which opens nothing. */
static int set_cwd(fovea_session *s, const char *cwd, struct fovea_fault *fault)
{
    if (!cwd)
        return 0;
    if (*cwd != '/')
        return wrong(fault, "the session's working folder", cwd, "is not an absolute path");
    if (!(s->cwd = canonicalize_file_name(cwd)) && !(s->cwd = strdup(cwd)))
        return fault_oom(fault);
    return 0;
}

/* Folders are named by hosts whose idea of this machine may be old: one that is not there has nothing to show. */
static int set_roots(fovea_session *s, const char *const *roots, struct fovea_fault *fault)
{
    size_t n = 0, kept = 0;
    if (!roots)
        return 0;
    while (roots[n])
        n++;
    if (n > LIMIT_ROOTS)
        return fault_set(fault, EINVAL, "a session has at most %d roots", LIMIT_ROOTS);
    if (!(s->roots = calloc(n + 1, sizeof *s->roots)))
        return fault_oom(fault);
    for (size_t i = 0; i < n; i++) {
        if (*roots[i] != '/')
            return wrong(fault, "root", roots[i], "is not an absolute path");
        s->roots[kept] = canonicalize_file_name(roots[i]);
        if (!s->roots[kept] && errno == ENOMEM)
            return fault_oom(fault);
        kept += s->roots[kept] != NULL;
    }
    return 0;
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

int fovea_session_new(fovea *f, const struct fovea_session_options *options, fovea_session **ret,
                      struct fovea_fault *fault)
{
    static const struct fovea_session_options defaults;
    const struct fovea_session_options *o = options ? options : &defaults;
    cleanup(session_free_p) fovea_session *s = calloc(1, sizeof *s);
    if (!s)
        return fault_oom(fault);
    (void)pthread_mutex_init(&s->lock, NULL);
    s->f = f;
    s->model_unknown = o->model_unknown;
    s->no_webp = o->no_webp;
    s->max_text = o->max_text;
    s->max_image = o->max_image;
    int r = set_cwd(s, o->cwd, fault);
    if (r == 0)
        r = set_roots(s, o->roots, fault);
    if (r == 0)
        r = set_main(s, o->main, fault);
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
    if (provider && (!*provider || !*model || strchr(provider, '/') ||
                     strnlen(provider, LIMIT_CONFIG_VALUE) + strnlen(model, LIMIT_CONFIG_VALUE) + 1 >= LIMIT_CONFIG_VALUE))
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

int session_lend(fovea_session *s, struct call *c, struct fovea_fault *fault)
{
    (void)pthread_mutex_lock(&s->lock);
    bool known = s->main;
    c->main = known ? strdup(s->main) : NULL;
    (void)pthread_mutex_unlock(&s->lock);
    if (known && !c->main)
        return fault_oom(fault);
    c->cwd = s->cwd ? s->cwd : c->cwd;
    c->scope.roots = (const char *const *)s->roots;
    c->scope.max_text = s->max_text;
    c->max_image = s->max_image;
    c->no_webp |= s->no_webp;
    c->max_patches = s->model_unknown ? (uint32_t)s->f->config.max_patches : 0;
    return 0;
}

int fovea_session_call(fovea_session *s, const char *tool, const char *json, size_t len, fovea_cancel *cancel,
                       fovea_result **ret, struct fovea_fault *fault)
{
    auto_call c;
    int r = call_init(&c, s->f, s, cancel, fault);
    return r < 0 ? r : tool_call(&c, tool, json, len, ret, fault);
}
