#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/check_found.sh [TABLE]: that each thing which a lab or a fuzzer found (tests/lab/found.tsv) has its case: the file is there and has
# in it what the row says, or anything where that is "-". Each that is missing is named; status 1.
set -u
cd "$(dirname "$0")/.." || exit 3
table=${1:-tests/lab/found.tsv}
tab=$(printf '\t')
rows=0
bad=0
while IFS=$tab read -r lab what file case more; do
    case $lab in '#'*) continue ;; esac
    rows=$((rows + 1))
    if [ -z "$case" ] || [ -n "$more" ]; then
        echo "found: not four columns: $lab $what"
        bad=1
    elif [ "$case" = - ] && [ -s "$file" ]; then
        continue
    elif [ "$case" = - ] || ! grep -qaF -e "$case" "$file" 2>/dev/null; then
        echo "found: no case of '$what': '$case' in $file"
        bad=1
    fi
done <"$table"
[ $rows -gt 0 ] && [ $bad -eq 0 ]
