#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What was built is hardened, exports fovea_ symbols only, and what may hold keys links and loads the libraries that are written down here.
# Usage: tools/check_binaries.sh BUILD
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

# Object by object, of all that ships: gcc writes down in each what it was told.
objects=$(for room in src mcp cmd worker render ocr; do
    [ ! -d "$build/obj/$room" ] || find "$build/obj/$room" -name '*.o'
done)
[ "$(echo "$objects" | wc -l)" -gt 100 ] || fail "hardly any objects are in $build/obj"
told='-fstack-protector-strong -fstack-clash-protection -ftrivial-auto-var-init=zero'
# Branch targets and shadow stack: the linker drops the note of a program when libc's start files have none, as Debian 12's; so
# what is ours is looked at. One object without it, and the whole archive has none.
if [ "$(uname -m)" = x86_64 ]; then
    told="$told -fcf-protection=full"
    # shellcheck disable=SC2086 # a list of words
    unmarked=$(readelf -nW "$build/libfovea.a" $objects | awk '/^File: / { file = $2; marked[file] += 0 }
        / IBT, SHSTK/ { marked[file] = 1 }
        END { for (file in marked) if (!marked[file]) print file }')
    [ -z "$unmarked" ] || fail "built without -fcf-protection:" "$unmarked"
fi
case $(cat "$build/obj/flags") in
    *clang*) ;; # which writes nothing down
    *)
        for flag in $told; do
            unmarked=$(echo "$objects" | xargs -r grep -aL -e " $flag " || true)
            [ -z "$unmarked" ] || fail "built without $flag:" "$unmarked"
        done
        unmarked=$(echo "$objects" | xargs -r grep -al -e ' -fno-stack-protector ' || true)
        [ -z "$unmarked" ] || fail "built with -fno-stack-protector:" "$unmarked"
        ;;
esac
# Workers allocate by src/sandbox/allocate.c, their libraries too.
for f in $programs; do
    [ "$f" != fovea ] || continue
    for name in malloc calloc realloc posix_memalign; do
        nm -D --defined-only "$build/$f" | grep -q " T $name\$" || fail "$f takes its $name from libc"
    done
done
grep -q -e '-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3' "$build/obj/flags" || fail "the flags of the build do not fortify"

others=$(nm -D --defined-only "$build/libfovea.so" | awk '{print $3}' | grep -v '^fovea_' || true)
[ -z "$others" ] || fail "libfovea.so exports $others"
others=$(nm -g --defined-only "$build/libfovea.a" | awk 'NF == 3 {print $3}' | grep -v '^fovea_' || true)
[ -z "$others" ] || fail "libfovea.a exports $others"

# What holds keys: what it links ("needed") and what it loads when that is wanted ("loaded"), each for a reason. Nothing that decodes.
allowed='
needed libc.so.6 the system
needed libm.so.6 arithmetic
needed ld-linux-x86-64.so.2 the loader, which holds the thread-local storage
needed ld-linux-aarch64.so.1 the same on ARM
needed libcrypto.so.3 hashes of what is recorded
needed libidn2.so.0 names of hosts
needed libjansson.so.4 JSON of tools, providers and agents
needed libmicrohttpd.so.12 the MCP server over HTTP
needed libpcre2-8.so.0 patterns in JSON Schema
needed libsqlite3.so.0 the record and the ledger
needed libunistring.so.2 names of files and hosts, text that is fenced
needed libyaml-0.so.2 the config
loaded libcurl.so.4 URLs and providers
loaded libpq.so.5 a record in PostgreSQL
loaded libchafa.so.0 a preview in the terminal, of pixels that a worker decoded
loaded libfovea.so.0 its own name
'
allowed() { echo "$allowed" | grep -q "^$1 $2 "; }
for f in fovea libfovea.so; do
    needed=$(readelf -dW "$build/$f" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    for l in $needed; do
        allowed needed "$l" || fail "$f links $l, and no row of tools/check_binaries.sh says why"
    done
    for l in $(strings -a "$build/$f" | grep -Ex '(.*/)?lib[A-Za-z0-9_+.-]*\.so[.0-9]*' | sort -u); do
        echo "$needed" | grep -qx "$l" || allowed loaded "$l" || fail "$f names $l, and no row of tools/check_binaries.sh says why"
    done
done

[ $bad = 0 ] && echo "check: binaries, and $(echo "$objects" | wc -l) objects of theirs, are hardened; only fovea_ symbols are exported; what holds keys links nothing unnamed"
exit $bad
