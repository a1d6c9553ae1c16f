#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pictures that no model takes as they are: BMP, ICO, TIFF, HEIC, AVIF. Files of tests/fixture/photo, and of image-rs where
# ../shared is there.
. "$(dirname "$0")/../cli/lib.sh"

[ -x "$BUILD/fovea-photo" ] || { echo "skip photo: fovea-photo is not built"; exit 0; }
PHOTOS=$BUILD/photos
IMAGE_RS=$(readlink -f "$TOP/../shared/corpora/image-rs" || true)

view() {
    run "$FOVEA" view --root "$PHOTOS" --root "$PWD" "$@"
}
# shown FILE: what a small view of it is, as bytes.
shown() {
    "$FOVEA" view --root "$PHOTOS" --root "$PWD" "$1" --max-edge 48 -o "$2" >/dev/null 2>&1
}

test_every_fixture_is_shown_with_its_size() {
    while read -r name w h pages; do
        view "$PHOTOS/good/$name" --json
        want_status 0
        want_json source.width "$w"
        want_json source.height "$h"
        [ "$pages" -gt 1 ] || continue
        view "$PHOTOS/good/$name" --page "$pages" --json
        want_status 0
        view "$PHOTOS/good/$name" --page $((pages + 1)) --json
        want_status 1
        want_json reason invalid_input
    done <"$PHOTOS/good.tsv"
}

# All of these hold the same pixels, so the view of each is the view of the PNG, byte for byte.
test_exact_kinds_give_the_pixels_of_the_png() {
    shown "$PHOTOS/marks.png" marks.webp
    shown "$PHOTOS/glass.png" glass.webp
    for name in pal2.bmp pal4.bmp pal8.bmp pal8-os2.bmp pal8-top-down.bmp rle4.bmp rle8.bmp rgb24.bmp rgb24-os2.bmp rgb32.bmp \
        rgb32-top-down.bmp rgba32-v5-opaque.bmp rgb.tif rgb-motorola.tif rgb-big.tif rgb-lzw.tif rgb-deflate.tif \
        rgb-packbits.tif rgb-tiled.tif rgb-planes.tif rgb-turned.tif rgb-thumbnail.tif rgb48.tif rgb48-motorola.tif palette.tif \
        palette-tiled.tif three-pages.tif; do
        shown "$PHOTOS/good/$name" one.webp
        cmp one.webp marks.webp || fail "$name shows other pixels"
    done
    for name in rgba32-v5.bmp rgba.tif; do
        shown "$PHOTOS/good/$name" one.webp
        cmp one.webp glass.webp || fail "$name shows other pixels"
    done
}

# Each of the four quarters, seen alone, has one colour: that of the palette of a PNG. $1: how far it may be off.
near() {
    python3 - "$@" <<'END'
import struct, sys, zlib
off, want = int(sys.argv[1]), [tuple(map(int, c.split(","))) for c in sys.argv[3:]]
d = open(sys.argv[2], "rb").read()
i = d.find(b"PLTE")
n = struct.unpack(">I", d[i - 4:i])[0]
have = [tuple(d[i + 4 + k:i + 7 + k]) for k in range(0, n, 3)]
for w in want:
    if not any(all(abs(a - b) <= off for a, b in zip(w, h)) for h in have):
        sys.exit(f"no colour near {w} among {have}")
END
}
MARKS="220,40,40 40,170,60 40,70,210 245,245,235"

test_lossy_and_reduced_kinds_give_nearly_those_colours() {
    for name in rgb565.bmp jpeg.tif marks.heic marks.avif; do
        view "$PHOTOS/good/$name" --no-webp -o a.png
        # shellcheck disable=SC2086
        near 12 a.png $MARKS || fail "$name"
    done
}

test_a_profile_is_converted_to_srgb() {
    # In a space far wider than sRGB, the same numbers are stronger colours.
    for name in wide-v5.bmp wide.tif wide.heic; do
        view "$PHOTOS/good/$name" --no-webp -o a.png
        near 14 a.png 255,0,24 0,191,24 || fail "$name"
    done
}

test_inks_become_colours() {
    view "$PHOTOS/good/cmyk.tif" --no-webp -o a.png
    near 60 a.png 220,40,40 245,245,235
}

# cut NAME BYTES: the file's first bytes, as a file.
cut_is_refused() {
    head -c "$2" "$PHOTOS/good/$1" >"cut.${1##*.}"
    view "cut.${1##*.}" --json
    want_status 1
    case $(json reason) in
        malformed | unperceivable_type) ;;
        *) fail "$1 of $2 bytes: $(json reason)" ;;
    esac
}

# Every kind once here, in the jail; photo_decode_test cuts each file in many places.
test_a_file_that_is_cut_is_refused() {
    for name in rgb24.bmp rle8.bmp png.ico rgb.tif rgb-deflate.tif jpeg.tif photo.heic photo.avif; do
        size=$(wc -c <"$PHOTOS/good/$name")
        cut_is_refused "$name" $((size / 2))
        cut_is_refused "$name" $((size * 15 / 16))
    done
}

