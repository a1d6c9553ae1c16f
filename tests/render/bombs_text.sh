#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bombs_text.sh DIR: writes text and Markdown that were made to waste time or memory into DIR. None is over 20 MiB, the most that
# view takes.
set -eu
cd "$1"

# repeat WORD BYTES: the word again and again, so many bytes.
repeat() {
    yes -- "$1" | tr -d '\n' | head -c "$2"
}
lines() {
    yes -- "$1" | head -c "$2"
}
MOST=20971520
MIB=1048576
HALF=524288 # the longest Markdown that is laid out

repeat 'x' $MOST >one_line.txt
lines '' $MOST >empty_lines.txt
{ printf 'e'; repeat "$(printf '\314\201')" $((MOST - 2)); } >combining_marks.txt
repeat "$(printf 'a\314\201\314\202\314\203\315\204\314\205\314\206')" $MOST >zalgo.txt
repeat "$(printf '\342\200\256a\342\201\246')" $MOST >bidi_controls.txt
repeat "$(printf '\t')" $MOST >tabs.txt
repeat "$(printf '\033[31m')" $MOST >escapes.txt
{ printf 'word'; repeat ' ' $((MOST - 8)); printf 'end'; } >spaces.txt
repeat "$(printf '\346\274\242')" $MOST >wide.txt
repeat "$(printf '\330\247\331\204')" $MOST >right_to_left.txt
repeat "$(printf '\360\237\221\250\342\200\215')" $MOST >joined_emoji.txt
{ lines 'a' $MIB; repeat "$(printf 'a\377')" $MIB; head -c $MIB /dev/zero | tr '\0' '\200'; } >not_utf8.txt
{ printf '\377\376'; repeat "$(printf '\330=')" $((MOST - 2)); } >half_surrogates.txt
repeat '>' $HALF >quotes.md
repeat '[' $HALF >brackets.md
repeat '*a ' $HALF >stars.md
repeat '![a' $HALF >images.md
repeat '![a](b)' $HALF >many_images.md
repeat '> - ' $HALF >nested.md
lines '- a' $HALF >items.md
{ repeat '|x' 2000; echo; repeat '|-' 2000; echo; lines '|y|' $((HALF - 5000)); } >wide_table.md
{ printf 'a|b\n-|-\n'; lines 'c|d' $((HALF - 16)); } >long_table.md
{ printf '|a|b|\n|-|-|\n|'; repeat 'word ' $((HALF / 2)); printf '|c|\n'; } >huge_cell.md
{ printf '```\n'; repeat 'x' $((HALF - 8)); } >code_line.md
repeat 'word ' $HALF >paragraph.md
lines '# a' $HALF >headings.md
repeat '&amp;' $HALF >entities.md
repeat '<a ' $HALF >tags.md
repeat '<!-- ' $HALF >comments.md
{ printf '<div>\n'; repeat '<' $((HALF - 8)); } >html_less.md
{ printf '<div>\n'; repeat '<img src="' $((HALF - 8)); } >html_images.md
{ printf 'a '; repeat '<script>' $((HALF - 8)); } >scripts.md
{ printf 'e'; repeat "$(printf '\314\201')" $((HALF - 2)); } >combining.md
repeat "$(printf '\330\247\331\204 ')" $HALF >right_to_left.md
repeat '*_' $HALF >emphasis.md
lines 'a@b' $((16 * MIB)) >large.md
