# SPDX-License-Identifier: Apache-2.0
# What is typed wrong: exit status 2, words on stderr only, and the nearest right one.
. "${0%/*}/lib.sh"

test_no_command_is_a_usage_error() {
    run "$FOVEA"
    want_status 2
    empty out
    has err --help
}

test_unknown_command_names_the_nearest() {
    run "$FOVEA" veiw
    want_status 2
    empty out
    has err "did you mean 'view'"
    run "$FOVEA" xyzzy
    want_status 2
    hasnt err 'did you mean'
}

test_unknown_option_names_the_nearest() {
    for pair in --jsno=--json --regoin=--region --max_edge=--max-edge --reg=--region --roots=--root; do
        run "$FOVEA" view "${pair%%=*}" x
        want_status 2
        empty out
        has err "did you mean '${pair#*=}'"
    done
    run "$FOVEA" view -z x
    want_status 2
}

test_option_values_are_checked() {
    for words in '--region 1,2' '--region 1,2,3,x' '--max-edge x' '--max-edge -5' '--space nowhere' '--frame 0' \
        '--json=yes'; do
        run "$FOVEA" view $words x.png
        want_status 2
        empty out
        has err 'fovea: --'
    done
    run "$FOVEA" view x.png --region
    want_status 2
    has err 'needs a value'
}

test_number_of_arguments_is_checked() {
    for words in 'view' 'read' 'call' 'view a b' 'read a b' 'call a b c' 'version x' 'help a b'; do
        run "$FOVEA" $words
        want_status 2
        empty out
    done
}

test_option_and_value_may_be_one_word_or_two() {
    cp "$GOOD/png-rgb-8.png" a.png
    for words in '--region=0,0,10,10 a.png' '--region 0,0,10,10 a.png' 'a.png --region 0,0,10,10'; do
        run fovea view --json $words
        want_status 0
        want_json source.width 67
        [ "$(json region)" != null ]
    done
    run fovea view a.png -oone.out
    run fovea view a.png -o two.out
    run fovea view a.png --output=three.out
    cmp one.out two.out
    cmp one.out three.out
}

test_two_dashes_end_the_options() {
    cp "$GOOD/png-rgb-8.png" ./-x.png
    run fovea view --json -- -x.png
    want_status 0
    want_json ref -x.png
}

test_hostile_words_are_shown_and_not_sent() {
    run "$FOVEA" "$(printf 'a\033[2Jb')"
    want_status 2
    ! grep -q "$(printf '\033')" err || fail "colours"
}

test_both_json_and_picture_on_stdout_is_refused() {
    run "$FOVEA" view --json -o - x.png
    want_status 2
    empty out
}

run_tests "$@"
