#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Which branches the tests take: builds everything with clang's counters into build/coverage, runs all tests, the labs' quick
# forms and a part of the lab of failures on it, and prints lines and branches per room and for the parts that must be all but whole.
# The counters lie in files that are mapped before main begins, so a worker that is jailed, leaves by _exit or is killed
# counts like any other. Asserts are left out: they are for what cannot happen.
# Exit status 1 when a test or a part of that lab failed; what the others reached is told all the same.
# Usage: tools/coverage.sh build | run [TEST...] | report [--missing PREFIX...]; no word: all three, and docs/coverage.tsv is written,
# which make check reads.
set -eu
cd "$(dirname "$0")/.."
top=$PWD
cov=build/coverage
jobs=${JOBS:-$(nproc)}
failed=0

build() {
    mkdir -p "$cov/raw"
    python3 tools/coverage.py --sources >"$cov/sources.tsv"
    CFLAGS="-fprofile-instr-generate=$top/$cov/raw/%c%m.profraw -fcoverage-mapping -fprofile-update=atomic \
        -mllvm -runtime-counter-relocation=true" \
        LDFLAGS="-fprofile-instr-generate=$top/$cov/raw/%c%m.profraw" CPPFLAGS=-DNDEBUG \
        make --no-print-directory -j"$jobs" CC=clang OPT=-O1 BUILD="$cov" all tests
}

run() {
    rm -f "$cov"/raw/*.profraw
    tests/run "$cov" "$@" >"$cov/tests.log" 2>&1 || {
        failed=1
        echo "coverage: some tests failed, see $cov/tests.log"
    }
    tail -n 2 "$cov/tests.log"
    # What only comes about when memory or a call of the system fails comes from the lab of failures, so many of each kind.
    [ $# -eq 0 ] || return 0
    export BUILD="$top/$cov"
    { INJECT_POINTS=${INJECT_POINTS:-20} sh tests/lab/inject_lab.sh &&
        INJECT_POINTS=100 INJECT_SCENES='record record_kept record_mend pg_kept pg_mend' sh tests/lab/inject_lab.sh; } >"$cov/inject.log" 2>&1 || {
        failed=1
        echo "coverage: not all held when calls failed, see $cov/inject.log"
    }
}

report() {
    # Each program maps its own counters; a test program has the same functions in it, and counts for them.
    llvm-profdata-14 merge --failure-mode=all -o "$cov/all.profdata" "$cov"/raw/*.profraw
    objects=
    for program in "$cov"/fovea-*; do
        [ ! -x "$program" ] || objects="$objects -object $program"
    done
    # A test that includes a source file has functions of its own of it.
    for test in $(grep -l '^#include ".*/.*\.c"' tests/unit/*_test.c); do
        objects="$objects -object $cov/tests/$(basename "$test" .c)"
    done
    # shellcheck disable=SC2086 # a list of words
    llvm-cov-14 export "$cov/fovea" -object "$cov/libfovea.so" $objects -instr-profile "$cov/all.profdata" >"$cov/all.json"
    python3 tools/coverage.py "$cov/all.json" "$@"
}

word=${1:-}
[ $# -eq 0 ] || shift
case $word in
    '')
        build
        run
        if [ "$failed" -eq 0 ]; then
            report --record "$cov/sources.tsv"
        else
            report # what did not all hold goes on no record
        fi
        ;;
    build | run | report) "$word" "$@" ;;
    *) sed -n 's/^# Usage: //p' "$0" >&2; exit 2 ;;
esac
exit "$failed"
