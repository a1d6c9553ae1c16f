#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The benchmark: makes the corpus where it is missing or its maker is newer, measures fovea and its peers in one run,
# and writes docs/benchmarks.md. Called by `make bench` with the build folder as argument. Settings, by environment:
# BENCH_DIR (corpus and peers), BENCH_ROUNDS, BENCH_SLOW_ROUNDS, BENCH_MCP_ROUNDS, BENCH_MCP_VIEWS, BENCH_PEERS=no
# (install nothing), BENCH_MCP_PEERS (a folder with server-filesystem in its node_modules; else the packages of tests/mcp),
# BENCH_ONLY=mcp (measure the MCP server anew and keep the other figures of the last run), BENCH_ONLY=retention (only that
# section of the page is written anew; needs no node and no corpus).
set -eu
build=$(cd "${1:-build}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
page="$here/../docs/benchmarks.md"
if [ "${BENCH_ONLY:-}" = retention ]; then
    "$build/bench/retention" >"$page.part"
    awk -v part="$page.part" '
        function put(line) { while ((getline line < part) > 0) print line; done = 1 }
        /^## / { old = $0 == "## Retention" }
        $0 == "## Legibility" { put() }
        !old { print }
        END { if (!done) put() }' "$page" >"$page.new"
    mv "$page.new" "$page"
    rm -f "$page.part"
    echo "wrote the section on retention in docs/benchmarks.md"
    exit 0
fi
dir=${BENCH_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/fovea-bench}
export BENCH_DIR="$dir"
mkdir -p "$dir/peers" "$dir/out"
command -v node >/dev/null || { echo "bench: node is needed to run and report; install nodejs" >&2; exit 1; }
[ "${BENCH_PEERS:-yes}" = no ] || "$here/peers/install.sh"
cp "$here"/peers/*.mjs "$here"/peers/*.py "$dir/peers/" # npm's packages are found from there
if [ ! -f "$dir/corpus/list.tsv" ] || [ "$build/bench/corpus" -nt "$dir/corpus/list.tsv" ]; then
    echo "making the corpus in $dir/corpus"
    "$build/bench/corpus" "$dir/corpus"
fi
if [ -z "${BENCH_MCP_PEERS:-}" ] && [ "${BENCH_PEERS:-yes}" != no ] && [ -f "$here/../tests/mcp/setup.sh" ]; then
    BENCH_MCP_PEERS=$(sh "$here/../tests/mcp/setup.sh" "$build/mcp-node") || echo "skipped: server-filesystem"
fi
export BENCH_MCP_PEERS="${BENCH_MCP_PEERS:-}"
node "$here/run.mjs" "$build" "$dir"
node "$here/report.mjs" "$dir/results.json" >"$page.new"
mv "$page.new" "$page"
echo "wrote docs/benchmarks.md"
