#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The network lab: every IPv4 address through our classifier and a table that shares nothing with it, then the fetch of URLs in a
# network of its own, where whatever is sent to a private address is seen. In full some minutes; with LAB_QUICK=1 seconds.
set -u
: "${BUILD:?set BUILD to the build folder}"
cd "$(dirname "$0")/../.." || exit 3
step=1 random=100000000
[ -z "${LAB_QUICK:-}" ] || step=997 random=1000000
# Beside the other part: that one waits more than it works.
out=$(mktemp)
trap 'rm -f "$out"' EXIT
trap 'exit 130' INT TERM
nice -n 10 "$BUILD/tests/lab/network_addresses" tests/lab $step $random >"$out" 2>&1 &
walk=$!
sh tests/net/space.sh tests/lab/network.py
status=$?
wait "$walk" || status=1
cat "$out"
exit $status
