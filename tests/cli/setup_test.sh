# SPDX-License-Identifier: Apache-2.0
# fovea setup: what it prints, what it writes, and what it must never lose. Everything happens in a home of its own.
. "${0%/*}/lib.sh"

unset CLAUDE_CONFIG_DIR CODEX_HOME GEMINI_CLI_HOME COPILOT_HOME QWEN_HOME
unset CLINE_DIR CLINE_DATA_DIR CLINE_MCP_SETTINGS_PATH
json_agents='claude gemini opencode copilot qwen cline vscode zed'

# A home for this test; config_of AGENT and path_of AGENT say where its entry goes.
fresh_home() {
    export HOME="$PWD/home" XDG_CONFIG_HOME="$PWD/home/.config"
    rm -rf "$HOME"
    mkdir "$HOME"
}
config_of() {
    case $1 in
        claude) echo "$HOME/.claude.json" ;;
        codex) echo "$HOME/.codex/config.toml" ;;
        gemini) echo "$HOME/.gemini/settings.json" ;;
        opencode) echo "$HOME/.config/opencode/opencode.json" ;;
        copilot) echo "$HOME/.copilot/mcp-config.json" ;;
        qwen) echo "$HOME/.qwen/settings.json" ;;
        cline) echo "$HOME/.cline/data/settings/cline_mcp_settings.json" ;;
        vscode) echo "$HOME/.config/Code/User/mcp.json" ;;
        zed) echo "$HOME/.config/zed/settings.json" ;;
    esac
}
path_of() {
    case $1 in
        opencode) echo mcp.fovea ;;
        vscode) echo servers.fovea ;;
        zed) echo context_servers.fovea ;;
        *) echo mcpServers.fovea ;;
    esac
}
# given AGENT [FORMAT WORDS...]: what printf makes of them, or stdin, becomes its config; a copy is in the file before.
given() {
    file=$(config_of "$1")
    shift
    mkdir -p "$(dirname "$file")"
    if [ $# -gt 0 ]; then printf "$@" >before; else cat >before; fi
    cp before "$file"
}
# The entry in FILE starts this program.
want_entry() {
    case $1 in
        opencode) want_in "$2" "$(path_of "$1").command" "[\"$FOVEA\",\"mcp\"]" ;;
        *) want_in "$2" "$(path_of "$1").command" "$FOVEA" && want_in "$2" "$(path_of "$1").args" '["mcp"]' ;;
    esac
}
want_in() {
    got=$("$BUILD/tests/jsonget" "$1" "$2") || fail "no $2 in $1"
    [ "$got" = "$3" ] || fail "$2 in $1 is '$got', want '$3'"
}
# No line of the file before is gone or changed.
nothing_lost() {
    diff before "$file" >changes || true
    ! grep '^<' changes || fail "lines were changed"
    grep -q '^>' changes || fail "nothing was added"
}
unchanged() {
    cmp before "$file" || fail "the file was touched"
}

test_prints_the_entry_and_touches_nothing() {
    fresh_home
    for a in $json_agents; do
        run "$FOVEA" setup "$a"
        want_status 0
        want_entry "$a" out
        has err "$(config_of "$a")"
    done
    run "$FOVEA" setup codex
    want_status 0
    has out '[mcp_servers.fovea]'
    has out "command = \"$FOVEA\""
    has out 'args = ["mcp"]'
    [ -z "$(ls -A "$HOME")" ] || fail "something was written"
}

test_names_the_agents_own_command() {
    fresh_home
    for pair in "claude:claude mcp add -s user fovea -- $FOVEA mcp" "codex:codex mcp add fovea -- $FOVEA mcp" \
        "gemini:gemini mcp add -s user fovea $FOVEA -- mcp" "copilot:copilot mcp add fovea -- $FOVEA mcp"; do
        run "$FOVEA" setup "${pair%%:*}"
        has err "or run: ${pair#*:}"
    done
    run "$FOVEA" setup vscode
    has err 'code --add-mcp '"'"'{"name":"fovea",'
}

test_writes_for_each_agent_and_a_second_run_finds_nothing_to_do() {
    fresh_home
    for a in codex $json_agents; do
        file=$(config_of "$a")
        run "$FOVEA" setup "$a" --write
        want_status 0
        has out "+++ $file"
        has err "wrote '$file'"
        [ "$a" = codex ] || want_entry "$a" "$file"
        [ "$(stat -c %a "$file")" = 600 ] || fail "a new config is not private"
        cp "$file" before
        run "$FOVEA" setup "$a" --write
        want_status 0
        empty out
        has err 'nothing to do'
        unchanged
    done
}

