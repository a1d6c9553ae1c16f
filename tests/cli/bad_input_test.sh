# SPDX-License-Identifier: Apache-2.0
# Bad input: a typed refusal, or the right perception, within the limits; and the process that holds the keys does not
# grow with what it is fed.
. "${0%/*}/lib.sh"

REASONS=' unperceivable_type malformed too_large '

# refused FILE [REASON...]: a refusal with one of these reasons.
refused() {
    file=$1
    shift
    run timeout 12 "$FOVEA" view --root "$FIXTURES" --json "$file"
    [ "$status" -eq 1 ] || fail "$file: exit status $status"
    [ "$(json kind)" = refusal ] || fail "$file: not a refusal"
    got=$(json reason)
    case " $* " in *" $got "*) ;; *) fail "$file: $got, want $*" ;; esac
    [ -n "$(json message)" ]
}

test_what_is_no_picture_is_refused_by_type() {
    for name in zero-byte html-saved-as words-saved-as program-saved-as; do
        refused "$BAD/$name.png" unperceivable_type
    done
    refused "$BAD/noise-saved-as.jpg" unperceivable_type
}

# Bytes say what it is, whatever the name, and no other decoder is tried on it.
test_what_is_saved_under_another_name_is_what_its_bytes_are() {
    for name in svg-saved-as pdf-saved-as bmp-saved-as video-saved-as; do
        run fovea view --json "$BAD/$name.png"
        [ "$status" -ne 0 ] || json source.media_type | grep -Eq 'svg|pdf|bmp|video' || fail "$name is shown as what it is not"
    done
}

test_broken_pictures_are_malformed() {
    for name in png-signature-only.png png-hole-in-the-middle.png png-header-crc-wrong.png png-0x0.png \
        png-fewer-rows-than-it-says.png png-without-its-palette.png png-100000-chunks-and-no-end.png \
        jpeg-without-a-frame.jpg jpeg-0x0.jpg gif-0x0.gif gif-fewer-pixels-than-it-says.gif gif-garbage-codes.gif \
        gif-without-frames.gif webp-longer-than-the-file.webp; do
        refused "$BAD/$name" malformed unperceivable_type
    done
}

test_lies_about_size_are_refused() {
    for name in png-30000x30000-lie.png png-2-billion-wide.png png-20000x20000-bomb.png gif-65535x65535-lie.gif \
        jpeg-65535x65535-lie.jpg webp-16777216x16777216-lie.webp; do
        refused "$BAD/$name" too_large malformed unperceivable_type
    done
}

test_one_byte_over_20_mib_is_too_large() {
    refused "$BAD/just-over-20mib.png" too_large
    run fovea view --json "$GOOD/exactly-20mib.png"
    want_status 0
}

# The words are not the picture: unpacking them is nobody's business.
test_bombs_in_metadata_do_not_go_off() {
    for kind in ztxt itxt iccp; do
        run timeout 12 "$FOVEA" view --root "$FIXTURES" --json "$BAD/png-$kind-bomb-200mb.png"
        case $status in
            0) want_json source.width 67 ;;
            1) want_json reason malformed ;;
            *) fail "$kind: exit status $status" ;;
        esac
    done
}

test_a_gif_of_100000_frames_shows_its_first() {
    run timeout 12 "$FOVEA" view --root "$FIXTURES" --json "$BAD/gif-100000-frames.gif"
    case $status in
        0) want_json source.frames 100000 ;;
        1) case $REASONS in *" $(json reason) "*) ;; *) fail "$(json reason)" ;; esac ;;
        *) fail "exit status $status" ;;
    esac
}

# Cut at every sixteenth. Of an animation the first frame may be whole, and then it is shown.
test_truncated_pictures_are_refused() {
    for file in "$BAD"/truncated/*; do
        run timeout 12 "$FOVEA" view --root "$FIXTURES" --json "$file"
        case $status in
            0) case $file in *animated*) ;; *) fail "$file: shown although cut" ;; esac ;;
            1) case $REASONS in *" $(json reason) "*) ;; *) fail "$file: $(json reason)" ;; esac ;;
            *) fail "$file: exit status $status" ;;
        esac
    done
}

# Measured against a picture of one pixel, in the process itself and not in its workers.
test_the_parent_grows_less_than_8_mib() {
    skip_if_sanitized
    run "$BUILD/tests/maxrss" kib "$FOVEA" view --root "$FIXTURES" --json "$GOOD/one-by-one.png"
    want_status 0
    [ -s kib ] || skip "cannot trace processes here"
    base=$(cat kib)
    for file in "$BAD"/*.* "$GOOD/exactly-20mib.png" "$GOOD/jpeg-photo-3000x2000.jpg"; do
        run "$BUILD/tests/maxrss" kib "$FOVEA" view --root "$FIXTURES" --json "$file"
        [ "$status" -le 1 ] || fail "$file: exit status $status"
        [ "$(($(cat kib) - base))" -lt 8192 ] || fail "$file: $(cat kib) KiB, $base for one pixel"
    done
}

run_tests "$@"
