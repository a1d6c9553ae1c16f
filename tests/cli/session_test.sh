# SPDX-License-Identifier: Apache-2.0
# `fovea session`: every action, what it prints and how it ends, and what is said when it cannot be done.
. "${0%/*}/lib.sh"

# Each test has a record of its own.
home() {
    export XDG_STATE_HOME="$PWD/state"
}
session() {
    fovea session "$@"
}
# said KIND WORDS: an entry.
said() {
    printf '{"kind":"%s","at":%s,"parts":[{"type":"text","text":"%s"}]}\n' "$1" "${3:-1794657600000}" "$2"
}
# A conversation with a picture that a tool gave, in the session named.
some_talk() {
    {
        said user "what is in a.png?"
        printf '{"kind":"assistant","at":1794657601000,"parts":[{"type":"tool_call","id":"c1","name":"view","arguments":%s}]}\n' \
            "{\"path\":\"$GOOD/png-rgb-8.png\"}"
    } | session append "$1" >/dev/null
    fovea view "$GOOD/png-rgb-8.png" --session "$1" --call c1 >/dev/null
    {
        said assistant "a gradient"
        echo '{"kind":"usage","model":"anthropic/claude-opus-4-7","input":1200,"output":50,"cache_read":200,"cost_usd":0.00279}'
        said user "thanks"
    } | session append "$1" >/dev/null
}
want_out() {
    [ "$(cat out)" = "$1" ] || fail "other words than '$1'"
}

# ---------------------------------------------------------------- the command line

test_actions_are_in_help_man_page_and_completions() {
    run "$FOVEA" session --help
    want_status 0
    cp out help
    "$FOVEA" generate man >manual
    for shell in bash zsh fish; do "$FOVEA" generate "$shell" >"$shell"; done
    for a in append import list show export usage fresh reject fsck delete; do
        grep -q "^  $a" help || fail "$a is not in the help"
        has manual "\\fB$a\\fR"
        for shell in bash zsh fish; do grep -q "[ (']${a}[ )']" "$shell" || fail "$a is not in $shell"; done
    done
    for o in key wire error model retain at expanded full data repair json; do
        has help "--$o"
        has bash "--$o"
    done
    command -v bash >/dev/null || return 0
    cat >ask <<'END'
. ./bash
compopt() { echo files; }
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_fovea
echo "${COMPREPLY[*]}"
END
    [ "$(command bash ask fovea session ap)" = append ]
    [ "$(command bash ask fovea session import --wire g)" = gemini ]
    [ "$(command bash ask fovea session append s '' | head -n 1)" = files ]
}

test_what_is_typed_wrong_is_said() {
    home
    for words in "" "show" "append" "fresh s" "import s" "reject s" "delete" "list more" "append s f more" "fresh s p q" \
        "append s --wire gemini" "list --data" "export s --full" "show s --at 0" "show s --at -1" "show s --at 1x" \
        "show s --at 99999999999999999999" "import s --wire claude" "export s --wire nobody" "reject s --error f --wire x" \
        "append no/name" "append ../s" "show s*" "list --no-such"; do
        # shellcheck disable=SC2086 # words
        run session $words
        want_status 2
        empty out
        [ -s err ] || fail "no words for '$words'"
    done
    run session appned s
    want_status 2
    has err "did you mean 'append'"
    run session xyzzy
    want_status 2
    hasnt err "did you mean"
    run session import s --wire antropic
    has err "did you mean anthropic"
    run session list --key k
    has err "'session list' takes no --key"
    [ ! -e state ] || fail "something was made"
}

test_a_session_that_is_not_there_is_refused() {
    home
    said user hello | session append here >/dev/null
    for words in "show gone" "export gone" "usage gone" "delete gone" "fsck gone" "reject gone --error /dev/null"; do
        # shellcheck disable=SC2086 # words
        run session $words
        want_status 1
        empty out
        has err gone
    done
    run session show gone --json
    want_status 1
    want_json ok false
    run session delete gone --json
    want_status 1
    want_json kind fault
}

test_looking_at_an_empty_record_makes_none() {
    home
    run session list
    want_status 0
    want_out "no sessions yet"
    run session list --json
    want_out '{"ok":true,"kind":"sessions","sessions":[]}'
}

# ---------------------------------------------------------------- append

