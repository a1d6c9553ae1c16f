#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every allocation, open, read, write, fsync, fork, thread, pipe, memfd and socket of whole pieces of work fails, one after the other:
# once, and from there on. Of each kind and scene the first call from every place in our code is played, and as many more, spread over all,
# as make 100 (INJECT_POINTS=N: N; INJECT_POINTS=0: all); LAB_QUICK=1 plays one of each in some scenes.
# INJECT_SCENES="NAME ..." plays these and no others, INJECT_KINDS=NAME,... these kinds only (all allocations of all scenes:
# INJECT_POINTS=0 INJECT_KINDS=alloc). After INJECT_SECONDS the scenes begin nothing more and tell how far they came.
# The same of worker programs, without their jail: of those whose libraries end the process when memory is short, only what our own
# code asks for fails (own-alloc).
# Bugs that were found here are played again where they were, as tests/lab/inject/bugs.tsv says, in the quick form too.
# A crash is told with its trace: addr2line -f -e BUILD/tests/lab/inject says where an offset is.
set -u
export PYTHONDONTWRITEBYTECODE=1
log=$(mktemp)
trap 'rm -f "$log" "$log".*' EXIT
trap 'exit 130' INT TERM

# What runs a command beside a PostgreSQL of its own; without one the scenes of it are skipped.
server() {
    command -v python3 >/dev/null || return 0
    for place in "$(pg_config --bindir 2>/dev/null)" /usr/lib/postgresql/*/bin; do
        [ ! -x "$place/initdb" ] || [ ! -x "$place/postgres" ] || { echo "python3 tests/record/pgserver.py $place"; return 0; }
    done
}

# Whether that kind was asked for; all are where none was named.
wanted() {
    case ",${INJECT_KINDS:-$1}," in *",$1,"*) ;; *) return 1 ;; esac
}

tell_log() {
    bad=1
    tail -n 60 "$log" | sed 's/^/# /'
}

if [ -n "${LAB_QUICK:-}" ]; then
    points=${INJECT_POINTS:-1}
    set -- schema neutral config gate record_kept ledger_kept view_whole session_kept mcp cli_setup
    beside=
else
    points=${INJECT_POINTS:-100}
    # shellcheck disable=SC2086 # names
    set -- ${INJECT_SCENES:-all}
    beside=$(server)
fi
bad=0
for scene in "$@"; do
    # shellcheck disable=SC2086 # all three may be nothing
    $beside "$BUILD/tests/lab/inject" $points "$scene" ${INJECT_KINDS:-} 2>"$log" || tell_log
done
[ -z "${INJECT_SCENES:-}" ] || exit $bad

grep -v '^#' tests/lab/inject/bugs.tsv >"$log.bugs"
while IFS='	' read -r bug program scene kinds function mode some <&3; do
    case $scene in
        pg*) beside=$(server) ;;
        *) beside= ;;
    esac
    [ "$mode" != both ] || mode=
    # shellcheck disable=SC2086
    $beside "$BUILD/tests/lab/$program" "$some" "$scene" "$kinds" "$function" $mode >"$log.out" 2>"$log"
    status=$?
    plays=$(sed -n 's/^figure plays_struck \([0-9]*\) .*/\1/p' "$log.out")
    if [ "$status" -eq 0 ] && grep -q '^skip ' "$log.out"; then
        echo "skip bug_$bug it cannot be set up here"
    elif [ "$status" -eq 0 ] && [ "${plays:-0}" -gt 0 ]; then
        echo "ok bug_$bug # $plays plays"
    else
        echo "not ok bug_$bug ($program $some $scene $kinds $function $mode: ${plays:-0} plays)"
        grep '^not ok' "$log.out" | sed 's/^/# /'
        tell_log
    fi
done 3<"$log.bugs"

kinds=own-alloc
[ -n "${LAB_QUICK:-}" ] || kinds='own-alloc mmap thread'
for program in worker photo svg text pdf video; do
    for kind in $kinds; do
        # libde265 waits for ever for threads that could not be started.
        [ "$program $kind" != 'photo thread' ] || continue
        wanted "$kind" || { [ "$kind" = own-alloc ] && wanted alloc; } || continue
        # shellcheck disable=SC2086
        "$BUILD/tests/lab/inject-$program" $points all "$kind" >"$log.out" 2>"$log" || tell_log
        sed -n "/^figure/!s/ inject_/ inject_${program}_${kind}_/p" "$log.out"
    done
done
# Fetches are played in the network of tests/net, where that can be made.
[ -n "${LAB_QUICK:-}" ] || sh tests/net/space.sh tests/lab/inject_fetch.py "$points" 2>"$log" || tell_log
exit $bad
