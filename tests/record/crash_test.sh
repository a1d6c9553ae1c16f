# SPDX-License-Identifier: Apache-2.0
# The record under kill -9: four writers, CRASH_ROUNDS rounds (1000). See tests/tools/recordcrash.c.
# In memory where that is to be had: a kill needs no disk, and the rounds then meet more of the writing.
: "${BUILD:?set BUILD to the build folder}"
folder=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
chmod 700 "$folder"
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
name=no_acknowledged_entry_is_lost_when_writers_are_killed
if line=$("$BUILD/tests/recordcrash" "$folder" "${CRASH_ROUNDS:-1000}" 2>"$folder/err"); then
    echo "# $line"
    echo "ok $name"
else
    echo "# $line"
    head -n 20 "$folder/err" | sed 's/^/# /'
    echo "not ok $name"
    exit 1
fi
