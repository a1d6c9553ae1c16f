#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints how long functions and files are, and fails above the house's limits. A function is what stands between a line
# "{" and a line "}", counted with its signature.
# Usage: tools/measure.sh [ROOT]
set -eu
cd "${1:-"$(dirname "$0")/.."}"

folders=
for f in include src worker render ocr mcp cmd tests; do
    [ ! -d "$f" ] || folders="$folders $f"
done
# shellcheck disable=SC2086 # a list of words
find $folders -type f \( -name '*.[ch]' -o -path 'tests/*.sh' -o -path 'tests/*.py' \) | LC_ALL=C sort | awk '
# Insertion into a sorted list; a few thousand entries at most.
function insert(list, n, value,    i) {
    for (i = n; i >= 1 && list[i] > value; i--)
        list[i + 1] = list[i]
    list[i + 1] = value
    return n + 1
}

function median(list, n) {
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

function limit(words, value, most, ok) {
    printf "%-36s %8s   limit %s%s\n", words, value, most, ok ? "" : "   TOO MUCH"
    if (!ok)
        bad = 1
}

function end_function(file, line, length_) {
    functions = insert(lengths, functions, length_)
    over_100 += length_ > 100
    if (length_ > 60)
        long[++longs] = sprintf("%s:%d: %d lines", file, line, length_)
}

function measure(file,    line, n, start, open) {
    for (n = 0; (getline line < file) > 0;) {
        n++
        if (line == "{" && !open)
            open = start ? start : n
        else if (line ~ /^}/ && open) {
            end_function(file, open, n - open + 1)
            open = 0
        }
        # a signature starts after a blank line, a directive, a comment, or the end of something
        if (line == "" || line ~ /^#/ || line ~ /[;}]$/ || line ~ /\*\/$/)
            start = 0
        else if (!start)
            start = n
    }
    close(file)
    if (file ~ /\.c$/)
        sources = insert(sizes, sources, n)
    return n
}

function count(file,    line, n) {
    while ((getline line < file) > 0)
        n++
    close(file)
    return n
}

/^tests\// { test_lines += count($0); next }
{ source_lines += measure($0) }

END {
    if (!functions || !sources) {
        print "no functions found" > "/dev/stderr"
        exit 1
    }
    share = 100 * over_100 / functions
    printf "%-36s %8d\n", "functions", functions
    limit("lines of the median function", median(lengths, functions), "18", median(lengths, functions) <= 18)
    limit("functions over 100 lines, %", sprintf("%.1f", share), "under 2", share < 2)
    limit("lines of the median .c file", median(sizes, sources), "350", median(sizes, sources) <= 350)
    printf "%-36s %8.2f   (%d / %d lines)\n", "tests / source", test_lines / source_lines, test_lines, source_lines
    for (i = 1; i <= longs; i++)
        print "  over 60: " long[i]
    exit bad
}'
