/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of a start, before the greeting, instead of it, and right behind it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fault.h"

extern char **environ;
char fault_birth[WORK_DETAIL];

void fault_note_birth(void)
{
    int env = 0, fds = 0, blocked = 0, ignored = 0;
    sigset_t mask;
    struct sigaction now;
    for (char **e = environ; e && *e; e++)
        env += !!strncmp(*e, "__LLVM_PROFILE_", 15); /* what counts branches sets one itself, before main */
    for (int fd = 0; fd < 1024; fd++)
        fds += fcntl(fd, F_GETFD) >= 0;
    (void)sigprocmask(SIG_BLOCK, NULL, &mask);
    for (int s = 1; s < NSIG; s++) {
        blocked += sigismember(&mask, s) == 1;
        ignored += !sigaction(s, NULL, &now) && now.sa_handler == SIG_IGN;
    }
    (void)snprintf(fault_birth, sizeof fault_birth, "env %d fds %d blocked %d ignored %d session %s", env, fds, blocked, ignored,
                   getsid(0) == getpid() ? "own" : "shared");
}

static struct work_hello honest(void)
{
    return (struct work_hello){.magic = WORK_MAGIC, .landlock_abi = 1, .codecs = "nothing but faults"};
}
static void greet(struct work_hello hello)
{
    fault_send(&hello, sizeof hello);
}

static void exit_0(void)
{
    _exit(0);
}
static void exit_1(void)
{
    _exit(1);
}
static void killed(void)
{
    (void)raise(SIGKILL);
}
static void hang(void)
{
    fault_hang();
}
static void stop(void)
{
    fault_stop();
}
static void spin(void)
{
    fault_spin();
}
static void closed(void)
{
    (void)close(WORK_SOCKET);
    fault_hang();
}
static void garbage(void)
{
    fault_send("hello", 5);
}
static void empty(void)
{
    fault_send("", 0);
    fault_hang();
}
static void long_one(void)
{
    char bytes[sizeof(struct work_hello) + 1] = {0};
    struct work_hello hello = honest();
    memcpy(bytes, &hello, sizeof hello);
    fault_send(bytes, sizeof bytes);
}
static void flood(void)
{
    for (int i = 0; i < 10000; i++)
        fault_send("hello", 5);
}
static void older(void)
{
    struct work_hello hello = honest();
    hello.magic--;
    greet(hello);
}
static void unprintable(void)
{
    struct work_hello hello = honest();
    hello.codecs[3] = '\033';
    greet(hello);
}
static void endless(void)
{
    struct work_hello hello = honest();
    memset(hello.codecs, 'x', sizeof hello.codecs);
    greet(hello);
}
static void reply(void)
{
    struct work_reply r = {.magic = WORK_MAGIC};
    fault_send(&r, sizeof r);
}
static void other_program(void)
{
    static const char words[] = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";
    fault_send(words, sizeof words - 1);
    _exit(0);
}
static void descriptors(void)
{
    struct work_hello hello = honest();
    hello.magic++;
    fault_send_descriptors(&hello, sizeof hello);
}
static void no_landlock(void)
{
    struct work_hello hello = {.magic = WORK_MAGIC, .error = EOPNOTSUPP, .layer = "landlock"};
    greet(hello);
    _exit(1);
}
/* When somebody waits for the greeting already. */
static void late(void)
{
    fault_doze(200);
    no_landlock();
}
static void slow(void)
{
    fault_doze(100);
}
static void nameless(void)
{
    struct work_hello hello = {.magic = WORK_MAGIC, .error = 9999, .layer = "landlock"};
    greet(hello);
    _exit(1);
}

const struct birth_fault fault_births[] = {
    {"hello-exit", exit_1}, {"hello-exit-0", exit_0}, {"hello-crash", killed}, {"hello-hang", hang}, {"hello-stop", stop},
    {"hello-spin", spin}, {"hello-closed", closed}, {"hello-garbage", garbage}, {"hello-empty", empty}, {"hello-long", long_one},
    {"hello-flood", flood}, {"hello-older", older}, {"hello-unprintable", unprintable}, {"hello-endless", endless},
    {"hello-reply", reply}, {"hello-other-program", other_program}, {"hello-descriptors", descriptors},
    {"hello-no-landlock", no_landlock}, {"hello-late", late}, {"hello-slow", slow},
    {"hello-nameless", nameless}, {NULL, NULL},
};

/* ---------------------------------------------------------------- behind it */

static void twice(void)
{
    greet(honest());
}
static void crash(void)
{
    fault_crash();
}
static void half_closed(void)
{
    (void)close(WORK_SOCKET);
    fault_hang();
}

const struct birth_fault fault_after[] = {
    {"greeted-exit", exit_0}, {"greeted-crash", crash}, {"greeted-hang", hang}, {"greeted-stop", stop}, {"greeted-spin", spin},
    {"greeted-closed", half_closed}, {"greeted-twice", twice}, {NULL, NULL},
};
