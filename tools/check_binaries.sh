#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What was built is hardened, exports fovea_ symbols only, and the program that may hold keys links no image library.
set -eu
build=$1
bad=0
fail() { echo "check: $*" >&2; bad=1; }

for f in fovea fovea-worker fovea-ocr libfovea.so; do
    readelf -lW "$build/$f" | grep -q 'GNU_RELRO' || fail "$f has no RELRO"
    readelf -dW "$build/$f" | grep -Eq 'BIND_NOW|FLAGS.*NOW' || fail "$f binds lazily"
    readelf -lW "$build/$f" | grep 'GNU_STACK' | grep -q 'RWE' && fail "$f has an executable stack"
    readelf -hW "$build/$f" | grep -q 'DYN' || fail "$f is not position-independent"
    nm -D "$build/$f" | grep -q '__stack_chk_fail' || fail "$f has no stack protector"
done

others=$(nm -D --defined-only "$build/libfovea.so" | awk '{print $3}' | grep -v '^fovea_' || true)
[ -z "$others" ] || fail "libfovea.so exports $others"
others=$(nm -g --defined-only "$build/libfovea.a" | awk 'NF == 3 {print $3}' | grep -v '^fovea_' || true)
[ -z "$others" ] || fail "libfovea.a exports $others"

images=$(readelf -dW "$build/fovea" "$build/libfovea.so" | grep -E 'NEEDED.*lib(jpeg|png|webp|gif|lcms|spng|deflate|tesseract|lept)' || true)
[ -z "$images" ] || fail "an image library is linked outside the workers: $images"

[ $bad = 0 ] && echo "check: binaries are hardened and export only fovea_ symbols"
exit $bad
