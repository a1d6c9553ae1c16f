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

test_a_short_text_is_one_page_as_large_as_it_is() {
    numbered 5 >a.txt
    view a.txt
    want_status 0
    want_json ok true
    want_json source.pages 1
    [ "$(json width)" -lt 700 ] || fail "$(json width) pixels wide"
    [ "$(json height)" -lt 200 ] || fail "$(json height) pixels high"
    want_json scale.0 1
    want_json lines.1 5
    # by a region it is enlarged
    view a.txt --region 0,0,200,100
    want_json width 1568
}
test_a_short_markdown_is_one_page_as_large_as_it_is() {
    { echo '# Title'; echo; echo 'a few words'; } >a.md
    view a.md
    want_status 0
    want_json width 480
    want_json scale.0 1
    want_json lines.1 3
}
test_characters_without_a_font_are_told() {
    printf 'none: \363\260\200\200 \363\260\200\201\n' >a.txt # of a private plane
    cp a.txt a.md
    for file in a.txt a.md; do
        view "$file"
        want_status 0
        has out "2 characters have no font here"
    done
}
# Of most of these there is no character with its accent in one.
test_marks_stand_on_their_letters_and_take_no_column() {
    printf '%s\n' 'q x k a a w 0 g|' 'qqqq|' 'qqqq|' >plain.txt
    printf 'q\314\210 x\314\202 k\314\266 a\314\210\314\243 a\314\200 w\314\214 0\314\270 g\314\203|\n' >marked.txt
    printf 'q\314\210q\314\210q\314\210q\314\210|\nqq\314\202q\314\243\314\202q\314\203|\n' >>marked.txt
    for file in plain marked; do
        { echo '```'; cat $file.txt; echo '```'; } >$file.md
    done
    for kind in txt md; do
        for file in plain marked; do
            view $file.$kind
            want_status 0
            mv picture $file.$kind.png
        done
        said=$(python3 "$TOP/tests/render/marks.py" plain.$kind.png marked.$kind.png)
        [ -z "$said" ] || fail "$kind: $said"
    done
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
    has out "1 page"
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
test_a_region_tells_its_lines_where_rows_are_wrapped_too() {
    awk 'BEGIN { for (i = 1; i <= 9; i++) { printf "%d", i; for (k = 0; k < 60; k++) printf " words of line %d", i; print "" } }' >a.txt
    view a.txt
    want_json lines.0 1
    view a.txt --region 300,200,400,100
    want_status 0
    first=$(json lines.0) last=$(json lines.1)
    [ "$first" -ge 1 ] && [ "$last" -ge "$first" ] && [ "$last" -lt 9 ] || fail "lines $first to $last"
    has out " lines $first-$last of 9"
    { echo '# Title'; echo; awk 'BEGIN { for (i = 1; i <= 30; i++) print "paragraph", i, "\n" }'; } >a.md
    view a.md --region 100,300,200,100
    want_status 0
    first=$(json lines.0) last=$(json lines.1)
    [ "$first" -gt 3 ] && [ "$last" -ge "$first" ] && [ "$last" -lt 30 ] || fail "lines $first to $last"
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
test_a_table_over_many_pages_tells_the_lines_of_each() {
    { echo '|a|b|'; echo '|-|-|'; numbered 400 | sed 's/.*/|&|x|/'; } >a.md
    view a.md
    want_status 0
    want_json lines.0 1
    last=$(json lines.1)
    [ "$last" -lt 100 ] || fail "page 1 ends with line $last"
    view a.md --page 2
    want_json lines.0 $((last + 1))
}
test_a_row_of_a_table_higher_than_a_page_goes_on_on_the_next() {
    { printf '|a|b|\n|---|---|\n|'; i=0; while [ $i -lt 700 ]; do printf 'word%s ' $i; i=$((i + 1)); done; printf '|'
      i=0; while [ $i -lt 700 ]; do printf 'more%s ' $i; i=$((i + 1)); done; printf '|\n'; } >a.md
    view a.md
    want_status 0
    [ "$(json source.pages)" -gt 1 ] || fail "one page"
    view a.md --page 2
    want_status 0
    want_json lines.0 3
}
test_an_image_of_html_is_shown_or_its_words_are() {
    # the same page, whatever names the image
    printf '![A logo](none.png)\n' >a.md
    printf '<img src="none.png" alt="A logo">\n' >b.md
    printf '<p align=center>\n  <img\n    src="none.png"\n    alt="A logo">\n</p>\n' >c.md
    view a.md
    height=$(json height)
    width=$(json width)
    for file in b c; do
        view "$file.md"
        want_status 0
        want_json height "$height"
        want_json width "$width"
    done
}
test_long_words_for_an_image_are_cut() {
    { printf '!['; head -c 400000 /dev/zero | tr '\0' a; printf '](none.png)\n'; } >a.md
    view a.md
    want_status 0
    want_json source.pages 1
    [ "$(json width)" -gt 600 ] || fail "$(json width) pixels wide"
}
test_markdown_with_many_lines_has_pages() {
    numbered 300 | sed 's/$/\n/' >a.md
    view a.md --page 2
    want_status 0
    [ "$(json source.pages)" -gt 3 ] || fail "$(json source.pages) pages"
}
# Each tag looked through the rest of its line.
test_a_long_line_of_tags_is_drawn_in_time() {
    { printf '<div>'; yes '<script>x</script>' | head -n 28000 | tr -d '\n'; echo 'words</div>'; } >a.md
    view a.md
    want_status 0
}
test_markdown_too_long_to_be_laid_out_is_shown_as_its_source() {
    yes '# heading' | head -c 600000 >a.md
    view a.md
    want_status 0
    want_json lines.0 1
    has out ' Its source is shown: a Markdown of more than 512 KiB is not laid out.'
    yes '# heading' | head -c 5000 >a.md
    view a.md
    hasnt out 'source is shown'
}
test_nothing_but_fonts_is_opened_behind_the_jail() {
    command -v strace >/dev/null || skip "no strace"
    skip_if_sanitized
    numbered 5 >a.txt
    { echo '# Title'; echo '![x](/etc/passwd)'; echo '😀 漢字 `code`'; } >a.md
    for file in a.txt a.md; do
        strace -f -qq -o trace -e trace=seccomp,openat,open,socket,execve,connect "$FOVEA" view "$file" --root "$PWD" -o picture 2>err ||
            skip "nothing can be traced here"
        grep -q 'seccomp(' trace || fail "no process got a filter"
        # after a process has its filter, each open is of a font or of what fontconfig keeps
        awk '/seccomp\(/ { jailed[$1] = 1 } jailed[$1] && /(openat|socket|connect|execve)\(/ && !/fonts?[\/"]|fontconfig/' trace >behind
        empty behind
    done
}

run_tests "$@"
