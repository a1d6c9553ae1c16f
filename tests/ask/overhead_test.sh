# SPDX-License-Identifier: Apache-2.0
# The cost of a question beyond fitting its picture and waiting for the provider: at most 5 ms. Figures go to stderr.
. "${0%/*}/../cli/lib.sh"

test_a_question_costs_at_most_5_ms_more_than_its_picture() {
    skip_if_sanitized
    sh "$TOP/bench/ask.sh" "$BUILD" 60 "$GOOD/png-rgb-8.png" "$GOOD/png-screen-1280x800.png" "$GOOD/jpeg-photo-3000x2000.jpg" \
        >figures
    cat figures >&3
    while read -r line; do
        echo "$line" >out
        more=$(json more_ms)
        awk -v more="$more" 'BEGIN { exit !(more <= 5) }' || fail "$more ms more"
    done <figures
}

exec 3>&2
run_tests "$@"
