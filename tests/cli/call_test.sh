# SPDX-License-Identifier: Apache-2.0
# `fovea call`: one JSON object on stdout, whatever happens.
. "${0%/*}/lib.sh"

test_call_and_command_say_the_same() {
    run fovea call view "{\"path\":\"$GOOD/png-rgb-8.png\",\"max_edge\":40}"
    want_status 0
    want_json kind perception
    cp out a
    run fovea view --json --max-edge 40 "$GOOD/png-rgb-8.png"
    cmp a out
}

test_arguments_come_from_stdin_too() {
    seq 3 >a.txt
    echo '{"path":"a.txt"}' | fovea call read >out
    want_json text "1
2
3"
    echo '{"path":"a.txt"}' | fovea call read - >out
    want_json total_lines 3
}

test_data_adds_the_picture() {
    run fovea call --data view "{\"path\":\"$GOOD/png-rgb-8.png\"}"
    want_status 0
    json data | base64 -d >picture
    [ "$(json bytes)" -eq "$(wc -c <picture)" ]
}

test_refusal_is_status_1() {
    run fovea call view '{"path":"nowhere.png"}'
    want_status 1
    empty err
    want_json kind refusal
    want_json reason absent
}

test_wrong_arguments_are_named() {
    run fovea call view '{"path":"x.png","colour":1}'
    want_status 1
    want_json reason invalid_input
    json message | grep -q colour
    run fovea call view '{}'
    want_status 1
    want_json reason invalid_input
    json message | grep -q path
    run fovea call read '{"path":"x","limit":"many"}'
    want_status 1
    want_json reason invalid_input
    json message | grep -q limit
}

# However large: what is past the end is told with how much there is, and what no number of ours holds, by its name.
test_numbers_past_the_end_name_the_count_and_others_the_argument() {
    gif=$GOOD/gif-animated-3-frames.gif
    while IFS='|' read -r arguments words; do
        run fovea call view "{\"path\":\"$gif\",$arguments}"
        want_status 1
        want_json reason invalid_input
        has out "$words"
    done <<'END'
"page":2147483647|has 1 page, so there is no page 2147483647
"page":"1-99999999999"|has 1 page, so there is no page 99999999999
"page":5000000000|has 1 page, so there is no page 5000000000
"frame":1000001|frame 1000001 is past the end: the picture has 3 frames
"frame":9000000000|frame 9000000000 is past the end: the picture has 3 frames
"page":99999999999999999999|the number in \"page\" is out of range
"region":[0,0,1e999,1],"max_edge":99|the number in \"region\" is out of range
"max_edge":70000|\"max_edge\" takes a whole number from 28 to 65535
END
}

test_no_json_and_no_such_tool_are_status_2_and_still_json() {
    for words in '{' '[]x' ''; do
        run fovea call view "$words"
        want_status 2
        want_json ok false
        want_json kind fault
        [ -s err ]
    done
    run fovea call raed '{}'
    want_status 2
    want_json kind fault
}

# What is not there besides a tool is no mistake of the caller.
test_a_missing_worker_is_a_fault() {
    cp "$FOVEA" alone
    run ./alone call view --root "$FIXTURES" "{\"path\":\"$GOOD/png-rgb-8.png\"}"
    [ "$status" -ne 0 ] || skip "a worker is installed on this machine"
    want_status 3
    want_json kind fault
}

test_a_tool_that_is_not_there_reads_nothing() {
    echo '{}' >arguments
    (fovea call raed >out 2>err && exit 1; cat >left) <arguments
    cmp arguments left
    has err 'no tool is called "raed"'
}

# A script gets an object, whatever it sends.
test_arguments_that_are_too_long() {
    {
        printf '{"prompt":"?","file_base64":"'
        head -c 33554432 /dev/zero | tr '\0' A
        printf '"}'
    } >long
    status=0
    fovea call vision_analyze <long >out 2>err || status=$?
    want_status 1
    empty err
    want_json ok false
    want_json kind error
    want_json code input_invalid
    has out "FILE_TOO_LARGE: "
    has out file_path
    status=0
    fovea call view - <long >out 2>err || status=$?
    want_status 2
    want_json kind fault
}

test_fault_is_status_3_and_json() {
    echo 'nonsense: [' >c.yaml
    run fovea call --config c.yaml view '{"path":"x.png"}'
    want_status 3
    want_json ok false
    want_json kind fault
    json error >/dev/null
}

run_tests "$@"
