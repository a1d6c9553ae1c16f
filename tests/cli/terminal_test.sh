# SPDX-License-Identifier: Apache-2.0
# On a terminal the picture is drawn first. script(1) plays the terminal.
. "${0%/*}/lib.sh"

# on_terminal ENVIRONMENT WORDS...: what a terminal of 80 by 30 would get, in the file out.
on_terminal() {
    script -qec true /dev/null >/dev/null 2>&1 || skip "no script(1) that can play a terminal"
    environment=$1
    shift
    status=0
    script -qec "stty cols 80 rows 30; env $environment $*" /dev/null >out 2>err </dev/null || status=$?
}
has_chafa() {
    "$FOVEA" doctor | grep -q '^ok *libchafa' || skip "no libchafa"
}
esc=$(printf '\033')

test_colours_follow_what_the_terminal_says() {
    cp "$GOOD/jpeg-baseline.jpg" a.jpg
    has_chafa
    on_terminal 'TERM=xterm-256color COLORTERM=truecolor' "$FOVEA" view a.jpg
    has out "${esc}[38;2;"
    on_terminal 'TERM=xterm-256color' "$FOVEA" view a.jpg
    has out '38;5;'
    on_terminal 'TERM=linux' "$FOVEA" view a.jpg
    hasnt out '38;'
}

test_pixels_are_sent_where_the_terminal_takes_them() {
    cp "$GOOD/jpeg-baseline.jpg" a.jpg
    has_chafa
    on_terminal 'TERM=xterm-kitty' "$FOVEA" view a.jpg
    has out "${esc}_Ga=T"
    on_terminal 'TERM=mlterm' "$FOVEA" view a.jpg
    has out "${esc}P0;1;0q"
}

test_no_color_is_respected() {
    cp "$GOOD/jpeg-baseline.jpg" a.jpg
    has_chafa
    on_terminal 'TERM=xterm-kitty COLORTERM=truecolor NO_COLOR=1' "$FOVEA" view a.jpg
    hasnt out "${esc}[3"
    has out '█'
    on_terminal 'TERM=xterm-256color NO_COLOR=1' "$FOVEA" doctor
    hasnt out "$esc"
}

test_the_drawing_leaves_room_for_words() {
    cp "$GOOD/png-very-tall.png" a.png
    has_chafa
    on_terminal 'TERM=xterm-256color' "$FOVEA" view a.png
    [ "$(wc -l <out)" -le 28 ]
    has out view:
}

test_a_dumb_terminal_gets_words_only() {
    cp "$GOOD/jpeg-baseline.jpg" a.jpg
    on_terminal 'TERM=dumb' "$FOVEA" view a.jpg
    hasnt out "$esc"
    has out view:
}

test_a_picture_is_not_written_to_a_terminal() {
    cp "$GOOD/jpeg-baseline.jpg" a.jpg
    on_terminal 'TERM=xterm' "$FOVEA" view -o - a.jpg
    want_status 2
    has out 'will not write a picture to a terminal'
    on_terminal 'TERM=xterm' "$FOVEA" view -o /dev/tty a.jpg
    want_status 2
}

run_tests "$@"
