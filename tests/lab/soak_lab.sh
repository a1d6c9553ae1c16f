#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Half an hour of mixed calls against two servers: soak.py. SOAK_MINUTES= sets another time, LAB_OUT= where soak.csv,
# soak.svg and soak.png go (build/lab); docs/soak.png is the last of these, of a run of half an hour.
. "${0%/*}/../ask/lib.sh"
HERE=$TOP/tests/lab
seconds=$((${SOAK_MINUTES:-30} * 60))
[ -z "${LAB_QUICK:-}" ] || seconds=${SOAK_SECONDS:-4}
out=${LAB_OUT:-$BUILD/lab}
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 3
command -v python3 >/dev/null || { echo "skip soak (no python3 here)"; exit 0; }
need_server
cd "$scratch" || exit 3
python3 "$HERE/soak.py" "$seconds" "$out" </dev/null
