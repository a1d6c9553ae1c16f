#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/fuzz.sh BUILD SECONDS [NAME...]: fuzzes each target of BUILD/fuzz (or those named) until it has had that many
# CPU-seconds, JOBS at a time (2). What it found stays in FUZZ_CORPUS (BUILD/corpus) and what it had is written down in
# BUILD/fuzzed, so that a run that was ended goes on where it was, also when the target was built anew meanwhile; with FUZZ_AGAIN=1
# every one starts at 0. FUZZ_MERGE=1 makes the corpus small at the end, FUZZ_KEEP=1 also writes fuzz/corpus/NAME.b64 of it and, in
# NAME.had beside it, what it took: runs, CPU-seconds, edges, features, inputs, crashes, which target it was, by the mark that
# tools/fuzz_mark.sh makes of its file and its headers, and which rebuilt libraries were in it all the time ("jpeg,webp"; "-" for none; "?"
# or nothing where nobody wrote it down). A build that knows nothing yet goes on from there, also with FUZZ_KEEP=1 only. What another
# target of that name had counts for nothing, nor what it had with fewer rebuilt libraries than are in it now: it starts at 0, from the
# inputs that were kept. Where a target says "skipped: ..." that is told, its seconds are not added to, and nothing of it is kept.
# FUZZ_MORE="DIR ..." gives it more to start from, which a merge leaves out; what comes of other people's files is not to be kept in the
# tree.
# A crash ends its target; when all have run the status is 1, and each is named with the file that does it. It is 1 too where a target had
# less than its seconds, its inputs were not merged, or it should be kept and skipped a part.
set -u

# What a target's own head says of it ("max_len: 65536"), else $3.
said() {
    word=$(sed -n "s/^.*$2: \([0-9]*\).*/\1/p;/^#include/q" "fuzz/$1.c" | head -n 1)
    echo "${word:-$3}"
}

# CPU-seconds of the children in what `times` wrote.
seconds_in() {
    awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, "m"); sum += t[1] * 60 + t[2] } printf "%d\n", sum }' "$1"
}

# keep NAME: as a text, of the inputs that a merge measured, what holds most in so many bytes (FUZZ_KEEP_BYTES, "keep:" in
# the target's head, 64 KiB), besides the seeds, which are replayed with it.
keep() {
    mkdir -p fuzz/corpus
    awk -v most="${FUZZ_KEEP_BYTES:-$(said "$1" keep 65536)}" -v from="$corpus/" -f tools/fuzz_pick.awk "$state/$1.control" |
        xargs -r "$build/fuzzpack" --pack | LC_ALL=C sort -u >"$state/$1.b64"
    # What was kept before stays where a merge measured nothing.
    [ ! -s "$state/$1.b64" ] || mv "$state/$1.b64" "fuzz/corpus/$1.b64"
    cp "$state/$1.had" "fuzz/corpus/$1.had"
}

merge() {
    rm -rf "$corpus.new" "$state/$1.control"
    mkdir -p "$corpus.new"
    # shellcheck disable=SC2086 # words are meant to split
    "$build/fuzz/$1" -set_cover_merge=1 -merge_control_file="$state/$1.control" -max_len="$(said "$1" max_len 4096)" -timeout=20 \
        -rss_limit_mb=2560 "$corpus.new" "$corpus" $seeds >"$state/$1.merge" 2>&1 || return
    [ -z "${FUZZ_KEEP:-}" ] || keep "$1"
    rm -rf "$corpus"
    mv "$corpus.new" "$corpus"
    read -r runs cpu cov ft _ crashes mark libs <"$state/$1.had"
    echo "$runs $cpu $cov $ft $(find "$corpus" -type f | wc -l) $crashes $mark${libs:+ $libs}" >"$state/$1.had"
    [ -z "${FUZZ_KEEP:-}" ] || cp "$state/$1.had" "fuzz/corpus/$1.had"
}

# slice NAME SECONDS: one run of the fuzzer. False when it crashed.
slice() {
    dictionary=
    [ ! -f "fuzz/$1.dict" ] || dictionary=-dict=fuzz/$1.dict
    # shellcheck disable=SC2086 # words are meant to split
    "$build/fuzz/$1" -max_total_time="$2" -max_len="$(said "$1" max_len 4096)" -timeout=20 -rss_limit_mb=2560 \
        -print_final_stats=1 -artifact_prefix="$state/crash-$1-" $dictionary "$corpus" $seeds ${FUZZ_MORE:-} >"$state/$1.log" 2>&1
    status=$?
    grep -a '^skipped: ' "$state/$1.log" >>"$state/$1.skipped"
    runs=$((runs + $(sed -n 's/^stat::number_of_executed_units: *//p' "$state/$1.log" | tail -n 1 | grep . || echo 0)))
    return $status
}

