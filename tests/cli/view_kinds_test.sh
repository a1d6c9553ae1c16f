# SPDX-License-Identifier: Apache-2.0
# `fovea view` of every kind: pages, frames, times, sheets, tiles, differences, and what may be drawn.
. "${0%/*}/lib.sh"

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

# ask_pages FILE PAGES WORDS
ask_pages() {
    run fovea call --config ask.yaml vision_analyze "{\"file_path\":\"$1\",\"prompt\":\"?\",\"page\":\"$2\"}"
    want_status 1
    has out "$3"
}

test_questions_about_several_tiles_are_refused_as_views_of_them_are() {
    make_tall tall.png 6000
    printf '%s\n' 'provider: home' 'model: x' \
        'providers: {home: {baseUrl: "http://127.0.0.1:9/v1", auth: none, models: {x: {vision: true}}}}' >ask.yaml
    ask_pages tall.png 1-2 'is shown one page at a time: its pages are tiles of one picture'
    ask_pages tall.png 2-3 'is shown one page at a time: its pages are tiles of one picture'
    ask_pages tall.png 2-9 'has 4 pages, so there is no page 9'
    ask_pages "$GOOD/png-rgb-8.png" 2-3 'has 1 page, so there is no page 3'
}

# It is long at the usual size or not at all, however small it is asked for.
test_a_small_view_of_a_picture_that_is_not_long_says_nothing_of_tiles() {
    run fovea view --json --max-edge 28 "$GOOD/png-rgb-8.png"
    want_json source.pages null
    make_tall tall.png 1000
    run fovea view --json --max-edge 100 tall.png
    want_json source.pages null
    json note | grep -qv 'It is long' || fail "it is long"
    run fovea view --page 2 --max-edge 100 tall.png
    has err 'has 1 page, so there is no page 2'
}

