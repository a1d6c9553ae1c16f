# SPDX-License-Identifier: Apache-2.0
# resvg's suite: every file is drawn at the size of its reference, none crashes or hangs, and as many come near to it as with
# librsvg's own rsvg-convert. Near: laid on white, channels differ by 2 of 255 in the mean, and at most 2 % of the pixels by more
# than 32. (Fonts that the suite comes with are not there, for either.)
. "${0%/*}/../cli/lib.sh"

SUITE=$TOP/../shared/corpora/resvg
[ -d "$SUITE/tests" ] || { echo "skip resvg_suite: there is no ../shared/corpora/resvg"; exit 0; }
[ -x "$BUILD/fovea-svg" ] || { echo "skip resvg_suite: fovea-svg is not built"; exit 0; }
command -v rsvg-convert >/dev/null || { echo "skip resvg_suite: there is no rsvg-convert (librsvg2-bin)"; exit 0; }
SUITE=$(cd "$SUITE" && pwd)

# Files with what they should look like, where rsvg-convert's picture goes, and how large that is to be.
list() {
    find "$SUITE/tests" "$SUITE/extra" -name '*.svg' | sort | python3 -c '
import os, struct, sys
for n, line in enumerate(sys.stdin):
    svg = line.rstrip("\n")
    png = svg[:-4] + ".png"
    if os.path.exists(png):
        print(svg, png, "%s/%d.png" % (sys.argv[1], n), *struct.unpack(">II", open(png, "rb").read(24)[16:]), sep="\t")' "$PWD/theirs"
}

# convert_half HALF: the lines of the list of that half.
convert_half() {
    awk -v half="$1" 'NR % 2 == half' list | while IFS='	' read -r svg _ out width height; do
        rsvg-convert -w "$width" -h "$height" -o "$out" "$svg" </dev/null 2>/dev/null || rm -f "$out"
    done
}

test_share_of_near_renderings_is_at_least_that_of_rsvg_convert() {
    mkdir theirs
    list >list
    total=$(wc -l <list)
    [ "$total" -gt 500 ] || fail "only $total files"
    convert_half 0 &
    convert_half 1
    wait $!
    cut -f 1-3 list | "$BUILD/tests/picdiff" "$BUILD" >distances 2>err
    empty err
    [ "$(wc -l <distances)" -eq "$total" ] || fail "not all of them were drawn"
    near='function near(mean, far) { return mean ~ /^[0-9]/ && mean <= 2 && far <= 2 }'
    ours=$(awk -F'\t' "$near near(\$1, \$2)" distances | wc -l)
    theirs=$(awk -F'\t' "$near near(\$3, \$4)" distances | wc -l)
    echo "near the reference, of $total: fovea $ours, rsvg-convert $theirs; refused: $(grep -c '^refused' distances)" >&3
    awk -F'\t' "$near near(\$3, \$4) && !near(\$1, \$2)" distances
    [ "$ours" -ge "$theirs" ] || fail "fewer than rsvg-convert"
}

exec 3>&1
run_tests "$@"
