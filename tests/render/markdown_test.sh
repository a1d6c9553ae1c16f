#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Images within Markdown: those in reach are shown; the drawing does not tell why another is not.
. "$(dirname "$0")/../cli/lib.sh"
[ -x "$BUILD/fovea-text" ] || { echo "skip markdown: fovea-text is not built"; exit 0; }

# show HREF NAME: a page with that image, as PNG; only the folder here is in reach.
show() {
    printf '# Title\n\n![words](%s)\n\nThe end.\n' "$1" >here/page.md
    run "$FOVEA" view --root "$PWD/here" --no-webp --json -o "$2" here/page.md
    want_status 0
    want_json source.media_type text/markdown
}
# Red is 60 by 60 pixels of #c81e1e, outside and in reach.
make_red() {
    mkdir -p here/inner outside
    python3 - outside/red.png <<'END_OF_PNG'
import struct, sys, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
rows = (b"\0" + b"\xc8\x1e\x1e" * 60) * 60
open(sys.argv[1], "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 60, 60, 8, 2, 0, 0, 0)) +
                              chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
END_OF_PNG
}
reds() {
    python3 "$TOP/tests/render/pixels.py" "$1" count c81e1e 12
}

test_images_in_reach_are_shown() {
    make_red
    cp outside/red.png here/red.png
    cp outside/red.png here/inner/red.png
    for href in red.png ./red.png inner/red.png inner/../red.png "$PWD/here/red.png"; do
        show "$href" shown.png
        [ "$(reds shown.png)" -ge 3000 ] || fail "$href is not shown: $(reds shown.png) pixels"
    done
    show "data:image/png;base64,$(base64 -w0 outside/red.png)" shown.png
    [ "$(reds shown.png)" -ge 3000 ] || fail "one in the text itself is not shown"
}
test_what_is_absent_out_of_reach_or_on_the_network_is_drawn_alike() {
    make_red
    ln -s "$PWD/outside/red.png" here/link.png
    echo 'no picture' >here/words.png
    mkdir here/folder.png
    show absent.png absent.png
    [ "$(reds absent.png)" -eq 0 ] || fail "an absent image is shown"
    for href in "$PWD/outside/red.png" ../outside/red.png "file://$PWD/outside/red.png" link.png /etc/passwd /dev/zero words.png folder.png \
        https://127.0.0.1:9/red.png http://localhost/red.png //127.0.0.1/red.png ftp://127.0.0.1/red.png; do
        show "$href" other.png
        cmp absent.png other.png || fail "$href is told apart from one that is absent"
    done
}
test_images_by_html_are_not_told_apart_either() {
    make_red
    for row in "absent.png absent" "$PWD/outside/red.png outside" "https://127.0.0.1:9/red.png network"; do
        printf '# Title\n\nSee <img src="%s" alt="words"> here.\n' "${row% *}" >here/page.md
        run "$FOVEA" view --root "$PWD/here" --no-webp --json -o "${row##* }.png" here/page.md
        want_status 0
        cmp absent.png "${row##* }.png" || fail "${row% *} is told apart"
    done
}

# As a web server or an editor writes it: with escapes, with what stands behind ? and #.
test_images_are_found_by_every_spelling_of_their_names() {
    make_red
    cp outside/red.png here/red.png
    cp outside/red.png "here/a b.png"
    cp outside/red.png here/ärger.png
    cp outside/red.png here/100%.png
    cp outside/red.png here/50%7z.png
    for href in %72ed.png red%2Epng red%2epng a%20b.png '<a b.png>' %C3%A4rger.png %c3%a4rger.png 'red.png?raw=true' 'red.png#part' \
        100%.png 50%7z.png "file://$PWD/here/red.png"; do
        show "$href" shown.png
        [ "$(reds shown.png)" -ge 3000 ] || fail "$href is not shown: $(reds shown.png) pixels"
    done
}
test_names_that_can_be_no_file_are_drawn_as_missing() {
    make_red
    cp outside/red.png here/red.png
    head -c 100 outside/red.png >here/half.png
    show absent.png absent.png
    for href in '?red.png' '#red.png' red.png%00x %00 half.png "$(printf 'x%.0s' $(seq 5000)).png" data:image/png,no 'data:text/plain,words'; do
        show "$href" other.png
        cmp absent.png other.png || fail "$(echo "$href" | head -c 60) is told apart from one that is absent"
    done
}
# What is drawn is drawn as sharp as it is shown: small ones again, large ones as they are.
test_drawings_within_are_shown_large_and_small() {
    [ -x "$BUILD/fovea-svg" ] || skip "fovea-svg is not built"
    mkdir here
    for side in 60 900; do
        echo "<svg xmlns='http://www.w3.org/2000/svg' width='$side' height='$side'><rect width='$side' height='$side' fill='#c81e1e'/></svg>" >here/a.svg
        show a.svg shown.png
        [ "$(reds shown.png)" -ge 3000 ] || fail "one of $side is not shown: $(reds shown.png) pixels"
    done
}
test_of_very_many_images_the_first_are_shown() {
    make_red
    cp outside/red.png here/red.png
    for i in $(seq 40); do printf '![](%s)\n' "red.png?$i"; done >here/many.md
    run "$FOVEA" view --root "$PWD/here" --no-webp --json -o many.png here/many.md
    want_status 0
    [ "$(reds many.png)" -ge 3000 ] || fail "none is shown"
}
# Each of these once took the square of its length, and so ended at the limit of time.
test_html_without_end_is_drawn_in_time() {
    mkdir here
    { printf '<div>\n'; head -c 400000 /dev/zero | tr '\0' '<'; } >here/less.md
    { printf '<div>\n'; yes '<img src="' | head -n 50000 | tr -d '\n'; } >here/images.md
    { printf 'a '; yes '<script>' | head -n 50000 | tr -d '\n'; } >here/scripts.md
    for page in less images scripts; do
        run "$FOVEA" view --root "$PWD/here" -o "$page.png" "here/$page.md"
        want_status 0
    done
}

run_tests "$@"
