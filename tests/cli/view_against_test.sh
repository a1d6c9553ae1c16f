# SPDX-License-Identifier: Apache-2.0
# `fovea view --against`: which part of which source is compared with which, at what size.
. "${0%/*}/lib.sh"

# png NAME WIDTH HEIGHT X,Y: grey, one pixel black.
png() {
    python3 - "$@" <<'END'
import struct, sys, zlib
def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
w, h = int(sys.argv[2]), int(sys.argv[3])
rows = [bytearray([0] + [200] * w) for _ in range(h)]
if len(sys.argv) > 4:
    x, y = map(int, sys.argv[4].split(','))
    rows[y][x + 1] = 0
open(sys.argv[1], 'wb').write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, 8, 0, 0, 0, 0)) +
                              chunk(b'IDAT', zlib.compress(b''.join(rows))) + chunk(b'IEND', b''))
END
}
svg() {
    echo "<svg xmlns='http://www.w3.org/2000/svg' width='80' height='60'>$1</svg>"
}
compare() {
    run fovea view --json "$@"
    want_status 0
}
refused() {
    words=$1
    shift
    run fovea view --json "$@"
    want_status 1
    want_json reason invalid_input
    json message | grep -q "$words" || fail "other words"
}

test_tiles_are_compared_where_they_lie() {
    png a.png 300 6000
    png b.png 300 6000 10,3500
    compare b.png --against a.png
    want_json source.pages 4
    want_json difference.changed_pixels 1
    compare b.png --against a.png --page 3
    want_json page 3
    want_json difference.changed_pixels 1
    compare b.png --against a.png --page 1
    want_json difference.changed_pixels 0
    refused 'has 4 pages, so there is no page 5' b.png --against a.png --page 5
}

# Both are taken at the same place, which the source bounds; what the other lacks there differs.
test_a_region_is_of_the_source_and_the_other_is_taken_there() {
    png a.png 80 60
    png c.png 90 60 85,5
    compare c.png --against a.png --region 82,0,8,10
    [ "$(json region) $(json difference.changed_pixels)" = '[82,0,8,10] 80' ] || fail "other numbers"
    want_json difference.boxes '[[82,0,8,10]]'
    json note | grep -q 'against a.png, which has nothing there: 80 of 80 pixels' || fail "other words"
    compare c.png --against a.png --region 75,0,50,10
    [ "$(json region) $(json difference.boxes)" = '[75,0,15,10] [[80,0,10,10]]' ] || fail "other numbers"
    json note | grep -q 'which has only 5x10 there' || fail "other words"
    compare a.png --against c.png --region 79,0,10,10
    [ "$(json region) $(json difference.changed_pixels)" = '[79,0,1,10] 0' ] || fail "other numbers"
    json note | grep -q 'against c.png: they are equal' || fail "other words"
    refused 'outside the picture, which is 80x60' a.png --against c.png --region 82,0,8,10
}

test_an_earlier_view_of_a_part_is_compared_with_the_same_part() {
    png a.png 80 60
    png b.png 80 60 50,40
    run fovea view --json --session s a.png --region 40,30,20,20
    part=$(json id)
    compare --session s b.png --against "$part"
    [ "$(json region) $(json difference.boxes)" = '[40,30,20,20] [[50,40,1,1]]' ] || fail "other numbers"
    compare --session s a.png --against "$part"
    want_json difference.changed_pixels 0
    compare --session s b.png --against "$part" --region 41,31,20,20
    [ "$(json region) $(json difference.boxes)" = '[41,31,20,20] [[50,40,1,1]]' ] || fail "other numbers"
    json note | grep -q 'against a.png, region 20x20 at 40,30: 1 of 400' || fail "other words"
    png half.png 50 60 45,35
    compare --session s half.png --against "$part"
    [ "$(json region) $(json difference.boxes)" = '[40,30,10,20] [[45,35,1,1]]' ] || fail "other numbers"
    png small.png 30 20
    refused 'outside the picture, which is 30x20' --session s small.png --against "$part"
    needs svg
    svg '<rect width="9" height="9"/>' >a.svg
    refused 'name the same part of the source' --session s a.svg --against "$part"
}

test_the_note_says_which_page_or_frame_the_other_is_and_which_lines_these_are() {
    gif=$GOOD/gif-animated-3-frames.gif
    run fovea view --json --session s --frame 3 "$gif"
    compare --session s "$gif" --frame 2 --against "$(json id)"
    json note | grep -q 'frame 2 of 3, against gif-animated-3-frames.gif frame 3:' || fail "other words"
    if [ -x "$BUILD/fovea-text" ]; then
        seq 300 >a.txt
        seq 300 | sed s/7/8/ >b.txt
        compare b.txt --against a.txt --page 2
        json note | grep -q '^b.txt lines [0-9]*-[0-9]* of 300 (page 2 of [0-9]*), against a.txt page 2: ' || fail "other words"
        want_json total_lines 300
        [ "$(json lines)" != null ] || fail "no lines"
    fi
    needs pdf
    python3 "$TOP/tests/cli/two_pages.py" >a.pdf
    run fovea view --json --session s --page 2 a.pdf
    compare --session s a.pdf --against "$(json id)"
    json note | grep -q 'page 1 of 2, 200x100 pt, against a.pdf page 2: they are equal' || fail "other words"
}

