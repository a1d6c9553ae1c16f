/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking a host what it offers: see discover.h. The list first; then, of models whose list says nothing of pictures, the
 * one question that the host's own kind understands. A host whose name says its kind is asked that alone. Any other is
 * tried with each, if it is near: those questions lie outside the address that the user gave and carry the key, so a host
 * elsewhere gets the question for its list and no more. A question that fails there leaves the model unknown.
 */
#include "provider/discover.h"

#include "base/cancel.h"
#include "base/clock.h"
#include "base/fault.h"
#include "provider/wire_priv.h"

struct talk {
    struct http *http;
    const struct discover_request *q;
    struct buf headers;
    int64_t deadline;
    int status;    /* of the last answer */
    size_t listed; /* models that its list has */
};

static int on_bytes(void *ctx, const char *bytes, size_t len)
{
    return buf_add(ctx, bytes, len);
}

/* One answer; body NULL: a GET. The status is in t. */
static int ask(struct talk *t, const char *url, const struct buf *body, struct buf *to, struct fovea_fault *f)
{
    struct http_answer a = {.on_bytes = on_bytes, .ctx = to};
    struct http_request q = {.url = url, .headers = t->headers.data, .ca_file = t->q->ca_file,
                             .total_ms = MAX(t->deadline - clock_ms(), (int64_t)1), .cancel = t->q->cancel};
    if (body) {
        q.body = body->data;
        q.len = body->len;
    }
    int r = body ? http_post(t->http, &q, &a, f) : http_get(t->http, &q, &a, f);
    t->status = a.status;
    http_answer_done(&a);
    return r;
}

/* Where the host lives, without the path of its API. */
static int origin_of(const struct talk *t, const char *path, struct buf *to)
{
    const char *base = t->q->host->base_url;
    const char *authority = strstr(base, "://");
    size_t len = authority ? (size_t)(authority + 3 - base) + strcspn(authority + 3, "/") : strlen(base);
    (void)buf_add(to, base, len);
    return buf_add_str(to, path);
}

/* A further question of the host, whose failure means that it does not know the question. */
static bool ask_more(struct talk *t, const char *path, const struct buf *body, struct buf *to)
{
    auto_buf url = BUF_INIT(LIMIT_PROVIDER_URL);
    if (clock_ms() >= t->deadline || origin_of(t, path, &url) < 0)
        return false;
    return ask(t, url.data, body, to, NULL) == 0 && t->status == 200 && to->len;
}

/* ---------------------------------------------------------------- what each kind understands */

/* It tells of the one model that it runs, whatever name a request gives that. */
static void ask_llama_cpp(struct talk *t, struct discover_list *l)
{
    auto_buf body = BUF_INIT(LIMIT_DISCOVER_BYTES);
    if (t->listed > 1 || !ask_more(t, "/props", NULL, &body))
        return;
    for (size_t i = 0; i < l->n; i++)
        (void)discover_read_props(body.data, body.len, &l->rows[i]);
}

static void ask_lm_studio(struct talk *t, struct discover_list *l)
{
    auto_buf body = BUF_INIT(LIMIT_DISCOVER_BYTES);
    cleanup(discover_list_done) struct discover_list more = {0};
    if (!ask_more(t, "/api/v0/models", NULL, &body) || discover_read_list(body.data, body.len, &more) < 0)
        return;
    for (size_t i = 0; i < l->n; i++)
        for (size_t k = 0; k < more.n; k++)
            if (more.rows[k].told && !strcmp(more.rows[k].id, l->rows[i].id))
                l->rows[i] = more.rows[k];
}

static bool ask_show(struct talk *t, struct discovered *row)
{
    auto_buf question = BUF_INIT(4 * KIB), body = BUF_INIT(LIMIT_DISCOVER_BYTES);
    (void)buf_add_str(&question, "{\"model\":");
    (void)buf_add_json_str(&question, row->id);
    (void)buf_add_str(&question, "}");
    return !question.error && ask_more(t, "/api/show", &question, &body) &&
           discover_read_show(body.data, body.len, row) == 0;
}

static void ask_ollama(struct talk *t, struct discover_list *l)
{
    const char *id = t->q->id;
    size_t asked = 0;
    for (size_t i = 0; i < l->n && asked < LIMIT_DISCOVER_SHOWS; i++) {
        if (l->rows[i].told || (id && strcmp(id, l->rows[i].id) != 0))
            continue;
        if (!ask_show(t, &l->rows[i]))
            return;
        asked++;
    }
}

