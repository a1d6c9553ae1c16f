#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every allocation, open, read, write, fsync, fork, thread, pipe, memfd, socket and the like of whole pieces of work fails, one after the
# other: once, and from there on. Of each kind and scene the first call from every place in our code is played, and as many more, spread
# over all, as make 100 (INJECT_POINTS=N: N; INJECT_POINTS=0: all); LAB_QUICK=1 plays one of each in some scenes.
# INJECT_SCENES="NAME ..." plays these and no others, INJECT_KINDS=NAME,... these kinds only (all allocations of all scenes:
# INJECT_POINTS=0 INJECT_KINDS=alloc); a name that there is not, and a kind that no call was of, do not hold: of those that were named, or
# of all that there are, where no scenes were. Each kind's calls and plays are told. After INJECT_SECONDS the scenes begin nothing more
# and tell how far they came.
# The same of worker programs, without their jail: what our own code asks for (own-alloc), all of it since that is little; and every
# allocation, the libraries' too, while a whole program answers (alloc, in the scene "whole"), which then says so and ends, whatever the
# library would have made of it. What their own code asks of the kernel fails in the scene "served", in which a program answers too.
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
    grep -Ev '^fovea: (listening|made a token|clients need)|^  Authorization:' "$log" | tail -n 60 | sed 's/^/# /'
}

if [ -n "${LAB_QUICK:-}" ]; then
    points=${INJECT_POINTS:-1}
    set -- schema neutral config gate record_kept ledger_kept token view_whole session_kept mcp cli_setup
    unmade='resize poll connect cwd epoll bind' # kinds that none of these makes
    beside=
else
    points=${INJECT_POINTS:-100}
    # shellcheck disable=SC2086 # names
    set -- ${INJECT_SCENES:-all}
    unmade=
    beside=$(server)
fi
bad=0
# Of all scenes those of fetches want a network, and are played in it at the end.
later=
[ -n "${LAB_QUICK:-}${INJECT_SCENES:-}" ] || later='/^skip inject_fetch/d'

# play NAME COMMAND ...: its lines as they come, those of a program by its name, and its figures, to be added up at the end.
play() {
    as=$1
    shift
    echo "program ${as:-inject}" >>"$log.told"
    { "$@" 2>"$log"; echo "status $?" >"$log.status"; } | tee -a "$log.told" | sed -u "/^figure/d; $later; s/ inject_/ inject_$as/"
    read -r _ status <"$log.status"
    # 4: these scenes make no call of a kind that was named. Whether none does, the end tells.
    [ "$status" -eq 0 ] || [ "$status" -eq 4 ] || tell_log
}

# calls_of KIND PROGRAM: how many calls of it there were, in scenes of "inject", or of any program ("").
calls_of() {
    awk -v kind="kind_$1" -v program="$2" '$1 == "program" { counts = program == "" || $2 == program }
        counts && $1 == "figure" && $2 == kind { n += $3 }
        END { print n + 0 }' "$log.told"
}

# A kind that no call was of: its stand-in is not reached any more. Of those that were named; or else of all that the scenes make, here
# and not in a worker program: of these it is told at once.
tell_unplayed() {
    [ -z "${INJECT_SECONDS:-}" ] || return 0
    grep -Eq '^(not )?ok inject_|^# inject_.* makes no call' "$log.told" || return 0
    program=
    kinds=$(echo "${INJECT_KINDS:-}" | tr , ' ')
    [ -z "$kinds" ] || unmade=
    if [ -z "$kinds${INJECT_SCENES:-}" ]; then
        program=inject
        kinds=$(sed -n 's/^figure kind_\([^ ]*\) .*/\1/p' "$log.told" | sort -u)
    fi
    for kind in $kinds; do
        case " $unmade " in *" $kind "*) continue ;; esac
        [ "$(calls_of "$kind" "$program")" -eq 0 ] || continue
        echo "not ok inject_kind_$kind: no call was of it"
        bad=1
    done
}

end() {
    tell_unplayed
    awk '/^(not )?ok inject_/ { pieces++ }
        $1 != "figure" { next }
        !($2 in sum) { names[++n] = $2 }
        { sum[$2] += $3; plays[$2] += $5 }
        END {
            print "figure pieces", pieces + 0
            for (i = 1; i <= n; i++)
                print "figure", names[i], sum[names[i]] (names[i] ~ /^kind_/ ? " calls, " plays[names[i]] " plays" : "")
        }' "$log.told"
    exit $bad
}

for scene in "$@"; do
    # shellcheck disable=SC2086 # all three may be nothing
    play '' $beside "$BUILD/tests/lab/inject" $points "$scene" ${INJECT_KINDS:-}
done
[ -z "${INJECT_SCENES:-}" ] || end

grep -v '^#' tests/lab/inject/bugs.tsv >"$log.bugs"
while IFS='	' read -r bug program scene kinds function mode some <&3; do
    case $scene in
        pg*) beside=$(server) ;;
        *) beside= ;;
    esac
    [ "$mode" != both ] || mode=
    # shellcheck disable=SC2086
    env -u INJECT_SECONDS $beside "$BUILD/tests/lab/$program" "$some" "$scene" "$kinds" "$function" $mode >"$log.out" 2>"$log"
    status=$?
    plays=$(sed -n 's/^figure plays_struck \([0-9]*\)$/\1/p' "$log.out")
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

# One kind of one program's scenes: all of them, or the one in which the whole program answers a request; so many points of it.
play_program() {
    play "${1}_${2}_" "$BUILD/tests/lab/inject-$1" "$4" "$3" "$2"
    [ "$status" -ne 4 ] || { echo "not ok inject_$1_$2: it makes no such call"; bad=1; }
}
if [ -n "${LAB_QUICK:-}" ]; then
    kinds=own-alloc
    calls="write"
else
    kinds='own-alloc mmap thread'
    calls='open write write-eio write-eintr write-short send send-eintr recv recv-eintr'
fi
for program in worker photo svg text pdf video ocr; do
    for kind in $kinds; do
        case "$program $kind" in
            'photo thread') continue ;;                # libde265 waits for ever for one that could not be started
            'svg thread' | 'pdf thread') continue ;;   # they start none
        esac
        wanted "$kind" || { [ "$kind" = own-alloc ] && wanted alloc; } || continue
        some=$points
        [ "$kind" != own-alloc ] || [ -n "${LAB_QUICK:-}" ] || some=0
        play_program "$program" "$kind" all "$some"
    done
    # Tesseract asks for hundreds of thousands of blocks: not all of them, where all are asked for.
    scene=whole some=$points
    [ "$program" != ocr ] || scene=served some=$((points ? points : 1000))
    ! wanted alloc || play_program "$program" alloc "$scene" "$some"
    for kind in $calls; do
        # Files are opened by fovea-ocr alone; of the others fontconfig does, and draws with the fonts that it can have.
        [ "$program $kind" = 'ocr open' ] || [ "$kind" != open ] || continue
        ! wanted "$kind" || play_program "$program" "$kind" served "$points"
    done
done
# Fetches are played in the network of tests/net, where that can be made.
later=
[ -n "${LAB_QUICK:-}" ] || play '' sh tests/net/space.sh tests/lab/inject_fetch.py "$points"
end
