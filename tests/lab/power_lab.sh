# SPDX-License-Identifier: Apache-2.0
# The record and power loss: see power.c. In memory: what a disk would hold is made, not had.
: "${BUILD:?set BUILD to the build folder}"
folder=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
chmod 700 "$folder"
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
export HOME="$folder" XDG_CONFIG_HOME="$folder/config" XDG_CACHE_HOME="$folder/cache"
status=0
if [ -n "${LAB_QUICK:-}" ]; then
    "$BUILD/tests/lab/power" "$folder" quick || status=$?
else
    "$BUILD/tests/lab/power" "$folder" || status=$?
fi
echo "skip power_loss_of_postgresql its server sees to its disk"
exit "$status"
