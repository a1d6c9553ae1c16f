#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pages of PDF documents, from the command line: what is shown of them, what is refused and why, what they cannot do. The
# documents are made by pdf_pages.py; those of ../shared/corpora are there or not.
. "$(dirname "$0")/../cli/lib.sh"
HERE=$TOP/tests/render
CORPUS=$(cd "$TOP/../shared/corpora/py-pdf" 2>/dev/null && pwd -P) || CORPUS=
PAGES=$scratch/pages
[ -x "$BUILD/fovea-pdf" ] || { echo "skip pdf: fovea-pdf is not built"; exit 0; }

mkdir "$PAGES"
python3 "$HERE/pdf_pages.py" "$PAGES" || exit 1

# see NAME OPTION...: its JSON is in out, its picture in shown.png.
see() {
    name=$1
    shift
    run "$FOVEA" view --root "$PAGES" "$PAGES/$name.pdf" --json -o shown.png "$@"
}
# colours PLACE...: what the picture has there.
colours() {
    python3 "$HERE/pixels.py" shown.png "$@"
}
want_colours() {
    want=$1
    shift
    got=$(colours "$@")
    [ "$got" = "$want " ] || fail "colours at $* are '$got', want '$want'"
}
refused() {
    want_status 1
    want_json reason "$1"
    has out "$2"
}

test_a_page_is_drawn_on_white_at_the_size_asked_for() {
    see three
    want_status 0
    want_json media_type image/png
    want_json height 1568
    want_json width 1176
    want_json source.width 600
    want_json source.height 800
    want_json source.media_type application/pdf
    want_json source.pages 3
    want_colours "ff0000 ffffff ffffff" 50,50% 500,500% 990,990%
}
test_a_page_is_chosen_by_its_number() {
    see three --page 3
    want_colours 0000ff 50,50%
    see three --page 2 --max-edge 400
    want_json height 400
    want_colours 00ff00 50,50%
}
test_a_page_past_the_end_is_refused_with_their_number() {
    see three --page 4
    refused invalid_input "has 3 pages"
}
test_a_region_in_points_is_drawn_again_and_not_magnified() {
    see hairs
    want_status 0
    case $(colours 20,20%) in 000000*|ffffff*) fail "bars of a tenth of a point are seen on a whole page" ;; esac
    see hairs --region 10,0,2,2
    want_json width 1568
    want_colours "000000 ffffff 000000 ffffff 000000" 25,500% 75,500% 125,500% 175,500% 825,3%
}
test_a_region_is_counted_from_the_upper_left_corner() {
    see three --region 0,0,50,50
    want_colours "ff0000 ff0000" 1,1 990,990%
    see three --region 90,90,20,20
    want_colours "ff0000 ffffff" 100,100% 900,900%
    see three --region 600,0,10,10
    refused invalid_input 600
}
test_a_page_is_turned_as_it_says() {
    see rotated
    want_json source.width 100
    want_json source.height 200
    want_colours "ff0000 ffffff ffffff" 100,100% 900,100% 100,900%
}
test_only_the_crop_box_is_shown() {
    see cropped
    want_json source.width 200
    want_json source.height 100
    want_colours "ff0000 00ff00 00ff00 00ff00" 10,10% 5,990% 995,5% 995,995%
    see cropped --region 0,0,10,10
    want_colours "ff0000 ff0000" 5,5% 990,990%
}
test_notes_and_fields_are_shown() {
    see noted
    want_colours "ff0000 ffffff 0000ff" 80,60% 250,60% 410,60%
}
test_text_in_a_font_that_the_page_does_not_bring_is_drawn() {
    see text --region 50,80,100,20
    # shellcheck disable=SC2046 # words are meant to split
    colours $(seq -f %g,700%% 10 5 990) | grep -q 000000 || fail "no ink where the words are"
}
test_a_document_that_needs_a_password_is_refused() {
    see locked
    refused unperceivable_type encrypted
    see open_locked
    want_status 0
    want_colours 00ff00 50,50%
}
test_what_can_be_mended_is_shown() {
    see misplaced --page 2
    want_status 0
    want_colours 00ff00 50,50%
}
test_what_cannot_be_mended_is_refused_in_our_own_words() {
    for name in noise cut without_pages; do
        see "$name"
        refused malformed "does not decode in full (PDF: it"
        hasnt out Syntax
        hasnt err Syntax
    done
    see without_pages
    has out "it has no pages"
    see one_lost --page 3
    refused malformed "page 3 cannot be read"
    see one_lost --page 1
    want_colours ff0000 50,50%
}