# Zeros where a disk or a download left a gap.
test_a_file_with_a_gap_is_refused() {
    for name in rle8.bmp rgb-lzw.tif rgb-deflate.tif jpeg.tif photo.heic photo.avif; do
        size=$(wc -c <"$PHOTOS/good/$name")
        from=$((size / 5 * 4))
        gap=$((size / 8))
        { head -c "$from" "$PHOTOS/good/$name"; head -c "$gap" /dev/zero
          tail -c $((size - from - gap)) "$PHOTOS/good/$name"; } >"gap.${name##*.}"
        view "gap.${name##*.}" --json
        want_status 1
        want_json reason malformed
    done
}

test_an_icon_shows_its_largest_image_first() {
    for row in "three.ico 1 128" "three.ico 2 64" "three.ico 3 32" "png.ico 1 256" "png.ico 4 32"; do
        # shellcheck disable=SC2086
        set -- $row
        view "$PHOTOS/good/$1" --page "$2" --json
        want_json source.width "$3"
    done
}

test_pages_of_a_tiff_are_its_directories_but_not_small_copies() {
    for page in 1 2 3; do
        view "$PHOTOS/good/three-pages.tif" --page $page --json
        want_json source.width $((96 + (page - 1) * 16))
    done
    view "$PHOTOS/good/rgb-thumbnail.tif" --page 2 --json
    want_status 1
}

test_pages_are_shown_on_a_sheet() {
    for row in "three-pages.tif 1-3 3" "png.ico 2-4 3"; do
        # shellcheck disable=SC2086
        set -- $row
        view "$PHOTOS/good/$1" --page "$2" --json
        want_status 0
        want_json page "$2"
        [ "$(grep -o '"box"' out | wc -l)" -eq "$3" ] || fail "not $3 cells"
    done
    # One page that is damaged refuses all of them.
    size=$(wc -c <"$PHOTOS/good/three-pages.tif")
    head -c $((size - 300)) "$PHOTOS/good/three-pages.tif" >cut.tif
    view cut.tif --page 1-3 --json
    want_json reason malformed
}

# The first page is often a small copy of what follows.
test_pages_on_a_sheet_are_as_large_as_the_largest_allows() {
    python3 - a.tif <<'END_OF_TIFF'
import struct, sys
out, sizes = b'II*\0' + struct.pack('<I', 8), [(40, 30), (600, 800), (600, 800)]
for i, (w, h) in enumerate(sizes):
    at = len(out)
    tags = [(256, w), (257, h), (258, 8), (259, 1), (262, 1), (273, at + 2 + 9 * 12 + 4), (277, 1), (278, h), (279, w * h)]
    after = at + 2 + 9 * 12 + 4 + w * h
    out += struct.pack('<H', 9) + b''.join(struct.pack('<HHII', t, 4, 1, v) for t, v in tags)
    out += struct.pack('<I', after if i + 1 < len(sizes) else 0) + bytes(w * h)
open(sys.argv[1], 'wb').write(out)
END_OF_TIFF
    view a.tif --page 1-3 --json
    want_status 0
    want_json width 1568
    want_json cells.0.box.2 40
    want_json cells.0.box.3 30
    [ "$(json cells.1.box.2)" -gt 450 ] || fail "page 2 is $(json cells.1.box.2) pixels wide"
    want_json source.width 40
    view a.tif --page 2-3 --json
    want_json cells.1.box.2 600
}

# Files that are wrong although others show them, or of a kind that has no agreed black and white.
refused_here() {
    case $1 in
        */rgb32f_*.tiff) echo unperceivable_type ;;
        */ycbcr_lzw_broken.tif) echo unperceivable_type ;;
        */lenient/badrle.bmp) echo malformed ;;
        *) return 1 ;;
    esac
}

test_every_good_file_of_image_rs_is_shown() {
    [ -d "$IMAGE_RS" ] || skip "no ../shared/corpora/image-rs"
    find "$IMAGE_RS/images/bmp" "$IMAGE_RS/images/ico" "$IMAGE_RS/images/tiff" -type f >list
    [ "$(wc -l <list)" -ge 80 ] || fail "only $(wc -l <list) files"
    while read -r file; do
        run "$FOVEA" view --root "$(dirname "$file")" "$file" --json
        if reason=$(refused_here "$file"); then
            want_json reason "$reason"
        else
            want_json ok true || fail "$file"
        fi
    done <list
}

test_bad_files_of_image_rs_are_refused_with_a_reason() {
    [ -d "$IMAGE_RS" ] || skip "no ../shared/corpora/image-rs"
    find "$IMAGE_RS/bad" "$IMAGE_RS/regression" -name '*.bmp' -o -name '*.ico' -o -name '*.tif*' >list
    while read -r file; do
        run "$FOVEA" view --root "$(dirname "$file")" "$file" --json
        hasnt out "broke its decoder"
        case $file in
            */Bad_clrsUsed.bmp | *hpredict_cmyk.tiff) want_json ok true ;; # more colours than used; what its decoder lacked
            *) want_json ok false || fail "$file" ;;
        esac
    done <list
}

run_tests "${1:-}"
