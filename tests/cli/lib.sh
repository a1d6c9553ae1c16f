# SPDX-License-Identifier: Apache-2.0
# For the tests of the command line; sourced, not run. A test is a function test_WHAT_IT_PROVES; it runs with -eu in a
# shell and a folder of its own, and fails when any command in it does. `skip WHY` leaves it. run_tests runs them all.
# Given from outside: BUILD (absolute). The fixtures are in FIXTURES.

: "${BUILD:?set BUILD to the build folder}"
FOVEA=$BUILD/fovea
FIXTURES=${FIXTURES:-$BUILD/fixtures}
GOOD=$FIXTURES/good
BAD=$FIXTURES/bad
TOP=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

# Nothing of the user's may reach in.
mkdir "$scratch/home"
export HOME="$scratch/home" XDG_CONFIG_HOME="$scratch/home/.config" XDG_STATE_HOME="$scratch/home/.state"
export XDG_CACHE_HOME="$scratch/home/.cache"
export LC_ALL=C.UTF-8 TERM=dumb
unset NO_COLOR COLORTERM ANTHROPIC_API_KEY OPENAI_API_KEY GEMINI_API_KEY OPENROUTER_API_KEY NOUS_API_KEY

# run COMMAND...: its status in $status, its words in the files out and err.
run() {
    status=0
    "$@" >out 2>err </dev/null || status=$?
}
# fovea as the tests need it: the fixtures are in reach.
fovea() {
    command_=$1
    shift
    "$FOVEA" "$command_" --root "$FIXTURES" --root "$PWD" "$@"
}
fail() {
    echo "$*"
    [ ! -s out ] || { echo "out:"; head -c 2000 out; }
    [ ! -s err ] || { echo "err:"; head -c 2000 err; }
    return 1
}
want_status() {
    [ "$status" -eq "$1" ] || fail "exit status $status, want $1"
}
# has FILE WORDS: the words are in the file, as they are.
has() {
    grep -qF -e "$2" "$1" || fail "'$2' is not in $1"
}
hasnt() {
    ! grep -qaF -e "$2" "$1" || fail "'$2' is in $1"
}
empty() {
    [ ! -s "$1" ] || fail "$1 is not empty"
}
# json PATH: the value in the file out; want_json PATH VALUE.
json() {
    "$BUILD/tests/jsonget" out "$1"
}
want_json() {
    got=$(json "$1") || fail "no $1 in the JSON"
    [ "$got" = "$2" ] || fail "$1 is '$got', want '$2'"
}
# Their allocators keep memory back, and leak checks do not go with tracing.
skip_if_sanitized() {
    ! grep -qa "__asan_init\|__tsan_init" "$FOVEA" || skip "a sanitized build holds other amounts of memory"
}
# What was built for tools/coverage.sh.
counted() {
    grep -qa __llvm_profile_runtime "$FOVEA"
}
skip_if_counted() {
    ! counted || skip "a build that counts its branches takes longer"
}
skip() {
    echo "$*" >skipped
    exit 0
}
# needs PROGRAM...: without fovea-PROGRAM the test is skipped.
needs() {
    for program; do
        [ -x "$BUILD/fovea-$program" ] || skip "fovea-$program is not built"
    done
}

run_tests() {
    bad=0
    for name in $(sed -n 's/^\(test_[a-z0-9_]*\)() .*/\1/p' "$0"); do
        case $name in *"${1:-}"*) ;; *) continue ;; esac
        folder=$scratch/$name
        mkdir "$folder"
        (set -eu; cd "$folder"; "$name") >"$scratch/log" 2>&1 </dev/null
        code=$?
        if [ "$code" -ne 0 ]; then
            sed "s/^/  /" "$scratch/log" >&2
            echo "not ok ${name#test_}"
            bad=1
        elif [ -f "$folder/skipped" ]; then
            echo "skip ${name#test_}: $(cat "$folder/skipped")"
        else
            echo "ok ${name#test_}"
        fi
        rm -rf "$folder"
    done
    exit "$bad"
}
