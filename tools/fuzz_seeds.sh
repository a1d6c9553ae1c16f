#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/fuzz_seeds.sh BUILD NAME: the folders that a fuzz target starts from, one a line: its own, and those that the build fills with our
# makers of pictures, or another target's, where its head says so ("seeds: fixtures", "photos", "video", or a target's name). For the
# fuzzer, for replaying and for coverage.
set -eu
[ ! -d "fuzz/seeds/$2" ] || echo "fuzz/seeds/$2"
from=$(sed -n 's/^.*seeds: \([a-z_]*\).*/\1/p;/^#include/q' "fuzz/$2.c")
case $from in
fixtures) printf '%s\n' "$1/fixtures/good" "$1/fixtures/bad" ;;
photos) echo "$1/photos/good" ;;
video) echo "$1/fixtures/video/small" ;;
?*) echo "fuzz/seeds/$from" ;;
esac
