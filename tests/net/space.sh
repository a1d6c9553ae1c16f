#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# space.sh PROGRAM [ARGUMENT]: runs a Python program as PROGRAM BUILD FOLDER ARGUMENT in a network of its own, with the
# addresses, resolver and certificates of inside.sh. Nothing leaves the machine, and the product has no switch for it. Needs root
# or user namespaces, python3, openssl and iproute2; says so otherwise.
set -u
: "${BUILD:?set BUILD to the build folder}"
program=$(cd "$(dirname "$1")" && pwd)/${1##*/}
here=$(cd "$(dirname "$0")" && pwd)

skip() {
    echo "skip url_lab: $*"
    exit 0
}
for tool in python3 openssl unshare ip mount; do
    command -v "$tool" >/dev/null || skip "$tool is not here"
done
[ -x "$BUILD/tests/fetchlab" ] || skip "fetchlab is not built"
python3 -c 'import ssl' 2>/dev/null || skip "python3 has no ssl"
spaces=
for try in "-m -n" "-r -m -n"; do
    # shellcheck disable=SC2086 # words are meant to split
    if unshare $try sh -c 'ip link set lo up && ip link add t0 type veth peer name t1 && mount --bind /etc /etc' 2>/dev/null; then
        spaces=$try
        break
    fi
done
[ -n "$spaces" ] || skip "no private network: neither root nor user namespaces"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
# shellcheck disable=SC2086
unshare $spaces sh "$here/inside.sh" "$BUILD" "$folder" "$program" "${2:-}"
