#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every input that fuzzing has kept, and every seed, through its target again: built as the rest is, without a fuzzer.
set -u
cd "$(dirname "$0")/.." || exit 3
for target in "$BUILD"/tests/fuzz/*; do
    [ -x "$target" ] && [ -f "$target" ] || continue
    name=${target##*/}
    set --
    for f in "fuzz/corpus/$name.b64" "fuzz/seeds/$name"/*; do
        [ ! -f "$f" ] || set -- "$@" "$f"
    done
    if [ $# -eq 0 ]; then
        echo "skip fuzz_kept_inputs_of_$name there are none"
    elif said=$("$target" "$@" 2>"$BUILD/tests/fuzz/$name.err"); then
        echo "ok fuzz_kept_inputs_of_$name ($said)"
    else
        tail -n 20 "$BUILD/tests/fuzz/$name.err" >&2
        echo "not ok fuzz_kept_inputs_of_$name"
    fi
done
