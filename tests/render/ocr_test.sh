#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rendered text can be read back: pages are drawn, encoded as usual, read by our own OCR, and the words that come back are
# counted. A word is a run of letters, digits and underscores; each counts as often as it stands there. Code is measured over
# three files together. Code that is mostly hexadecimal numbers is not among them and does not reach the mark: src/base/text.c
# gives 92 %, because Tesseract takes the zeros of a font for letters.
. "$(dirname "$0")/../cli/lib.sh"
RECALL=$TOP/tests/render/recall.py

# read_back FILE NAME OPTION...: the words of the file's first page as they were read, in NAME.txt, the lines shown in NAME.lines.
read_back() {
    file=$1 name=$2
    shift 2
    run "$FOVEA" view "$file" --root "$TOP" --root "$PWD" --json -o "$name.picture" "$@"
    want_status 0
    echo "$(json lines.0) $(json lines.1)" >"$name.lines"
    run "$FOVEA" ask "$name.picture" "read" --root "$PWD" --model local/ocr
    [ "$status" -eq 0 ] || { grep -q "OCR\|ocr" err && skip "no OCR here"; }
    want_status 0
    mv out "$name.txt"
}
# recall LEAST FILE NAME...: at least so many percent of the words of all pages came back.
recall() {
    python3 "$RECALL" "$@" || fail "too few words came back"
}

test_prose_is_read_back_from_its_page() {
    cp "$TOP/tests/render/prose.txt" .
    read_back prose.txt prose
    recall 99.5 prose.txt prose
}
test_prose_is_read_back_from_a_small_page() {
    cp "$TOP/tests/render/prose.txt" .
    read_back prose.txt prose --max-edge 1092
    recall 99.5 prose.txt prose
}
test_code_is_read_back_from_its_pages() {
    set --
    for code in src/fit/plan.c src/source/sniff_text.c src/base/buf.c; do
        read_back "$TOP/$code" "$(basename "$code" .c)"
        set -- "$@" "$TOP/$code" "$(basename "$code" .c)"
    done
    recall 98 "$@"
}
test_markdown_is_read_back_from_its_page() {
    cp "$TOP/tests/render/prose.txt" prose.md
    read_back prose.md prose
    recall 99.5 prose.md prose
}

run_tests "$@"
