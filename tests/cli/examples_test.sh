# SPDX-License-Identifier: Apache-2.0
# The examples are documentation, so they must run: against a model on the loopback, with a view in the middle.
. "${0%/*}/lib.sh"
export FOVEA

# host: starts a model; its requests are in the file log. host_done ends it.
host() {
    command -v python3 >/dev/null || skip "no python3"
    cp "$GOOD/png-words.png" shot.png
    export XDG_STATE_HOME="$PWD/state" PYTHONDONTWRITEBYTECODE=1
    mkfifo hold
    python3 "$TOP/tests/cli/loop_host.py" log <hold >port &
    exec 9>hold
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ ! -s port ] || break
        sleep 0.25
    done
    port=$(cat port)
    [ -n "$port" ] || fail "no model"
}
host_done() {
    exec 9>&-
    wait
}
# line N: the request of that number, in the file out.
line() {
    sed -n "$1p" log >out
}
loop() {
    status=0
    printf '%s\n' "hello" "look at shot.png" "what was it?" | "$@" >said 2>err || status=$?
    want_status 0
}
want_said() {
    printf '%s\n' "you said: hello" "I see 1 picture(s)." "you said: what was it?" | cmp -s - said || {
        cp said out
        fail "other words"
    }
    [ "$(wc -l <log)" -eq 4 ] || fail "not four requests"
    "$FOVEA" session show talk >shown
    has shown "→ view shot.png"
    has shown "← view shot.png"
    has shown "── turn 3"
}

# A node that takes TypeScript: by NODE, by PATH, or the one that the tests of the MCP server have.
find_node() {
    for node in "${NODE:-}" node "$(sh "$TOP/tests/mcp/setup.sh" "$BUILD/mcp-node" 2>/dev/null)/node"; do
        [ -n "$node" ] && command -v "$node" >/dev/null || continue
        echo 'const x: number = 1;' >types.ts
        "$node" --experimental-strip-types types.ts >/dev/null 2>&1 || continue
        return 0
    done
    skip "no node that runs TypeScript (22.6 or later); NODE may name one"
}

test_python() {
    host
    export BASE_URL="http://127.0.0.1:$port"
    loop python3 "$TOP/examples/agent_loop.py" talk anthropic/claude-opus-4-7
    want_said
    line 3
    want_json model claude-opus-4-7
    want_json messages.0.content.0.text hello
    has out '"tool_result"'
    has out '"type": "image"'
    host_done
}

test_python_goes_on_after_a_picture_was_refused() {
    host
    export BASE_URL="http://127.0.0.1:$port"
    status=0
    echo "look at shot.png, which is refused" | python3 "$TOP/examples/agent_loop.py" talk anthropic/claude-opus-4-7 \
        >said 2>err || status=$?
    want_status 0
    has said "I see 0 picture(s)."
    "$FOVEA" session show talk >shown
    has shown "repair · entry"
    host_done
}

test_typescript() {
    find_node
    host
    export BASE_URL="http://127.0.0.1:$port/v1" NODE_NO_WARNINGS=1
    loop "$node" --experimental-strip-types "$TOP/examples/agent_loop.ts" talk openai/gpt-5
    want_said
    line 3
    has out '"image_url"'
    has out '"role": "tool"'
    host_done
}

test_c() {
    ! nm "$FOVEA" 2>/dev/null | grep -q '__asan\|__tsan\|__ubsan' || skip "a sanitized library links into no plain program"
    export XDG_STATE_HOME="$PWD/state"
    cp "$GOOD/png-words.png" shot.png
    cp "$BUILD/fovea-worker" .
    [ -e "$BUILD/libfovea.so" ] || fail "no library"
    ${CC:-cc} -Wall -Wextra -Werror -I"$TOP/include" "$TOP/examples/agent_loop.c" -L"$BUILD" -lfovea -ljansson -o agent_loop
    status=0
    printf '%s\n' hello hi "/view shot.png" "an error" | LD_LIBRARY_PATH=$BUILD ./agent_loop talk \
        anthropic/claude-opus-4-7 >requests 2>err || status=$?
    want_status 0
    [ "$(wc -l <requests)" -eq 2 ] || fail "not two requests"
    tail -n 1 requests >out
    want_json wire anthropic
    want_json body.messages.0.role user
    has out '"type":"image"'
    "$FOVEA" session show talk >shown
    has shown "an error"
    has shown "← view shot.png"
}

test_examples_are_short() {
    for file in agent_loop.c agent_loop.py agent_loop.ts; do
        [ "$(wc -l <"$TOP/examples/$file")" -le 100 ] || fail "$file is too long"
    done
}

run_tests "$@"
