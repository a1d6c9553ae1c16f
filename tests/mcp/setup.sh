#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/mcp/setup.sh [FOLDER]: installs the official MCP packages, exactly those of package-lock.json, into FOLDER
# (default: build/mcp-node), once; prints the folder. FOLDER/node is a Node new enough for all of them: the inspector
# wants 22.19 and the conformance suite fs.globSync; npm's own copy of Node is one where the system's is older. Where
# npm, the registry or a fitting Node is missing it says so on stderr and exits 1: the tests are then skipped. package.json
# holds rolldown, which only the inspector's web pages use, at a version whose parts for every platform are published:
# npm ci refuses a lock file without them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/../../build/mcp-node}
mkdir -p "$folder" && folder=$(cd "$folder" && pwd) || exit 1

no() {
    echo "$*" >&2
    exit 1
}
new_enough() {
    "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 19) ? 0 : 1)' \
        >/dev/null 2>&1
}

exec 9>"$folder/lock"
flock -w 400 9 || no "another set-up of the MCP packages holds on"
if [ -x "$folder/node" ] && cmp -s "$here/package-lock.json" "$folder/installed"; then
    echo "$folder"
    exit 0
fi

# What failed a moment ago for one test is not tried again for the next.
if [ -n "$(find "$folder/failed" -mmin -3 2>/dev/null)" ]; then
    no "$(cat "$folder/failed")"
fi
no() {
    echo "$*" | tee "$folder/failed" >&2
    exit 1
}

command -v npm >/dev/null || no "no npm here to install the official MCP packages"
rm -rf "$folder/failed" "$folder/installed" "$folder/node" "$folder/node_modules"
cp "$here/package.json" "$here/package-lock.json" "$folder/" || exit 1
# No script of any package runs: the Node that is wanted comes as a plain file.
(cd "$folder" && timeout 300 npm ci --prefer-offline --ignore-scripts --no-audit --no-fund --loglevel=error \
    --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=3000 --fetch-timeout=60000 >npm.log 2>&1 9>&-) ||
    no "npm cannot install the official MCP packages: $(grep -m 1 . "$folder/npm.log" || echo "it took longer than 300 s")"

for node in "$(command -v node)" "$folder"/node_modules/node-linux-*/bin/node; do
    if [ -n "$node" ] && new_enough "$node"; then
        ln -sf "$node" "$folder/node"
        cp "$here/package-lock.json" "$folder/installed"
        echo "$folder"
        exit 0
    fi
done
no "no Node of 22.19 or newer, which the MCP inspector wants"
