/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What local/ocr stands on: the program, the language data, and places to work in. A reading takes seconds of one
 * processor, so there are as many places as processors: more at once would only make all of them late.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "ask/ocr_priv.h"
#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/limits.h"

/* Where distributions put it: Debian, Fedora, Arch and others, then what is installed by hand. */
static const char *const folders[] = {
    "/usr/share/tesseract-ocr/5/tessdata", "/usr/share/tesseract-ocr/4.00/tessdata", "/usr/share/tesseract/tessdata",
    "/usr/share/tessdata", "/usr/local/share/tessdata",
};

static char *data_path_new(const char *folder, const char *language)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s.traineddata", folder, language) < 0 ? NULL : path;
}

/* The first that is there; the first of all when none is, to be named in the fault. NULL when out of memory. */
static char *find_data_new(const char *folder, const char *language)
{
    const char *set = folder ? folder : getenv("TESSDATA_PREFIX");
    if (set && *set == '/')
        return data_path_new(set, language);
    for (size_t i = 0; i < COUNT(folders); i++) {
        auto_free char *path = data_path_new(folders[i], language);
        if (!path || !access(path, R_OK))
            return take(path);
    }
    return data_path_new(folders[0], language);
}

/* It becomes part of a path: letters, digits and '_' only, as in "chi_sim". */
static bool language_sound(const char *language)
{
    size_t len = strspn(language, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return len && len <= LIMIT_OCR_LANGUAGE && !language[len];
}

static unsigned processors(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return MIN((unsigned)MAX(n, 1), LIMIT_OCR_AT_ONCE);
}

static void ocr_free_p(struct ocr **o)
{
    ocr_free(*o);
}

static void init_locks(struct ocr *o)
{
    pthread_condattr_t monotonic;
    (void)pthread_mutex_init(&o->lock, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&o->news, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
}

int ocr_new(const char *dir, const char *folder, const char *language, struct ocr **ret, struct fovea_fault *fault)
{
    language = language ? language : "eng";
    if (!language_sound(language))
        return fault_set(fault, EINVAL, "\"%.40s\" is no language of Tesseract; use a name such as eng or chi_sim",
                         language);
    struct ocr *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return fault_oom(fault);
    init_locks(fresh);
    cleanup(ocr_free_p) struct ocr *o = fresh;
    o->places = processors();
    o->language = strdup(language);
    o->data = find_data_new(folder, language);
    if (asprintf(&o->program, "%s/fovea-ocr", dir) < 0)
        o->program = NULL;
    if (!o->language || !o->data || !o->program)
        return fault_oom(fault);
    *ret = take(o);
    return 0;
}

void ocr_free(struct ocr *o)
{
    if (!o)
        return;
    pool_free(o->pool);
    (void)pthread_cond_destroy(&o->news);
    (void)pthread_mutex_destroy(&o->lock);
    free(o->program);
    free(o->language);
    free(o->data);
    free(o);
}

int ocr_data_fault(const struct ocr *o, int error, struct fovea_fault *fault)
{
    char package[LIMIT_OCR_LANGUAGE + 1];
    (void)snprintf(package, sizeof package, "%s", o->language);
    for (char *c = package; (c = strchr(c, '_'));)
        *c = '-';
    const char *what = error == ENODATA ? "has no language data at" : "cannot use the language data of";
    return fault_set(fault, error,
                     "OCR %s \"%.150s\"; apt-get install tesseract-ocr-%s, or set TESSDATA_PREFIX to its folder", what,
                     o->data, package);
}

/* With the lock held. One thread of Tesseract's own: several cost more than they save, and the jail is simpler so. */
static int open_pool(struct ocr *o, struct fovea_fault *fault)
{
    struct program program = {.path = o->program, .word = o->data, .setting = "OMP_THREAD_LIMIT=1"};
    return o->pool ? 0 : pool_new_of(&program, 0, &o->pool, fault);
}

/* With the lock held. A cancel cannot wake us here, so it is looked at now and then. */
static int wait_for_place(struct ocr *o, const fovea_cancel *cancel, struct fovea_fault *fault)
{
    int64_t deadline = clock_ms() + LIMIT_OCR_BUSY_MS;
    while (o->at_work >= o->places) {
        int64_t nap = MIN(deadline, clock_ms() + LIMIT_CANCEL_NAP_MS);
        struct timespec until = {.tv_sec = (time_t)(nap / 1000), .tv_nsec = (long)(nap % 1000) * 1000000};
        (void)pthread_cond_timedwait(&o->news, &o->lock, &until);
        if (cancel_struck(cancel))
            return fault_cancelled(fault);
        if (o->at_work >= o->places && clock_ms() >= deadline)
            return fault_set(fault, EBUSY, "all %u readers of text are busy; try again", o->places);
    }
    return 0;
}

int ocr_enter(struct ocr *o, const fovea_cancel *cancel, struct fovea_fault *fault)
{
    if (cancel_struck(cancel))
        return fault_cancelled(fault);
    if (access(o->data, R_OK))
        return ocr_data_fault(o, ENODATA, fault);
    (void)pthread_mutex_lock(&o->lock);
    int r = open_pool(o, fault);
    if (r >= 0)
        r = wait_for_place(o, cancel, fault);
    if (r >= 0)
        o->at_work++;
    (void)pthread_mutex_unlock(&o->lock);
    return r;
}

void ocr_leave(struct ocr *o)
{
    (void)pthread_mutex_lock(&o->lock);
    o->at_work--;
    (void)pthread_cond_signal(&o->news);
    (void)pthread_mutex_unlock(&o->lock);
}
