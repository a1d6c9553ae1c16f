# SPDX-License-Identifier: Apache-2.0
# Streams that fail, workers that are not there, and what doctor makes of it.
. "${0%/*}/lib.sh"

test_closed_stdout_is_a_fault_with_words() {
    cp "$GOOD/png-rgb-8.png" a.png
    for words in 'view a.png' 'view --json a.png' 'view -o - a.png' 'version' 'help' 'doctor'; do
        status=0
        "$FOVEA" $words >&- 2>err || status=$?
        want_status 3
        has err 'cannot write to stdout'
    done
    # No file of ours may have slipped into the empty place.
    [ "$(head -c 4 a.png | od -An -tx1 | tr -d ' ')" = 89504e47 ]
}

test_full_disk_is_a_fault_with_words() {
    [ -c /dev/full ] || skip "no /dev/full"
    cp "$GOOD/png-rgb-8.png" a.png
    status=0
    "$FOVEA" view a.png >/dev/full 2>err || status=$?
    want_status 3
    has err 'No space left'
    run "$FOVEA" view -o /dev/full a.png
    want_status 3
    has err 'No space left'
}

# The reader takes ten bytes of far more than a pipe holds, and goes.
test_closed_pipe_ends_quietly() {
    seq 200000 >a.txt
    mkfifo pipe
    head -c 10 <pipe >/dev/null &
    status=0
    "$FOVEA" read --limit 200000 a.txt >pipe 2>err || status=$?
    wait
    [ "$status" -ne 0 ] || fail "exit status 0"
    empty err
}

test_large_output_is_written_in_full_through_a_slow_pipe() {
    run fovea view --data "$GOOD/png-photo-2000x1500.png"
    cp out direct
    fovea view --data "$GOOD/png-photo-2000x1500.png" | { sleep 0.2; cat; } >slow
    cmp direct slow
}

# Alone in a folder there is no worker beside it; the installed one counts only where there is none.
test_missing_worker_is_a_fault() {
    cp "$FOVEA" alone
    cp "$GOOD/png-rgb-8.png" a.png
    run ./alone doctor --json
    [ "$status" -eq 1 ] || skip "a worker is installed on this machine"
    run ./alone view a.png
    want_status 3
    empty out
    has err 'fovea: '
    run ./alone view --json a.png
    want_status 3
    want_json ok false
    want_json kind fault
    json error | grep -q worker
}

test_doctor_is_content_here() {
    run "$FOVEA" doctor
    want_status 0
    empty err
    grep -q '^ok *landlock' out
    ! grep -q "$(printf '\033')" out || fail "colours"
}

test_doctor_json_is_an_array_of_checks() {
    run "$FOVEA" doctor --json
    want_status 0
    for key in health name detail remedy; do json "0.$key" >/dev/null; done
}

test_doctor_names_a_broken_config() {
    echo 'imagess: 1' >c.yaml
    run "$FOVEA" doctor --config c.yaml
    want_status 1
    grep -q '^bad *config' out
    has out fix:
}

test_version_is_one_line() {
    run "$FOVEA" version
    want_status 0
    grep -Eq '^fovea [0-9]+\.[0-9]+\.[0-9]+$' out
    cp out a
    run "$FOVEA" --version
    cmp a out
    run "$FOVEA" version --json
    want_json version "$(cut -d ' ' -f 2 a)"
}

run_tests "$@"
