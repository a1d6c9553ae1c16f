#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/fuzz_about.sh NAME: the files that a fuzz target says it is about, one a line. Fails where it names none, or one that is not there.
set -u
files=$(sed -n '/about:/,/\*\/\|max_len:\|seeds:\|keep:/p' "fuzz/$1.c" | tr ' ' '\n' | grep '\.c$' | sort -u)
[ -n "$files" ] || { echo "fuzz: $1 is about nothing" >&2; exit 1; }
for f in $files; do
    [ -f "$f" ] || { echo "fuzz: $1 is about '$f', which is not there" >&2; exit 1; }
    echo "$f"
done
