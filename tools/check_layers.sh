#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails on an #include that crosses the house's walls (tools/layers.txt), and on a file outside every room.
# Usage: tools/check_layers.sh [ROOT]
set -eu
cd "${1:-"$(dirname "$0")/.."}"

folders=
for f in src worker render ocr mcp cmd; do
    [ ! -d "$f" ] || folders="$folders $f"
done
# shellcheck disable=SC2086 # a list of words
find $folders -name '*.[ch]' | LC_ALL=C sort | awk -v table=tools/layers.txt '
function fail(words) { print words > "/dev/stderr"; bad++ }

function starts(s, with) { return substr(s, 1, length(with)) == with }

# name is one of the words, or lies under one that ends in /
function among(name, words,    n, i, word) {
    n = split(words, word, " ")
    for (i = 1; i <= n; i++)
        if (name == word[i] || (word[i] ~ /\/$/ && starts(name, word[i])))
            return 1
    return 0
}

function exists(path,    line, ok) {
    ok = (getline line < path) >= 0
    close(path)
    return ok
}

function read_table(    line, words, n) {
    while ((getline line < table) > 0) {
        n = split(line, words, /[ :]+/)
        if (words[1] == "room") {
            room_of[words[3]] = words[2]
            may[words[2]] = substr(line, index(line, ":") + 1)
        } else if (words[1] == "lib") {
            places[words[2]] = substr(line, index(line, ":") + 1)
        }
    }
    close(table)
    n = split("assert complex ctype dirent dlfcn elf endian errno fcntl features fenv fnmatch ftw getopt glob grp " \
              "ifaddrs inttypes langinfo libgen limits link locale malloc math mntent netdb poll pthread pwd resolv sched semaphore " \
              "setjmp signal spawn stdalign stdarg stdatomic stdbool stddef stdint stdio stdio_ext stdlib stdnoreturn " \
              "string strings syslog termios threads time uchar ucontext unistd wchar wctype " \
              "emmintrin immintrin tmmintrin smmintrin arm_neon cpuid", words, " ")
    for (; n; n--)
        libc[words[n] ".h"] = 1
}

# <header>: of the system, or of a library that this place may use
function check_library(where, file, header,    lib) {
    if (header in libc || header ~ /^(sys|linux|asm|netinet|arpa|net|bits)\//)
        return
    for (lib in places)
        if (among(header, lib)) {
            if (!among(file, places[lib]))
                fail(where ": <" header "> may be included only by" places[lib])
            return
        }
    fail(where ": <" header "> is in no row of " table)
}

# "header": beside the file, or of a room that this one may use
function check_ours(where, file, folder, room, header) {
    if (header !~ /\// && exists(folder "/" header))
        return
    if (starts("src/" header, folder "/") || starts(header, folder "/"))
        return
    if (!among(header, may[room]))
        fail(where ": \"" header "\" is not for " room ", which may include its own and" may[room])
}

function check_file(file,    folder, room, line, n, header, where) {
    folder = file
    sub(/\/[^\/]*$/, "", folder)
    if (!(folder in room_of)) {
        fail(file ": its folder is no room of " table)
        return
    }
    room = room_of[folder]
    for (n = 1; (getline line < file) > 0; n++) {
        if (line !~ /^[ \t]*#[ \t]*include/)
            continue
        where = file ":" n
        header = line
        sub(/^[ \t]*#[ \t]*include[ \t]*/, "", header)
        if (header ~ /^<[^>]+>/)
            check_library(where, file, substr(header, 2, index(header, ">") - 2))
        else if (header ~ /^"[^"]+"/)
            check_ours(where, file, folder, room, substr(header, 2, index(substr(header, 2), "\"") - 1))
        else
            fail(where ": an include must name its header")
        includes++
    }
    close(file)
    files++
}

BEGIN { read_table() }
{ check_file($0) }
END {
    if (!files)
        fail("no files found")
    if (bad)
        exit 1
    printf "layers: %d includes in %d files, all within the table\n", includes, files
}'
