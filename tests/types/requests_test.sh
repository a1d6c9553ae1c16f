# SPDX-License-Identifier: Apache-2.0
# Every request that a wire builds must satisfy the vendor's own types. Needs npm and Node once, to install them.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
skip() {
    echo "skip types of the vendors' SDKs: $*"
    exit 0
}
command -v npm >/dev/null && command -v node >/dev/null || skip "no Node and npm here"
packages=${BUILD:-$top/build}/types-node
mkdir -p "$packages" && packages=$(cd "$packages" && pwd) || exit 3
# Tests run beside each other, and only one of them may install.
exec 9>"$packages/lock" && flock 9
if ! cmp -s "$top/tests/types/package-lock.json" "$packages/installed"; then
    cp "$top/tests/types/package.json" "$top/tests/types/package-lock.json" "$packages/" || exit 3
    (cd "$packages" && timeout 300 npm ci --prefer-offline --ignore-scripts --no-audit --no-fund --loglevel=error \
        --fetch-retries=1 --fetch-timeout=60000 >npm.log 2>&1) || skip "npm cannot install them"
    cp "$top/tests/types/package-lock.json" "$packages/installed"
fi
exec 9>&-
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 3
node "$top/tests/types/check.mjs" "$top/tests/cases/wire" "$packages"
