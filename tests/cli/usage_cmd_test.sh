#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `fovea usage` and `fovea cache clear`: rows, totals, days, JSON, and what is said when a file is damaged.
. "$(dirname "$0")/lib.sh"

# Each test has a home of its own.
home() {
    export XDG_STATE_HOME="$PWD/state" XDG_CACHE_HOME="$PWD/cache"
}
# seed: lines of words on stdin, tabs between them.
seed() {
    tr ' ' '\t' | "$BUILD/tests/seedledger" "$XDG_STATE_HOME/fovea" "$XDG_CACHE_HOME/fovea"
}
# Three days: 2026-11-14, -15 and -16, at noon.
some_calls() {
    seed <<EOF
call work anthropic claude-opus-4-7 1794657600 1000 50 1500000000 0
call work openai gpt-5 1794744000 200 10 3400000 1
call play anthropic claude-opus-4-7 1794830400 300 20 250000000 0
call play home llava 1794830401 7 8 -1 0
EOF
}

test_usage_of_nothing_is_one_sentence_and_makes_no_file() {
    home
    run "$FOVEA" usage
    want_status 0
    [ "$(cat out)" = "nothing was spent yet" ] || fail "other words"
    empty err
    run "$FOVEA" usage --since 2026-01-01
    [ "$(cat out)" = "nothing was spent since then" ] || fail "other words"
    run "$FOVEA" usage --json
    [ "$(cat out)" = '{"ok":true,"kind":"usage","by":"model","rows":[],"total":null}' ] || fail "other JSON"
    [ ! -e state ] && [ ! -e cache ] || fail "a folder was made"
}

test_usage_has_a_row_for_each_model_and_a_total() {
    home
    some_calls
    run "$FOVEA" usage
    want_status 0
    empty err
    tr -s ' ' <out >rows
    has rows 'model calls failed tokens in tokens out cost unpriced'
    has rows 'home/llava 1 0 7 8 not known 1'
    has rows 'anthropic/claude-opus-4-7 2 0 1300 70 $1.75 0'
    has rows 'openai/gpt-5 1 1 200 10 $0.0034 0'
    has rows 'total 4 1 1507 88 $1.7534 1'
    has out 'calls whose price is not known'
    [ "$(sed -n 2p rows | cut -d ' ' -f 1)" = home/llava ] || fail "the latest is not first"
}

test_usage_as_json() {
    home
    some_calls
    run "$FOVEA" usage --by session --json
    want_status 0
    empty err
    want_json kind usage
    want_json by session
    want_json rows.0.name play
    want_json rows.0.calls 2
    want_json rows.0.unpriced 1
    want_json rows.1.name work
    want_json rows.1.failed 1
    has out '"name":"work","calls":2,"failed":1,"input_tokens":1200,"output_tokens":60,"cost_usd":1.5034,"unpriced":0'
    run "$FOVEA" usage --json
    has out '"name":"home/llava","calls":1,"failed":0,"input_tokens":7,"output_tokens":8,"cost_usd":null,"unpriced":1}'
    has out '"total":{"name":"total","calls":4,"failed":1,"input_tokens":1507,"output_tokens":88,"cost_usd":1.7534,"unpriced":1}}'
}

test_usage_by_day_since_a_day() {
    home
    some_calls
    run "$FOVEA" usage --by day --since 2026-11-15
    want_status 0
    has out 2026-11-16
    has out 2026-11-15
    hasnt out 2026-11-14
    tr -s ' ' <out >rows
    has rows 'total 3 1 507 38 $0.2534 1'
}

test_usage_judges_its_options() {
    home
    for bad in "--by week" "--since yesterday" "--since 2026-02-30" "--since 2026-1-1" "--since 16-11-2026" "--by total" more; do
        # shellcheck disable=SC2086 # words
        run "$FOVEA" usage $bad
        want_status 2
        empty out
    done
    run "$FOVEA" usage --by modle
    has err "did you mean model"
    run "$FOVEA" cache
    want_status 2
    run "$FOVEA" cache fill
    want_status 2
    has err "unknown action 'fill'"
}

test_names_cannot_act_on_a_terminal() {
    home
    printf 'call\ta\033[31mb\tx\ty\t1794657600\t1\t1\t1\t0\n' | "$BUILD/tests/seedledger" "$PWD/state/fovea" "$PWD/cache/fovea"
    run "$FOVEA" usage --by session
    want_status 0
    hasnt out "$(printf '\033')"
}

test_a_damaged_record_is_a_fault_that_says_what_to_do() {
    home
    some_calls
    rm -f state/fovea/usage.db-*
    head -c 8192 /dev/urandom >state/fovea/usage.db
    run "$FOVEA" usage --json
    want_status 3
    has err "state/fovea/usage.db"
    has err "move it away"
    want_json ok false
}

test_cache_clear_says_how_many() {
    home
    run "$FOVEA" cache clear
    want_status 0
    [ "$(cat out)" = "0 answers forgotten" ] || fail "other words"
    printf 'answer\tred\nanswer\tgreen\n' | "$BUILD/tests/seedledger" "$PWD/state/fovea" "$PWD/cache/fovea"
    run "$FOVEA" cache clear
    [ "$(cat out)" = "2 answers forgotten" ] || fail "other words"
    ! grep -qa green cache/fovea/answers.db* || fail "an answer is still on the disk"
    printf 'answer\tred\n' | "$BUILD/tests/seedledger" "$PWD/state/fovea" "$PWD/cache/fovea"
    run "$FOVEA" cache clear --json
    [ "$(cat out)" = '{"ok":true,"kind":"cache","forgotten":1}' ] || fail "other JSON"
}

test_no_path_leads_to_what_is_kept() {
    home
    printf 'answer\tred\n' | "$BUILD/tests/seedledger" "$PWD/state/fovea" "$PWD/cache/fovea"
    for path in cache/fovea/answers.db cache/fovea; do
        run "$FOVEA" read --root "$PWD" "$PWD/$path"
        want_status 1
        has err "is not there or outside"
    done
}

run_tests "$@"
