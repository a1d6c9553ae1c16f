/* SPDX-License-Identifier: Apache-2.0 */
/* doctor: what fovea needs here, looked at one by one. Each check is a function in one list. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "api/context.h"
#include "base/limits.h"
#include "sandbox/jail.h"

struct visit {
    fovea *f;
    void (*tell)(const struct fovea_check *check, void *arg);
    void *arg;
    int bad;
};

static void tell(struct visit *v, enum fovea_health health, const char *name, const char *detail, const char *remedy)
{
    struct fovea_check c = {health, name, detail, health == FOVEA_HEALTH_OK ? NULL : remedy};
    v->bad += health == FOVEA_HEALTH_BAD;
    v->tell(&c, v->arg);
}

static void check_kernel(struct visit *v)
{
    struct utsname u;
    char words[3 * sizeof u.release];
    (void)uname(&u);
    (void)snprintf(words, sizeof words, "%s %s %s", u.sysname, u.release, u.machine);
    tell(v, FOVEA_HEALTH_OK, "kernel", words, NULL);
}

static void check_landlock(struct visit *v)
{
    char words[64];
    int abi = jail_landlock_abi();
    (void)snprintf(words, sizeof words, abi ? "ABI %d" : "not available", abi);
    tell(v, abi ? FOVEA_HEALTH_OK : FOVEA_HEALTH_BAD, "landlock", words,
         "use a kernel from 5.13 on with lsm=landlock,... on its command line; in a container, allow the landlock_* "
         "system calls");
}

static void check_openat2(struct visit *v)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_BENEATH};
    int fd = (int)syscall(SYS_openat2, AT_FDCWD, ".", &how, sizeof how);
    tell(v, fd >= 0 ? FOVEA_HEALTH_OK : FOVEA_HEALTH_WARN, "openat2", fd >= 0 ? "works" : "not available",
         "nothing needs doing: paths are walked step by step instead, a little slower");
    close_fd(fd);
}

static void check_memfd(struct visit *v)
{
    int fd = memfd_create("fovea-doctor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    bool sealed = fd >= 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK) == 0;
    tell(v, sealed ? FOVEA_HEALTH_OK : FOVEA_HEALTH_BAD, "memfd seals", sealed ? "work" : "not available",
         "in a container, allow memfd_create and fcntl seals");
    close_fd(fd);
}

static void check_worker(struct visit *v)
{
    struct work_hello hello;
    struct fovea_fault fault;
    if (!v->f)
        return;
    if (pool_hello(v->f->pool, &hello, &fault) < 0) {
        tell(v, FOVEA_HEALTH_BAD, "worker", fault.text,
             fault.code == -ENOSYS ? "use a kernel, or a container profile, that allows what is named"
                                   : "run make all, or install fovea with its worker programs");
        return;
    }
    tell(v, FOVEA_HEALTH_OK, "worker", "starts, and every layer of its jail stands", NULL);
    tell(v, FOVEA_HEALTH_OK, "codecs", hello.codecs, NULL);
}

/* Renderers: each shows one kind of source, and all the others are shown without it. */
static void check_renderers(struct visit *v)
{
    static const struct {
        enum program_id id;
        const char *name;
    } rows[] = {{PROGRAM_PHOTO, "photo"}, {PROGRAM_SVG, "svg"}, {PROGRAM_TEXT, "text"}, {PROGRAM_PDF, "pdf"},
                {PROGRAM_VIDEO, "video"}};
    for (size_t i = 0; v->f && i < COUNT(rows); i++) {
        struct work_hello hello;
        struct fovea_fault fault;
        struct pool *pool;
        int r = programs_pool(v->f->programs, rows[i].id, &pool, &fault);
        if (r == 0)
            r = pool_hello(pool, &hello, &fault);
        auto_buf words = BUF_INIT(KIB);
        if (r == 0)
            (void)buf_add_format(&words, "%s starts confined: %s", program_name(rows[i].id), hello.codecs);
        tell(v, r < 0 ? FOVEA_HEALTH_WARN : FOVEA_HEALTH_OK, rows[i].name, r < 0 ? fault.text : words.data ? words.data : "",
             "install all of fovea's worker programs and the libraries they name; all other kinds are shown without it");
    }
}

