#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Text, code and Markdown as pages, by fovea-text.
. "$(dirname "$0")/../cli/lib.sh"

# numbered N: so many lines.
numbered() {
    i=1
    while [ "$i" -le "$1" ]; do
        echo "line $i of the text"
        i=$((i + 1))
    done
}
view() {
    run "$FOVEA" view "$@" --root "$PWD" --json -o picture
}

test_a_short_text_is_one_page_at_its_natural_size() {
    numbered 5 >a.txt
    view a.txt
    want_status 0
    want_json ok true
    want_json source.pages 1
    want_json width 1568
    want_json scale.0 1
    want_json lines.1 5
}
test_a_long_text_has_pages_that_follow_one_another() {
    numbered 500 >a.txt
    view a.txt --page 1
    want_status 0
    last=$(json lines.1)
    pages=$(json source.pages)
    [ "$pages" -gt 1 ] || fail "one page"
    view a.txt --page 2
    want_json lines.0 $((last + 1))
    view a.txt --page "$pages"
    want_json lines.1 500
}
test_a_page_past_the_end_names_how_many_there_are() {
    numbered 5 >a.txt
    view a.txt --page 9
    want_status 1
    want_json reason invalid_input
}
test_a_page_is_shown_as_it_was_laid_out_under_any_limit() {
    numbered 200 >a.txt
    for edge in 800 1000 1568 2000; do
        view a.txt --max-edge "$edge"
        want_status 0
        want_json scale.0 1
    done
}
test_a_region_is_drawn_anew_and_not_magnified() {
    numbered 200 >a.txt
    view a.txt --region 0,0,300,200
    want_status 0
    want_json width 1568
}
test_every_kind_of_text_is_shown() {
    printf 'caf\303\251 \346\274\242\345\255\227 \330\247\331\204\330\271 \360\237\230\200 \033[1m\ttab\r\nsecond\r\n' >mixed.txt
    printf '\377\376a\000\n\000b\000' >utf16.txt
    printf '\357\273\277mark\n' >mark.txt
    for file in mixed utf16; do
        view "$file.txt"
        want_status 0
        want_json total_lines 2
    done
    view mark.txt
    want_json total_lines 1
}
test_markdown_is_laid_out() {
    { echo '# Title'; echo; echo 'Some *words* and `code`.'; echo; echo '- [x] done'; echo; echo '|a|b|'; echo '|-|-|'; echo '|c|d|'; } >a.md
    view a.md
    want_status 0
    want_json source.media_type text/markdown
    want_json total_lines 9
}
test_markdown_with_many_lines_has_pages() {
    numbered 300 | sed 's/$/\n/' >a.md
    view a.md --page 2
    want_status 0
    [ "$(json source.pages)" -gt 3 ] || fail "$(json source.pages) pages"
}
test_markdown_too_long_to_be_laid_out_is_shown_as_its_source() {
    yes '# heading' | head -c 600000 >a.md
    view a.md
    want_status 0
    want_json lines.0 1
}
test_bombs_end_in_time() {
    mkdir bombs
    sh "$TOP/tests/render/bombs_text.sh" bombs
    for bomb in bombs/*; do
        start=$(date +%s%N)
        view "$bomb"
        ms=$((($(date +%s%N) - start) / 1000000))
        [ "$status" -le 1 ] || fail "$bomb ended with $status"
        # the limit of 10 s and half a second, and what it takes to read 20 MiB on a busy machine
        [ "$ms" -le 12000 ] || fail "$bomb took $ms ms"
        [ "$status" -eq 0 ] || [ "$(json reason)" = timed_out ] || fail "$bomb broke it"
    done
}
test_nothing_but_fonts_is_opened_behind_the_jail() {
    command -v strace >/dev/null || skip "no strace"
    skip_if_sanitized
    numbered 5 >a.txt
    { echo '# Title'; echo '![x](/etc/passwd)'; echo '😀 漢字 `code`'; } >a.md
    for file in a.txt a.md; do
        strace -f -qq -o trace -e trace=seccomp,openat,open,socket,execve,connect "$FOVEA" view "$file" --root "$PWD" -o picture 2>err ||
            skip "nothing can be traced here"
        # after a process has its filter, each open is of a font or of what fontconfig keeps
        awk '/seccomp\(/ { jailed[$1] = 1 } jailed[$1] && /(openat|socket|connect|execve)\(/ && !/fonts?\/|fontconfig/' trace >behind
        empty behind
    done
}

run_tests "$@"
