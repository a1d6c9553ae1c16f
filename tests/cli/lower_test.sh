# SPDX-License-Identifier: Apache-2.0
# `fovea lower`: the messages of the next request, the same bytes wherever the record is; and what policies would cost.
. "${0%/*}/lib.sh"
MODEL=anthropic/claude-opus-4-7

home() {
    export XDG_STATE_HOME="$PWD/state"
}
said() {
    printf '{"kind":"%s","at":%s,"parts":[{"type":"text","text":"%s"}]}\n' "$1" "$3" "$2"
}
# Three turns, a picture in each, made by `view` itself.
some_talk() {
    n=0
    for picture in png-rgb-8.png jpeg-baseline.jpg png-words.png; do
        n=$((n + 1))
        {
            said user "look at $picture" "$((1794657600000 + n * 600000))"
            printf '{"kind":"assistant","at":%s,"parts":[{"type":"tool_call","id":"c%s","name":"view","arguments":{"path":"%s"}}]}\n' \
                "$((1794657600000 + n * 600000 + 1000))" "$n" "$GOOD/$picture"
        } | fovea session append "$1" >/dev/null
        fovea view "$GOOD/$picture" --session "$1" --call "c$n" >/dev/null
        said assistant "seen" "$((1794657600000 + n * 600000 + 3000))" | fovea session append "$1" >/dev/null
    done
    said user "which was best?" 1794660000000 | fovea session append "$1" >/dev/null
}
pictures() {
    grep -o '"type":"image"' "$1" | wc -l
}

test_what_is_typed_wrong_is_said() {
    home
    said user hello 1 | fovea session append s >/dev/null
    for words in "" "s --trace short" "s t" "s --policies all" "s --plot f.svg" "s --json" "s --at 0" "s --at x" "s --wire nobody" \
        "--simulate" "--simulate s --at 2" "--simulate s --full" "--simulate s --report f" "--trace short --model $MODEL" \
        "--trace no-such" "--simulate --trace no-such" "s --model nobody/knows" "s --model $MODEL --retain never" "no/name" \
        "--simulate s --model $MODEL --policies never" "--simulate s --model $MODEL --base-tokens x"; do
        # shellcheck disable=SC2086 # words
        run fovea lower $words
        want_status 2
        empty out
        [ -s err ] || fail "no words for '$words'"
    done
    run fovea lower --trace shrot
    has err "did you mean 'short'"
    run fovea lower gone --model "$MODEL"
    want_status 1
    empty out
    has err gone
}

# What a tool for a screen gives has no path: it is left out by the name that its bytes give it, and seen again by that.
test_screenshots_without_a_path_are_left_out_and_seen_again() {
    home
    set -- "$GOOD"/png-rgb-8.png "$GOOD"/png-words.png "$GOOD"/jpeg-baseline.jpg
    for n in 1 2 3 4 5 6; do
        said user "step $n" "$((1794657600000 + n * 600000))"
        printf '{"kind":"assistant","parts":[{"type":"tool_call","id":"c%s","name":"computer","arguments":{"action":"screenshot"}}]}\n' "$n"
        printf '{"kind":"tool_result","call":"c%s","name":"computer","parts":[{"type":"image","data":"%s"}]}\n' "$n" \
            "$(base64 -w 0 "$1")"
        said assistant done "$((1794657600000 + n * 600000 + 3000))"
        set -- "$2" "$3" "$1"
    done >entries
    fovea session append s entries >/dev/null
    run fovea lower s --model "$MODEL" --retain all
    [ "$(pictures out)" -eq 6 ]
    run fovea lower s --model "$MODEL" --retain turns:1
    want_status 0
    [ "$(pictures out)" -eq 1 ] || fail "$(pictures out) pictures, want 1"
    [ "$(grep -o 'seen earlier, view:[0-9a-f]* ' out | wc -l)" -eq 5 ] || fail "not five that can be seen again"
    id=$(grep -o 'view:[0-9a-f]*' out | head -n 1)
    run fovea view "$id" --session s --json
    want_status 0
    want_json source.sha256 "$(sha256sum "$GOOD/png-rgb-8.png" | cut -d ' ' -f 1)"
}

