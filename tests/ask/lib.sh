# SPDX-License-Identifier: Apache-2.0
# For the tests of asking; sourced, not run. What tests/mcp/lib.sh gives; the scripts are in Python and share asking.py.
. "${0%/*}/../mcp/lib.sh"
[ -x "$BUILD/tests/askhost" ] || {
    echo "not ok $test_name (askhost is not built)"
    exit 1
}
# A folder below the scratch one: what lies beside it is out of reach.
MCP=$TOP/tests/ask
mkdir "$scratch/reach"
scratch_above=$scratch
scratch=$scratch/reach
trap 'rm -rf "$scratch_above"' EXIT
