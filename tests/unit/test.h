/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test harness: TEST(what_it_proves) { ... } with CHECK inside; SKIP("why") leaves. main comes with the header.
 * Prints one line a test; exit status 1 when any failed.
 */
#ifndef FOVEA_TEST_H
#define FOVEA_TEST_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct test {
    const char *name;
    void (*run)(void);
    struct test *next;
};
static struct test *test_first, **test_last = &test_first;
static bool test_failed;
static const char *test_skipped;

#define TEST(what)                                                     \
    static void test_##what(void);                                     \
    __attribute__((constructor)) static void test_add_##what(void)     \
    {                                                                  \
        static struct test t = {#what, test_##what, NULL};             \
        *test_last = &t;                                               \
        test_last = &t.next;                                           \
    }                                                                  \
    static void test_##what(void)

/* Reports and goes on, so that one run shows every row that is wrong. */
#define CHECK(cond) CHECK_MSG(cond, "%s", "")
#define CHECK_MSG(cond, ...)                                           \
    do {                                                               \
        if (!(cond)) {                                                 \
            test_failed = true;                                        \
            fprintf(stderr, "%s:%d: %s ", __FILE__, __LINE__, #cond);  \
            fprintf(stderr, __VA_ARGS__);                              \
            fputc('\n', stderr);                                       \
        }                                                              \
    } while (0)
#define CHECK_STR(got, want)                                           \
    do {                                                               \
        const char *got_ = (got), *want_ = (want);                     \
        CHECK_MSG(got_ && want_ && !strcmp(got_, want_), "got '%s', want '%s'", got_ ? got_ : "(null)", \
                  want_ ? want_ : "(null)");                           \
    } while (0)
/* Where what counts branches is linked in, time and memory are not those of the program. */
extern int __llvm_profile_write_file(void) __attribute__((weak));
static inline bool test_counted(void)
{
    return __llvm_profile_write_file != NULL;
}
#define SKIP(why)                                                      \
    do {                                                               \
        test_skipped = (why);                                          \
        return;                                                        \
    } while (0)

int main(int argc, char **argv)
{
    int bad = 0;
    for (struct test *t = test_first; t; t = t->next) {
        if (argc > 1 && !strstr(t->name, argv[1]))
            continue;
        test_failed = false;
        test_skipped = NULL;
        t->run();
        if (test_failed)
            printf("not ok %s\n", t->name);
        else if (test_skipped)
            printf("skip %s: %s\n", t->name, test_skipped);
        else
            printf("ok %s\n", t->name);
        fflush(stdout);
        bad += test_failed;
    }
    return bad != 0;
}

#endif