/* Reading text is one way of asking among others, so its absence is no more than a warning. */
static void check_ocr(struct visit *v)
{
    char words[300];
    struct fovea_fault fault;
    if (!v->f)
        return;
    int r = ocr_check(v->f->ocr, words, sizeof words, &fault);
    tell(v, r < 0 ? FOVEA_HEALTH_WARN : FOVEA_HEALTH_OK, "ocr", r < 0 ? fault.text : words,
         "apt-get install tesseract-ocr-eng, and see that fovea-ocr stands beside fovea-worker; all else works without");
}

static void check_fonts(struct visit *v)
{
    bool some = access("/usr/share/fonts", R_OK) == 0 || access("/usr/local/share/fonts", R_OK) == 0;
    tell(v, some ? FOVEA_HEALTH_OK : FOVEA_HEALTH_WARN, "fonts", some ? "found" : "none found",
         "install fonts, for instance fonts-liberation; pictures are shown without them");
}

static void check_config(struct visit *v)
{
    if (!v->f)
        return;
    const struct config *c = &v->f->config;
    tell(v, FOVEA_HEALTH_OK, "config", c->file ? c->file : "none, so defaults are used", NULL);
    if (c->overlay)
        tell(v, FOVEA_HEALTH_OK, "personality", c->overlay, NULL);
}

/* Only sessions that have a name need it. */
static void check_record(struct visit *v)
{
    struct record_point last;
    struct fovea_fault fault;
    auto_buf where = BUF_INIT(2 * LIMIT_PATH_BYTES);
    if (!v->f)
        return;
    const char *store = v->f->config.record_store;
    bool usual = !strcmp(store, "sqlite:"), file = usual || !strncmp(store, "sqlite:/", 8);
    if (usual && config_folder("XDG_STATE_HOME", ".local/state", &where) == 0)
        (void)buf_add_str(&where, "/record.db");
    else if (!usual)
        (void)buf_add_str(&where, file ? strchr(store, '/') : "PostgreSQL answers");
    bool there = !file || (where.data && access(where.data, F_OK) == 0);
    int r = record_last(v->f->record, "doctor", &last, &fault);
    if (!there)
        (void)buf_add_str(&where, ", made by the first session");
    tell(v, r < 0 ? FOVEA_HEALTH_WARN : FOVEA_HEALTH_OK, "record", r < 0 ? fault.text : where.data ? where.data : "",
         "see to what is named, or set record.store; only calls with a session need it");
}

static void check_reach(struct visit *v)
{
    auto_buf b = BUF_INIT(64 * KIB);
    if (!v->f)
        return;
    for (char **dir = v->f->config.fs_reach; *dir; dir++)
        (void)buf_add_format(&b, "%s%s", b.len ? ", " : "", *dir);
    bool known = b.len && !b.error;
    tell(v, known ? FOVEA_HEALTH_OK : FOVEA_HEALTH_WARN, "reach", known ? b.data : b.error ? "out of memory" : "empty: no file can be seen",
         b.error ? "try again" : "name folders in fs_reach");
}

int fovea_doctor(fovea *f, void (*tell_one)(const struct fovea_check *check, void *arg), void *arg)
{
    static void (*const checks[])(struct visit *v) = {check_kernel, check_landlock, check_openat2, check_memfd,
                                                      check_worker, check_renderers, check_ocr,    check_fonts,
                                                      check_config, check_reach,     check_record};
    struct visit v = {f, tell_one, arg, 0};
    for (size_t i = 0; i < COUNT(checks); i++)
        checks[i](&v);
    return v.bad;
}
