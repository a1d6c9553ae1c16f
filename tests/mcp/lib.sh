# SPDX-License-Identifier: Apache-2.0
# For the tests of the MCP server; sourced, not run. What tests/cli/lib.sh gives, and ways to run a script that speaks
# the protocol: those in Python need nothing else, those in JavaScript the official packages, which setup.sh installs.
# A script prints its own lines (ok, not ok, skip); nothing of it runs where its language is missing, and that is said.
. "${0%/*}/../cli/lib.sh"
export BUILD FOVEA FIXTURES TOP
MCP=$TOP/tests/mcp
SHARED=$TOP/../shared
export SHARED
export PYTHONDONTWRITEBYTECODE=1
test_name=${0##*/}
test_name=${test_name%.sh}

need_server() {
    "$FOVEA" mcp --help >/dev/null 2>&1 || {
        echo "not ok $test_name (this build has no fovea mcp)"
        exit 1
    }
}
# python SCRIPT [ARGUMENT...]: runs it in a folder of its own and leaves with its status.
python() {
    need_server
    if ! command -v python3 >/dev/null; then
        echo "skip $test_name: no python3 here"
        exit 0
    fi
    cd "$scratch" || exit 3
    script=$1
    shift
    python3 "$MCP/$script" "$@" </dev/null
    exit
}
# node SCRIPT [ARGUMENT...]: likewise; MCP_NODE is the folder of the packages and NODE a Node that they all take.
node() {
    need_server
    if ! MCP_NODE=$(sh "$MCP/setup.sh" 2>"$scratch/why"); then
        echo "skip $test_name: $(tail -n 1 "$scratch/why")"
        exit 0
    fi
    NODE=$MCP_NODE/node
    export MCP_NODE NODE
    cd "$scratch" || exit 3
    script=$1
    shift
    "$NODE" "$MCP/$script" "$@" </dev/null
    exit
}
