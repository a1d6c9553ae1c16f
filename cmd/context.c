/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts and sources for commands: see context.h. */
#include "context.h"

#include <fcntl.h>
#include <string.h>

#include "out.h"

static int fault_is(struct fovea_fault *fault, int code, const char *what, const char *why)
{
    fault->code = code;
    (void)snprintf(fault->text, sizeof fault->text, "%s: %s", what, why);
    return code;
}

/* The library takes absolute paths without detours; a user means what lies that way from where they stand. What is not
 * there is made absolute only, for the library to name. The caller frees. */
static char *make_absolute(const char *path, const char *cwd)
{
    char *found = canonicalize_file_name(path);
    auto_buf b = BUF_INIT(LIMIT_PATH_BYTES * 2);
    if (found)
        return found;
    if (path[0] != '/')
        (void)buf_add_format(&b, "%s/", strcmp(cwd, "/") ? cwd : "");
    (void)buf_add_str(&b, path);
    return buf_take(&b);
}

int context_open(const struct common *common, fovea **ret, struct fovea_fault *fault)
{
    char *roots[LIMIT_ROOTS + 1] = {0};
    auto_free char *cwd = getcwd(NULL, 0);
    if (!cwd)
        return fault_is(fault, -errno, "cannot tell the working folder", strerror(errno));
    bool named = common->config && *common->config;
    auto_free char *config = named ? make_absolute(common->config, cwd) : NULL;
    const char *failed = named && !config ? "--config" : NULL;
    for (size_t i = 0; i < common->roots.n; i++)
        if (!*common->roots.word[i] || !(roots[i] = make_absolute(common->roots.word[i], cwd)))
            failed = "--root";
    struct fovea_options options = {
        .reach = common->roots.n ? (const char *const *)roots : NULL,
        .config_file = named ? config : common->config,
        .personality = common->personality,
        .render = FOVEA_RENDER_ALL,
        .no_webp = common->no_webp,
    };
    int r = failed ? fault_is(fault, -EINVAL, failed, "the path is empty or too long")
                   : fovea_new(&options, ret, fault);
    for (size_t i = 0; i < COUNT(roots); i++)
        free(roots[i]);
    return r;
}

int read_all(int fd, struct buf *b)
{
    char piece[64 * 1024];
    for (;;) {
        ssize_t n = read(fd, piece, sizeof piece);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : 0;
        int r = buf_add(b, piece, (size_t)n);
        if (r < 0)
            return r;
    }
}

int read_stdin(struct buf *b)
{
    return read_all(STDIN_FILENO, b);
}

int read_named(const char *file, struct buf *b)
{
    if (!strcmp(file, "-"))
        return read_stdin(b);
    auto_close int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    return fd < 0 ? -errno : read_all(fd, b);
}

int source_read(struct source *s, const char *ref, struct fovea_fault *fault)
{
    if (strcmp(ref, "-") != 0)
        return 0;
    int r = s->picture && fovea_blocked(s->f) ? 0 : read_stdin(&s->input);
    if (r < 0)
        return r == -EFBIG ? r : fault_is(fault, r, "cannot read stdin", strerror(-r));
    s->data = s->input.data ? s->input.data : "";
    s->len = s->input.len;
    return 0;
}

int source_open(const struct common *common, const char *ref, struct source *ret, struct fovea_fault *fault)
{
    int r = context_open(common, &ret->f, fault);
    return r < 0 ? r : source_read(ret, ref, fault);
}

void source_done(struct source *s)
{
    buf_done(&s->input);
    fovea_free(s->f);
}

int refuse_long_stdin(bool json)
{
    static const char words[] = "stdin holds more than 20 MiB; make it smaller, or give the path of a file";
    auto_buf b = BUF_INIT(LIMIT_CLI_WORDS);
    if (!json) {
        say_plain("%s", words);
        return EXIT_REFUSED;
    }
    (void)buf_add_format(&b, "{\"ok\":false,\"kind\":\"refusal\",\"reason\":\"too_large\",\"message\":\"%s\"}\n", words);
    int bad = out_buf(&b);
    return bad ? bad : EXIT_REFUSED;
}

/* what: the option that is to blame for a value that cannot be. */
static int try_session(fovea *f, const struct fovea_session_options *options, const char *what)
{
    struct fovea_fault fault;
    auto_session *session = NULL;
    int r = fovea_session_new(f, options, &session, &fault);
    if (r < 0)
        say("%s%s", r == -EINVAL ? what : "", fault.text);
    return r < 0 ? (r == -EINVAL ? EXIT_USAGE : EXIT_FAULT) : 0;
}

int session_check(fovea *f, const char *name)
{
    return name ? try_session(f, &(struct fovea_session_options){.name = name}, "--session: ") : 0;
}

int main_check(fovea *f, const char *main)
{
    return main ? try_session(f, &(struct fovea_session_options){.main = main}, "--main: ") : 0;
}

int recording_check(fovea *f, const struct recording *recording)
{
    int bad = session_check(f, recording->session);
    if (bad || !recording->call)
        return bad;
    if (recording->session)
        return try_session(f, &(struct fovea_session_options){.name = recording->session, .call = recording->call}, "--call: ");
    say("--call goes with --session");
    return EXIT_USAGE;
}

int call_recorded(fovea *f, const struct recording *recording, const char *tool, const void *request, fovea_result **ret,
                  struct fovea_fault *fault)
{
    auto_session *session = NULL;
    struct fovea_session_options options = {.name = recording->session, .call = recording->call};
    int r = fovea_session_new(f, &options, &session, fault);
    return r < 0 ? r : fovea_session_ask(session, tool, request, NULL, ret, fault);
}

int out_refusal(const fovea_result *r, bool json)
{
    int bad = 0;
    if (json)
        bad = out_json(fovea_result_json_new(r, 0));
    else
        say_plain("%s", fovea_result_text(r));
    return bad ? bad : EXIT_REFUSED;
}
