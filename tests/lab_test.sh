#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The labs in their quick form: that each still runs and finds nothing. In full they are run by make lab.
set -u
cd "$(dirname "$0")/.." || exit 3
if [ -z "$(ls tests/lab/*_lab.sh 2>/dev/null)" ]; then
    echo "skip lab there are none"
    exit 0
fi
LAB_QUICK=1 tests/lab/run "$BUILD"