test_other_settings_stay() {
    fresh_home
    for a in $json_agents; do
        servers=$(path_of "$a")
        servers=${servers%.*}
        given "$a" '{"n": 12345678901234, "list": [1, {"}": "]"}],\n "%s": {"other": {"command": "x,}"}}, %s}' \
            "$servers" '"s": "\u00e9 // é"'
        run "$FOVEA" setup "$a" --write
        want_status 0
        want_entry "$a" "$file"
        want_in "$file" "$servers.other.command" 'x,}'
        want_in "$file" n 12345678901234
        want_in "$file" list '[1,{"}":"]"}]'
        want_in "$file" s 'é // é'
    done
}

test_comments_and_trailing_commas_stay() {
    fresh_home
    for a in vscode zed opencode gemini qwen; do
        servers=$(path_of "$a")
        servers=${servers%.*}
        given "$a" <<END
// my settings, "with" { braces
{
    /* more
       { of it */
    "theme": "dark", // trailing
    "$servers": {
        "other": { "command": "x" }, // why
        // "old": { "command": "y" },
    },
}
// the end
END
        run "$FOVEA" setup "$a" --write
        want_status 0
        nothing_lost
        has "$file" '        "fovea": {'
        run "$FOVEA" setup "$a" --write
        has err 'nothing to do'
    done
}

test_a_comma_is_added_where_it_belongs() {
    fresh_home
    given zed '{\n\t"a": 1 // one\n\t// two\n}\n'
    run "$FOVEA" setup zed --write
    want_status 0
    has "$file" '	"a": 1, // one'
    has "$file" '	"context_servers": {'
    has "$file" '		"fovea": {'
    grep -A1 '// two' "$file" | grep -q context_servers || fail "not behind the comment"
}

test_odd_layouts_keep_their_bytes() {
    fresh_home
    for text in '{}' '{ }' '{
}' '{"servers":{}}' '{"servers":{"a":{}}}' '{"servers": { }, "inputs": []}' '// only a comment' '' '[1].' ; do
        given vscode '%s' "$text"
        run "$FOVEA" setup vscode --write
        if [ "$text" = '[1].' ]; then
            want_status 1
            unchanged
            continue
        fi
        want_status 0
        has "$file" '"fovea": {'
        run "$FOVEA" setup vscode --write
        has err 'nothing to do'
    done
    given claude '{\r\n  "a": 1\r\n}\r\n'
    run "$FOVEA" setup claude --write
    want_status 0
    ! grep -v "$(printf '\r')\$" "$file" || fail "line ends were mixed"
}

test_broken_files_are_refused_and_named() {
    fresh_home
    for text in '{"a": 1,\n "b": }' '{"a": 1' '[]' '{"mcpServers": []}' '{"a":1,"a":2}' '{} {}' '{"a": 1, // no\n}'; do
        given claude "$text"
        run "$FOVEA" setup claude --write
        want_status 1
        has err "$file"
        has err 'left as it is'
        want_entry claude out
        unchanged
    done
    given claude '{"a": 1,\n "b": }'
    run "$FOVEA" setup claude --write
    has err 'line 2'
}

test_another_entry_is_replaced_only_by_force() {
    fresh_home
    given claude '{\n  "mcpServers": {\n    "fovea": {"command": "old"},\n    "b": {"command": "b"}\n  }\n}\n'
    run "$FOVEA" setup claude --write
    want_status 1
    has out '-    "fovea": {"command": "old"},'
    has err --force
    unchanged
    run "$FOVEA" setup claude --write --force
    want_status 0
    want_entry claude "$file"
    want_in "$file" mcpServers.b.command b
    hasnt "$file" old
}

test_what_the_user_added_to_the_entry_is_no_difference() {
    fresh_home
    given gemini '{"mcpServers":{"fovea":{"command":"%s","args":["mcp"],"timeout":9}}}' "$FOVEA"
    run "$FOVEA" setup gemini --write
    want_status 0
    has err 'nothing to do'
    given cline '{"mcpServers":{"fovea":{"transport":{"type":"stdio","command":"%s","args":["mcp"]}}}}' "$FOVEA"
    run "$FOVEA" setup cline --write
    has err 'nothing to do'
    given codex '[mcp_servers.fovea]\nenabled = true\nargs = [ '"'mcp'"', ]\ncommand = '"'%s'"' # here\n' "$FOVEA"
    run "$FOVEA" setup codex --write
    has err 'nothing to do'
}

