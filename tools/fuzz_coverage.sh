#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/fuzz_coverage.sh BUILD [NAME...]: replays what is kept (fuzz/corpus and the seeds, also NAME of FUZZ_CORPUS where that is given)
# through each target of BUILD/tests/fuzz, which was built with clang's source coverage, and prints for each file that the target is about
# (its head says so) how many of its lines and branches were reached; after them "all" of the target, and at the end of all targets, where
# a file counts once for each that is about it.
set -u
cd "$(dirname "$0")/.." || exit 3
build=$1
shift
tool() {
    for t in "$1" "$1-14" "$1-15" "$1-16" "$1-19"; do
        command -v "$t" && return
    done
    echo "fuzz: $1 is missing: install llvm" >&2
    exit 1
}
cov=$(tool llvm-cov) || exit 1
data=$(tool llvm-profdata) || exit 1
mkdir -p "$build/profiles"
# shellcheck disable=SC2046 # words are meant to split
[ $# -gt 0 ] || set -- $(find "$build/tests/fuzz" -type f -perm -u+x -printf '%f\n' | sort)

# Of lines with target, file, lines reached and all, branches reached and all: aligned with their shares, and with WHOSE sum.
rows() {
    awk -F '\t' -v whose="$1" -v each="$2" '
        function share(some, all) { return some == all ? 100 : 100 * some > 99 * all ? 99 : int(100 * some / all + .5) }
        function row(target, file, l, ll, b, bb) {
            printf "%-15s %-40s %12s %3d%% %12s %3d%%\n", target, file, l "/" ll, share(l, ll), b "/" bb, share(b, bb)
        }
        { l += $3; ll += $4; b += $5; bb += $6; if (each) row($1, $2, $3, $4, $5, $6) }
        END { row(whose, "all", l, ll, b, bb) }'
}

printf '%-15s %-40s %17s %17s\n' target file lines branches
: >"$build/profiles/all.tsv"
for name in "$@"; do
    files=$(tools/fuzz_about.sh "$name") || continue
    folders="$(tools/fuzz_seeds.sh "$build" "$name") ${FUZZ_CORPUS:+$FUZZ_CORPUS/$name}"
    {
        ls "fuzz/corpus/$name.b64" 2>/dev/null
        # shellcheck disable=SC2086 # words are meant to split
        [ -z "${folders% }" ] || find $folders -type f 2>/dev/null
    } | LLVM_PROFILE_FILE="$build/profiles/$name-%p.raw" xargs "$build/tests/fuzz/$name" >/dev/null 2>"$build/profiles/$name.err" ||
        echo "fuzz: $name does not replay: see $build/profiles/$name.err" >&2
    "$data" merge -o "$build/profiles/$name.data" "$build/profiles/$name"-*.raw && rm -f "$build/profiles/$name"-*.raw
    # Names are as the compiler was given them, "./src/..." too: what is asked for is picked out here, not by llvm-cov.
    "$cov" export -summary-only "$build/tests/fuzz/$name" -instr-profile="$build/profiles/$name.data" 2>/dev/null |
        jq -r --arg name "$name" --arg root "$PWD/" --arg files "$files" '($files | split("\n")) as $wanted | .data[0].files[] |
            .filename |= (ltrimstr($root) | ltrimstr("./")) | select(.filename | IN($wanted[])) | [$name, .filename,
            .summary.lines.covered, .summary.lines.count, .summary.branches.covered, .summary.branches.count] | @tsv' |
        tee -a "$build/profiles/all.tsv" | rows "$name" 1
done
[ $# -eq 1 ] || rows all '' <"$build/profiles/all.tsv"
