#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rendered text can be read back: pages are drawn, encoded as usual, read by our own OCR, and the words that come back are
# counted. A word is a run of letters, digits and underscores; each counts as often as it stands there. Code is measured over
# files together, of which src/base/text.c is the hardest: it is full of hexadecimal numbers.
. "$(dirname "$0")/../cli/lib.sh"
RECALL=$TOP/tests/render/recall.py
exec 3>&1 # figures are printed however a test ends

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
    python3 "$RECALL" "$@" >figures && least=0 || least=1
    sed 's/^/# /' figures >&3
    [ "$least" -eq 0 ] || fail "too few words came back"
}

test_prose_is_read_back_from_its_page() {
    cp "$TOP/tests/render/prose.txt" .
    read_back prose.txt page
    recall 99.5 prose.txt page
}
test_prose_is_read_back_from_a_small_page() {
    head -n 12 "$TOP/tests/render/prose.txt" >prose.txt
    read_back prose.txt page --max-edge 1092
    recall 99.5 prose.txt page
}
# read_code FILE...: each in a folder of its own, since others are read at the same time.
read_code() {
    for code in "$@"; do
        mkdir "$(basename "$code").d"
        (cd "$(basename "$code").d" && read_back "$TOP/$code" page)
    done
}
test_code_is_read_back_from_its_pages() {
    one="src/api/view.c src/base/text.c src/fit/plan.c src/source/sniff_text.c"
    two="src/base/buf.c worker/png_chunks.c tests/render/pdf_kit.py tests/cli/lib.sh"
    read_code $one >log.one &
    read_code $two
    wait $! || fail "$(cat log.one)"
    [ -z "$(find . -name skipped)" ] || skip "no OCR here"
    set --
    for code in $one $two; do
        set -- "$@" "$TOP/$code" "$(basename "$code").d/page"
    done
    recall 98 "$@"
}
test_markdown_is_read_back_from_its_page() {
    cp "$TOP/tests/render/prose.txt" prose.md
    read_back prose.md page
    recall 99.5 prose.md page
}

run_tests "$@"
