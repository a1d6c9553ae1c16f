# SPDX-License-Identifier: Apache-2.0
# Help, man page and completions: all of it, and all from one table.
. "${0%/*}/lib.sh"

test_help_lists_every_command_on_stdout() {
    run "$FOVEA" --help
    want_status 0
    empty err
    for c in view read call session lower setup doctor version help; do has out "  $c "; done
    hasnt out generate
}

test_each_command_has_help() {
    for c in view read call session lower setup doctor version help generate; do
        run "$FOVEA" "$c" --help
        want_status 0
        empty err
        has out "usage: fovea $c"
        cp out first
        run "$FOVEA" help "$c"
        want_status 0
        cmp first out
    done
}

# No process but the one that gave a view its id can find it again.
test_ask_offers_no_reference_that_it_cannot_follow() {
    run "$FOVEA" ask --help
    has out "  REF "
    hasnt out view:ID
}

test_help_wins_over_other_mistakes() {
    run "$FOVEA" view --help --no-such-option
    want_status 0
    run "$FOVEA" view a b c -h
    want_status 0
}

# Every argument of every tool is an option of its name (path is the first argument), with its choices.
test_every_tool_argument_is_in_help_man_page_and_completions() {
    "$FOVEA" generate man >manual
    for shell in bash zsh fish; do "$FOVEA" generate "$shell" >"$shell"; done
    "$BUILD/tests/toolfields" >fields
    [ "$(wc -l <fields)" -gt 8 ]
    while IFS='	' read -r tool field choices; do
        case $tool in
            inspect_image) continue ;; # for models; people have ask
            vision_analyze) tool=ask ;;
            video_analyze) tool=video ;;
        esac
        "$FOVEA" "$tool" --help >help
        case $field in
            path | file_path) has help "  REF "; continue ;;
            file_url) has help https://; continue ;;
            file_base64) has help data:; continue ;;
            prompt) has help QUESTION; continue ;;
            format) field=schema ;;
        esac
        option=$(echo "$field" | tr _ -)
        grep -q -e "--$option " help || fail "--$option is not in the help of $tool"
        has manual "\\-\\-$(echo "$option" | sed 's/-/\\-/g')"
        has bash "--$option"
        has zsh "'--${option}["
        has fish "from $tool' -l $option "
        [ -z "$choices" ] || { has help "$choices"; has manual "$choices"; has bash "$(echo "$choices" | tr '|' ' ')"; }
    done <fields
}

test_man_page_shows_examples_and_nothing_else_for_them() {
    "$FOVEA" generate man | sed -n '/^\.SH EXAMPLES/,/^\.SH [^E]/p' | grep -A 1 '^\.TP' | grep '^.fB' >examples
    [ -s examples ] && ! grep -v 'fovea' examples || fail "what is no example stands among them"
}

test_man_page_is_complete_and_clean() {
    "$FOVEA" generate man >fovea.1
    for section in NAME SYNOPSIS DESCRIPTION COMMANDS 'EXIT STATUS' CONFIGURATION ENVIRONMENT FILES EXAMPLES; do
        has fovea.1 ".SH $section"
    done
    command -v groff >/dev/null || skip "no groff"
    groff -ww -man -Tascii -P-cbou fovea.1 >page 2>complaints
    empty complaints
    has page max-edge
}

test_bash_completion_completes() {
    command -v bash >/dev/null || skip "no bash"
    "$FOVEA" generate bash >c
    cat >ask <<'END'
. ./c
compopt() { :; }
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_fovea
echo "${COMPREPLY[*]}"
END
    [ "$(bash ask fovea vie)" = view ]
    [ "$(bash ask fovea vi)" = "view video" ]
    [ "$(bash ask fovea view --reg)" = --region ]
    [ "$(bash ask fovea view --space u)" = unit ]
    [ "$(bash ask fovea call in)" = inspect_image ]
    [ "$(bash ask fovea help doc)" = doctor ]
    [ "$(bash ask fovea setup gem)" = gemini ]
}

test_zsh_completion_parses() {
    command -v zsh >/dev/null || skip "no zsh"
    "$FOVEA" generate zsh >c
    zsh -n c
}

test_fish_completion_parses() {
    command -v fish >/dev/null || skip "no fish"
    "$FOVEA" generate fish >c
    fish -n c
}

run_tests "$@"
