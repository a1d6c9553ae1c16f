/* SPDX-License-Identifier: Apache-2.0 */
/*
 * viewms WORKER_FOLDER ROUNDS FILE...: how long a call takes that finds its worker waiting. For each file the least of so many
 * rounds in milliseconds and its name; or "refused", why, and its name. Before each call it waits until the worker has
 * readied itself, which shows in the processor time that our children take. With 0 rounds each file is seen once, without waiting:
 * for those who look at what a worker does, and not at how long it takes. With VIEWMS_SUMS set, a sum of the shown bytes of every
 * round stands in place of the milliseconds.
 */
#include <dirent.h>
#include <err.h>
#include <fovea.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/cleanup.h"

enum { NAP_MS = 4, QUIET_NAPS = 4, MOST_NAPS = 500 };

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Adds up how long the processes ran that a thread of ours started, in nanoseconds. */
static uint64_t children_ran(const char *thread)
{
    char path[320];
    uint64_t sum = 0, ns;
    int pid;
    (void)snprintf(path, sizeof path, "/proc/self/task/%s/children", thread);
    FILE *list = fopen(path, "re");
    while (list && fscanf(list, "%d", &pid) == 1) {
        (void)snprintf(path, sizeof path, "/proc/%d/schedstat", pid);
        FILE *stat = fopen(path, "re");
        sum += stat && fscanf(stat, "%" SCNu64, &ns) == 1 ? ns : 0;
        if (stat)
            (void)fclose(stat);
    }
    if (list)
        (void)fclose(list);
    return sum;
}

static uint64_t all_ran(void)
{
    uint64_t sum = 0;
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *d; threads && (d = readdir(threads));)
        if (d->d_name[0] != '.')
            sum += children_ran(d->d_name);
    if (threads)
        (void)closedir(threads);
    return sum;
}

static void wait_quiet(void)
{
    uint64_t last = 0;
    for (int quiet = 0, naps = 0; quiet < QUIET_NAPS && naps < MOST_NAPS; naps++) {
        uint64_t ran = all_ran();
        quiet = ran == last ? quiet + 1 : 0;
        last = ran;
        (void)nanosleep(&(struct timespec){.tv_nsec = NAP_MS * 1000000}, NULL);
    }
}

static void print_sum(const struct fovea_image *m, const char *path)
{
    uint64_t sum = 14695981039346656037U;
    for (size_t i = 0; i < m->len; i++)
        sum = (sum ^ m->data[i]) * 1099511628211U;
    printf("%016" PRIx64 "\t%s\n", sum, path);
}

/* Milliseconds, or below 0 when it was refused. */
static double look(fovea *f, const char *path, bool quietly)
{
    struct fovea_view_request request = {.path = path};
    struct fovea_fault fault = {0};
    fovea_result *result = NULL;
    struct fovea_image image;
    if (quietly)
        wait_quiet();
    double start = now_ms();
    if (fovea_view(f, &request, &result, &fault))
        errx(1, "%s", fault.text);
    double ms = now_ms() - start;
    if (fovea_result_image(result, &image)) {
        printf("refused\t%s\t%s\n", fovea_result_text(result), path);
        ms = -1;
    } else if (getenv("VIEWMS_SUMS")) {
        print_sum(&image, path);
    }
    fovea_result_free(result);
    return ms;
}

static void look_often(fovea *f, const char *path, unsigned long rounds)
{
    double least = look(f, path, rounds > 0);
    for (unsigned long i = 1; i < rounds && least >= 0; i++) {
        double ms = look(f, path, true);
        least = ms < least ? ms : least;
    }
    if (least >= 0 && !getenv("VIEWMS_SUMS"))
        printf("%.2f\t%s\n", least, path);
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        errx(2, "usage: viewms WORKER_FOLDER ROUNDS FILE...");
    static const char *const reach[] = {"/", NULL};
    struct fovea_options options = {.reach = reach, .config_file = "", .worker_dir = argv[1], .no_cache = true,
                                    .ready_workers = 1, .render = FOVEA_RENDER_ALL, .no_webp = getenv("VIEWMS_NO_WEBP") != NULL};
    unsigned long rounds = strtoul(argv[2], NULL, 10);
    struct fovea_fault fault = {0};
    fovea *f = NULL;
    if (fovea_new(&options, &f, &fault))
        errx(1, "%s", fault.text);
    if (rounds > 0)
        (void)look(f, argv[3], true); /* its program starts with the first call */
    for (int i = 3; i < argc; i++)
        look_often(f, argv[i], rounds);
    fovea_free(f);
    return 0;
}