test_toml_keeps_everything_and_is_not_fooled() {
    fresh_home
    given codex <<'END'
# mine
model = "o" # [mcp_servers.fovea]
notes = """
[mcp_servers.fovea]
command = "no"
"""
lists = [
  ["[mcp_servers.fovea]"], # ]
]
[projects."C:\\x"]
trust_level = "trusted"
[mcp_servers.other]
command = 'x'
[mcp_servers.other.env]
A = "b"
END
    run "$FOVEA" setup codex --write
    want_status 0
    nothing_lost
    tail -n 3 "$file" >end
    [ "$(head -n 1 end)" = '[mcp_servers.fovea]' ] || fail "not at the end"
    run "$FOVEA" setup codex --write
    has err 'nothing to do'
}

test_toml_entry_is_replaced_only_by_force() {
    fresh_home
    given codex 'a = 1\n[mcp_servers.fovea]\ncommand = "old"\nargs = [\n "x",\n]\n# next\n[z]\nb = 2\n'
    run "$FOVEA" setup codex --write
    want_status 1
    has out '-command = "old"'
    unchanged
    run "$FOVEA" setup codex --write --force
    want_status 0
    printf 'a = 1\n[mcp_servers.fovea]\ncommand = "%s"\nargs = ["mcp"]\n# next\n[z]\nb = 2\n' "$FOVEA" | cmp - "$file"
}

test_toml_in_doubt_is_left_alone() {
    fresh_home
    for text in 'mcp_servers = { fovea = { command = "x" } }' 'mcp_servers.fovea.command = "x"' \
        '[mcp_servers]\nfovea = { command = "x" }' '[mcp_servers.fovea.env]\nA = "b"' '[[mcp_servers]]\na = 1' \
        'a = "open' 'a = [1' 'a = """x' 'just words' '[mcp_servers."fo\\u0076ea"]\ncommand = "x"' \
        '[mcp_servers.fovea]\ncommand = "x"\n[mcp_servers.fovea.env]\nA = "b"' '[x' 'a = ]' \
        'a = 1 [mcp_servers]' 'a = { b = 1,\n c = 2 }' 'a = 1 2' 'a = [1}' 'a =' '[x] y' 'a = "b" c'; do
        given codex "$text\\n"
        run "$FOVEA" setup codex --write --force
        want_status 1
        has err 'left as it is'
        has out '[mcp_servers.fovea]'
        unchanged
    done
}

test_toml_values_of_every_kind_are_passed_over() {
    fresh_home
    given codex 'a = 1979-05-27 07:32:00Z # then\nb = [ # list\n { c = "]" }, [1,\n2], ]\r\nd = { e = [1,\n2], f = {} }\ng = -1.5e3\n'
    run "$FOVEA" setup codex --write
    want_status 0
    nothing_lost
}

# One byte less than is read at most: with an entry it would never be read again.
test_bug_a_config_that_has_no_room_for_an_entry_is_left_alone() {
    fresh_home
    for agent in claude codex; do
        given $agent '{}'
        { [ $agent = codex ] || printf '{}'; head -c 16777213 /dev/zero | tr '\0' '\n'; } >"$file"
        before=$(cksum <"$file")
        run "$FOVEA" setup $agent --write
        want_status 1
        has err 'larger than 16 MiB'
        has out 'args'
        [ "$(cksum <"$file")" = "$before" ] || fail "it was changed"
    done
}

test_json_with_something_behind_it_is_left_alone() {
    fresh_home
    for agent in vscode zed opencode; do
        for text in '{"a":1},' '{"a":1}]' ',{"a":1}' '{"a":1,,}' '{,}'; do
            given $agent "$text\\n"
            run "$FOVEA" setup $agent --write --force
            want_status 1
            has err 'left as it is'
            unchanged
        done
    done
}

test_mode_and_link_are_kept() {
    fresh_home
    mkdir dotfiles
    echo '{}' >dotfiles/claude.json
    chmod 640 dotfiles/claude.json
    ln -s "$PWD/dotfiles/claude.json" "$HOME/.claude.json"
    run "$FOVEA" setup claude --write
    want_status 0
    [ -L "$HOME/.claude.json" ] || fail "the link is gone"
    want_entry claude dotfiles/claude.json
    [ "$(stat -c %a dotfiles/claude.json)" = 640 ] || fail "the mode changed"
    [ "$(ls -A dotfiles)" = claude.json ] || fail "something was left beside it"
    rm dotfiles/claude.json
    run "$FOVEA" setup claude --write
    want_status 3
    has err 'link to nothing'
}

test_the_diff_is_one_that_patch_takes() {
    fresh_home
    command -v patch >/dev/null || skip "no patch"
    lines=$(seq 1 20 | sed 's/.*/# &/')
    given codex '%s\n[mcp_servers.fovea]\ncommand = "old"\n%s\n' "$lines" "$lines"
    run "$FOVEA" setup codex --write --force
    want_status 0
    patch -s before out
    cmp before "$file"
}