test_append_prints_the_numbers() {
    home
    said user hello >one
    run session append s one
    want_status 0
    want_out 1
    empty err
    { said assistant hi; said user again; } >two
    run session append s two
    want_out 2-3
    status=0
    { echo '['; said user a; echo ','; said assistant b; echo ']'; } | session append s - >out || status=$?
    want_status 0
    want_out 4-5
    said user last | session append s --json >out
    want_out '{"ok":true,"kind":"appended","first":6,"last":6,"again":false}'
}

test_append_with_a_key_happens_once() {
    home
    said user hello >one
    said user other >other
    run session append s one --key k1
    want_out 1
    run session append s one --key k1
    want_status 0
    want_out 1
    run session append s one --key k1 --json
    want_json again true
    want_json first 1
    run session append s other --key k1
    want_status 1
    empty out
    has err k1
    run session append s other --key k2
    want_out 2
    run session append s one --key "$(printf %0300d 1)"
    [ "$status" -ne 0 ] || fail "a key of 300 letters"
}

test_append_is_all_or_nothing_and_names_what_is_wrong() {
    home
    said user hello | session append s >/dev/null
    { said user fine; echo '{"kind":"user","parts":[{"type":"text","txet":"x"}]}'; } >bad
    run session append s bad
    want_status 1
    empty out
    has err txet
    for bad in '{' 'words' '{"kind":"dream"}' '{"parts":[]}' '{"kind":"user","parts":[{"type":"image","data":"?"}]}' '[[]]' 7; do
        echo "$bad" >bad
        run session append s bad --json
        want_status 1
        want_json ok false
        [ -s err ]
    done
    run session append s nowhere
    want_status 1
    has err "cannot read nowhere"
    run session append s .
    want_status 1
    [ "$(session export s | wc -l)" -eq 1 ] || fail "something was appended"
}

test_append_of_nothing() {
    home
    : >nothing
    run session append s nothing
    [ "$status" -le 1 ] || fail "status $status"
    run session append s nothing --json
    [ -s out ] || fail "no JSON"
}

# ---------------------------------------------------------------- import, export

request='{"model":"m","max_tokens":9,"system":"be brief","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]}'

test_import_appends_what_is_new_and_refuses_another_conversation() {
    home
    echo "$request" >request
    run session import s --wire anthropic request
    want_status 0
    has out new
    cp out first
    run session import s --wire anthropic request
    want_status 0
    want_out "0 new"
    sed 's/{"role":"assistant","content":"hello"}/&,{"role":"user","content":"more"}/' request >longer
    run session import s --wire anthropic longer
    want_status 0
    grep -q '^1 new: [0-9]*$' out || fail "not one"
    sed 's/"hi"/"ho"/' request >other
    run session import s --wire anthropic other
    want_status 1
    empty out
    [ -s err ]
    run session import s --wire anthropic other --json
    want_json ok false
    echo '{"messages":7}' >bad
    run session import t --wire anthropic bad
    want_status 1
    has err messages
}

test_import_then_export_is_the_same() {
    home
    echo "$request" >request
    session import s --wire anthropic request --json >out
    want_json kind imported
    want_json first 1
    run session export s --wire anthropic
    want_status 0
    empty err
    want_out '[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]'
    run session export s --wire anthropic --full
    want_status 0
    want_json wire anthropic
    want_json body.system "be brief"
    want_json body.messages.1.content hello
    session export s --wire gemini >/dev/null
}

test_exported_entries_make_the_same_session() {
    home
    some_talk s
    session export s --data >entries
    session append t entries >/dev/null
    session export t --data >again
    cmp entries again
    session export s >bare
    hasnt bare '"data"'
    has bare '"sha256"'
}

# Into a record that has none of the bytes: an export with them is the backup of a session.
test_an_export_with_its_bytes_restores_any_session() {
    home
    some_talk s
    session export s --data >entries
    session export s >bare
    id=$(grep -o 'view:[0-9a-f]*' bare | head -n 1)
    export XDG_STATE_HOME="$PWD/elsewhere"
    session append t entries >/dev/null
    session export t >again
    cmp bare again
    fovea view "$id" --session t >/dev/null
    session fsck >/dev/null
}

