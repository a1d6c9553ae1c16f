#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Faults of workers under load: faults.c, 10,000 of them in full. FAULTS= sets another number, SEED= which.
set -u
: "${BUILD:?set BUILD to the build folder}"
count=${FAULTS:-10000}
[ -z "${LAB_QUICK:-}" ] || count=${FAULTS:-250}
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
export HOME="$state" XDG_CONFIG_HOME="$state/config" XDG_STATE_HOME="$state/state" XDG_CACHE_HOME="$state/cache"
"$BUILD/tests/lab/faults" "$count" ${SEED:+"$SEED"}
