#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Reads every C file with four tools, under the flags it is built with: gcc and clang with warnings as errors, clang-tidy with
# clang's analyzer (.clang-tidy says which checks) and cppcheck (tools/cppcheck.supp says what is not meant). The core, where bytes
# and words of others come in, is read by gcc -fanalyzer too.
# What a tool found nothing in is not read again until the file, a header, the flags or the tool changes.
# Usage: tools/check_static.sh BUILD; with FILES=PATTERN in the environment, only the files whose names match it.
set -eu
cd "$(dirname "$0")/.."
CORE='^(src/(base|sandbox|record|source)/|mcp/(lines|message|find_id|batch|http_request)\.c)'

# Every C file that is built, a tab, and the flags it is built with, taken from what make would do.
flags_of() { # COMPILER BUILD
    make -nB CC="$1" BUILD="$2" V=1 WERROR=-Werror all tests 2>/dev/null | awk -v cc="$1" '
        { line = line $0 }
        /\\$/ { sub(/\\$/, " ", line); next }
        { n = split(line, w, /[ \t]+/); line = "" }
        w[1] != cc { next }
        {
            flags = ""; file = ""
            for (i = 2; i <= n; i++) {
                if (w[i] == "-include" || w[i] == "-isystem")
                    flags = flags " " w[i] " " w[++i]
                else if (w[i] ~ /^-([DUIWfO]|std=|pthread)/ && w[i] !~ /^-Wl,/)
                    flags = flags " " w[i]
                else if (w[i] ~ /\.c$/)
                    file = w[i]
            }
            if (file && !seen[file]++)
                print file "\t" flags
        }' | LC_ALL=C sort
}

# What gcc -fanalyzer (12) sees wrongly, by file, with the reason.
not_meant() { # FILE
    case $1 in
        # It loses what is stored behind a pointer that realloc gave: each path is freed with the gate.
        src/source/gate_floor.c) echo -Wno-analyzer-malloc-leak ;;
    esac
}

# A job is one tool and one file; that it found nothing is kept, so that a second run has only the news. It prints the file's name
# where the tool did not get to the end of it.
job() { # KIND FILE FLAGS
    kind=$1 file=$2 flags=$3
    case $kind in
        gcc) set -- gcc -c -o /dev/null ;;
        gcc-analyzer)
            # By its own ceilings it gives up early on half of the files.
            set -- gcc -fanalyzer --param analyzer-bb-explosion-factor=50 --param analyzer-max-enodes-per-program-point=100 \
                -Wanalyzer-too-complex -Wno-error=analyzer-too-complex -c -o /dev/null
            flags="$flags $(not_meant "$file")"
            ;;
        clang) set -- clang -c -o /dev/null ;;
        tidy) set -- clang-tidy --quiet ;;
        cppcheck) set -- cppcheck -q --std=c11 --language=c --enable=warning,performance,portability --max-configs=1 \
            --inline-suppr --error-exitcode=1 --library=posix,gnu,tools/cppcheck.cfg --suppressions-list=tools/cppcheck.supp ;;
    esac
    key=$kept/$({ echo "$* $flags $about"; cat .clang-tidy tools/cppcheck.* "$file"; } | sha256sum | cut -c 1-32)
    [ ! -e "$key" ] || { cat "$key"; return 0; }
    case $kind in
        tidy) set -- "$@" "$file" -- ;;
        *) set -- "$@" "$file" ;;
    esac
    # It wants to know where ours are included from and no more; what it is not given it passes over.
    [ "$kind" != cppcheck ] || flags="$(echo "$flags" | tr ' ' '\n' | grep -E '^-(I[^/]|D)' | tr '\n' ' ') -D__x86_64__ -U_FORTIFY_SOURCE"
    # The flags are quoted for a shell.
    if eval "\"\$@\" $flags" >"$key.$$" 2>&1; then
        ! grep -q analyzer-too-complex "$key.$$" || partly=$file
        rm -f "$key.$$"
        echo "${partly:-}" >"$key"
        cat "$key"
    else
        grep -Ev '^([0-9]+ warnings? generated|Suppressed |Use -)' "$key.$$" >&2
        rm -f "$key.$$"
        echo "check: $kind found something in $file" >&2
        return 1
    fi
}

if [ "$1" = job ]; then
    job "$2" "$(printf '%s' "$3" | cut -f 1)" "$(printf '%s' "$3" | cut -f 2)"
    exit
fi

build=$1
export kept="$build/static"
mkdir -p "$kept"
about=$({ gcc --version; clang --version; clang-tidy --version
    git ls-files '*.h' '*.inc' 2>/dev/null | LC_ALL=C sort | xargs cat; cat "$build"/gen/*; } | sha256sum)
export about
flags_of gcc "$build" >"$kept/gcc.flags"
flags_of clang "$build" >"$kept/clang.flags"
[ -s "$kept/gcc.flags" ] && [ -s "$kept/clang.flags" ] || { echo "check: make names no files" >&2; exit 1; }
ours='^(src|mcp|cmd|worker|render|ocr|tools)/'
bad=0

# every KIND FLAGS PATTERN: that tool over the files that the pattern names.
every() {
    began=$(date +%s)
    grep -E "$3" "$kept/$2.flags" | grep -E -e "${FILES:-.}" >"$kept/files" || return 0
    xargs -d '\n' -P "$(nproc)" -n 1 tools/check_static.sh job "$1" <"$kept/files" >"$kept/partly" || bad=1
    partly=$(grep . "$kept/partly" | LC_ALL=C sort | tr '\n' ' ')
    echo "check: $1 has read $(wc -l <"$kept/files") files in $(($(date +%s) - began)) s${partly:+, not to the end: ${partly% }}"
}
# With CI set the build itself has warnings as errors, here and in make test.
[ "${CI:-}" ] || every gcc gcc .
every clang clang .
every gcc-analyzer gcc "$CORE"
every tidy clang "$ours"
every cppcheck clang "$ours"
exit "$bad"
