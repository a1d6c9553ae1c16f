# SPDX-License-Identifier: Apache-2.0
# fovea ask and fovea video, as far as that needs no provider: the words on each stream, what is wrong with a command line,
# and local/ocr, which answers on a machine without any key.
. "${0%/*}/lib.sh"
WORDS=$GOOD/png-words.png

# With nothing of the environment but what a shell has.
bare() {
    env -i PATH="$PATH" HOME="$HOME" "$FOVEA" "$@"
}

test_a_fresh_machine_answers() {
    cp "$WORDS" shot.png
    run bare ask shot.png "what error is shown?"
    want_status 0
    has out "DISK FULL"
    hasnt out local/ocr
    has err 'local/ocr · $0'
    has err "text recognition only"
}
test_json_is_the_envelope_alone() {
    run fovea ask "$WORDS" "what error is shown?" --json
    want_status 0
    empty err
    [ "$(wc -l <out)" -eq 1 ]
    want_json ok true
    want_json kind answer
    want_json provider local
    want_json model ocr
    want_json cost_usd 0
    want_json output_is_untrusted true
    has out 'DISK FULL'
}
test_a_picture_from_stdin() {
    status=0
    fovea ask - "what error?" <"$WORDS" >out 2>err || status=$?
    want_status 0
    has out "DISK FULL"
}
test_a_picture_in_the_reference() {
    run fovea ask "data:image/png;base64,$(base64 -w 0 "$WORDS")" "what error?"
    want_status 0
    has out "DISK FULL"
}
test_a_region_of_it() {
    run fovea ask "$WORDS" "what error?" --region 0,0,360,80
    want_status 0
    has out ERROR
    hasnt out DISK
}
test_inspect_image_by_call() {
    run fovea call inspect_image "{\"path\":\"$WORDS\",\"question\":\"?\"}"
    want_status 0
    want_json kind answer
    want_json details.model local/ocr
    want_json details.mimeType image/png
    has out 'DISK FULL'
}

test_what_fails_says_so_on_stderr() {
    run fovea ask nowhere.png "?"
    want_status 1
    empty out
    has err "fovea: FILE_NOT_FOUND: "
    run fovea ask http://example.com/a.png "?"
    want_status 1
    has err "fovea: URL_BLOCKED: "
    run fovea ask "$WORDS" "?" --model nobody/knows
    want_status 1
    has err "fovea: VISION_NOT_SUPPORTED: "
    run fovea video "$WORDS"
    want_status 1
    has err "fovea: VIDEO_NOT_SUPPORTED: "
}
test_json_of_what_fails_is_on_stdout() {
    run fovea ask nowhere.png "?" --json
    want_status 1
    empty err
    want_json ok false
    want_json kind error
    want_json code input_invalid
    want_json cost_usd 0
    run fovea video nowhere.mp4 --json
    want_status 1
    want_json kind error
}
test_stdin_has_a_limit_of_its_own() {
    status=0
    head -c 34000000 /dev/zero | fovea ask - "?" --json >out 2>err || status=$?
    want_status 1
    want_json code input_invalid
    has out FILE_TOO_LARGE
}

# Where pictures are blocked nothing is read that would only be refused: what stdin holds is still there for the next one.
blocked_reads_nothing() {
    status=0
    (status=0
    "$@" --config blocked.yaml >out 2>err || status=$?
    cat >left
    exit "$status") <long || status=$?
    want_status 1
    cmp -s long left || fail "stdin was read"
    has err blockImages
}
test_blocked_pictures_are_not_read() {
    echo 'images: {blockImages: true}' >blocked.yaml
    head -c 34000000 /dev/zero >long
    blocked_reads_nothing "$FOVEA" ask - "what?"
    blocked_reads_nothing "$FOVEA" ask a.png "what?" --schema -
    has err IMAGES_BLOCKED
    blocked_reads_nothing "$FOVEA" view -
    run fovea ask a.png "what?" --schema nowhere.json --config blocked.yaml --json
    want_status 1
    want_json code not_available
    echo text | "$FOVEA" read - --config blocked.yaml | grep -qx text
}

test_command_lines_that_are_wrong() {
    echo '{}' >schema.json
    printf '{\n "type":\n]' >bad.json
    : >empty.json
    head -c 1100000 /dev/zero | tr '\0' ' ' >long.json
    long=$(head -c 65 /dev/zero | tr '\0' a)
    while IFS='|' read -r words hint; do
        # shellcheck disable=SC2086 # words
        eval "run fovea $words"
        want_status 2
        empty out
        has err "$hint"
    done <<'END'
ask|'ask' needs REF QUESTION
ask a.png|'ask' needs REF QUESTION
ask a.png why not|'ask' does not take 'not'
ask a.png why --schema nowhere.json|--schema 'nowhere.json': No such file
ask a.png why --schema .|--schema '.': Is a directory
ask a.png why --schema bad.json|--schema 'bad.json', line 3: not JSON
ask a.png why --schema empty.json|--schema 'empty.json', line 1: not JSON
ask a.png why --schema long.json|--schema 'long.json': more than 1 MiB
ask - why --schema -|REF and --schema both want stdin
ask a.png why --region 1,2,3|--region:
ask a.png why --page 0|--page:
ask a.png why --question x|'ask' has no option '--question'
ask a.png why --format x|'ask' has no option '--format'
ask a.png why --session 'a b'|--session: session "a b" is no name; use up to 64 of
ask a.png why --session ''|--session: session "" is no name
ask a.png why --session $long|is no name; use up to 64 of
ask a.png why --session a/b|--session: session "a/b" is no name
ask - why --session a/b|--session: session "a/b" is no name
video|'video' needs REF
video a b c|'video' does not take 'c'
video -|'video' takes a path or a URL
video data:x|'video' takes a path or a URL
video a.mp4 --schema x|'video' has no option '--schema'
video a.mp4 --session .,|--session: session ".," is no name
call view '{}' --session 'a b'|--session: session "a b" is no name
mcp --session 'a b'|--session: session "a b" is no name
view a.png --session a/b|--session: session "a/b" is no name
read a.txt --session a/b|--session: session "a/b" is no name
view a.png --call c1|--call goes with --session
call view '{}' --call c1|--call goes with --session
END
}

# A terminal gets nothing that could act on it, and the answer once.
test_a_terminal_shows_the_answer_once() {
    command -v script >/dev/null || skip "no script(1)"
    script -qec "TERM=xterm $FOVEA ask --root '$FIXTURES' '$WORDS' 'what error?'" /dev/null >out </dev/null
    [ "$(grep -c "DISK FULL" out)" -eq 1 ] || fail "not once"
}

# Whoever waits can stop: reading large noise takes seconds.
interrupted() {
    "$@" >out 2>err &
    pid=$!
    sleep 0.5
    kill -s "$signal" "$pid"
    before=$(date +%s%N)
    status=0
    wait "$pid" || status=$?
    took=$((($(date +%s%N) - before) / 1000000))
    want_status 1
    [ "$took" -lt 400 ] || fail "it took $took ms to end"
}
test_a_signal_ends_a_question() {
    signal=TERM
    noise=$GOOD/png-screen-2560x1600.png
    interrupted "$FOVEA" ask --root "$FIXTURES" "$noise" "?"
    empty out
    has err cancelled
    interrupted "$FOVEA" call --root "$FIXTURES" vision_analyze "{\"file_path\":\"$noise\",\"prompt\":\"?\"}"
    want_json ok false
    interrupted "$FOVEA" call --root "$FIXTURES" inspect_image "{\"path\":\"$noise\",\"question\":\"?\"}"
    want_json ok false
}

run_tests "$@"
