/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seedledger STATE CACHE: writes down calls and keeps answers, as asking would. One line of stdin each:
 *   call<TAB>SESSION<TAB>PROVIDER<TAB>MODEL<TAB>AT<TAB>INPUT<TAB>OUTPUT<TAB>NANO<TAB>FAILED
 *   answer<TAB>TEXT
 * Linked with all of the library's inside: tests of the command line use it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "ledger/ledger.h"

enum { FIELDS = 9 };

static size_t split(char *line, char *fields[FIELDS])
{
    size_t n = 0;
    for (char *at = line; at && n < FIELDS; n++)
        fields[n] = strsep(&at, "\t");
    return n;
}

static int add_call(struct ledger *l, char *f[FIELDS])
{
    struct fovea_fault fault;
    struct ledger_entry e = {.session = f[1],
                             .tool = "inspect_image",
                             .provider = f[2],
                             .model = f[3],
                             .at = strtoll(f[4], NULL, 10),
                             .input = strtoll(f[5], NULL, 10),
                             .output = strtoll(f[6], NULL, 10),
                             .nano = strtoll(f[7], NULL, 10),
                             .failed = *f[8] == '1'};
    int r = ledger_add(l, &e, &fault);
    if (r < 0)
        fprintf(stderr, "%s\n", fault.text);
    return r;
}

int main(int argc, char **argv)
{
    char line[4096], *fields[FIELDS];
    struct ledger *l = NULL;
    int bad = argc != 3;
    struct ledger_options o = {argc == 3 ? argv[1] : NULL, argc == 3 ? argv[2] : NULL, 1 << 20};
    bad = bad || ledger_new(&o, &l, NULL) < 0;
    while (!bad && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        size_t n = split(line, fields);
        uint8_t key[SHA256_LEN];
        if (n == FIELDS && !strcmp(fields[0], "call")) {
            bad = add_call(l, fields) < 0;
        } else if (n == 2 && !strcmp(fields[0], "answer")) {
            sha256(fields[1], strlen(fields[1]), key);
            answers_keep(l, key, fields[1], strlen(fields[1]));
        } else {
            bad = 1;
        }
    }
    ledger_free(l);
    return bad;
}
