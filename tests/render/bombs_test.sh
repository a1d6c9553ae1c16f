#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files made to waste time or memory, of every kind: each ends as a picture or a refusal within the time for one picture and half
# a second, within the memory of its jail, and leaves no process behind. The time is view.timeoutMs, here one second instead of
# the ten that it is without: BOMBS_MS=10000 BUILD=$PWD/build sh tests/render/bombs_test.sh takes those. Two at a time, as the machine
# has two cores at least; one that was over is run again alone, once, because somebody else may have had the machine.
. "$(dirname "$0")/../cli/lib.sh"
HERE=$TOP/tests/render
LIMIT_MS=${BOMBS_MS:-1000}
GRACE_MS=500

# The jail's memory in KiB, as src/base/limits.h has it.
memory_of() {
    case $1 in
        video) echo 2097152 ;;
        *) echo 1048576 ;;
    esac
}
# Of our own decoders none may die of a file. What a library does when its memory ends is its own matter, behind the jail.
may_break() {
    case $1 in
        svg | pdf) return 0 ;;
        *) return 1 ;;
    esac
}

# explode FILE: its answer is in FILE.out, what it cost in FILE.cost.
cat >"$scratch/explode" <<'END_OF_EXPLODE'
"$BUILD/tests/bounded" "$BUILD/fovea" view --config "$CONFIG" --root "${1%/*}" --json "$1" >"$OUT/${1##*/}.out" 2>"$OUT/${1##*/}.err" \
    3>"$OUT/${1##*/}.cost" </dev/null
:
END_OF_EXPLODE

over() {
    read -r _ ms _ _ <"$OUT/$1.cost" && [ "$ms" -gt $((LIMIT_MS + GRACE_MS)) ]
}
# judge KIND FILE: alone for the second time when it took too long.
judge() {
    name=${2##*/}
    ! over "$name" || sh "$scratch/explode" "$2"
    read -r code ms kib left <"$OUT/$name.cost" || fail "$name was not run"
    [ "$ms" -le $((LIMIT_MS + GRACE_MS)) ] || fail "$name took $ms ms, twice"
    [ "$code" -le 1 ] || fail "$name ended with $code: $(cat "$OUT/$name.out" "$OUT/$name.err")"
    [ "$left" -eq 0 ] || fail "$name left $left processes"
    [ "$kib" -le "$(memory_of "$1")" ] || fail "$name held $kib KiB"
    grep -q '"kind":"perception"\|"kind":"refusal"' "$OUT/$name.out" || fail "$name has no answer"
    may_break "$1" || hasnt "$OUT/$name.out" "broke its decoder"
    echo "$ms $kib $1 $(grep -o '"reason":"[a-z_]*"' "$OUT/$name.out" || echo shown)" >>"$scratch/costs"
}
# bombs KIND FOLDER LEAST: all of a folder.
bombs() {
    skip_if_sanitized
    [ -x "$BUILD/fovea-$1" ] || skip "fovea-$1 is not built"
    printf 'view.timeoutMs: %d\n' "$LIMIT_MS" >config.yaml
    mkdir answers
    export OUT="$PWD/answers" CONFIG="$PWD/config.yaml" BUILD
    find "$2" -type f | sort >list
    [ "$(wc -l <list)" -ge "$3" ] || fail "only $(wc -l <list) files"
    xargs -P 2 -n 1 sh "$scratch/explode" <list
    while read -r file; do
        judge "$1" "$file"
    done <list
    awk -v kind="$1" '$3 == kind { n++; ms = $1 > ms ? $1 : ms; kib = $2 > kib ? $2 : kib; late += /timed_out/; shown += /shown/ }
        END { printf "# %s: %d files, %d shown, %d out of time; at most %d ms, %d MiB\n", kind, n, shown, late, ms, kib / 1024 }' \
        "$scratch/costs" >&3
}

test_svg_bombs_are_bounded() {
    mkdir files
    sh "$HERE/bombs_svg.sh" files
    bombs svg "$PWD/files" 45
}
test_pdf_bombs_are_bounded() {
    mkdir files
    python3 "$HERE/pdf_bombs.py" files
    bombs pdf "$PWD/files" 44
}
test_text_bombs_are_bounded() {
    mkdir files
    sh "$HERE/bombs_text.sh" files
    bombs text "$PWD/files" 30
}
test_photo_bombs_are_bounded() {
    bombs photo "$BUILD/photos/bombs" 20
}
test_video_bombs_are_bounded() {
    bombs video "$FIXTURES/video/bomb" 30
}

exec 3>&1
run_tests "$@"
