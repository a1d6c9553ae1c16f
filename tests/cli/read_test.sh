# SPDX-License-Identifier: Apache-2.0
# `fovea read`: the text exactly, windows of it, and what is no text.
. "${0%/*}/lib.sh"

test_text_is_printed_exactly() {
    printf 'one\ntwo\r\n\n  drei äöü' >a.txt
    run fovea read a.txt
    want_status 0
    empty err
    cmp a.txt out
}

test_a_window_says_where_to_go_on() {
    seq 500 >a.txt
    run fovea read a.txt --offset 10 --limit 2
    want_status 0
    [ "$(cat out)" = "10
11" ]
    [ "$(cat err)" = "lines 10-11 of 500; next: --offset 12" ]
    run fovea read a.txt --offset 499
    empty err
}

test_the_default_window_is_2000_lines() {
    seq 3000 >a.txt
    run fovea read a.txt
    want_status 0
    [ "$(wc -l <out)" -eq 2000 ]
    has err 'next: --offset 2001'
}

test_json_read_has_the_shape_of_the_contract() {
    seq 500 >a.txt
    run fovea read --json a.txt --offset 10 --limit 2
    want_status 0
    empty err
    want_json ok true
    want_json kind text
    want_json lines '[10,11]'
    want_json total_lines 500
    want_json text "10
11"
    want_json path "$PWD/a.txt"
    want_json sha256 "$(sha256sum <a.txt | cut -d ' ' -f 1)"
}

test_past_the_end_is_refused_with_the_count() {
    seq 5 >a.txt
    run fovea read --json a.txt --offset 6
    want_status 1
    want_json reason invalid_input
    json message | grep -q 5
}

test_what_is_compressed_is_said_to_be_so() {
    echo words | gzip -n >a.gz
    run fovea read a.gz
    want_status 1
    has err "is compressed (gzip); uncompress it first"
}

test_pictures_and_binaries_are_refused() {
    run fovea read --json "$GOOD/png-rgb-8.png"
    want_status 1
    want_json reason unreadable_type
    json message | grep -q view
    run fovea read "$BAD/program-saved-as.png"
    want_status 1
    empty out
    [ -s err ]
}

test_markup_reads_as_text() {
    run fovea read "$BAD/svg-saved-as.png"
    want_status 0
    cmp out "$BAD/svg-saved-as.png"
}

test_utf16_is_converted() {
    printf '\377\376h\0i\0\n\0' >a.txt
    run fovea read a.txt
    want_status 0
    [ "$(cat out)" = hi ]
}

test_stdin_is_read() {
    seq 5 | fovea read - --limit 2 >out 2>err
    [ "$(cat out)" = "1
2" ]
    has err 'lines 1-2 of 5'
}

test_stdin_over_its_limit_is_refused_and_not_cut() {
    status=0
    fovea read --json - <"$BAD/just-over-20mib.png" >out 2>err || status=$?
    want_status 1
    want_json reason too_large
}

test_a_folder_and_a_fifo_are_refused_at_once() {
    mkfifo f
    for name in . f; do
        run timeout 5 "$FOVEA" read --json "$name"
        want_status 1
        want_json reason unreadable_type
        run timeout 5 "$FOVEA" view --json "$name"
        want_status 1
        want_json reason unperceivable_type
    done
}

test_a_2_gib_file_is_read_in_constant_memory() {
    skip_if_sanitized
    truncate -s 2G big.txt 2>/dev/null || skip "no sparse files here"
    # Holes are NULs, which are no text; so only the memory and the verdict count here.
    run "$BUILD/tests/maxrss" kib "$FOVEA" read --json --limit 5 big.txt
    [ -s kib ] || skip "cannot trace processes here"
    want_status 1
    want_json reason unreadable_type
    [ "$(cat kib)" -lt 65536 ] || fail "$(cat kib) KiB"
}

run_tests "$@"