test_several_pages_are_one_sheet() {
    see three --page 1-3
    want_status 0
    want_json source.width 600
    want_json source.pages 3
    want_json page 1-3
    want_json cells.0.page 1
    want_json cells.2.page 3
    # Each in its cell, side by side; the ground lies between.
    want_colours "ff0000 e8e8e8 00ff00 0000ff" 15,15 2,2 535,15 1055,15
}
test_a_page_of_another_shape_is_fitted_into_its_cell() {
    see shapes --page 1-2
    want_colours "ff0000 ff0000 00ff00" 15,15 15,900 "750,490%"
    want_json cells.0.box.3 "$(json cells.0.box.2 | awk '{ printf "%d", $1 * 4 / 3 + 0.5 }')"
    want_json cells.1.box.3 "$(json cells.1.box.2 | awk '{ printf "%d", $1 / 6 + 0.5 }')"
}
test_the_note_counts_columns_also_where_pages_differ_in_shape() {
    see shapes --page 1-2
    want_json cells.1.box.0 788 # beside the other
    has out "in 2 columns,"
}
test_a_sheet_ends_with_the_last_page() {
    see three --page 2-3
    want_json cells.1.page 3
    ! json cells.2 || fail "there is a fourth page"
    see three --page 2-9
    refused invalid_input "has 3 pages, so there is no page 9"
    see many --page 1-65
    refused invalid_input "has 100 pages; a sheet shows at most 64 of them"
    see many --page 1-999
    refused invalid_input "has 100 pages, so there is no page 999"
    see many --page 30-93
    want_json source.pages 100
    want_json cells.63.page 93
    see three --page 4-5
    refused invalid_input "has 3 pages"
}
test_a_page_that_is_lost_leaves_its_place_empty() {
    see one_lost --page 1-3
    want_status 0
    want_json cells.2.page 3
    want_colours "ff0000 0000ff ffffff" 15,15 535,15 1055,15
}
# Where the words have no room, a question mark: its bow, the gap and the dot beneath, behind the 3.
test_a_page_that_is_lost_is_told_from_an_empty_one_also_in_a_narrow_cell() {
    see one_lost --page 1-3 --max-edge 400
    x=$(($(json cells.2.box.0) + 24)) y=$(($(json cells.2.box.1) + $(json cells.2.box.3) + 5))
    want_colours "000000 000000 e8e8e8 000000" $x,$y $x,$((y + 8)) $x,$((y + 10)) $x,$((y + 12))
    see three --page 1-3 --max-edge 400
    [ "$(colours $x,$y $x,$((y + 8)) $x,$((y + 10)) $x,$((y + 12)))" != "000000 000000 e8e8e8 000000 " ] || fail "it is marked as lost"
    see one_lost --page 1-3 --max-edge 60
    case $(json note) in *"numbers beneath"*) ;; *) fail "no numbers: $(json note)" ;; esac
}

test_every_page_one_of_the_corpus_is_shown_or_refused_with_a_reason() {
    [ -n "$CORPUS" ] || skip "../shared/corpora/py-pdf is not here"
    for file in "$CORPUS"/*/*.pdf; do
        run "$FOVEA" view --root "$CORPUS" "$file" --json
        [ "$status" -le 1 ] || fail "$file ended with $status"
        [ "$status" -eq 0 ] || printf '# refused: %s: %s\n' "${file##*/}" "$(json message | sed 's/^"[^"]*" //')" >&3
        [ "$status" -eq 0 ] || echo "${file##*/}" >>refused
    done
    [ "$(cat refused)" = libreoffice-writer-password.pdf ] || fail "refused: $(cat refused)"
}
test_pages_are_counted_as_others_count_them() {
    [ -n "$CORPUS" ] || skip "../shared/corpora/py-pdf is not here"
    command -v pdfinfo >/dev/null || skip "pdfinfo is not here (poppler-utils)"
    for file in "$CORPUS"/*/*.pdf; do
        pages=$(pdfinfo "$file" 2>/dev/null | sed -n 's/^Pages: *//p')
        [ -n "$pages" ] || continue
        run "$FOVEA" view --root "$CORPUS" "$file" --json --page 1000000
        has out "has $pages page"
    done
}

exec 3>&1
run_tests "$@"
