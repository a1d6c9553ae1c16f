/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea doctor`: what works here and how to fix the rest. The library looks at its own needs; what only the command
 * line needs (a terminal, libchafa, the man page) is looked at here. */
#include "base/json_text.h"
#include "context.h"
#include "draw.h"
#include "options.h"
#include "out.h"

struct values {
    bool json;
};

struct report {
    struct buf b;
    bool json, colours;
    unsigned told, bad;
};

static const struct {
    const char *word, *coloured;
} marks[] = {
    [FOVEA_HEALTH_OK] = {"ok  ", "\033[32m✓\033[0m   "},
    [FOVEA_HEALTH_WARN] = {"warn", "\033[33m!\033[0m   "},
    [FOVEA_HEALTH_BAD] = {"bad ", "\033[31m✗\033[0m   "},
};

static void tell_json(struct report *r, const struct fovea_check *c)
{
    static const char *const names[] = {[FOVEA_HEALTH_OK] = "ok", [FOVEA_HEALTH_WARN] = "warn", [FOVEA_HEALTH_BAD] = "bad"};
    (void)buf_add_format(&r->b, "%s{\"health\":\"%s\",\"name\":", r->told ? "," : "[", names[c->health]);
    (void)buf_add_json_str(&r->b, c->name);
    (void)buf_add_str(&r->b, ",\"detail\":");
    (void)buf_add_json_str(&r->b, c->detail);
    (void)buf_add_str(&r->b, ",\"remedy\":");
    if (c->remedy)
        (void)buf_add_json_str(&r->b, c->remedy);
    else
        (void)buf_add_str(&r->b, "null");
    (void)buf_add_str(&r->b, "}");
}

static void tell(const struct fovea_check *c, void *arg)
{
    struct report *r = arg;
    if (r->json) {
        tell_json(r, c);
    } else {
        (void)buf_add_format(&r->b, "%s  %-12s %s\n", r->colours ? marks[c->health].coloured : marks[c->health].word,
                             c->name, c->detail ? c->detail : "");
        if (c->remedy)
            (void)buf_add_format(&r->b, "      %-12s %s %s\n", "", r->colours ? "→" : "fix:", c->remedy);
    }
    r->told++;
    r->bad += c->health == FOVEA_HEALTH_BAD;
}

static void check_terminal(struct report *r)
{
    auto_drawing *d = NULL;
    int code = drawing_new(&d);
    bool tty = isatty(STDOUT_FILENO);
    struct fovea_check chafa = {FOVEA_HEALTH_OK, "libchafa", "draws pictures on the terminal", NULL};
    struct fovea_check terminal = {FOVEA_HEALTH_OK, "terminal", tty && d ? drawing_kind(d) : "stdout is none", NULL};
    if (code == -ENOENT)
        chafa = (struct fovea_check){FOVEA_HEALTH_WARN, "libchafa", "cannot be loaded: view prints words only",
                                     "apt-get install libchafa0"};
    if (code == -ENOTTY)
        chafa.detail = "not needed here";
    if (tty && code == -ENOTTY)
        terminal = (struct fovea_check){FOVEA_HEALTH_WARN, "terminal", "TERM says that nothing can be drawn",
                                        "set TERM to what the terminal is, such as xterm-256color"};
    tell(&chafa, r);
    tell(&terminal, r);
}

static void check_manual(struct report *r)
{
    static const char *const places[] = {
        FOVEA_EXECDIR "/../../share/man/man1/fovea.1", FOVEA_EXECDIR "/../../share/man/man1/fovea.1.gz",
        "/usr/local/share/man/man1/fovea.1", "/usr/share/man/man1/fovea.1.gz", NULL};
    struct fovea_check manual = {FOVEA_HEALTH_WARN, "man page", "not installed", "make install; until then 'fovea help'"};
    for (const char *const *p = places; *p && manual.remedy; p++)
        if (access(*p, R_OK) == 0)
            manual = (struct fovea_check){FOVEA_HEALTH_OK, "man page", *p, NULL};
    tell(&manual, r);
}

static void check_context(struct report *r, const struct common *common)
{
    struct fovea_fault fault;
    auto_fovea *f = NULL;
    if (context_open(common, &f, &fault) < 0) {
        struct fovea_check config = {FOVEA_HEALTH_BAD, "config", fault.text, "correct what is named, or give --config"};
        tell(&config, r);
    }
    (void)fovea_doctor(f, tell, r);
}

static int run(struct invocation *in)
{
    const struct values *v = in->values;
    struct report r = {.b = BUF_INIT(LIMIT_CLI_TEXT), .json = v->json, .colours = isatty(STDOUT_FILENO)};
    const char *no_color = getenv("NO_COLOR");
    if (no_color && *no_color)
        r.colours = false;
    check_context(&r, &in->common);
    check_terminal(&r);
    check_manual(&r);
    if (r.json)
        (void)buf_add_str(&r.b, "]\n");
    int bad = out_buf(&r.b);
    buf_done(&r.b);
    return bad ? bad : r.bad ? EXIT_REFUSED : EXIT_DONE;
}

static const struct option options[] = {
    {"json", 0, OPTION_FLAG, NULL, offsetof(struct values, json), "an array of checks as one line of JSON"},
    {0},
};

const struct command command_doctor = {
    .name = "doctor",
    .summary = "check what works on this machine, and say how to fix the rest",
    .arguments = "",
    .about = "Looks at what fovea needs here: kernel features, worker programs, codecs, config, terminal, fonts, man "
             "page. Each point is ok, warn or bad, with the remedy below it. Exit status 1 when any is bad.",
    .options = options,
    .values_size = sizeof(struct values),
    .context = true,
    .run = run,
};
