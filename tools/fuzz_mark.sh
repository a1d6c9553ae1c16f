#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/fuzz_mark.sh NAME: which fuzz target it is, in twelve digits: the hash of fuzz/NAME.c and of every header of fuzz/ and tests/unit/
# that it includes, or that one of those does. Claims stand there too; what is tested has no part in it.
set -eu
[ -f "fuzz/$1.c" ] || { echo "fuzz: there is no fuzz/$1.c" >&2; exit 1; }
awk -v first="fuzz/$1.c" '
function exists(path,    line, ok) {
    ok = (getline line < path) >= 0
    close(path)
    return ok
}

# Where a header of ours lies: beside what includes it, else where the compiler looks.
function found(name, beside) {
    if (exists(beside name))
        return beside name
    if (exists("tests/unit/" name))
        return "tests/unit/" name
    return name ~ /^(fuzz|tests\/unit)\// && exists(name) ? name : ""
}

# Prints a file and what it includes, once each.
function look(file,    line, part, names, n, i) {
    if (!(file in seen)) {
        seen[file] = 1
        print file
        while ((getline line < file) > 0)
            if (line ~ /^[ \t]*#[ \t]*include[ \t]*"/) {
                split(line, part, "\"")
                names[++n] = part[2]
            }
        close(file)
        for (i = 1; i <= n; i++)
            if ((line = found(names[i], substr(file, 1, match(file, /[^\/]*$/) - 1))) != "")
                look(line)
    }
}

BEGIN { look(first) }' | xargs cat | sha256sum | cut -c 1-12
