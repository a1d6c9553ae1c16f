#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How long a drawing takes, cold from the command line and with a worker that waits, beside what the usual programs take for the
# same file. The least of several counts, never the last. Where a mark in milliseconds is missed, the machine may be slow or have
# other things to do: then the usual program, measured in the same minute, is the mark. make test takes the least of three, and every
# third of the charts and of the server's pages; SPEED=all BUILD=$PWD/build sh tests/render/speed_test.sh takes the least of seven,
# and all of them.
. "$(dirname "$0")/../cli/lib.sh"
CORPORA=$(cd "$TOP/../shared/corpora" 2>/dev/null && pwd -P) || CORPORA=
[ "${SPEED:-}" = all ] && ROUNDS=7 EVERY=1 || ROUNDS=3 EVERY=3
COLD_MS=120
WARM_MS=15

# least N COMMAND...: the least of so many runs, in milliseconds; nothing when it fails.
least() {
    n=$1
    shift
    i=0
    while [ "$i" -lt "$n" ]; do
        start=$(date +%s%N)
        "$@" >/dev/null 2>&1 </dev/null || break
        echo $((($(date +%s%N) - start) / 10000))
        i=$((i + 1))
    done | sort -n | awk 'NR == 1 { print $1 / 100 }'
}
# at_most MS MOST: whether.
at_most() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a <= b) }'
}
product() {
    awk -v a="$1" -v b="$2" 'BEGIN { print a * b }'
}
# median COLUMN: of the file both.
median() {
    cut -d ' ' -f "$1" both | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
needs() {
    skip_if_sanitized
    skip_if_counted
    [ -x "$BUILD/fovea-$1" ] || skip "fovea-$1 is not built"
    command -v "$2" >/dev/null || skip "$2 is not here"
}

make_svg() {
    cat <<-END_OF_SVG
		<svg xmlns="http://www.w3.org/2000/svg" width="800" height="600"><rect width="800" height="600" fill="#fff"/>
		<g font-family="sans-serif" font-size="16"><text x="20" y="30">A chart of ordinary size</text><text x="20" y="590">Month</text></g>
		$(awk 'BEGIN { for (i = 0; i < 60; i++) printf "<rect x=\"%d\" y=\"%d\" width=\"9\" height=\"%d\" fill=\"#36c\"/>", 20 + i * 12, 560 - i * 8, i * 8 }')
		</svg>
	END_OF_SVG
}
# cold TIMES FILE COMMAND...: from the command line, with nothing started before: under the mark, or under so many times what the
# command takes.
cold() {
    times=$1 file=$2
    shift 2
    ours=$(least 7 "$FOVEA" view --root "$PWD" "$file" -o seen)
    theirs=$(least 7 "$@")
    echo "# cold fovea view of an ordinary .${file##*.}: $ours ms; $1: $theirs ms" >&3
    at_most "$ours" "$COLD_MS" || at_most "$ours" "$(product "$times" "$theirs")" || fail "$ours ms, $1 $theirs"
}
test_a_cold_view_of_an_svg_is_quick() {
    needs svg rsvg-convert
    make_svg >page.svg
    cold 1 page.svg rsvg-convert -w 1568 page.svg -o theirs
}
test_a_cold_view_of_a_pdf_is_quick() {
    needs pdf pdftoppm
    mkdir pages
    python3 "$TOP/tests/render/pdf_pages.py" pages
    cold 3 pages/text.pdf pdftoppm -scale-to 1568 -f 1 -l 1 pages/text.pdf
}

# both LIST COMMAND...: for each file of the list our least of so many with a worker that waits, the least of theirs and the
# name, in the file both. The command is given the file last.
both() {
    list=$1
    shift
    xargs "$BUILD/tests/viewms" "$BUILD" "$ROUNDS" <"$list" | grep -v '^refused' >ours
    [ -s ours ] || fail "nothing is shown"
    while read -r ms file; do
        theirs=$(least "$ROUNDS" "$@" "$file")
        [ -n "$theirs" ] || fail "$1 does not show $file"
        echo "$ms $theirs $file" >>both
    done <ours
}
# Shows their figures.
tell() {
    sort -n both | awk -v what="$1" -v mark="$WARM_MS" '{ ms[NR] = $1; under += $1 < mark; ours += $1; theirs += $2
        if ($1 / $2 > worst) { worst = $1 / $2; name = $3; sub(/.*\//, "", name) } }
        END { printf "# warm, %s: median %.1f ms, %d of %d under %d ms; all of them %.0f ms, theirs %.0f; worst ratio %.2f (%s)\n",
            what, ms[int((NR + 1) / 2)], under, NR, mark, ours, theirs, worst, name }' >&3
}
least_of() {
    printf '%s\n' "$@" | sort -n | head -n 1
}
# no_slower TIMES OURS THEIRS FILE COMMAND...: at most so many times theirs. One that is over is measured again a few times, side
# by side; of all rounds the least counts.
no_slower() {
    times=$1 ours=$2 theirs=$3 file=$4
    shift 4
    for _ in 1 2 3 4; do
        ! at_most "$ours" "$(product "$times" "$theirs")" || return 0
        ours=$(least_of "$ours" "$("$BUILD/tests/viewms" "$BUILD" 7 "$file" | tail -n 1 | cut -f 1)")
        theirs=$(least_of "$theirs" "$(least 7 "$@" "$file")")
    done
    at_most "$ours" "$(product "$times" "$theirs")" || fail "${file##*/}: $ours ms, $1 $theirs"
}

test_a_warm_page_takes_no_longer_than_pdftoppm_takes() {
    [ -n "$CORPORA" ] || skip "../shared/corpora is not here"
    needs pdf pdftoppm
    find "$CORPORA/py-pdf" -name '*.pdf' | sort >list
    both list pdftoppm -scale-to 1568 -f 1 -l 1
    tell "py-pdf"
    # Below 10 ms a ratio says nothing.
    while read -r ours theirs file; do
        at_most "$ours" 10 || no_slower 1.2 "$ours" "$theirs" "$file" pdftoppm -scale-to 1568 -f 1 -l 1
    done <both
    at_most "$(median 1)" "$WARM_MS" || at_most "$(median 1)" "$(product 0.6 "$(median 2)")" || fail "the median is $(median 1) ms"
}
test_warm_charts_take_no_longer_than_rsvg_convert_takes() {
    [ -n "$CORPORA" ] || skip "../shared/corpora is not here"
    needs svg rsvg-convert
    find "$CORPORA/charts-vega-lite" -name '*.svg' | sort | awk -v n="$EVERY" 'NR % n == 1 || n == 1' >list
    both list rsvg-convert --keep-aspect-ratio -w 1568 -h 1568 -o seen
    tell "charts"
    ratio=$(awk '{ print $1 / $2 }' both | sort -n | awk '{ r[NR] = $1 } END { print r[int((NR + 1) / 2)] }')
    echo "# warm, charts: median of the ratios to rsvg-convert $ratio" >&3
    at_most "$ratio" 1 || fail "rsvg-convert is quicker"
}

# The server's answer to view, with workers that wait: kinds of page that agents look at. A slow or busy machine misses the mark; then
# a share of what a usual program takes for the same files, or for the one file it can show, is the mark. What misses both is measured
# once more.
# warm_server KIND LIST SHARE THEIR_LIST COMMAND...
warm_server() {
    kind=$1 list=$2 share=$3 their_list=$4
    shift 4
    mkdir -p served
    : >served_ms
    for _ in 1 2; do
        xargs python3 "$TOP/tests/render/warm.py" "$FOVEA" "$PWD/served" "$ROUNDS" <"$list" | grep -v '^refused' >>served_ms
        sort -k 2 -k 1,1n served_ms | awk '$2 != last { print; last = $2 }' >both
        [ -s both ] || fail "nothing is shown"
        theirs=
        ! at_most "$(median 1)" "$WARM_MS" || break
        theirs=$(while read -r file; do least 3 "$@" "$file"; done <"$their_list" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }')
        ! at_most "$(median 1)" "$(product "$share" "$theirs")" || break
    done
    under=$(awk -v mark="$WARM_MS" '$1 < mark' both | wc -l)
    echo "# in the server, warm, $kind: median $(median 1) ms${theirs:+ ($1: $theirs)}, $under of $(wc -l <both) under $WARM_MS ms, at most $(sort -n both | tail -n 1 | cut -d ' ' -f 1)" >&3
    [ -z "$theirs" ] || at_most "$(median 1)" "$(product "$share" "$theirs")" || fail "the median is $(median 1) ms, $1 takes $theirs"
}
test_a_page_of_a_pdf_is_shown_by_a_warm_server_in_15_ms_or_less_than_half_of_pdftoppm() {
    needs pdf pdftoppm
    [ -n "$CORPORA" ] || skip "../shared/corpora is not here"
    find "$CORPORA/py-pdf" -name '*.pdf' | sort | awk -v n="$EVERY" 'NR % n == 1 || n == 1' >list
    warm_server "pages of PDF" list 0.4 list pdftoppm -scale-to 1568 -f 1 -l 1
}
test_a_chart_is_shown_by_a_warm_server_in_15_ms_or_less_than_half_of_rsvg_convert() {
    needs svg rsvg-convert
    [ -n "$CORPORA" ] || skip "../shared/corpora is not here"
    find "$CORPORA/charts-vega-lite" -name '*.svg' | sort | awk -v n="$EVERY" 'NR % n == 1 || n == 1' >list
    warm_server "charts" list 0.4 list rsvg-convert --keep-aspect-ratio -w 1568 -h 1568 -o seen
}
test_code_and_prose_are_shown_by_a_warm_server_in_15_ms_or_a_fifth_of_what_rsvg_convert_takes_for_a_simple_drawing() {
    needs text rsvg-convert
    make_svg >page.svg
    echo page.svg >drawing
    find "$TOP/src/base" -name '*.c' | sort | head -n 8 >list
    warm_server "pages of code" list 0.2 drawing rsvg-convert -w 1568 -o seen
    # All of a document is set, about 1 ms for each KiB, to tell how many pages it has.
    find "$TOP/docs" "$TOP" -maxdepth 1 -name '*.md' -size -9k | sort -u >list
    warm_server "pages of Markdown of up to 8 KiB" list 0.2 drawing rsvg-convert -w 1568 -o seen
}

exec 3>&1
run_tests "$@"
