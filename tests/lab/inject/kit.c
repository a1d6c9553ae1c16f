/* SPDX-License-Identifier: Apache-2.0 */
/* What scenes share: telling what the library gave, and a folder of their own. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "scenes.h"

const struct scene *const scenes[] = {
    &scene_cli_words, &scene_cli_setup, &scene_cli_view,     &scene_cli_session,  &scene_cli_simulate,
    &scene_refs,      &scene_hosts,    &scene_gate,          &scene_gate_names,   &scene_reader, &scene_fetch, &scene_fetch_refused,
    &scene_anthropic, &scene_chat,     &scene_responses, &scene_gemini,
    &scene_schema,    &scene_imports,  &scene_neutral, &scene_stub,       &scene_config,       &scene_ledger, &scene_ledger_kept, &scene_token, &scene_record,
    &scene_record_kept, &scene_read,   &scene_view_whole,    &scene_view_kept,    &scene_view_kinds, &scene_session_whole,
    &scene_session_kept, &scene_lower, &scene_simulate,      &scene_mcp,          &scene_mcp_stdio, &scene_mcp_http,
    &scene_ask,       &scene_models,   &scene_doctor,        &scene_workers, &scene_markdown,
    &scene_again,     &scene_reject,   &scene_delete,        &scene_settings, &scene_trace_pdf,     &scene_tools,
    &scene_record_mend, &scene_pg,      &scene_pg_kept,       &scene_pg_long,      &scene_pg_mend, &scene_pg_refused, NULL,
};

static void fail(struct outcome *o, int code, const char *words)
{
    if (o->code < 0)
        return;
    o->code = code;
    (void)snprintf(o->words, sizeof o->words, "%s", words);
}

void tell_str(struct outcome *o, const char *s)
{
    if (s)
        tell_bytes(o, s, strlen(s) + 1);
    else
        fail(o, -ENOMEM, "out of memory (told by NULL)");
}

void tell_fault(struct outcome *o, int code, const struct fovea_fault *fault)
{
    if (code < 0)
        fail(o, code, fault->text);
    if (code < 0 && fault->code != code && o->code == code)
        (void)snprintf(o->words, sizeof o->words, "%s", ""); /* the fault is not of this call */
}

int tell_write(void *arg, const char *piece, size_t len)
{
    tell_bytes(arg, piece, len);
    return 0;
}

void tell_result(struct outcome *o, const fovea_result *r)
{
    enum fovea_kind kind = fovea_result_kind(r);
    struct fovea_image m;
    struct fovea_text t;
    tell_bytes(o, &kind, sizeof kind);
    if (kind == FOVEA_REFUSAL || kind == FOVEA_ERROR) {
        char words[sizeof o->words];
        const char *reason = fovea_result_reason(r), *text = fovea_result_text(r);
        (void)snprintf(words, sizeof words, "%s%s%s", reason ? reason : "", reason ? ": " : "", text);
        tell_refusal(o, reason ? reason : "", words);
    } else if (fovea_result_image(r, &m) == 0) {
        tell_bytes(o, m.data, m.len);
        tell_bytes(o, (uint32_t[]){m.width, m.height, m.source_width, m.source_height}, 16);
        tell_str(o, m.media_type);
    } else if (fovea_result_lines(r, &t) == 0) {
        tell_bytes(o, t.text, t.len);
    } else {
        tell_str(o, fovea_result_text(r));
    }
    tell_answer(o);
}

/* ---------------------------------------------------------------- a folder */

static char folder[64], build[LIMIT_PATH_BYTES];

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st, (void)flag, (void)ftw;
    return remove(path);
}

/* Before anything fails. */
__attribute__((constructor)) static void name_folders(void)
{
    ssize_t n = readlink("/proc/self/exe", build, sizeof build - 1);
    for (int up = 0; n > 0 && up < 3; up++) { /* build/tests/lab/inject */
        build[n] = '\0';
        n = strrchr(build, '/') - build;
    }
    build[MAX(n, 0)] = '\0';
    bool quick = access("/dev/shm", W_OK) == 0; /* fsync costs nothing there */
    (void)snprintf(folder, sizeof folder, "%s/fovea-inject-%d", quick ? "/dev/shm" : "/tmp", getpid());
}

void drop_folder(void)
{
    (void)nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *fresh_folder(void)
{
    drop_folder();
    return mkdir(folder, 0700) < 0 ? NULL : folder;
}

const char *in_folder(const char *name)
{
    static char paths[8][LIMIT_PATH_BYTES];
    static unsigned next;
    char *path = paths[next++ % COUNT(paths)];
    (void)snprintf(path, LIMIT_PATH_BYTES, "%s/%s", folder, name);
    return path;
}

int put_file(const char *name, const char *text)
{
    auto_close int fd = open(in_folder(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
}

const char *build_folder(void)
{
    return build;
}
