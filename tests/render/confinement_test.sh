#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the decoders and renderers do once their jail stands, over files of every corpus and of our own: no socket, no program, no
# process, and no file but fonts and the tables of a library. Each program is traced over all of its files; the trace must show
# as many jails as there were pictures, so that nothing passes because nothing was seen.
. "$(dirname "$0")/../cli/lib.sh"
HERE=$TOP/tests/render
CORPORA=$(cd "$TOP/../shared/corpora" 2>/dev/null && pwd -P) || CORPORA=
FONTS="/usr/share/fonts /usr/local/share/fonts /usr/share/fontconfig /etc/fonts /var/cache/fontconfig /usr/share/ghostscript/fonts /usr/share/texmf/fonts /usr/share/mime /usr/share//mime $HOME/.fonts $HOME/.fontconfig $HOME/.local/share/fonts $HOME/.config/fontconfig $HOME/.cache/fontconfig"
CALLS=seccomp,open,openat,openat2,creat,socket,socketpair,connect,bind,listen,accept,accept4,execve,execveat,fork,vfork,clone,clone3,ptrace

# sample EVERY FOLDER PATTERN: every so many-th file of that name in a corpus, in the list; nothing when it is not there.
sample() {
    [ -z "$CORPORA" ] || [ ! -d "$CORPORA/$2" ] ||
        find "$CORPORA/$2" -type f -name "$3" | sort | awk -v n="$1" 'NR % n == 1 || n == 1' >>list
}
# traced NAME FOLDER...: the files of the list, one after another, through fovea-NAME, which may open what is in the folders.
traced() {
    name=$1
    shift
    command -v strace >/dev/null || skip "strace is not here: nothing is proved"
    skip_if_sanitized
    [ -x "$BUILD/fovea-$name" ] || skip "fovea-$name is not built"
    n=$(wc -l <list)
    xargs strace -f --seccomp-bpf -qq -o trace -e "trace=$CALLS" "$BUILD/tests/viewms" "$BUILD" 1 <list >seen 2>err ||
        fail "viewms ended badly"
    [ "$(grep -vc '^refused' seen)" -ge $((n * 3 / 4)) ] || fail "only $(grep -vc '^refused' seen) of $n files are shown"
    python3 "$HERE/jail_audit.py" trace "fovea-$name" "$n" "$@" >audit 2>&1 || fail "$(head -n 20 audit)"
    echo "# $(head -n 1 audit); $n files" >&3
}

test_the_codecs_open_nothing() {
    find "$GOOD" -type f | sort | awk 'NR % 3 == 1' >list
    sample 8 pngsuite '*.png'
    sample 4 gif-pygif '*.gif'
    sample 4 exif-orientation '*.jpg'
    traced worker
}
test_svg_opens_fonts_only() {
    sample 25 resvg '*.svg'
    sample 6 charts-vega-lite '*.svg'
    cat >own.svg <<-END_OF_SVG
		<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="99" height="99">
		<style>@import url(file:///etc/passwd);</style><text y="20">Words 漢字 עברית 😀</text><text y="40" font-family="serif">x</text>
		<image width="9" height="9" xlink:href="file:///etc/passwd"/><image width="9" height="9" xlink:href="https://127.0.0.1/a.png"/>
		<filter id="f"><feGaussianBlur stdDeviation="2"/></filter><rect width="9" height="9" filter="url(#f)"/></svg>
	END_OF_SVG
    echo "$PWD/own.svg" >>list
    # shellcheck disable=SC2086 # folders are words
    traced svg $FONTS
}
test_pdf_opens_fonts_and_tables_only() {
    mkdir pages
    python3 "$HERE/pdf_pages.py" pages
    for name in acting elsewhere text tables noted; do
        echo "$PWD/pages/$name.pdf" >>list
    done
    sample 1 py-pdf '*.pdf'
    # shellcheck disable=SC2086
    traced pdf /usr/share/poppler $FONTS
    # One page needs a table: that it was read shows that such things are seen.
    grep -q '"/usr/share/poppler/cMap/[^"]*", O_RDONLY.* = [0-9]' trace || fail "no table was read"
}
test_text_and_markdown_open_fonts_only() {
    { echo '# Title'; echo '![x](/etc/passwd) ![y](https://127.0.0.1/a.png)'; echo; echo '😀 漢字 עברית `code`'; } >own.md
    printf 'Words 漢字 עברית 😀\n\tint main(void);\n' >own.txt
    cp own.txt own.c
    for file in own.md own.txt own.c; do
        echo "$PWD/$file" >>list
    done
    ls "$TOP"/README.md "$TOP"/ARCHITECTURE.md "$TOP"/src/base/*.c "$TOP"/tools/*.sh >>list
    # shellcheck disable=SC2086
    traced text $FONTS
}
test_photos_open_nothing() {
    find "$BUILD/photos/good" -type f >list
    sample 4 image-rs '*.bmp'
    sample 2 image-rs '*.ico'
    sample 4 image-rs '*.tif*'
    traced photo
}
test_videos_open_nothing() {
    find "$FIXTURES/video/good" -type f ! -name 'sound-only*' >list
    traced video
}
# The audit itself: what it must see, it sees.
test_the_audit_finds_what_it_looks_for() {
    jail='1 execve("/x/fovea-svg", [], 0x1) = 0
1 seccomp(SECCOMP_SET_MODE_FILTER, 1, {len=9}) = 0'
    audit() {
        printf '%s\n' "$@" >trace
        python3 "$HERE/jail_audit.py" trace fovea-svg 1 /usr/share/fonts >audit 2>&1
    }
    audit "$jail" '1 openat(AT_FDCWD, "/usr/share/fonts/a.ttf", O_RDONLY) = 4' '2 socket(AF_INET, 1, 0) = 3' \
        '1 openat(AT_FDCWD, "/etc/passwd", O_RDONLY) = -1 EACCES' || fail "$(cat audit)"
    while read -r call; do
        ! audit "$jail" "$call" || fail "not seen: $call"
        ! audit "$jail" '1 clone(stack=1, flags=CLONE_THREAD <unfinished ...>' "7${call#1}" '1 <... clone resumed>, x) = 7' ||
            fail "not seen in a thread: $call"
    done <<-'END_OF_CALLS'
		1 socket(AF_INET, SOCK_STREAM, 0) = -1 EPERM (Operation not permitted)
		1 execve("/bin/sh", ["sh"], 0x1) = 0
		1 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 9
		1 openat(AT_FDCWD, "/etc/passwd", O_RDONLY) = 4
		1 openat(AT_FDCWD, "/usr/share/fonts/../../../etc/passwd", O_RDONLY) = 4
	END_OF_CALLS
    ! audit '1 execve("/x/fovea-svg", [], 0x1) = 0' || fail "a program without a filter passed"
    ! audit "1 execve(\"/x/fovea-svg\", [], 0x1) = 0" '1 seccomp(SECCOMP_SET_MODE_FILTER, 1, {len=9}) = -1 EPERM' ||
        fail "a filter that failed passed"
}

exec 3>&1
run_tests "$@"
