# SPDX-License-Identifier: Apache-2.0
# Every message that generated conversations are lowered to, at every turn and for all four wires, must satisfy the vendor's
# own types. Needs npm and Node once, to install them.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
: "${BUILD:=$top/build}"
skip() {
    echo "skip types of lowered messages: $*"
    exit 0
}
command -v npm >/dev/null && command -v node >/dev/null || skip "no Node and npm here"
[ -e "$BUILD/types-node/installed" ] || sh "$top/tests/types/requests_test.sh" >/dev/null 2>&1 # which installs them
packages=$(cd "$BUILD/types-node" 2>/dev/null && pwd) && [ -e "$packages/installed" ] || skip "npm cannot install them"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 3
mkdir home
export HOME="$scratch/home" XDG_CONFIG_HOME="$scratch/home" XDG_STATE_HOME="$scratch/home" XDG_CACHE_HOME="$scratch/home"
if ! "$BUILD/tests/lowerall" "$BUILD" "$scratch" >counts; then
    echo "not ok generated conversations are lowered at every turn"
    exit 1
fi
status=0
while read -r wire count; do
    node "$top/tests/types/lowered.mjs" "$packages" "$wire" "$wire.json" >log || status=1
    sed "s/^ok types of lowered $wire: /ok $count messages of generated conversations, $wire: /" log
done <counts
exit "$status"
