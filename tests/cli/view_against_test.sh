# SPDX-License-Identifier: Apache-2.0
# `fovea view --against`: which part of which source is compared with which, at what size.
. "${0%/*}/lib.sh"

needs() {
    for program; do
        [ -x "$BUILD/fovea-$program" ] || skip "fovea-$program is not built"
    done
}
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
# pdf NAME: two pages of 200x100.
pdf() {
    python3 - >"$1" <<'END'
import sys
objects = ['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>'] + \
          ['<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>'] * 2
out = b'%PDF-1.4\n'
places = []
for i, o in enumerate(objects):
    places.append(len(out))
    out += b'%d 0 obj %s endobj\n' % (i + 1, o.encode())
at = len(out)
out += b'xref\n0 5\n0000000000 65535 f \n' + b''.join(b'%010d 00000 n \n' % p for p in places)
sys.stdout.buffer.write(out + b'trailer<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n' % at)
END
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

test_sheets_are_not_compared() {
    gif=$GOOD/gif-animated-3-frames.gif
    run fovea view --json --session s --sheet "$gif"
    id=$(json id)
    refused 'shows several pictures' --session s "$GOOD/png-rgb-8.png" --against "$id"
    refused 'shows several pictures' --session s "$id" --against "$GOOD/png-rgb-8.png"
    needs pdf
    pdf a.pdf
    run fovea view --json --session s --page 1-2 a.pdf
    id=$(json id)
    refused 'shows several pictures' --session s "$GOOD/png-rgb-8.png" --against "$id"
    refused 'shows several pictures' --session s "$id" --against "$GOOD/png-rgb-8.png"
}

test_a_part_is_named_in_the_other_only_where_it_has_such() {
    compare "$GOOD/gif-animated-3-frames.gif" --frame 2 --against "$GOOD/png-rgb-8.png"
    needs pdf
    pdf a.pdf
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
