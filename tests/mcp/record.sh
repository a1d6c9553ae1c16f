#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# record.sh FOLDER COMMAND...: runs the command between two tees; what went in and out, and its exit status, are in a new
# folder of FOLDER. To the client it is the command itself: its input ends when ours does.
folder=$(mktemp -d "$1/stdio.XXXXXX") || exit 3
shift
tee "$folder/in" | { "$@"; echo "$?" >"$folder/status"; } | tee "$folder/out"
