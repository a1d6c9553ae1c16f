#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/fuzz_coverage.sh BUILD [NAME...]: replays what is kept (fuzz/corpus, the seeds, and FUZZ_CORPUS where there is one) through each
# target of BUILD/tests/fuzz, which was built with clang's source coverage, and prints for each file that the target is about (its head
# says so) how many of its lines and branches were reached.
set -u
cd "$(dirname "$0")/.." || exit 3
build=$1
shift
corpora=${FUZZ_CORPUS:-build/fuzzing/corpus}
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

printf '%-12s %-40s %15s %17s\n' target file lines branches
for name in "$@"; do
    files=$(tools/fuzz_about.sh "$name") || continue
    {
        ls "fuzz/corpus/$name.b64" 2>/dev/null
        # shellcheck disable=SC2046 # words are meant to split
        find $(tools/fuzz_seeds.sh "$build" "$name") "$corpora/$name" -type f 2>/dev/null
    } | LLVM_PROFILE_FILE="$build/profiles/$name-%p.raw" xargs "$build/tests/fuzz/$name" >/dev/null 2>"$build/profiles/$name.err" ||
        echo "fuzz: $name does not replay: see $build/profiles/$name.err" >&2
    "$data" merge -o "$build/profiles/$name.data" "$build/profiles/$name"-*.raw && rm -f "$build/profiles/$name"-*.raw
    # Names are as the compiler was given them, "./src/..." too: what is asked for is picked out here, not by llvm-cov.
    "$cov" export -summary-only "$build/tests/fuzz/$name" -instr-profile="$build/profiles/$name.data" 2>/dev/null |
        jq -r --arg name "$name" --arg root "$PWD/" --arg files "$files" '($files | split("\n")) as $wanted | .data[0].files[] |
            .filename |= (ltrimstr($root) | ltrimstr("./")) | select(.filename | IN($wanted[])) | [$name, .filename,
            "\(.summary.lines.covered)/\(.summary.lines.count)", (.summary.lines.percent | round),
            "\(.summary.branches.covered)/\(.summary.branches.count)", (.summary.branches.percent | round)] | @tsv' |
        while read -r n file lines percent branches share; do
            printf '%-12s %-40s %10s %3d%% %12s %3d%%\n' "$n" "$file" "$lines" "$percent" "$branches" "$share"
        done
done
