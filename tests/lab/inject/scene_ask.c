/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of asking: the provider of tests/host answers on the loopback, in four tongues, with and without TLS. */
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "scenes.h"

static struct {
    int http, tls;
    char folder[64];
    fovea *f;
    fovea_session *s;
} host;

static int number_after(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    return at ? (int)strtol(at + strlen(word), NULL, 10) : -1;
}

static void run_host(int in, int out)
{
    char path[LIMIT_PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/tests/askhost", build_folder());
    (void)dup2(in, 0);
    (void)dup2(out, 1);
    (void)execl(path, path, host.folder, "quiet", (char *)NULL);
    _exit(127);
}

/* Once for all plays of a scene: its ports go on to the processes that play. It ends with the last that holds its stdin. */
static int start_host(void)
{
    static int in[2], out[2];
    char text[512] = "";
    if (host.http > 0)
        return 0;
    (void)snprintf(host.folder, sizeof host.folder, "/tmp/fovea-inject-host-%d", getpid());
    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 || mkdir(host.folder, 0700) < 0)
        return -1;
    if (fork() == 0)
        run_host(in[0], out[1]);
    (void)close(in[0]);
    (void)close(out[1]);
    ssize_t n = read(out[0], text, sizeof text - 1);
    (void)close(out[0]);
    host.http = n > 0 ? number_after(text, "\"http\":") : -1;
    host.tls = number_after(text, "\"tls\":");
    return host.http > 0 && host.tls > 0 ? 0 : -1;
}

/* OpenSSL may lose a record that it had no memory for, and both sides then wait: the question's own limit ends that, within the time of
 * a play. */
enum { QUESTION_MS = 4000 };

static int put_config(void)
{
    static const char model[] = "{vision: true, pdf: true, input: 2, output: 10}";
    char text[2048];
    (void)snprintf(text, sizeof text,
                   "network.caFile: %s/ca.pem\nimages.questionTimeoutMs: %d\nproviders:\n"
                   "  wa: {wire: anthropic, baseUrl: \"http://127.0.0.1:%d\", apiKey: sk-test-0123456789abcdef, models: {ok: %s}}\n"
                   "  wc: {wire: openai-chat, baseUrl: \"http://127.0.0.1:%d/v1\", apiKey: sk-test-0123456789abcdef, models: {ok: %s, json: %s}}\n"
                   "  wg: {wire: gemini, baseUrl: \"http://127.0.0.1:%d/v1beta\", apiKey: sk-test-0123456789abcdef, models: {ok: %s}}\n"
                   "  ta: {wire: anthropic, baseUrl: \"https://127.0.0.1:%d\", apiKey: sk-test-0123456789abcdef, models: {ok: %s}}\n",
                   host.folder, QUESTION_MS, host.http, model, host.http, model, model, host.http, model, host.tls, model);
    return put_file("config.yaml", text);
}

static int setup_ask(void)
{
    if (start_host() < 0 || !fresh_folder() || put_config() < 0 || setenv("XDG_STATE_HOME", in_folder("state"), 1) ||
        setenv("XDG_CACHE_HOME", in_folder("cache"), 1))
        return -1;
    const char *reach[] = {build_folder(), NULL};
    struct fovea_options o = {.cwd = build_folder(), .reach = reach, .config_file = in_folder("config.yaml"), .worker_dir = build_folder()};
    return fovea_new(&o, &host.f, NULL) < 0 || fovea_session_new(host.f, &(struct fovea_session_options){0}, &host.s, NULL) < 0 ? -1 : 0;
}

static void teardown_ask(void)
{
    fovea_session_free(host.s);
    fovea_free(host.f);
    OPENSSL_thread_stop(); /* it keeps the last 16 complaints of a thread, and room for their words when they are cleared */
    host.f = NULL;
    host.s = NULL;
    drop_folder();
}

static void ask(const char *model, const char *format, struct outcome *o)
{
    struct fovea_analyze_request q = {.file_path = "fixtures/good/png-rgb-8.png", .prompt = "what colour?", .model = model, .format = format,
                                      .no_cache = true, .no_native = true};
    struct fovea_fault fault = {0};
    fovea_result *r = NULL;
    int code = o->code < 0 || o->refused ? 0 : fovea_session_ask(host.s, "vision_analyze", &q, NULL, &r, &fault);
    tell_fault(o, code, &fault);
    if (code == 0 && r)
        tell_result(o, r);
    fovea_result_free(r);
}

static void run_ask(struct outcome *o)
{
    ask("wa/ok", NULL, o);
    ask("wc/ok", NULL, o);
    ask("wg/ok", NULL, o);
    ask("ta/ok", NULL, o);
}

static void tell_model(const struct fovea_model *m, void *arg)
{
    tell_str(arg, m->id);
}

static void tell_usage(const struct fovea_usage *u, void *arg)
{
    tell_str(arg, u->name);
}

static void run_models(struct outcome *o)
{
    struct fovea_fault fault = {0};
    int r = fovea_host_models(host.f, "wc", tell_model, o, &fault);
    if (r == -ENOENT) { /* it has no list, and says so */
        tell_str(o, fault.text);
        r = 0;
    }
    r = r < 0 ? r : fovea_usage(host.f, "model", 0, tell_usage, o, &fault);
    tell_fault(o, r, &fault);
}

const struct scene scene_ask = {"ask", setup_ask, run_ask, NULL, teardown_ask, SCENE_USUAL};
const struct scene scene_models = {"models", setup_ask, run_models, NULL, teardown_ask, SCENE_USUAL};