test_max_edge_that_cannot_be_had_is_told() {
    echo 'images.autoResize: false' >whole.yaml
    run fovea view --json --config whole.yaml --max-edge 30 "$GOOD/png-rgb-8.png"
    json note | grep -q 'max_edge was not looked at: images.autoResize is false' || fail "other words"
    needs svg
    echo '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="5" height="5"/></svg>' >a.svg
    run fovea view --json --max-edge 9000 a.svg
    want_json width 4096
    json note | grep -q 'drawn no larger than that' || fail "other words"
    run fovea view --json --max-edge 4096 a.svg
    json note | grep -qv 'drawn no larger' || fail "other words"
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
    for words in '--page 0' '--page 2-1' '--page x' '--time 1:75' '--time x'; do
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

test_a_range_of_pages_is_a_sheet_or_refused() {
    needs text
    seq 1 300 >n.txt
    cp n.txt n.md
    for name in n.txt n.md; do
        run fovea view --json --page 1-2 "$name"
        want_status 1
        want_json reason invalid_input
        json message | grep -q 'shown one page at a time'
        run fovea view --sheet "$name"
        want_status 1
        has err 'shown one page at a time'
        hasnt err '1-6'
    done
}

# refused_page FILE PAGES WORDS
refused_page() {
    run "$FOVEA" view --json --root "$PWD" --root "$BUILD/photos" --page "$2" "$1"
    want_status 1
    want_json reason invalid_input
    json message | grep -q "$3" || fail "$1 $2: other words"
}

test_a_range_past_the_end_names_how_many_there_are() {
    for name in png-rgb-8.png gif-animated-3-frames.gif jpeg-gray.jpg; do
        cp "$GOOD/$name" .
        refused_page "$name" 1-2 'has 1 page, so there is no page 2'
    done
    make_tall tall.png 6000
    refused_page tall.png 2-5 'has 4 pages, so there is no page 5'
    needs photo
    good=$BUILD/photos/good
    refused_page "$good/rgb.tif" 1-2 'has 1 page, so there is no page 2'
    refused_page "$good/three-pages.tif" 2-4 'has 3 pages, so there is no page 4'
    refused_page "$good/three-pages.tif" 4-5 'has 3 pages, so there is no page'
    refused_page "$good/three.ico" 3-9 'has 3 pages, so there is no page 9'
    refused_page "$good/two.heic" 1-3 'has 2 pages, so there is no page 3'
    needs pdf
    python3 "$TOP/tests/cli/two_pages.py" >two.pdf
    refused_page two.pdf 1-3 'has 2 pages, so there is no page 3'
    run fovea view --json --page 1-2 two.pdf
    want_status 0
    want_json page 1-2
    run fovea view --region 300,0,5,5 two.pdf
    has err '200x100 pt'
}

test_pages_of_a_picture_file_are_shown_on_a_sheet_by_naming_them() {
    needs photo
    good=$BUILD/photos/good
    run "$FOVEA" view --json --root "$BUILD/photos" --page 1-2 "$good/two.heic"
    want_status 0
    want_json page 1-2
    for name in three-pages.tif three.ico two.heic; do
        run "$FOVEA" view --root "$BUILD/photos" --sheet "$good/$name"
        want_status 1
        has err 'by naming them: "page": "1-'
    done
    run "$FOVEA" view --root "$BUILD/photos" --sheet "$good/rgb.tif"
    want_status 0
    run "$FOVEA" view --root "$BUILD/photos" --frame 2 "$good/three-pages.tif"
    want_status 1
    has err 'use "page"'
}

test_a_region_is_of_the_whole_and_not_of_a_tile() {
    make_tall tall.png 6000
    run fovea view --page 3 --region 0,0,50,50 tall.png
    want_status 1
    has err 'leave out "page" or "region"'
    run fovea view --json --session s --page 4 tall.png
    id=$(json id)
    run fovea view --json --session s --max-edge 3000 --space view --region 0,10,50,50 "$id"
    want_status 0
    want_json offset '[0,4522]'
}

# fovea with only those of its programs that are named, in the folder bin.
with_programs() {
    mkdir -p bin
    cp "$FOVEA" bin/fovea
    for program; do
        ln -sf "$BUILD/fovea-$program" "bin/fovea-$program"
    done
}

test_a_renderer_that_may_not_draw_is_not_started() {
    with_programs worker
    printf '#!/bin/sh\n: >"%s/started"\n' "$PWD" >bin/fovea-pdf
    chmod +x bin/fovea-pdf
    printf '%%PDF-1.4\n%%%%EOF\n' >a.pdf
    printf 'render.pdf: false\n' >off.yaml
    run bin/fovea view --root "$PWD" --config off.yaml a.pdf
    want_status 1
    [ ! -e started ] || fail "it was started"
    run bin/fovea view --root "$PWD" a.pdf
    [ -e started ] || fail "it is not started where it may draw"
}

test_an_image_of_markdown_that_cannot_be_had_is_only_missing() {
    needs text
    with_programs worker text
    cp "$GOOD/png-rgb-8.png" here.png
    printf 'BM' >gone.bmp
    cp "$BUILD/photos/good/rgb24.bmp" gone.bmp
    echo '![a](here.png) ![b](gone.bmp)' >a.md
    run bin/fovea view --json --root "$PWD" a.md
    want_status 0
    echo '![a](here.png) ![b](nothing.bmp)' >b.md
    run bin/fovea view --json --root "$PWD" b.md --against a.md
    want_json difference.changed_pixels 0
}

test_svg_within_markdown_is_drawn_where_svg_may_be() {
    needs text svg
    make_svg >a.svg
    echo '![a](a.svg)' >a.md
    echo '![a](none.svg)' >b.md
    printf 'render.svg: false\n' >off.yaml
    run fovea view --json --config off.yaml a.md --against b.md
    want_json difference.changed_pixels 0
    run fovea view --json a.md --against b.md
    [ "$(json difference.changed_pixels)" -gt 1000 ] || fail "it is not drawn"
    run fovea view --json a.md
    want_status 0
}

test_words_name_what_is_wrong_and_what_to_do() {
    printf 'caf\351 au lait, encore du texte\n' >latin.txt
    run fovea view latin.txt
    want_status 1
    has err 'is not UTF-8 from byte 4 on'
    has err 'iconv'
    head -c 3000 /dev/urandom >noise.bin
    run fovea view noise.bin
    has err 'is nothing that can be shown'
    make_svg >z.svg
    gzip z.svg
    mv z.svg.gz a.svgz
    printf 'render.svg: false\n' >off.yaml
    run fovea view --config off.yaml a.svgz
    has err 'gzip -d'
    needs svg
    make_svg >a.svg
    run fovea view --region 500,0,5,5 a.svg
    has err 'which is 100x200 user units'
}

test_words_about_videos_name_the_video() {
    needs video
    clip=$FIXTURES/video/good/h264.mp4
    [ -e "$clip" ] || skip "there are no videos"
    run fovea view --frame 101 "$clip"
    has err 'the video has 100 frames'
    for time in 1000000000 9999999999 5; do
        run fovea view --time $time "$clip"
        want_status 1
        has err 'it lasts 0:04.0'
    done
    run fovea view "$FIXTURES/video/good/sound-only.avi"
    want_status 1
    has err 'is AVI video of a kind'
    hasnt err 'PNG'
    printf 'view: {maxBytes: 500, maxVideoBytes: 1000}\n' >small.yaml
    run fovea view --config small.yaml "$clip"
    want_status 1
    has err 'view.maxVideoBytes'
    status=0
    "$FOVEA" view --config small.yaml - <"$clip" >out 2>err || status=$?
    want_status 1
    has err 'view.maxVideoBytes'
    run fovea view --config small.yaml "$BUILD/photos/good/rgb.tif"
    hasnt err 'view.maxVideoBytes'
}

# The worker holds all of its input within its memory.
test_a_setting_that_cannot_be_raised_is_not_advised() {
    printf 'view: {maxBytes: 536870912, maxVideoBytes: 1610612736}\n' >most.yaml
    cp "$FIXTURES/video/good/h264.mp4" large.mp4
    truncate -s 1610612737 large.mp4
    run fovea view --config most.yaml large.mp4
    want_status 1
    has err 'for a video; cut it first'
    hasnt err 'view.maxVideoBytes'
    cp "$BUILD/photos/good/rgb.tif" large.tif
    truncate -s 536870913 large.tif
    run fovea view --config most.yaml large.tif
    want_status 1
    has err 'make it smaller first'
    hasnt err 'view.maxBytes'
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

test_a_tile_or_page_keeps_its_place_under_other_limits() {
    make_tall tall.png 6000
    run fovea view --json --session s --page 3 tall.png
    id=$(json id)
    run fovea view --json --session s --max-edge 400 "$id"
    want_json offset '[0,3008]'
    want_json region '[0,3008,300,1568]'
    run fovea view --json --session s --max-edge 400 --space view --region 0,100,300,100 "$id"
    want_json region '[0,3108,300,100]'
    needs text
    seq 1 300 >n.txt
    run fovea view --json --session s --page 2 n.txt
    id=$(json id) lines=$(json lines)
    run fovea view --json --session s --max-edge 600 "$id"
    want_json lines "$lines"
    want_json page 2
}

test_a_recorded_video_may_be_as_large_as_any_video() {
    needs video
    [ -f "$FIXTURES/video/good/h264.mp4" ] || skip "no video was made"
    cp "$FIXTURES/video/good/h264.mp4" v.mp4
    printf 'view.maxBytes: 1000\n' >small.yaml
    run fovea view --json --session s --config small.yaml --frame 3 v.mp4
    want_status 0
    id=$(json id)
    rm v.mp4
    run fovea view --json --session s --config small.yaml "$id"
    want_status 0
    want_json id "$id"
    want_json frame 3
}

test_a_recorded_comparison_is_not_shown_out_of_reach() {
    grep -qa 'difference' "$BUILD/fovea-worker" || skip "this fovea-worker compares nothing"
    mkdir in
    make_tall a.png 100
    make_tall in/b.png 120
    run fovea view --json --session s --against a.png in/b.png
    id=$(json id)
    run fovea view --json --session s "$id"
    want_status 0
    want_json id "$id"
    (cd in && run fovea view --json --session s --root "$PWD" "$id"
    want_status 1
    want_json reason absent)
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
