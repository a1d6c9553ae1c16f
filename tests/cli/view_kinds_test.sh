# SPDX-License-Identifier: Apache-2.0
# `fovea view` of every kind: pages, frames, times, sheets, tiles, differences, and what may be drawn.
. "${0%/*}/lib.sh"

needs() {
    [ -x "$BUILD/fovea-$1" ] || skip "fovea-$1 is not built"
}
make_svg() {
    echo '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="200"><rect width="50" height="50" fill="red"/></svg>'
}
# A PNG of so many rows of one colour each, three pixels wide: "tall.png 5000".
make_tall() {
    python3 - "$1" "$2" <<'END'
import struct, sys, zlib
def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
h = int(sys.argv[2])
rows = b''.join(b'\0' + bytes([y % 251] * 300) for y in range(h))
open(sys.argv[1], 'wb').write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 300, h, 8, 0, 0, 0, 0)) +
                              chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))
END
}

test_a_long_picture_is_shown_whole_and_in_tiles() {
    make_tall tall.png 6000
    run fovea view --json tall.png
    want_json source.pages 4
    want_json page null
    json note | grep -q 'It is long: .* page 1 to 4 shows it in tiles of 300x1568'
    run fovea view --json --page 3 tall.png
    want_json page 3
    want_json offset '[0,3008]'
    want_json height 1568
    json note | grep -q 'tile 3 of 4, y 3008 to 4576'
    run fovea view --page 5 tall.png
    want_status 1
    has err 'has 4 pages, so there is no page 5'
    run fovea view --page 1-2 tall.png
    want_status 1
    has err 'one page at a time'
}

test_what_does_not_go_together_is_refused_in_words() {
    gif=$GOOD/gif-animated-3-frames.gif
    while IFS='|' read -r options words; do
        # shellcheck disable=SC2086
        run fovea view $options "$gif"
        [ "$status" -eq 1 ] || fail "$options: exit status $status"
        has err "$words"
    done <<'END'
--time 1 --frame 2|both name a frame
--sheet --frame 2|shows many frames
--sheet --region 0,0,5,5|part of one picture
--sheet --against x.png|compares one picture
--page 1-2 --region 0,0,5,5|part of one picture
--time 1|is no video
--frame 4|has 3 frames
END
}

test_wrong_pages_and_times_are_usage_errors_that_name_the_option() {
    for words in '--page 0' '--page 2-1' '--page x' '--page 1-65' '--time 1:75' '--time x'; do
        # shellcheck disable=SC2086
        run fovea view $words "$GOOD/png-rgb-8.png"
        want_status 2
        has err "${words% *}"
    done
}

test_a_sheet_of_a_still_picture_is_the_picture() {
    run fovea view --json --sheet "$GOOD/gif-still.gif"
    want_status 0
    ! json cells || fail "there are cells"
    want_json scale '[1,1]'
}

test_drawing_can_be_turned_off_and_pictures_never_need_it() {
    make_svg >a.svg
    echo 'int main;' >a.c
    printf '%%PDF-1.4\n%%%%EOF\n' >a.pdf
    printf 'render: {svg: false, text: false, pdf: false, video: false}\n' >off.yaml
    for name in a.svg a.c a.pdf; do
        run fovea view --json --config off.yaml "$name"
        want_status 1
        want_json reason render_not_allowed
    done
    json message | grep -q 'render.pdf is false in the config'
    run fovea view --config off.yaml "$GOOD/png-rgb-8.png"
    want_status 0
}

test_a_personality_can_turn_drawing_off() {
    make_svg >a.svg
    mkdir -p conf/personalities/plain
    : >conf/config.yaml
    printf 'render.svg: false\n' >conf/personalities/plain/config.yaml
    printf 'tools: [view]\n' >conf/personalities/plain/toolset.yaml
    printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
        '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"view","arguments":{"path":"a.svg"}}}' >in
    "$FOVEA" mcp --root "$PWD" --config conf/config.yaml --personality plain <in >out 2>err
    has out 'render_not_allowed'
}

test_svg_is_drawn_at_the_size_that_is_shown() {
    needs svg
    make_svg >a.svg
    run fovea view --json a.svg
    want_json source.media_type image/svg+xml
    want_json source.width 100
    want_json height 1568
    want_json resized false
    want_json source.pages null
    run fovea view --json --region 10,10,20,20 a.svg
    want_json width 1568
    want_json region '[10,10,20,20]'
}

test_text_is_shown_in_pages_of_lines() {
    needs text
    seq 1 300 >n.txt
    run fovea view --json --page 2 n.txt
    want_status 0
    want_json page 2
    want_json total_lines 300
    want_json source.media_type text/plain
    json note | grep -q 'line = '
    run fovea view --page 99 n.txt
    want_status 1
    has err "has $("$FOVEA" view --json n.txt >out; json source.pages) pages"
}

test_a_view_of_the_record_keeps_its_page_and_maps_its_regions() {
    needs text
    seq 1 300 >n.txt
    run fovea view --json --session s --page 2 n.txt
    id=$(json id)
    run fovea view --json --session s "$id"
    want_json page 2
    want_json id "$id"
    run fovea view --json --session s --space view --region 0,0,100,50 "$id"
    want_json page 2
    want_json region '[0,0,100,50]'
}

test_equal_pictures_are_said_to_be_equal_and_nothing_is_written() {
    cp "$GOOD/png-rgb-8.png" a.png
    run fovea view --against "$GOOD/png-rgb-8.png" -o none.png a.png
    want_status 0
    has out 'equal, pixel for pixel'
    has err 'nothing is written'
    [ ! -e none.png ]
    run fovea view --json --session s --against "$GOOD/png-rgb-8.png" a.png
    want_json media_type null
    want_json difference '{"changed_pixels":0,"boxes":[]}'
    "$FOVEA" lower s --model anthropic/claude-opus-4-7 >out
    has out 'equal, pixel for pixel'
}

test_differences_have_boxes_in_source_pixels() {
    make_tall a.png 100
    make_tall b.png 120
    run fovea view --json --against a.png b.png
    want_status 0
    want_json difference '{"changed_pixels":6000,"boxes":[[0,100,300,20]]}'
    json note | grep -q 'which is 300x100'
    run fovea view --json --against nosuch.png b.png
    want_status 1
    want_json reason absent
    json message | grep -q 'nosuch.png'
}

run_tests "$@"
