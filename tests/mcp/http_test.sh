#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `fovea mcp --http`, over sockets. What is sent and wanted is in http_probe.py and tests/cases/http_gate.tsv.
. "$(dirname "$0")/../cli/lib.sh"
HERE=$(cd "$(dirname "$0")" && pwd)

# serve [OPTION...]: starts a server of its own; its port is $port, its process $pid, its words are in the file err.
serve() {
    : >err # an earlier one's words are not this one's
    "$FOVEA" mcp --http "${address:-127.0.0.1:0}" --root "$FIXTURES" --root "$PWD" "$@" 2>err </dev/null >out &
    pid=$!
    trap 'kill "$pid" 2>/dev/null || :' EXIT
    n=0
    until grep -q "listening on" err; do
        n=$((n + 1))
        { [ $n -lt 300 ] && kill -0 "$pid" 2>/dev/null; } || fail "the server does not start"
        sleep 0.02
    done
    port=$(sed -n 's|.*listening on https*://.*:\([0-9]*\)/mcp|\1|p' err)
    token=$(cat "$XDG_STATE_HOME/fovea/token" 2>/dev/null || :)
}
probe() {
    what=$1
    shift
    command -v python3 >/dev/null || skip "there is no python3"
    timeout 120 python3 "$HERE/http_probe.py" "$what" "$port" "$token" "$@" || fail "$what"
    kill -0 "$pid" || fail "the server has ended"
}
# end_server: it ends at once, with status 0, and leaves nobody behind.
end_server() {
    children=$(cat /proc/"$pid"/task/*/children 2>/dev/null || :)
    kill -TERM "$pid"
    status=0
    wait "$pid" || status=$?
    trap - EXIT
    want_status 0
    for child in $children; do
        ! kill -0 "$child" 2>/dev/null || sleep 0.5
        ! kill -0 "$child" 2>/dev/null || fail "child $child is left"
    done
}
# Made once: it takes longer than most of the tests.
slow_picture() {
    command -v python3 >/dev/null || skip "there is no python3"
    [ -e "$scratch/slow.png" ] || python3 "$HERE/http_probe.py" picture 0 x "$scratch/slow.png" 5000
    ln "$scratch/slow.png" slow.png
}

test_hosts_and_origins_are_judged_over_the_wire_as_in_the_table() {
    serve
    probe gate "$TOP/tests/cases/http_gate.tsv"
    end_server
}
test_verbs_paths_and_types_get_their_status() {
    serve
    probe verbs
    end_server
}
test_a_session_lives_until_it_is_deleted_or_crowded_out() {
    serve
    probe sessions
    end_server
}
test_a_wrong_token_is_refused_before_the_body_is_read() {
    serve
    probe token_first
    end_server
}
test_a_message_that_is_too_long_gets_413() {
    serve
    probe too_long
    end_server
}
test_slow_requests_are_cut_with_408_while_others_are_served() {
    serve
    probe slow
    end_server
}
test_a_thousand_connections_are_held_and_strangers_make_room() {
    [ "$(ulimit -n)" -ge 2500 ] || ulimit -n 2500 2>/dev/null || skip "too few descriptors are allowed"
    serve
    probe crowd "$pid"
    end_server
}
test_a_client_that_hangs_up_stops_its_call() {
    slow_picture
    serve
    probe hang_up "$PWD/slow.png" "$GOOD/$(ls "$GOOD" | grep '\.png$' | head -n 1)"
    end_server
}
test_a_client_that_hangs_up_before_its_call_begins_stops_it() {
    slow_picture
    serve
    probe hang_up_early "$PWD/slow.png"
    end_server
}
test_a_request_whose_end_is_doubtful_is_the_last() {
    serve
    probe smuggle
    end_server
}
test_bodies_that_trickle_keep_nobody_out() {
    serve
    probe bodies
    end_server
}
test_a_page_of_an_allowed_origin_may_ask_and_read() {
    serve --allow-origin https://app.example
    probe cors https://app.example
    end_server
}
test_a_session_that_ends_under_a_body_is_not_known() {
    serve
    probe ended_session
    end_server
}
test_a_large_message_holds_others_up_for_less_than_two_seconds() {
    serve
    probe stall
    end_server
}
test_options_for_http_alone_are_refused_without_it() {
    for option in --no-token "--tls-cert x" "--tls-key x" --insecure "--allow-host x" "--allow-origin x" --conformance; do
        # shellcheck disable=SC2086
        run "$FOVEA" mcp $option
        want_status 2
        has err "${option%% *} is of no use without --http"
    done
}
test_a_full_queue_gets_503() {
    slow_picture
    serve
    probe full "$PWD/slow.png"
    end_server
}
test_a_cancelled_call_ends_without_an_answer() {
    slow_picture
    serve
    probe cancelled "$PWD/slow.png"
    probe stream "$PWD/slow.png"
    end_server
}
test_a_signal_ends_calls_and_connections_at_once() {
    slow_picture
    serve
    timeout 60 python3 "$HERE/http_probe.py" stop "$port" "$token" "$PWD/slow.png" "$pid" || fail "stop"
    status=0
    wait "$pid" || status=$?
    trap - EXIT
    want_status 0
}
test_strange_requests_end_nothing() {
    serve
    probe strange
    end_server
}
test_workers_hold_no_socket_of_ours() {
    slow_picture
    serve
    probe stream "$PWD/slow.png"
    probe leaves "$pid"
    end_server
}
test_the_token_is_made_once_for_its_owner_alone() {
    export XDG_STATE_HOME="$PWD/new/state"
    serve
    has err "Authorization: Bearer $token"
    [ "$(stat -c %a "$XDG_STATE_HOME/fovea/token")" = 600 ] || fail "the token's mode"
    [ "$(stat -c %a "$XDG_STATE_HOME/fovea")" = 700 ] || fail "the folder's mode"
    [ "${#token}" -eq 43 ] || fail "the token is '$token'"
    end_server
    first=$token
    serve
    [ "$first" = "$token" ] || fail "another token"
    hasnt err "$token"
    has err "fovea/token"
    end_server
}
test_a_token_that_others_can_read_is_refused() {
    export XDG_STATE_HOME="$PWD/state"
    serve
    end_server
    chmod 644 state/fovea/token
    run "$FOVEA" mcp --http 127.0.0.1:0
    [ "$status" -ne 0 ] || fail "served"
    has err "can be read by others"
    rm state/fovea/token
    ln -s /etc/passwd state/fovea/token
    run "$FOVEA" mcp --http 127.0.0.1:0
    [ "$status" -ne 0 ] || fail "served with a link"
    rm state/fovea/token
    echo short >state/fovea/token
    chmod 600 state/fovea/token
    run "$FOVEA" mcp --http 127.0.0.1:0
    has err "holds no token"
    chmod 777 state/fovea
    run "$FOVEA" mcp --http 127.0.0.1:0
    has err "is open to others"
}
test_without_a_token_none_is_made_or_wanted() {
    export XDG_STATE_HOME="$PWD/state"
    serve --no-token
    [ ! -e state ] || fail "a token was made"
    probe verbs
    end_server
}
test_only_loopback_is_bound_unless_told() {
    for address in 0.0.0.0:0 "[::]:0" 192.0.2.1:80; do
        run "$FOVEA" mcp --http "$address"
        [ "$status" -ne 0 ] || fail "$address was served"
        has err "--insecure"
        run "$FOVEA" mcp --http "$address" --no-token
        [ "$status" -ne 0 ] || fail "$address was served without a token"
    done
    for address in nonsense 127.0.0.1 :80 127.0.0.1:x 127.0.0.1:65536 127.1:80 example.com:80 ::1:80 "[::1]" "[::1:80"; do
        run "$FOVEA" mcp --http "$address"
        [ "$status" -ne 0 ] || fail "$address was served"
        has err "is no address"
    done
    address=0.0.0.0:0
    serve --insecure
    probe verbs
    end_server
    address=localhost:0
    serve
    has err "http://127.0.0.1:"
    end_server
    address="[::1]:0"
    serve
    has err "http://[::1]:"
    end_server
}
test_tls_serves_and_half_of_it_is_refused() {
    command -v openssl >/dev/null && command -v curl >/dev/null || skip "there is no openssl or curl"
    openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost \
        -addext "subjectAltName=DNS:localhost,IP:127.0.0.1" 2>/dev/null
    run "$FOVEA" mcp --http 127.0.0.1:0 --tls-cert cert.pem
    has err "both"
    run "$FOVEA" mcp --http 127.0.0.1:0 --tls-key key.pem
    has err "both"
    : >empty.pem
    for pair in "empty.pem empty.pem" "cert.pem empty.pem" "empty.pem key.pem"; do
        run timeout 5 "$FOVEA" mcp --http 127.0.0.1:0 --tls-cert "${pair% *}" --tls-key "${pair#* }"
        [ "$status" -ne 0 ] || fail "served with $pair"
        has err "is empty"
        hasnt err "listening"
    done
    run "$FOVEA" mcp --http 127.0.0.1:0 --tls-cert cert.pem --tls-key cert.pem
    [ "$status" -ne 0 ] || fail "served with a certificate as the key"
    address=0.0.0.0:0
    serve --tls-cert cert.pem --tls-key key.pem
    has err "https://"
    code=$(curl -s -o body -w '%{http_code}' --cacert cert.pem "https://localhost:$port/mcp" \
        -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -H "Origin: https://localhost:$port" \
        -d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}')
    [ "$code" = 200 ] || fail "status $code over TLS"
    has body '"serverInfo"'
    code=$(curl -s -o body -w '%{http_code}' --cacert cert.pem "https://localhost:$port/mcp" -d '{}')
    [ "$code" = 401 ] || fail "status $code without a token"
    code=$(curl -s -o body -w '%{http_code}' --cacert cert.pem "https://localhost:$port/mcp" -H "Content-Length: 99999999" \
        -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -d '{}')
    [ "$code" = 413 ] || fail "status $code for a length too long"
    end_server
}

run_tests "$@"
