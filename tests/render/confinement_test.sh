#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the decoders and renderers do once their jail stands, over files of every corpus and of our own: no socket, no program, no
# process, and no file but fonts and the tables of a library. Each program is traced over all of its files; the trace must show
# as many jails as there were pictures, so that nothing passes because nothing was seen. Of the large corpora make test takes every
# so many-th file; CONFINE=all BUILD=$PWD/build sh tests/render/confinement_test.sh takes every file of every corpus and of our own,
# whichever program it goes to, and tells for each corpus how many files and jails there were (some minutes). Part of
# a corpus' name instead of all: that one only.
. "$(dirname "$0")/../cli/lib.sh"
HERE=$TOP/tests/render
CORPORA=$(cd "$TOP/../shared/corpora" 2>/dev/null && pwd -P) || CORPORA=
FONTS=/usr/share/fonts:/usr/local/share/fonts:/usr/share/fontconfig:/etc/fonts:/var/cache/fontconfig:/usr/share/ghostscript/fonts:/usr/share/texmf/fonts:/usr/share/mime:/usr/share//mime:$HOME/.fonts:$HOME/.fontconfig:$HOME/.local/share/fonts:$HOME/.config/fontconfig:$HOME/.cache/fontconfig
CALLS=seccomp,open,openat,openat2,creat,socket,socketpair,connect,bind,listen,accept,accept4,execve,execveat,fork,vfork,clone,clone3,ptrace
PART=100 # files to a trace: process numbers come round again
BESIDE=4 # traces beside each other: a process that is traced mostly waits for the one that traces it

# sample EVERY FOLDER PATTERN: every so many-th file of that name in a corpus, in the list; nothing when it is not there.
sample() {
    [ -z "$CORPORA" ] || [ ! -d "$CORPORA/$2" ] ||
        find "$CORPORA/$2" -type f -name "$3" | sort | awk -v n="$1" 'NR % n == 1 || n == 1' >>list
}
# rule PROGRAM: its name, and the folders of which it may open files.
rule() {
    case $1 in
        svg | text) echo "fovea-$1:$FONTS" ;;
        pdf) echo "fovea-pdf:/usr/share/poppler:$FONTS" ;;
        *) echo "fovea-$1" ;;
    esac
}
can_trace() {
    command -v strace >/dev/null || skip "strace is not here: nothing is proved"
    skip_if_sanitized
}
# trace_files LIST: views its files one after another; what is shown and refused is in the file seen.
trace_files() {
    xargs -d '\n' strace -f --seccomp-bpf -qq -o trace -e "trace=$CALLS" "$BUILD/tests/viewms" "$BUILD" 0 <"$1" >seen 2>err ||
        fail "viewms ended badly"
    [ "$(wc -l <seen)" -eq "$(wc -l <"$1")" ] || fail "$(wc -l <seen) answers for $(wc -l <"$1") files"
}
# audit LEAST PROGRAM...: what is said of them in the trace, in the file audit.
audit() {
    least=$1
    shift
    for program in "$@"; do
        rule "$program"
    done | xargs -d '\n' python3 "$HERE/jail_audit.py" trace "$least" >audit 2>&1 || fail "$(head -n 20 audit)"
}
# traced PROGRAM: the files of the list, all of which are its own.
traced() {
    can_trace
    [ -x "$BUILD/fovea-$1" ] || skip "fovea-$1 is not built"
    trace_files list
    n=$(wc -l <list)
    [ "$(grep -vc '^refused' seen)" -ge $((n * 3 / 4)) ] || fail "only $(grep -vc '^refused' seen) of $n files are shown"
    audit "$n" "$1"
    echo "# $n files: $(head -n 1 audit)" >&3
}
UNASKED='" is nothing that can be shown, by its content;\|" is empty; it holds no picture\|" is not UTF-8 from byte \|" is text by its content, not what its name says;\|" has [0-9]* bytes, more than the limit of '
# trace_part PART: in a folder of its own; how many were shown, how many needed no jail, and what the audit says are in its file told.
# What no decoder was asked about needs none: it is empty or too long, of no kind that can be shown, text in another encoding or under
# the name of a picture.
trace_part() {
    mkdir "$1.in"
    cd "$1.in" || return
    trace_files "../$1"
    shown=$(grep -vc '^refused' seen) || :
    never=$(grep -c "^refused.*$UNASKED" seen) || :
    audit $(($(wc -l <"../$1") - never)) worker svg pdf text photo video
    echo "$shown $never $(head -n 1 audit)" >../told."$1"
    rm trace
}
# all_of NAME FOLDER...: every file beneath them, if that corpus is wanted.
all_of() {
    name=$1
    shift
    case $name in
        *"${CONFINE#all}"*) ;;
        *) return 0 ;;
    esac
    rm -rf part.* told.*
    find "$@" -type f | sort >list
    split -a 3 -l "$PART" list part.
    set -- part.*
    parts=$#
    while [ $# -gt 0 ]; do
        for _ in $(seq "$BESIDE"); do
            [ $# -eq 0 ] || { trace_part "$1" & shift; }
        done
        wait
    done
    cat told.* >told
    [ "$(wc -l <told)" -eq "$parts" ] || fail "$name: $(wc -l <told) of $parts parts are as they should be"
    awk -v name="$name" -v files="$(wc -l <list)" '{
            shown += $1; never += $2; jails += $3; opened += $(NF - 1)
            sub(/^[^(]*\(/, ""); sub(/\).*/, ""); n = split($0, of, ", ")
            for (i = 1; i <= n; i++) { split(of[i], pair, " "); count[pair[1]] += pair[2] } }
        END { printf "# %s: %d files, %d shown, %d for no decoder; %d jails", name, files, shown, never, jails
            for (program in count) printf ", %s %d", program, count[program]
            printf "; %d files opened in them\n", opened }' told >&3
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
    traced svg
}
test_pdf_opens_fonts_and_tables_only() {
    mkdir pages
    python3 "$HERE/pdf_pages.py" pages
    for name in acting elsewhere text tables noted; do
        echo "$PWD/pages/$name.pdf" >>list
    done
    sample 1 py-pdf '*.pdf'
    traced pdf
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
    traced text
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
test_every_file_of_every_corpus_is_seen_from_a_jail() {
    [ -n "${CONFINE:-}" ] || skip "with CONFINE=all"
    can_trace
    [ -n "$CORPORA" ] || skip "../shared/corpora is not here"
    for corpus in "$CORPORA"/*/; do
        all_of "$(basename "$corpus")" "$corpus"
    done
    all_of "our pictures" "$GOOD" "$BAD"
    all_of "our photos" "$BUILD/photos/good"
    all_of "our videos" "$FIXTURES/video/good"
    all_of "our texts" "$TOP/docs" "$TOP/src/base" "$TOP/tests/render"
}
# The audit itself: what it must see, it sees.
test_the_audit_finds_what_it_looks_for() {
    jail='1 execve("/x/fovea-svg", [], 0x1) = 0
1 seccomp(SECCOMP_SET_MODE_FILTER, 1, {len=9}) = 0'
    audit() {
        printf '%s\n' "$@" >trace
        python3 "$HERE/jail_audit.py" trace 1 fovea-pdf fovea-svg:/usr/share/fonts >audit 2>&1
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
