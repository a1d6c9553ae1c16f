#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What was built is hardened, exports fovea_ symbols only, and the program that may hold keys links no image library.
set -eu
build=$1
bad=0
fail() { echo "check: $*" >&2; bad=1; }

programs=$(cd "$build" && ls fovea fovea-*)
for f in $programs libfovea.so; do
    readelf -lW "$build/$f" | grep -q 'GNU_RELRO' || fail "$f has no RELRO"
    readelf -dW "$build/$f" | grep -Eq 'BIND_NOW|FLAGS.*NOW' || fail "$f binds lazily"
    readelf -lW "$build/$f" | grep 'GNU_STACK' | grep -q 'RWE' && fail "$f has an executable stack"
    readelf -hW "$build/$f" | grep -q 'DYN' || fail "$f is not position-independent"
    nm -D "$build/$f" | grep -q '__stack_chk_fail' || fail "$f has no stack protector"
    nm -D "$build/$f" | grep -Eq '__[a-z]+_chk(@|$)' || fail "$f was not fortified"
    ! readelf -lW "$build/$f" | grep -q 'LOAD.* RWE ' || fail "$f has memory that is written and executed"
    ! readelf -dW "$build/$f" | grep -Eq 'TEXTREL|RPATH|RUNPATH' || fail "$f has text relocations or a search path of its own"
done
for f in $programs; do
    readelf -dW "$build/$f" | grep -q 'FLAGS_1.*PIE' || fail "$f is no PIE"
done

# Branch targets and shadow stack: the linker drops the note of a program when libc's start files have none, as Debian 12's; so
# what is ours is looked at. One object without it, and the whole archive has none.
if [ "$(uname -m)" = x86_64 ]; then
    readelf -nW "$build/libfovea.a" | grep -q 'x86 feature: IBT, SHSTK' || fail "an object of the library was built without -fcf-protection"
    find "$build/obj" -name '*.o' -path '*/worker/*' -o -name '*.o' -path '*/render/*' -o -name '*.o' -path '*/obj/ocr/*' |
        while read -r object; do
            readelf -nW "$object" | grep -q 'IBT, SHSTK' || echo "$object"
        done >"$build/unmarked"
    [ ! -s "$build/unmarked" ] || fail "built without -fcf-protection: $(cat "$build/unmarked")"
    rm -f "$build/unmarked"
fi

others=$(nm -D --defined-only "$build/libfovea.so" | awk '{print $3}' | grep -v '^fovea_' || true)
[ -z "$others" ] || fail "libfovea.so exports $others"
others=$(nm -g --defined-only "$build/libfovea.a" | awk 'NF == 3 {print $3}' | grep -v '^fovea_' || true)
[ -z "$others" ] || fail "libfovea.a exports $others"

images=$(readelf -dW "$build/fovea" "$build/libfovea.so" | grep -E 'NEEDED.*lib(jpeg|png|webp|gif|lcms|spng|deflate|tesseract|lept)' || true)
[ -z "$images" ] || fail "an image library is linked outside the workers: $images"

[ $bad = 0 ] && echo "check: binaries are hardened and export only fovea_ symbols"
exit $bad
