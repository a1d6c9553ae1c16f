#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every allocation, open, read, write, fsync, fork, thread, pipe, memfd and socket of whole pieces of work fails, one after the other:
# once, and from there on. Of each kind and scene 100 calls are played, spread over all (INJECT_POINTS=N: N; INJECT_POINTS=0: all, which
# takes hours); LAB_QUICK=1 plays one of each in some scenes.
# A crash is told with its trace: addr2line -f -e BUILD/tests/lab/inject says where an offset is.
set -u
log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM
if [ -n "${LAB_QUICK:-}" ]; then
    points=${INJECT_POINTS:-1}
    set -- schema neutral config gate record_kept ledger_kept view_whole session_kept mcp
else
    points=${INJECT_POINTS:-100}
    set -- all
fi
bad=0
for scene in "$@"; do
    # shellcheck disable=SC2086 # points may be nothing
    "$BUILD/tests/lab/inject" $points "$scene" 2>"$log" || {
        bad=1
        tail -n 60 "$log" | sed 's/^/# /'
    }
done
# Fetches are played in the network of tests/net, where that can be made.
[ -n "${LAB_QUICK:-}" ] || sh tests/net/space.sh tests/lab/inject_fetch.py "$points" 2>"$log" || {
    bad=1
    tail -n 60 "$log" | sed 's/^/# /'
}
exit $bad
