# SPDX-License-Identifier: Apache-2.0
# Privacy: nothing of a file but its pixels leaves; words that came out of a picture are marked and cannot leave their fence; and no
# text appears by scaling that was not to be seen before. PART=metadata|fence|injection|scaling runs one part alone, and of metadata
# LAB_FORMATS="NAME ..." those formats (laden.py), LAB_FILES=N so many files of each.
. "${0%/*}/../cli/lib.sh"
export BUILD FOVEA FIXTURES TOP PYTHONDONTWRITEBYTECODE=1
LAB=$TOP/tests/lab
command -v python3 >/dev/null || {
    echo "skip privacy (no python3 here)"
    exit 0
}
failed=0

wanted() {
    [ -z "${PART:-}" ] || [ "$PART" = "$1" ]
}

# A folder of its own with one above it: what lies beside it is out of reach.
part() {
    wanted "$1" || return 0
    mkdir -p "$scratch/$1/reach"
    echo "# $1"
    (cd "$scratch/$1/reach" && exec python3 "$LAB/$1.py" </dev/null)
    status=$?
    rm -rf "${scratch:?}/$1"
    return "$status"
}

fence() {
    echo "# fence"
    n=${LAB_FENCES:-100000}
    [ -z "${LAB_QUICK:-}" ] || n=1000
    "$BUILD/tests/lab/fence" "$n" "${LAB_SEED:-1}" | python3 "$LAB/fence_check.py" >"$scratch/fences"
    read -r judged bad <"$scratch/fences" || judged=0 bad=1
    if [ "$bad" -eq 0 ] && [ "$judged" -ge "$n" ]; then
        echo "ok no_words_leave_their_fence_and_no_name_forges_a_line"
    else
        echo "not ok no_words_leave_their_fence_and_no_name_forges_a_line"
        failed=1
    fi
    echo "figure attempts_to_leave_the_fence $judged texts, $bad of them did"
}

# One part works on one processor, the others on the rest.
part scaling >"$scratch/scaling.out" 2>&1 &
scaling=$!
trap 'kill "$scaling" 2>/dev/null; exit 130' INT TERM
part metadata || failed=1
! wanted fence || fence
part injection || failed=1
wait "$scaling" || failed=1
cat "$scratch/scaling.out"
exit "$failed"