static const struct {
    const char *host;
    void (*more)(struct talk *t, struct discover_list *l); /* NULL: its list is all there is */
} kinds[] = {
    {"llama.cpp", ask_llama_cpp}, {"lm-studio", ask_lm_studio}, {"ollama", ask_ollama}, {"vllm", NULL},
    {"openai", NULL},             {"openrouter", NULL},         {"nous", NULL},
};

/* ---------------------------------------------------------------- the whole of it */

/* Whether what is asked for is not known yet. */
static bool open_question(const struct talk *t, const struct discover_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (!l->rows[i].told && (!t->q->id || !strcmp(t->q->id, l->rows[i].id)))
            return true;
    return false;
}

static void ask_kinds(struct talk *t, struct discover_list *l)
{
    bool known = false;
    for (size_t i = 0; i < COUNT(kinds); i++)
        known |= !strcmp(kinds[i].host, t->q->host->name);
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (kinds[i].more && ((!known && t->q->near) || !strcmp(kinds[i].host, t->q->host->name)) && open_question(t, l))
            kinds[i].more(t, l);
}

/* A row for the model that is asked for, where no list has it. */
static int add_wanted(struct discover_list *l, const char *id, bool *ret_added)
{
    for (size_t i = 0; i < l->n; i++)
        if (!strcmp(l->rows[i].id, id))
            return 0;
    if (strlen(id) >= LIMIT_MODEL_ID)
        return 0;
    struct discovered *more = reallocarray(l->rows, l->n + 1, sizeof *more);
    if (!more)
        return -ENOMEM;
    l->rows = more;
    l->rows[l->n] = (struct discovered){0};
    (void)snprintf(l->rows[l->n++].id, LIMIT_MODEL_ID, "%s", id);
    *ret_added = true;
    return 0;
}

static int read_list(struct talk *t, struct discover_list *l, struct fovea_fault *f)
{
    auto_buf url = BUF_INIT(LIMIT_PROVIDER_URL), body = BUF_INIT(LIMIT_DISCOVER_BYTES);
    const char *base = t->q->host->base_url, *name = t->q->host->name;
    size_t len = strlen(base);
    while (len && base[len - 1] == '/')
        len--;
    (void)buf_add(&url, base, len);
    if (buf_add_str(&url, "/models") < 0)
        return fault_oom(f);
    int r = ask(t, url.data, NULL, &body, f);
    if (r == -EFBIG)
        return fault_set(f, r, "the list of models of '%s' is too long", name);
    if (r == -EHOSTUNREACH || r == -ETIMEDOUT)
        return fault_set(f, r, "'%s' does not answer at %s; see whether it runs there", name, base);
    if (r < 0)
        return r;
    if (t->status == 401 || t->status == 403)
        return fault_set(f, EACCES, "'%s' refused the key, or wants one (status %d)", name, t->status);
    if (t->status == 404 || t->status == 405 || t->status == 501)
        return fault_set(f, ENOENT, "'%s' has no list of models (status %d)", name, t->status);
    if (t->status != 200)
        return fault_set(f, EAGAIN, "'%s' gives no list of models now (status %d)", name, t->status);
    r = discover_read_list(body.data, body.len, l);
    if (r == -EBADMSG)
        return fault_set(f, r, "the list of models of '%s' cannot be read", name);
    return r < 0 ? fault_oom(f) : 0;
}

static int run(struct talk *t, struct discover_list *l, struct fovea_fault *f)
{
    bool added = false;
    int r = read_list(t, l, f);
    if (r == -ENOENT && t->q->id)
        r = 0;
    if (r < 0)
        return r;
    t->listed = l->n;
    if (t->q->id && add_wanted(l, t->q->id, &added) < 0)
        return fault_oom(f);
    ask_kinds(t, l);
    if (cancel_struck(t->q->cancel))
        return fault_cancelled(f);
    if (added && !l->rows[l->n - 1].told)
        l->n--;
    return 0;
}

int discover(struct http *http, const struct discover_request *q, struct discover_list *ret, struct fovea_fault *f)
{
    struct talk t = {.http = http, .q = q, .headers = BUF_INIT(LIMIT_PROVIDER_HEADERS),
                     .deadline = clock_ms() + q->total_ms};
    cleanup(discover_list_done) struct discover_list l = {0};
    int r = wire_headers(&(struct wire_request){.host = q->host}, q->key, &t.headers);
    if (r == -EINVAL)
        (void)fault_set(f, r, "the key for '%s' is missing or has characters that no key has", q->host->name);
    else if (r < 0)
        r = fault_oom(f);
    else
        r = run(&t, &l, f);
    if (t.headers.data)
        explicit_bzero(t.headers.data, t.headers.len); /* the key was in here */
    buf_done(&t.headers);
    if (r < 0)
        return r;
    *ret = l;
    l.rows = NULL;
    return 0;
}
