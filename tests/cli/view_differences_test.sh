# SPDX-License-Identifier: Apache-2.0
# `fovea view --against`: what the other may be, and what holds for both. And the limit of a video's bytes.
. "${0%/*}/lib.sh"

# drawing NAME X: a black square of ten at x in a picture of a hundred.
drawing() {
    echo "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100\" height=\"100\"><rect width=\"100\" height=\"100\" fill=\"#fff\"/>
        <rect x=\"$2\" y=\"40\" width=\"10\" height=\"10\"/></svg>" >"$1"
}
# bitmap NAME X: the same as a PNG.
bitmap() {
    python3 - "$1" "$2" <<'END_OF_PNG'
import struct, sys, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
x = int(sys.argv[2])
rows = b"".join(b"\0" + bytes(0 if 40 <= r < 50 and x <= c < x + 10 else 255 for c in range(100)) for r in range(100))
open(sys.argv[1], "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 100, 100, 8, 0, 0, 0, 0)) +
                              chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
END_OF_PNG
}

test_an_earlier_view_can_be_compared_with() {
    bitmap a.png 10
    bitmap b.png 70
    run fovea view --json --session s a.png
    id=$(json id)
    run fovea view --json --session s --against "$id" -o seen.png b.png
    want_status 0
    want_json difference '{"changed_pixels":200,"boxes":[[10,40,10,10],[70,40,10,10]]}'
    [ -s seen.png ]
    run fovea view --json --session s --against "$id" a.png
    want_json difference '{"changed_pixels":0,"boxes":[]}'
    run fovea view --json --session s --against view:000000000000 b.png
    want_status 1
    json message | grep -q 'view:000000000000' || fail "it is not named"
}
# Both sources are in the record, and go with it.
test_an_exported_comparison_can_be_seen_elsewhere() {
    bitmap a.png 10
    bitmap b.png 70
    run fovea view --json --session s --against a.png b.png
    want_status 0
    id=$(json id)
    "$FOVEA" session export s --data >all.jsonl
    "$FOVEA" session append t <all.jsonl >/dev/null
    "$FOVEA" session delete s >/dev/null
    rm a.png b.png
    run fovea view --json --session t "$id"
    want_status 0
    want_json id "$id"
    want_json source.width 100
    want_json difference '{"changed_pixels":200,"boxes":[[10,40,10,10],[70,40,10,10]]}'
    "$FOVEA" session fsck >/dev/null
}
# What the record has of it is what was seen; the file as it is now is something else.
test_an_earlier_view_that_changed_since_is_never_the_file_as_it_is_now() {
    bitmap a.png 10
    bitmap b.png 70
    run fovea view --json --session s a.png
    id=$(json id)
    bitmap a.png 30
    run fovea view --json --session s --against "$id" b.png
    [ "$(json kind)" = refusal ] || want_json difference.boxes '[[10,40,10,10],[70,40,10,10]]'
}
test_a_region_holds_for_both_and_boxes_stay_in_the_source() {
    bitmap a.png 10
    bitmap b.png 70
    run fovea view --json --against a.png --region 60,30,40,40 b.png
    want_status 0
    want_json region '[60,30,40,40]'
    want_json difference '{"changed_pixels":100,"boxes":[[70,40,10,10]]}'
    run fovea view --json --against a.png --region 0,60,100,40 b.png
    want_json difference '{"changed_pixels":0,"boxes":[]}'
    run fovea view --json --against a.png --region 200,90,40,40 b.png
    want_status 1
    want_json reason invalid_input
}
test_drawings_are_compared_as_drawn_and_boxes_are_in_their_units() {
    needs svg
    drawing a.svg 10
    drawing b.svg 70
    run fovea view --json --against a.svg b.svg
    want_status 0
    # a box may be a pixel of the drawing wider, which is less than a unit
    for row in '0.0 10' '0.1 40' '1.0 70' '1.1 40'; do
        at=$(json "difference.boxes.${row% *}")
        awk -v at="$at" -v want="${row#* }" 'BEGIN { exit !(at > want - 1 && at < want + 1) }' || fail "${row% *} is $at"
    done
    run fovea view --json --against b.svg b.svg
    want_json difference '{"changed_pixels":0,"boxes":[]}'
}
test_a_page_of_a_pdf_is_compared_with_the_same_page() {
    needs pdf
    mkdir pages
    python3 "$TOP/tests/render/pdf_pages.py" pages
    # Like the other in all but the colour of its second page.
    sed 's/0 1 0 rg/0 0 0 rg/' pages/three.pdf >other.pdf
    ! cmp -s pages/three.pdf other.pdf || fail "they are the same file"
    run fovea view --json --against pages/three.pdf --page 1 other.pdf
    want_status 0
    want_json difference.changed_pixels 0
    run fovea view --json --against pages/three.pdf --page 2 other.pdf
    want_status 0
    want_json page 2
    [ "$(json difference.changed_pixels)" -gt 1000 ] || fail "no difference"
    want_json difference.boxes.0.0 0
    run fovea view --json --against pages/three.pdf --page 1-2 other.pdf
    want_status 1
    want_json reason invalid_input
}
test_the_other_needs_the_same_leave() {
    bitmap b.png 10
    drawing a.svg 10
    echo 'render: {svg: false}' >off.yaml
    run fovea view --json --config off.yaml --against a.svg b.png
    want_status 1
    want_json reason render_not_allowed
    mkdir inside
    bitmap inside/b.png 10
    run "$FOVEA" view --json --root "$PWD/inside" --against "$PWD/b.png" inside/b.png
    want_status 1
    want_json kind refusal
    hasnt out difference
    cp out denied
    rm b.png
    run "$FOVEA" view --json --root "$PWD/inside" --against "$PWD/b.png" inside/b.png
    cmp out denied || fail "what is out of reach is told apart from what is not there"
}
test_a_url_is_not_fetched_without_the_network() {
    bitmap b.png 10
    for url in https://127.0.0.1:9/a.png http://127.0.0.1:9/a.png; do
        run fovea view --json --against "$url" b.png
        want_status 1
        want_json reason blocked
        has out network.view
    done
}

test_a_video_may_have_as_many_bytes_as_the_config_says() {
    needs video
    video=$FIXTURES/video/good/h264.mp4
    size=$(wc -c <"$video")
    printf 'view: {maxBytes: 100, maxVideoBytes: %d}\n' "$size" >fits.yaml
    run fovea view --json --config fits.yaml "$video"
    want_status 0
    printf 'view: {maxBytes: 100, maxVideoBytes: %d}\n' $((size - 1)) >over.yaml
    run fovea view --json --config over.yaml "$video"
    want_status 1
    want_json reason too_large
    # what is no video has the other limit
    run fovea view --json --config fits.yaml "$GOOD/png-rgb-8.png"
    want_status 1
    want_json reason too_large
}

run_tests "$@"