test_equal_is_said_of_no_more_bits_than_were_compared() {
    cp "$GOOD/png-rgb-16.png" a.png
    compare a.png --against "$GOOD/png-rgb-16.png" --model claude-opus-4-7
    json note | grep -q 'equal as shown, at 8 bits a channel, so' || fail "other words"
    want_json tokens.image 0
    cp "$GOOD/png-rgb-8.png" a.png
    compare a.png --against "$GOOD/png-rgb-8.png"
    json note | grep -q 'equal, pixel for pixel, so' || fail "other words"
}

test_sheets_are_not_compared() {
    gif=$GOOD/gif-animated-3-frames.gif
    run fovea view --json --session s --sheet "$gif"
    id=$(json id)
    refused 'shows several pictures' --session s "$GOOD/png-rgb-8.png" --against "$id"
    refused 'shows several pictures' --session s "$id" --against "$GOOD/png-rgb-8.png"
    needs pdf
    python3 "$TOP/tests/cli/two_pages.py" >a.pdf
    run fovea view --json --session s --page 1-2 a.pdf
    id=$(json id)
    refused 'shows several pictures' --session s "$GOOD/png-rgb-8.png" --against "$id"
    refused 'shows several pictures' --session s "$id" --against "$GOOD/png-rgb-8.png"
}

test_a_part_is_named_in_the_other_only_where_it_has_such() {
    compare "$GOOD/gif-animated-3-frames.gif" --frame 2 --against "$GOOD/png-rgb-8.png"
    needs pdf
    python3 "$TOP/tests/cli/two_pages.py" >a.pdf
    png a.png 200 100
    compare a.pdf --page 2 --against a.png
    want_json page 2
    compare a.pdf --page 2 --against a.pdf
    want_json difference.changed_pixels 0
}

test_a_frame_of_a_video_is_compared_with_a_picture_and_a_video_is_not() {
    needs video
    clip=$FIXTURES/video/good/h264.mp4
    [ -e "$clip" ] || skip "there are no videos"
    run fovea view --json --session s --time 0.5 --no-webp "$clip"
    id=$(json id)
    compare "$clip" --time 0.5 --against "$GOOD/png-rgb-8.png"
    compare "$clip" --time 0.5 --against "$clip"
    want_json difference.changed_pixels 0
    compare --session s "$clip" --time 2 --against "$id"
    [ "$(json difference.changed_pixels)" -gt 0 ] || fail "the earlier view lost its time"
    refused 'shows several pictures' "$GOOD/png-rgb-8.png" --against "$clip"
}

test_what_is_drawn_is_compared_at_the_size_of_the_bitmap() {
    needs svg
    svg '<rect width="40" height="30" fill="red"/>' >a.svg
    run fovea view --json --no-webp --max-edge 160 -o a.png a.svg
    want_json width 160
    compare a.svg --against a.png
    want_json difference.changed_pixels 0
    compare a.png --against a.svg
    want_json difference.changed_pixels 0
    svg '<rect width="40" height="30" fill="red"/><rect x="60" y="40" width="10" height="10"/>' >b.svg
    compare b.svg --against a.png
    want_json difference.changed_pixels 400
    want_json difference.boxes '[[60,40,10,10]]'
    compare b.svg --against a.png --region 40,30,40,30
    want_json difference.changed_pixels 400
    compare b.svg --against a.png --region 0,0,40,30
    want_json difference.changed_pixels 0
}

# square NAME SIZE [VIEWBOX [ATTRIBUTES]]: all red.
square() {
    echo "<svg xmlns='http://www.w3.org/2000/svg' viewBox='${3:-0 0 $2 $2}' ${4-}><rect x='-500' y='-500' width='999' height='999' fill='red'/></svg>" >"$1"
}

