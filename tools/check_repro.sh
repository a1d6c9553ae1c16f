#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The build is the same to the bit wherever and whenever it is made: what BUILD holds is compared with a build of a copy of the
# tree, in a folder whose name is longer, under another umask, locale, time zone, home and order of environment.
# Usage: tools/check_repro.sh BUILD, after make all
set -eu
cd "$(dirname "$0")/.."
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
there=$scratch/a/folder/with/a/longer/name/than/any/that/is/used
mkdir -p "$there" "$scratch/home"

# What is built from, and nothing that was built.
tar -c --exclude=./build --exclude=./.git . | tar -x -C "$there" --no-same-permissions
find "$there" -type f -exec touch -d '2001-02-03 04:05:06 UTC' {} +

# sums FOLDER: of all that make all makes and make install would take.
sums() {
    (cd "$1" && find . -maxdepth 1 \( -name fovea -o -name 'fovea-*' -o -name 'libfovea.*' \) -type f \
        -exec sha256sum {} + && find man completions -type f -exec sha256sum {} +) | LC_ALL=C sort -k 2
}
(
    umask 077
    cd "$there"
    env -i PATH="$PATH" HOME="$scratch/home" TZ=Pacific/Chatham LC_ALL=C LANGUAGE=tr LANG=tr_TR.UTF-8 ${CC:+CC="$CC"} \
        make --no-print-directory -s -j"$(nproc)" BUILD=build all >"$scratch/log" 2>&1
) || { tail -n 20 "$scratch/log" >&2; echo "check: the copy does not build" >&2; exit 1; }

sums "$build" >"$scratch/here.sums"
sums "$there/build" >"$scratch/there.sums"
if ! cmp -s "$scratch/here.sums" "$scratch/there.sums"; then
    diff "$scratch/here.sums" "$scratch/there.sums" >&2 || true
    echo "check: the build differs in another folder" >&2
    exit 1
fi
echo "check: $(wc -l <"$scratch/here.sums") files are the same to the bit in another folder, at another time"
