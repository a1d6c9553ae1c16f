#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs each fuzzer for some seconds, from a corpus that is kept and our own fixtures. A crash ends it with status 1.
set -eu
build=$1
seconds=$2
for f in "$build"/fuzz/*; do
    [ -f "$f" ] && [ -x "$f" ] || continue
    corpus=$build/corpus/$(basename "$f")
    mkdir -p "$corpus"
    seeds="$build/fixtures/good $build/fixtures/bad"
    [ ! -d "fuzz/seeds/$(basename "$f")" ] || seeds=fuzz/seeds/$(basename "$f")
    echo "fuzz: $(basename "$f"), $seconds s"
    # shellcheck disable=SC2086 # words are meant to split
    "$f" -max_total_time="$seconds" -max_len=65536 -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix="$build/crash-$(basename "$f")-" "$corpus" $seeds 2>&1 |
        tee "$build/$(basename "$f").log" | grep -E 'ERROR|SUMMARY|stat::(number_of|new_units)|DONE' || true
    ! grep -q '^SUMMARY' "$build/$(basename "$f").log" || exit 1
done