# The last that the fuzzer said of coverage: edges, features.
covered() {
    sed -n 's/^#[0-9].* cov: \([0-9]*\) ft: \([0-9]*\) .*/\1 \2/p' "$state/$1.log" | tail -n 1 | grep . || echo "0 0"
}

# linked NAME: the rebuilt libraries that are in it, by functions of theirs that it has.
linked() {
    nm --defined-only "$build/fuzz/$1" 2>/dev/null | awk '$2 == "T" || $2 == "t" { print $3 }' | LC_ALL=C sort -u >"$state/$1.names"
    for archive in "${FUZZ_STATIC:-build/fuzz-libs/lib}"/lib*.a; do
        nm -g --defined-only "$archive" 2>/dev/null | awk '$2 == "T" { print $3 }' | LC_ALL=C sort -u |
            LC_ALL=C comm -12 - "$state/$1.names" | grep -q . && basename "$archive" .a | sed 's/^lib//'
    done | LC_ALL=C sort | paste -sd , - | grep . || echo -
}

# has_all LIBRARIES WANTED: what nobody wrote down is taken for enough.
has_all() {
    [ "$1" = '?' ] || [ "$2" = - ] || ! echo "$2" | tr , '\n' | grep -qvxF -e "$(echo "$1" | tr , '\n')"
}

# What it has had so far, in runs, cpu, crashes and libs: here, else in the tree.
had_of() {
    runs=0 cpu=0 crashes=0 mark='' libs=''
    now=$(tools/fuzz_mark.sh "$1") || exit
    within=$(linked "$1")
    [ ! -s "$state/$1.skipped" ] || rm -f "$state/$1.had"
    : >"$state/$1.skipped"
    for had in "$state/$1.had" ${FUZZ_KEEP:+"fuzz/corpus/$1.had"}; do
        if [ -n "${FUZZ_AGAIN:-}" ] || [ ! -f "$had" ]; then
            continue
        fi
        read -r runs cpu _ _ _ crashes mark libs <"$had"
        libs=${libs:-?}
        if [ "$mark" = "$now" ] && has_all "$libs" "$within"; then
            [ "$had" = "$state/$1.had" ] || cp "$had" "$state/$1.had"
            break
        fi
        runs=0 cpu=0 crashes=0 libs=''
    done
    # A crash that is known stays one until the target was built anew.
    # shellcheck disable=SC3013 # dash has it
    [ "$state/$1.had" -nt "$build/fuzz/$1" ] || crashes=0
    mark=$now
    # With what is added now, what all of its seconds had.
    if [ "$libs" != '?' ] || [ "$within" = - ]; then
        libs=$within
    fi
}

# next_wall LEFT CPU WALL: seconds by the clock that LEFT CPU-seconds take, where CPU of them took WALL.
next_wall() {
    echo $(($1 * ($3 > $2 ? $3 : $2) / ($2 > 0 ? $2 : 1)))
}

one() {
    name=$1
    failed=0
    corpus=$FUZZ_CORPUS/$name
    seeds=$(tools/fuzz_seeds.sh "$build" "$name")
    mkdir -p "$corpus"
    had_of "$name"
    [ ! -f "fuzz/corpus/$name.b64" ] || "$build/fuzzpack" --unpack "$corpus" "fuzz/corpus/$name.b64"
    before=$cpu
    wall=$((seconds - cpu))
    tries=0
    while [ "$crashes" -eq 0 ] && [ "$cpu" -lt "$seconds" ] && [ $tries -lt $((50 + seconds / 10)) ]; do
        tries=$((tries + 1))
        start=$(date +%s) was=$cpu
        slice "$name" $((wall < slice_seconds ? wall : slice_seconds)) || crashes=1
        times >"$state/$name.cpu" # not in a pipe: its shell has no children
        cpu=$((before + $(seconds_in "$state/$name.cpu")))
        wall=$(next_wall $((seconds - cpu)) $((cpu - was)) $(($(date +%s) - start)))
        # shellcheck disable=SC2046 # two words are meant
        set -- $(covered "$name")
        echo "$runs $cpu $1 $2 $(find "$corpus" -type f | wc -l) $crashes $mark $libs" >"$state/$name.had"
    done
    had=$((cpu - before))
    if [ -n "${FUZZ_KEEP:-}" ] && [ -s "$state/$name.skipped" ]; then
        echo "fuzz: $name skipped a part: nothing of it is kept" >&2
        FUZZ_KEEP='' failed=1
    fi
    if merges "$name" && [ "$crashes" -eq 0 ] && ! merge "$name"; then
        echo "fuzz: $name was not merged, see $state/$name.merge" >&2
        failed=1
    fi
    row "$name" $had
    sort -u "$state/$name.skipped"
    [ "$crashes" -eq 0 ] || sed -n '/^SUMMARY/p; /Assertion/p; s/^artifact_prefix.*Test unit written to /  /p; s/^.*Test unit written to /  /p' "$state/$name.log" | sort -u
    return $failed
}