test_every_request_can_be_restored() {
    for wire in anthropic openai-chat openai-responses gemini; do
        for file in "$TOP/tests/cases/transcript/$wire"/*.json; do
            export XDG_STATE_HOME="$PWD/state"
            name=$wire-$(basename "$file" .json)
            session import "$name" --wire "$wire" "$file" >/dev/null
            session export "$name" --data >entries
            session export "$name" >bare
            session export "$name" --wire "$wire" >first
            export XDG_STATE_HOME="$PWD/elsewhere"
            session append "$name" entries >/dev/null || fail "$file"
            session export "$name" >again
            cmp bare again || fail "$file"
            session export "$name" --wire "$wire" >second
            cmp first second || fail "$file"
        done
    done
}

# ---------------------------------------------------------------- list, usage, delete

test_list_has_the_latest_first() {
    home
    some_talk work
    said user hello | session append play >/dev/null
    run session list
    want_status 0
    empty err
    tr -s ' ' <out >rows
    has rows "session entries last (UTC) bytes pictures their bytes"
    grep -q '^work 6 ' rows || fail "not six entries"
    grep -q '^play 1 ' rows
    run session list --json
    want_json kind sessions
    want_json sessions.1.name work
    want_json sessions.1.entries 6
    [ "$(json sessions.1.blobs)" -ge 1 ]
}

test_usage_adds_up_by_model() {
    home
    {
        echo '{"kind":"usage","model":"a/m","input":1000,"output":50,"cache_read":800,"cache_write":10,"cost_usd":0.1}'
        echo '{"kind":"usage","model":"a/m","input":2000,"output":70,"cost_usd":0.2}'
        echo '{"kind":"usage","model":"b/free","input":5,"output":6,"cost_usd":null}'
    } | session append s >/dev/null
    run session usage s
    want_status 0
    tr -s ' ' <out >rows
    has rows 'model requests tokens in tokens out cache read cache write cost unpriced'
    has rows 'a/m 2 3000 120 800 10 $0.3 0'
    has rows 'b/free 1 5 6 0 0 not known 1'
    has rows 'total 3 3005 126 800 10 $0.3 1'
    has out 'price is not known'
    run session usage s --json
    has out '{"model":"a/m","requests":2,"input":3000,"output":120,"cache_read":800,"cache_write":10,"cost_usd":0.3,"unpriced":0}'
    has out '"model":"b/free","requests":1,"input":5,"output":6,"cache_read":0,"cache_write":0,"cost_usd":null,"unpriced":1'
    want_json total.requests 3
    want_json total.unpriced 1
    said user hello | session append t >/dev/null
    run session usage t
    want_status 0
    want_out "no request has said what it took"
}

test_delete_says_what_is_gone() {
    home
    some_talk s
    some_talk t
    run session delete s
    want_status 0
    has out "deleted s: 6 entries"
    run session show s
    want_status 1
    session show t >/dev/null
    run session delete t --json
    want_json kind deleted
    want_json name t
    want_json entries 6
    run session list
    want_out "no sessions yet"
}

# ---------------------------------------------------------------- show

test_show_draws_the_conversation() {
    home
    some_talk s
    run session show s
    want_status 0
    empty err
    has out "── turn 1 · 2026-11-14 12:00:00Z ──"
    grep -q '^   1  user$' out
    has out "        what is in a.png?"
    has out "→ view $GOOD/png-rgb-8.png"
    has out "← view $GOOD/png-rgb-8.png"
    grep -q '        view:[0-9a-f]* · image/' out || fail "no footer"
    has out "usage · anthropic/claude-opus-4-7 · in: 1200, out: 50, from the cache: 200 · \$0.00279"
    has out "── turn 2"
    run session show s --at 1
    want_status 0
    has out gradient
    hasnt out thanks
    run session show s --at 99
    want_status 2
    empty out
    has err 'session "s" has 2 turns; there is no turn 99'
    run session show s --json
    want_status 0
    [ "$(wc -l <out)" -eq 6 ] || fail "not six lines"
    tail -n 1 out >last
    cp last out
    want_json seq 6
    want_json turn 2
    want_json entry.kind user
}

test_show_cuts_results_and_lets_nothing_act() {
    home
    {
        said user 'a\u001b[2Jb'
        printf '{"kind":"tool_result","name":"sh","arguments":{"question":"%0150d"},"parts":[{"type":"text","text":"' 1
        for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do printf '%s %0200d\\n' "$i" 0; done
        echo '"}]}'
    } | session append s >/dev/null
    run session show s
    want_status 0
    hasnt out "$(printf '\033')"
    has out 'a\u001b[2Jb'
    has out "… 14 more lines"
    [ "$(awk '{ n = length($0) } n > most { most = n } END { print most }' out)" -le 140 ] || fail "a line is too long"
    run session show s --expanded
    has out "… 2 more lines"
}

test_show_has_colours_on_a_terminal_only() {
    home
    command -v script >/dev/null || skip "no script(1)"
    said user hello | session append s >/dev/null
    script -qc "$FOVEA session show s" /dev/null >drawn </dev/null
    grep -q "$(printf '\033')" drawn || fail "no colours"
    NO_COLOR=1 script -qc "$FOVEA session show s" /dev/null >drawn </dev/null
    ! grep -q "$(printf '\033')" drawn || fail "colours"
}

test_show_holds_one_entry_at_a_time() {
    skip_if_sanitized
    home
    awk 'BEGIN { for (i = 0; i < 10000; i++) printf "{\"kind\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"%01000d\"}]}\n", i }' |
        session append s >out
    want_out 1-10000
    said user hello | session append small >/dev/null
    kib() {
        "$BUILD/tests/maxrss" kib "$FOVEA" session show "$1" >/dev/null
        cat kib
    }
    small=$(kib small)
    large=$(kib s)
    [ "$((large - small))" -le 8192 ] || fail "$large KiB, and $small for a small one"
}

# ---------------------------------------------------------------- fresh, reject, fsck

test_fresh_is_what_the_last_read_saw() {
    home
    echo one >notes.txt
    said user hello | session append s >/dev/null
    run session fresh s notes.txt
    want_status 1
    empty out
    has err notes.txt
    fovea read notes.txt --session s >/dev/null
    run session fresh s notes.txt
    want_status 0
    empty out
    empty err
    run session fresh s notes.txt --json
    want_out '{"ok":true,"kind":"fresh","fresh":true}'
    echo two >notes.txt
    run session fresh s notes.txt
    want_status 1
    run session fresh s notes.txt --json
    want_status 1
    want_json fresh false
    run session fresh s nowhere.txt
    want_status 1
}

test_reject_repairs_the_picture_and_nothing_else() {
    home
    some_talk s
    echo '{"type":"error","error":{"type":"invalid_request_error","message":"messages.2.content.0.tool_result.content.1.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes"}}' >error
    run session reject s --error error --model anthropic/claude-opus-4-7 --retain all
    want_status 0
    grep -q '^entry 3, part 1: refit: ' out || fail "not entry 3"
    run session reject s --error error --model anthropic/claude-opus-4-7 --retain all --json
    want_status 0
    want_json kind repair
    want_json entry 3
    want_json again true
    session show s >out
    has out "repair · entry 3"
    echo '{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}' >error
    run session reject s --error error --model anthropic/claude-opus-4-7 --retain all
    want_status 1
    empty out
    run session reject s --error error -m anthropic/claude-opus-4-7 --retain all
    want_status 1
    run session reject s --error nowhere --model anthropic/claude-opus-4-7
    want_status 1
    run session reject s --error error --model nobody/knows
    want_status 2
}

test_fsck_names_the_entry_that_is_damaged() {
    home
    some_talk s
    some_talk t
    run session fsck
    want_status 0
    has out ": 0 problems"
    run session fsck s --json
    want_status 0
    want_json kind fsck
    want_json left 0
    want_json sessions 1
    # One letter of what the model said, where it stands in the file.
    command -v python3 >/dev/null || skip "no python3"
    python3 - <<'END'
import sqlite3
base = sqlite3.connect("state/fovea/record.db")
base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
base.close()
with open("state/fovea/record.db", "r+b") as file:
    file.seek(file.read().index(b"a gradient"))
    file.write(b"a gradiens")
END
    run session fsck
    want_status 1
    grep -q 'session [st], entry 4' out || fail "entry 4 is not named"
    run session fsck --json
    want_status 1
    [ "$(json left)" -ge 1 ]
    run session fsck --repair
    want_status 1
    for name in s t; do
        run fovea lower "$name" --model anthropic/claude-opus-4-7
        [ "$status" -eq 1 ] || continue
        empty out
        return 0
    done
    fail "a damaged entry was lowered"
}

test_a_name_that_someone_put_into_the_file_cannot_act_on_the_terminal() {
    home
    some_talk s
    command -v python3 >/dev/null || skip "no python3"
    python3 - <<'END'
import sqlite3
base = sqlite3.connect("state/fovea/record.db")
base.execute("UPDATE sessions SET name = ?", ("a\x1b[2Jb",))
base.commit()
base.close()
END
    for action in list fsck; do
        run session "$action"
        if grep -q "$(printf '\033')" out err; then fail "an escape reached the terminal"; fi
    done
}

run_tests "$@"
