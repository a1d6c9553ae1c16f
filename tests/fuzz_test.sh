#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every input that fuzzing has kept, and every seed, through its target again: built as the rest is, without a fuzzer. A target that was
# not built, of which nothing was kept, or that is given nothing proves nothing, and fails.
set -u
cd "$(dirname "$0")/.." || exit 3
verdict=ok
for source in fuzz/*.c; do
    name=$(basename "$source" .c)
    [ "$name" = replay ] || tools/fuzz_about.sh "$name" >/dev/null || verdict="not ok"
done
echo "$verdict each_fuzz_target_is_about_files_that_are_there"
for source in fuzz/*.c; do
    name=$(basename "$source" .c)
    [ "$name" != replay ] || continue
    target=$BUILD/tests/fuzz/$name
    kept=fuzz/corpus/$name.b64
    if [ ! -x "$target" ] || [ ! -s "$kept" ]; then
        [ -x "$target" ] || echo "fuzz: '$target' was not built" >&2
        [ -s "$kept" ] || echo "fuzz: '$kept' is not there: FUZZ_KEEP=1 make fuzz TIME=600 FUZZ=$name" >&2
        echo "not ok fuzz_kept_inputs_of_$name"
        continue
    fi
    folders=$(tools/fuzz_seeds.sh "$BUILD" "$name")
    # shellcheck disable=SC2046,SC2086 # words are meant to split
    set -- "$kept" ${folders:+$(find $folders -type f | LC_ALL=C sort)}
    if said=$("$target" "$@" 2>"$BUILD/tests/fuzz/$name.err") && [ "${said%% *}" -gt 0 ]; then
        echo "ok fuzz_kept_inputs_of_$name ($said)"
        sed -n "s/^skipped: /skip fuzz_part_of_$name: /p" "$BUILD/tests/fuzz/$name.err"
    else
        tail -n 20 "$BUILD/tests/fuzz/$name.err" >&2
        echo "not ok fuzz_kept_inputs_of_$name"
    fi
done
