#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Reads C files under the flags they are built with: gcc and clang, with warnings as errors, all that there are; clang-tidy with
# clang's analyzer (.clang-tidy says which checks) and cppcheck (tools/cppcheck.supp says what is not meant) what ships and the
# tools, with their headers; gcc -fanalyzer the core, where bytes and words of others come in.
# What a tool found nothing in is not read again until the file, a header, the flags or the tool changes.
# Usage: tools/check_static.sh BUILD; with FILES=PATTERN in the environment, only the files whose names match it.
set -eu
cd "$(dirname "$0")/.."
CORE='^src/base/ ^src/sandbox/ ^src/record/ ^src/source/ ^mcp/lines\.c ^mcp/message\.c ^mcp/find_id\.c ^mcp/batch\.c
    ^mcp/http_request\.c'
OURS='^src/ ^mcp/ ^cmd/ ^worker/ ^render/ ^ocr/ ^tools/'

# The files of the house that are so named, in a checkout or a copy of one.
named() { # PATTERN...
    if [ -e .git ] && git rev-parse >/dev/null 2>&1; then
        git ls-files -co --exclude-standard "$@" | while read -r name; do
            [ ! -e "$name" ] || echo "$name"
        done
    else
        for name in "$@"; do
            find . -path ./build -prune -o -path ./node_modules -prune -o -type f -name "$name" -print
        done | cut -c 3-
    fi | LC_ALL=C sort
}

# Every C file that is built, a tab, and the flags it is built with, taken from what make would do. Examples are built by whoever
# reads them.
flags_of() { # COMPILER BUILD
    make -nB CC="$1" BUILD="$2" V=1 WERROR=-Werror all tests benches >"$kept/$1.make" 2>"$kept/$1.said" || {
        tail -n 5 "$kept/$1.said" >&2
        echo "check: make cannot say how all is built with $1" >&2
        return 1
    }
    {
        named '*.c' | sed -n 's|^examples/.*|&\t-std=gnu17 -Wall -Wextra -Werror -Iinclude|p'
        awk -v cc="$1" '
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
            }' "$kept/$1.make"
    } | LC_ALL=C sort
}

# Whether those are all.
all_named() { # COMPILER
    cut -f 1 "$kept/$1.flags" >"$kept/listed"
    named '*.c' >"$kept/named"
    [ -s "$kept/named" ] || echo "check: no C files are here" >&2
    LC_ALL=C comm -13 "$kept/listed" "$kept/named" | sed "s/$/: no target builds it that is read here, with $1/" >"$kept/missed"
    sed 's/^/check: /' "$kept/missed" >&2
    [ -s "$kept/named" ] && [ ! -s "$kept/missed" ]
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
    # It wants to know where ours are included from and no more; what it is not given it passes over. It reads one side of each #if,
    # that of the machine the house is built for. A file that it cannot parse to the end (internalAstError) fails.
    [ "$kind" != cppcheck ] ||
        flags="$(echo "$flags" | tr ' ' '\n' | grep -E '^-(I[^/]|D)' | tr '\n' ' ') -D__x86_64__ -D__SSE2__ -U_FORTIFY_SOURCE"
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
    named '*.h' '*.inc' | xargs cat; cat "$build"/gen/*; } | sha256sum)
export about
flags_of gcc "$build" >"$kept/gcc.flags"
flags_of clang "$build" >"$kept/clang.flags"
bad=0
all_named gcc || bad=1
all_named clang || bad=1

# every KIND FLAGS PATTERNS: that tool over the files that the patterns name, each of them some.
every() {
    began=$(date +%s)
    for pattern in $3; do
        grep -Eq -e "$pattern" "$kept/$2.flags" || {
            echo "check: $1 is to read $pattern, and there is none" >&2
            bad=1
        }
    done
    # shellcheck disable=SC2086 # words become alternatives
    grep -E -e "$(echo $3 | tr ' ' '|')" "$kept/$2.flags" | grep -E -e "${FILES:-.}" >"$kept/files" || return 0
    xargs -d '\n' -P "$(nproc)" -n 1 tools/check_static.sh job "$1" <"$kept/files" >"$kept/partly" || bad=1
    partly=$(grep . "$kept/partly" | LC_ALL=C sort | tr '\n' ' ')
    echo "check: $1 has read $(wc -l <"$kept/files") files in $(($(date +%s) - began)) s${partly:+, not to the end: ${partly% }}"
}
# With CI set the build itself has warnings as errors, here and in make test; it builds neither of these.
if [ "${CI:-}" ]; then every gcc gcc '^bench/ ^examples/'; else every gcc gcc .; fi
every clang clang .
every gcc-analyzer gcc "$CORE"
every tidy clang "$OURS"
every cppcheck clang "$OURS"
exit "$bad"
