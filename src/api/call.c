/* SPDX-License-Identifier: Apache-2.0 */
/* What one call works with and may have drawn, and its paths made absolute: sessions have working folders of their own, while
 * the gate knows one. */
#include "api/call.h"

#include "api/session.h"
#include "base/fault.h"

int call_init(struct call *c, fovea *f, fovea_session *session, const fovea_cancel *cancel, struct fovea_fault *fault)
{
    *c = (struct call){.f = f, .scope = {.cancel = cancel}, .cwd = f->true_cwd, .no_webp = f->no_webp, .render = f->render, .session = "",
                       .tally = f->tally};
    return session ? session_lend(session, c, fault) : 0;
}

void call_done(struct call *c)
{
    free(c->main);
    c->main = NULL;
    free(c->roots);
    c->roots = NULL;
}

bool config_draws(const struct config *c, unsigned bit)
{
    return bit == 0 || (bit == FOVEA_RENDER_SVG && c->render_svg) || (bit == FOVEA_RENDER_PDF && c->render_pdf) ||
           (bit == FOVEA_RENDER_TEXT && c->render_text) || (bit == FOVEA_RENDER_VIDEO && c->render_video);
}

bool call_may_draw(const struct call *c, unsigned bit)
{
    return (c->render & bit) == bit && config_draws(&c->f->config, bit);
}

/* Above a folder without links, ".." is what it looks like; further on only the file system knows. */
char *absolute_from_new(const char *folder, const char *path)
{
    auto_buf b = BUF_INIT(3 * LIMIT_PATH_BYTES);
    size_t up = strlen(folder);
    if (*path == '/')
        return strdup(path);
    while (up && folder[up - 1] == '/')
        up--;
    for (size_t n = strcspn(path, "/"); n && n <= 2 && !strncmp(path, "..", n); n = strcspn(path, "/")) {
        while (n == 2 && up && folder[--up] != '/')
            ;
        path += n;
        path += strspn(path, "/");
    }
    (void)buf_add(&b, folder, up);
    (void)buf_add_format(&b, "/%s", path);
    return buf_take(&b);
}

int call_spellings(const struct call *c, const char *ref, struct ref_variants *ret)
{
    struct ref_variants v = {0};
    int r = ref_variants(ref, c->f->home, &v);
    ret->n = 0;
    for (size_t i = 0; r == 0 && i < v.n; i++) {
        char *path = absolute_from_new(c->cwd, v.path[i]);
        if (!path)
            r = -ENOMEM;
        else if (strlen(path) < LIMIT_PATH_BYTES)
            ret->path[ret->n++] = path;
        else
            free(path); /* the kernel opens nothing of that length: as absent as the others */
    }
    ref_variants_done(&v);
    return r; /* what is in ret is the caller's to free */
}
