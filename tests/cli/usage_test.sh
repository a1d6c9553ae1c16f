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

# What is typed and cannot be meant, by the words that are said of it.
test_misunderstandings_are_told() {
    long=$(printf '%0400d' 0)
    while IFS='|' read -r words said; do
        # shellcheck disable=SC2086 # a list of words
        run "$FOVEA" $words
        want_status 2
        has err "$said"
    done <<END
setup claude --scope here|--scope is user or project
setup claude --name a.b|--name takes letters
setup claude --name $long|--name takes letters
setup claude --main gpt|PROVIDER/MODEL
setup claude --main /gpt|PROVIDER/MODEL
mcp --main nonsense|--main: main model "nonsense" is not PROVIDER/MODEL
mcp --main /x|--main: main model "/x" is not PROVIDER/MODEL
mcp --http foo|--http 'foo' is no address to listen on
mcp --http 127.0.0.1:99999|--http '127.0.0.1:99999' is no address to listen on
setup claude --force|--force goes with --write
setup claud|did you mean
setup xyzzy|no agent
config chek|did you mean
config xyzzy|it is check or show
lower --trace short s|not both
lower|it needs SESSION
lower s --policies all|go with --simulate
lower s --plot a|go with --simulate
lower s --json|go with --simulate
lower s --base-tokens 5|go with --simulate
lower --trace short --retain all|go with a session
lower --trace short --at 3|go with a session
lower --trace short --report a|go with a session
lower --trace short --full|go with a session
lower --trace short --bridge|go with a session
lower --trace short --model a/b|--trace alone
lower --trace short --wire gemini|--trace alone
lower --simulate --trace xyzzy|no trace
lower s --wire xyzzy|--wire takes
lower s --wire gemin|did you mean
view a b c d e f g h i j k l m n o p q r s|too many arguments
view -jx a|no option
session xyzzy|no action
usage --by xyzzy|xyzzy
usage --since yesterday|yesterday
usage --since 2024-02-31|2024-02-31
END
    many=$(i=0; while [ $i -lt 65 ]; do printf -- '--root / '; i=$((i + 1)); done)
    # shellcheck disable=SC2086
    run "$FOVEA" view $many a
    want_status 2
    has err '--root is given more than 64 times'
}

test_letters_of_help_and_version() {
    for letter in -h -V; do
        run "$FOVEA" $letter
        want_status 0
        has out fovea
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