test_variables_say_where_the_config_is() {
    fresh_home
    for pair in claude:CLAUDE_CONFIG_DIR:.claude.json codex:CODEX_HOME:config.toml \
        gemini:GEMINI_CLI_HOME:.gemini/settings.json copilot:COPILOT_HOME:mcp-config.json qwen:QWEN_HOME:settings.json \
        cline:CLINE_DIR:data/settings/cline_mcp_settings.json cline:CLINE_DATA_DIR:settings/cline_mcp_settings.json \
        opencode:XDG_CONFIG_HOME:opencode/opencode.json vscode:XDG_CONFIG_HOME:Code/User/mcp.json \
        zed:XDG_CONFIG_HOME:zed/settings.json; do
        rest=${pair#*:}
        run env "${rest%%:*}=$PWD/else" "$FOVEA" setup "${pair%%:*}"
        has err "'$PWD/else/${rest#*:}'"
    done
    run env "CLINE_MCP_SETTINGS_PATH=$PWD/f.json" "$FOVEA" setup cline
    has err "'$PWD/f.json'"
    mkdir -p "$HOME/.config/opencode"
    echo '{}' >"$HOME/.config/opencode/opencode.jsonc"
    run "$FOVEA" setup opencode
    has err "opencode.jsonc'"
    run env -u HOME "$FOVEA" setup claude
    want_status 3
    has err 'HOME is not set'
}

test_project_scope_writes_here() {
    fresh_home
    for pair in claude:.mcp.json gemini:.gemini/settings.json vscode:.vscode/mcp.json zed:.zed/settings.json \
        qwen:.qwen/settings.json opencode:opencode.json; do
        run "$FOVEA" setup "${pair%%:*}" --scope project --write
        want_status 0
        want_entry "${pair%%:*}" "${pair#*:}"
    done
    run "$FOVEA" setup codex --scope project --write
    has .codex/config.toml '[mcp_servers.fovea]'
    run "$FOVEA" setup cline --scope project
    want_status 2
    [ -z "$(ls -A "$HOME")" ] || fail "the home was written to"
}

# Both read .mcp.json of a project.
test_claude_and_copilot_share_a_project_file() {
    fresh_home
    run "$FOVEA" setup copilot --scope project --write
    want_status 0
    want_in .mcp.json mcpServers.fovea.type stdio
    run "$FOVEA" setup claude --scope project --write
    has err 'nothing to do'
}

test_name_root_and_main_reach_the_command_line() {
    fresh_home
    mkdir 'a b'
    run "$FOVEA" setup claude --name eyes_2 --root 'a b' --root . --main anthropic/claude-x
    want_status 0
    want_json mcpServers.eyes_2.args \
        "[\"mcp\",\"--root\",\"$PWD/a b\",\"--root\",\"$PWD\",\"--main\",\"anthropic/claude-x\"]"
    has err "--root '$PWD/a b'"
    run "$FOVEA" setup claude --root nowhere
    want_status 3
}

test_the_name_alone_when_it_is_on_the_path() {
    fresh_home
    mkdir bin
    ln -s "$FOVEA" bin/fovea
    PATH=$PWD/bin:$PATH run "$FOVEA" setup claude
    want_json mcpServers.fovea.command fovea
    rm bin/fovea
    printf '#!/bin/sh\n' >bin/fovea
    chmod +x bin/fovea
    PATH=$PWD/bin:$PATH run "$FOVEA" setup claude
    want_json mcpServers.fovea.command "$FOVEA"
}

test_lists_the_agents_and_marks_those_that_are_here() {
    fresh_home
    mkdir "$HOME/.codex" empty
    PATH=$PWD/empty run "$FOVEA" setup
    want_status 0
    empty err
    [ "$(wc -l <out)" -eq 9 ]
    grep -q '^codex .* here ' out || fail "codex is not marked"
    ! grep -q '^zed .* here ' out || fail "zed is marked"
}

test_mistakes_are_usage_errors() {
    fresh_home
    run "$FOVEA" setup cluade
    want_status 2
    has err "did you mean 'claude'"
    for words in '--scope nowhere' '--name a.b' '--name=' '--force' '--main x'; do
        run "$FOVEA" setup claude $words
        want_status 2
        empty out
    done
}

test_a_folder_that_cannot_be_written_is_a_fault() {
    fresh_home
    CODEX_HOME=/proc/1 run "$FOVEA" setup codex --write
    want_status 3
    has err 'cannot'
}

run_tests "$@"