# What the other drawing lacks of a region differs, at as many pixels to a unit.
test_a_region_that_the_other_drawing_has_in_part_is_not_equal() {
    needs svg
    square s200.svg 200
    square s100.svg 100
    compare s200.svg --against s100.svg --region 90,90,20,20 --max-edge 400
    [ "$(json region) $(json difference.changed_pixels)" = '[90,90,20,20] 120000' ] || fail "other numbers"
    json note | grep -q 'against s100.svg, which has only 10x10 there in user units: 120000 of 160000 pixels differ' || fail "other words"
    compare s200.svg --against s100.svg --region 90,0,20,20 --max-edge 400
    [ "$(json difference.changed_pixels) $(json difference.boxes)" = '80000 [[100,0,10,20]]' ] || fail "other numbers"
    compare s200.svg --against s100.svg --region 93,10,31,7 --max-edge 400
    want_json difference.boxes.0.3 7
    compare s200.svg --against s100.svg --region 150,150,20,20 --max-edge 400
    want_json difference.changed_pixels 160000
    json note | grep -q 'against s100.svg, which has nothing there: 160000 of 160000' || fail "other words"
    compare s100.svg --against s200.svg --region 90,90,20,20
    [ "$(json region) $(json difference.changed_pixels)" = '[90,90,10,10] 0' ] || fail "other numbers"
    compare s200.svg --against s100.svg --region 20,20,20,20
    want_json difference.changed_pixels 0
    square later.svg 100 '50 50 100 100'
    refused 'begins only within the region' s200.svg --against later.svg --region 40,60,20,20
    compare s200.svg --against later.svg --region 60,60,20,20
    want_json difference.changed_pixels 0
}

# Also where the source was raised to its least side, along one axis alone.
test_what_the_other_drawing_lacks_of_a_thin_region_differs() {
    needs svg
    square s200.svg 200
    square narrow.svg 0 '0 0 100 200'
    for row in '1568 80,1 21952' '100 80,9 1400' '100 80,1 1400' '28 80,1 392'; do
        read -r edge size changed <<-END
			$row
		END
        compare s200.svg --against narrow.svg --region "60,50,$size" --max-edge "$edge"
        [ "$(json difference.changed_pixels) $(json difference.boxes)" = "$changed [[100,50,40,${size#*,}]]" ] || fail "$row: other numbers"
    done
    compare s200.svg --against narrow.svg --region 60,50,1,80
    want_json difference.changed_pixels 0
}

test_what_the_other_drawing_lacks_is_said_in_units_of_any_size() {
    needs svg
    square large.svg 0 '0 0 .002 .002'
    square small.svg 0 '0 0 .001 .001'
    compare large.svg --against small.svg --region 0,0,.002,.002
    json note | grep -q 'region 0.002x0.002 at 0,0, against small.svg, which has only 0.001x0.001 there in user units: ' || fail "other words"
    compare large.svg --against small.svg --region 0,0,.002,.001
    json note | grep -q 'in 1 box in user units: 0.001,0 0.001x0.001. It shows' || fail "other words"
}

# A unit may be of another shape there: it is drawn in that of the source's.
test_drawings_that_are_stretched_in_two_ways_are_compared_in_units() {
    needs svg
    none='width="400" height="400" preserveAspectRatio="none"'
    square wide.svg 0 '0 0 200 100' "$none"
    square even.svg 100 '0 0 100 100' "$none"
    compare wide.svg --against even.svg --region 50,10,100,80
    [ "$(json difference.changed_pixels) $(json difference.boxes)" = '768320 [[100,10,50,80]]' ] || fail "other numbers"
    json note | grep -q 'against even.svg, which has only 50x80 there in user units: 768320 of 1536640 pixels' || fail "other words"
    for two in 'wide even' 'even wide'; do
        compare "${two% *}.svg" --against "${two#* }.svg" --region 50,10,30,80
        want_json difference.changed_pixels 0
    done
}

test_a_region_that_the_other_page_has_in_part_is_not_equal() {
    needs pdf
    python3 "$TOP/tests/cli/two_pages.py" >a.pdf
    sed 's/ 200 100]/ 200 200]/g' a.pdf >tall.pdf
    compare tall.pdf --against a.pdf --region 0,90,20,20 --max-edge 400
    [ "$(json difference.changed_pixels) $(json difference.boxes)" = '80000 [[0,100,20,10]]' ] || fail "other numbers"
    json note | grep -q 'against a.pdf page 1, which has only 20x10 there in points: ' || fail "other words"
    compare tall.pdf --against a.pdf --region 0,150,20,20
    json note | grep -q 'which has nothing there' || fail "other words"
}

test_pictures_within_markdown_are_compared_too() {
    needs text
    mkdir one two
    png one/p.png 40 30
    png two/p.png 40 30 5,5
    for d in one two; do
        echo 'See ![it](p.png).' >$d/a.md
    done
    compare two/a.md --against one/a.md
    [ "$(json difference.changed_pixels)" -gt 0 ] || fail "they are said to be equal"
    id=$(json id)
    png one/p.png 40 30 5,5
    compare two/a.md --against one/a.md
    want_json difference.changed_pixels 0
    [ "$(json id)" != "$id" ] || fail "two comparisons have one id"
}

run_tests "$@"