# What did not run, and is kept as it is, has nothing to merge.
merges() {
    [ -z "${FUZZ_MERGE:-}" ] || return 0
    [ -n "${FUZZ_KEEP:-}" ] && { [ $had -gt 0 ] || ! cmp -s "$state/$1.had" "fuzz/corpus/$1.had"; }
}

# row NAME SECONDS: in all, and how many CPU-seconds were of this run.
row() {
    read -r runs cpu cov ft files crashes _ libs <"$state/$1.had"
    printf '%-14s %11d runs %7d /s %6d edges %6d features %6d inputs %5d CPU-s, %d now  %s  rebuilt: %s\n' "$1" "$runs" \
        $((runs / (cpu > 0 ? cpu : 1))) "$cov" "$ft" "$files" "$cpu" "$2" "$([ "$crashes" -eq 0 ] && echo fine || echo CRASHED)" "${libs:-?}"
}

# libraries NAME...: which of those that targets link were rebuilt with the fuzzers' checks (tools/fuzz_libs.sh) and which are as the system
# has them.
libraries() {
    systems=$(for target in "$@"; do readelf -dW "$build/fuzz/$target"; done 2>/dev/null | sed -n 's/.*(NEEDED).*\[lib\(.*\)\.so.*/\1/p' |
        grep -Evx 'c|m|gcc_s|stdc\+\+' | LC_ALL=C sort -u)
    rebuilt=$(find "${FUZZ_STATIC:-build/fuzz-libs/lib}" -name 'lib*.a' 2>/dev/null | sed 's/.*\/lib//; s/\.a$//' | LC_ALL=C sort |
        while read -r library; do echo "$systems" | grep -Eqx -e "$library(-[0-9.]+)?" || echo "$library"; done)
    echo "fuzz: rebuilt with checks: $(echo "${rebuilt:-nothing}" | paste -sd ' ' -); the system's: $(echo "${systems:-nothing}" | paste -sd ' ' -)"
}

cd "$(dirname "$0")/.." || exit 3
build=$1
seconds=$2
shift 2
state=$build/fuzzed
slice_seconds=900 # each begins with all that is kept, which takes minutes where files are slow and others want the processor too
FUZZ_CORPUS=${FUZZ_CORPUS:-$build/corpus}
export FUZZ_CORPUS
mkdir -p "$state"
if [ "${1:-}" = --one ]; then
    one "$2"
    exit
fi

# shellcheck disable=SC2046 # words are meant to split
[ $# -gt 0 ] || set -- $(find "$build/fuzz" -type f -perm -u+x -printf '%f\n' | sort)
for name in "$@"; do
    [ -x "$build/fuzz/$name" ] || { echo "fuzz: there is no target '$name'" >&2; exit 2; }
done
echo "fuzz: $# targets, $seconds CPU-seconds each, ${JOBS:-2} at a time"
libraries "$@"
failed=0
printf '%s\n' "$@" | xargs -P "${JOBS:-2}" -n 1 "$0" "$build" "$seconds" --one || failed=1
all=0
crashed=
short=
for name in "$@"; do
    cpu=0 crashes=0 mark=
    [ ! -f "$state/$name.had" ] || read -r _ cpu _ _ _ crashes mark _ <"$state/$name.had"
    [ "$mark" = "$(tools/fuzz_mark.sh "$name")" ] || cpu=0
    all=$((all + cpu))
    if [ "$crashes" -ne 0 ]; then
        crashed="$crashed $name"
    elif [ "$cpu" -lt "$seconds" ]; then
        short="$short $name"
    fi
done
echo "fuzz: $all CPU-seconds in all;${crashed:+ crashed:$crashed;}${short:+ too short:$short;} corpora in $FUZZ_CORPUS"
[ -z "$crashed$short" ] && [ $failed -eq 0 ]
