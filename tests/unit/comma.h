/* SPDX-License-Identifier: Apache-2.0 */
/* A locale that writes one and a half as 1,5, made with localedef, since a machine need not have one. */
#ifndef FOVEA_COMMA_H
#define FOVEA_COMMA_H

#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static inline void comma_make(const char *from, const char *to)
{
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        (void)dup2(null, STDOUT_FILENO);
        (void)dup2(null, STDERR_FILENO);
        (void)execlp("localedef", "localedef", "--no-archive", "-c", "-i", from, to, (char *)NULL);
        _exit(127);
    }
    (void)waitpid(child, NULL, 0); /* it says 1 for the warnings: what it made is what counts */
}

static inline void comma_remove(const char *top)
{
    pid_t child = fork();
    if (child == 0) {
        (void)execlp("rm", "rm", "-r", top, (char *)NULL);
        _exit(127);
    }
    (void)waitpid(child, NULL, 0);
}

/* False: this machine cannot make one. comma_off ends it. */
static inline bool comma_on(void)
{
    char top[] = "/tmp/fovea-comma-XXXXXX", from[64], to[64], shown[8];
    if (!mkdtemp(top))
        return false;
    (void)snprintf(from, sizeof from, "%s/source", top);
    (void)snprintf(to, sizeof to, "%s/comma", top);
    FILE *f = fopen(from, "we");
    if (f) {
        (void)fputs("LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n", f);
        (void)fclose(f);
        comma_make(from, to);
    }
    (void)setenv("LOCPATH", top, 1);
    bool set = setlocale(LC_NUMERIC, "comma") != NULL;
    (void)unsetenv("LOCPATH");
    comma_remove(top);
    (void)snprintf(shown, sizeof shown, "%.1f", 1.5);
    return set && !strcmp(shown, "1,5");
}

static inline void comma_off(void)
{
    (void)setlocale(LC_NUMERIC, "C");
}

#endif