test_messages_of_each_wire() {
    home
    some_talk s
    for wire in anthropic openai-chat openai-responses gemini; do
        run fovea lower s --model "$MODEL" --wire "$wire"
        want_status 0
        empty err
        [ "$(wc -l <out)" -eq 1 ] || fail "more than a line"
        json 0.role >/dev/null || fail "no array"
    done
    run fovea lower s --model "$MODEL"
    cp out usual
    run fovea lower s --model "$MODEL" --wire anthropic
    cmp usual out
    run fovea lower s --model "$MODEL" --full
    want_json wire anthropic
    want_json body.messages.0.role user
}

test_policies_change_what_is_seen_and_not_what_is_kept() {
    home
    some_talk s
    fovea session export s >before
    run fovea lower s --model "$MODEL" --retain all
    [ "$(pictures out)" -eq 3 ] || fail "not all three"
    run fovea lower s --model "$MODEL" --retain turns:1
    [ "$(pictures out)" -eq 0 ] || fail "a picture of an earlier turn"
    [ "$(grep -o 'call view to see it again' out | wc -l)" -eq 3 ] || fail "not three lines"
    run fovea lower s --model "$MODEL" --retain turns:2
    [ "$(pictures out)" -eq 1 ] || fail "not one"
    fovea session export s >after
    cmp before after
}

test_at_rewinds() {
    home
    some_talk s
    for turn in 1 2 3; do
        run fovea lower s --model "$MODEL" --retain all --at "$turn"
        want_status 0
        [ "$(pictures out)" -eq "$turn" ] || fail "turn $turn"
        hasnt out "which was best"
    done
}

test_the_report_says_what_became_of_pictures() {
    home
    some_talk s
    run fovea lower s --model "$MODEL" --retain turns:1 --report report.json
    want_status 0
    empty err
    cp out lowered
    cp report.json out
    json '' >/dev/null 2>&1 || true
    grep -q '^{.*}$' report.json || fail "no object"
    run fovea lower s --model "$MODEL" --retain turns:1 --report -
    want_status 0
    cmp lowered out
    cmp report.json err
    run fovea lower s --model "$MODEL" --report no/such/folder
    want_status 3
}

test_the_same_bytes_each_time_and_anywhere() {
    home
    some_talk s
    fovea session export s --data >entries
    fovea session append t entries >/dev/null
    for wire in anthropic openai-chat openai-responses gemini; do
        fovea lower s --model "$MODEL" --wire "$wire" >first
        fovea lower s --model "$MODEL" --wire "$wire" >second
        cmp first second
        fovea lower t --model "$MODEL" --wire "$wire" >second
        cmp first second
        mkdir -p other/fovea
        cp state/fovea/record.db* other/fovea/
        (
            cd /
            TZ=Asia/Tokyo LC_ALL=C XDG_STATE_HOME=$OLDPWD/other "$FOVEA" lower s --model "$MODEL" --wire "$wire"
        ) >second
        cmp first second
        rm -r other
    done
}

test_a_reader_that_goes_away_is_no_success() {
    home
    said user hello 1 | fovea session append s >/dev/null
    run sh -c "'$FOVEA' lower s --model $MODEL >/dev/full"
    want_status 3
    has err "cannot write"
}

test_traces_can_be_appended_and_lowered() {
    home
    run fovea lower --trace short
    want_status 0
    empty err
    [ -s out ]
    fovea session append s out >/dev/null
    run fovea lower s --model "$MODEL"
    want_status 0
    fovea lower --trace short >again
    fovea lower --trace short | cmp - again
}

test_simulate_prints_a_table_and_draws_a_plot() {
    home
    run fovea lower --simulate --trace short --model "$MODEL" --plot cost.svg
    want_status 0
    empty err
    for policy in all turns:1 newest:3 batch:20:8 auto; do has out "$policy"; done
    has cost.svg "<svg"
    run fovea lower --simulate --trace short --model "$MODEL" --json
    want_status 0
    grep -q '^{.*}$' out || fail "no object"
    run fovea lower --simulate --trace short --model "$MODEL" --policies "all auto"
    want_status 0
    hasnt out "batch:20:8"
    some_talk s
    run fovea lower --simulate s --model "$MODEL"
    want_status 0
    has out auto
    run fovea lower --simulate s --model "$MODEL" --plot no/such/folder
    want_status 3
}

run_tests "$@"
