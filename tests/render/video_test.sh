#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Videos, end to end: the right frame for a number or a time, sheets that show every scene, files that are damaged or built to
# do harm. What a frame shows tells which one it is (tests/video/mkvideo.h); videolook reads it.
# shellcheck source=../cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
VIDEO=$FIXTURES/video
[ -x "$BUILD/fovea-video" ] || { echo "skip video: fovea-video is not built"; exit 0; }

# look FILE HOW...: what comes of it, in the file out.
look() {
    run "$BUILD/tests/videolook" "$BUILD" "$VIDEO/$@"
    want_status 0
}
# shows FILE HOW N: that frame and no other, whole.
shows() {
    look "$1" "$2" "$3"
    has out " shows $4 of scene "
}
test_every_codec_shows_the_frame_that_was_asked_for() {
    for file in h264.mp4 h265.mp4 mpeg4.mp4 mpeg4-b.avi mjpeg.avi vp8.webm vp9.webm av1.mp4 h264.mkv sound.mov \
        mpeg1.mpg mpeg2.mpg h264.ts mpeg2.ts flv1.flv h264.flv wmv2.wmv msmpeg4.wmv theora.ogv; do
        for n in 1 2 26 49; do
            shows good/$file frame $n $n
        done
    done
    shows good/prores.mov frame 12 12
}

test_the_type_is_that_of_the_container() {
    for row in h264.mp4:video/mp4 sound.mov:video/quicktime h264.mkv:video/x-matroska vp9.webm:video/webm mjpeg.avi:video/x-msvideo \
        mpeg2.mpg:video/mpeg h264.ts:video/mp2t h264.flv:video/x-flv wmv2.wmv:video/x-ms-wmv theora.ogv:video/ogg; do
        run "$FOVEA" view --root "$VIDEO" --json "$VIDEO/good/${row%%:*}"
        want_status 0
        want_json source.media_type "${row#*:}"
    done
}
test_every_frame_around_a_key_frame_can_be_had() {
    for n in 24 25 26 27 28 50 51 52 100; do
        shows good/h264.mp4 frame $n $n
        shows good/h264-open.mp4 frame $n $n
    done
}

test_a_time_shows_the_last_frame_that_began_before_it() {
    shows good/h264.mp4 time 0 1
    shows good/h264.mp4 time 39 1
    shows good/h264.mp4 time 40 2
    shows good/h264.mp4 time 999 25
    shows good/h264.mp4 time 1000 26
    has out "at 1000 shows"
    shows good/h264.mp4 time 4000 100
    shows good/uneven.mp4 time 1719 31
    shows good/uneven.mp4 time 1720 32
    has out "frames 50 length 39"
}

test_a_file_without_an_index_that_ends_early_says_so() {
    for file in h264.ts h264.flv wmv2.wmv theora.ogv; do
        head -c $(($(wc -c <"$VIDEO/good/$file") / 2 / 188 * 188 + 100)) "$VIDEO/good/$file" >"$file"
        run "$BUILD/tests/videolook" "$BUILD" "$PWD/$file" sheet
        want_status 0
        has out " cut"
    done
}

test_past_the_end_says_where_the_end_is() {
    look good/h264.mp4 frame 101
    has out "bad-frame frames 100: there are 100 frames"
    look good/h264.mp4 time 4000
    has out "ok "
    look good/h264.mp4 time 4011
    has out "bad-time frames 100: the video is 0:04.00 long"
    look good/one-frame.mp4 frame 2
    has out "bad-frame frames 1"
}

test_files_without_a_length_are_counted() {
    look good/fragments.mp4 frame 50
    has out "frames 50 length 2000 [50 at 1960 shows 50"
    look good/recorded.webm frame 50
    has out "frames 50 length 2000 [50 at 1960 shows 50"
}

test_a_sheet_shows_every_scene_with_its_times() {
    for file in h264.mp4 vp9.webm mjpeg.avi long.mp4 long-intra.avi turned-6.mp4 resized.webm fragments.mp4 mpeg2.mpg h264.ts flv1.flv \
        wmv2.wmv theora.ogv; do
        look good/$file sheet
        hasnt out " partial"
        for scene in 1 2 3 4; do
            has out " of scene $scene "
        done
        has out "[1 at 0 shows 1 "
        # Each cell's number is the one painted into it, and its time follows from it.
        tr '[' '\n' <out | sed -n 's/^\([0-9]*\) at \([0-9]*\) shows \([0-9]*\) .*/\1 \2 \3/p' >cells
        awk '$1 != $3 || $2 != ($1 - 1) * 40 { bad = 1 } END { exit bad || NR < 4 || NR > 12 }' cells || fail "wrong cells"
    done
}

test_a_sheet_is_the_same_every_time() {
    for file in h264.mp4 long.mp4 mpeg4-b.avi; do
        look good/$file sheet
        sed 's/ in [0-9]* ms$//' out >first
        look good/$file sheet
        sed 's/ in [0-9]* ms$//' out >second
        cmp first second
    done
}

test_what_does_not_change_is_shown_once() {
    look good/still.mp4 sheet
    [ "$(tr -cd '[' <out)" = "[" ] || fail "more than one picture of a still"
    look good/one-frame.mp4 sheet
    [ "$(tr -cd '[' <out)" = "[" ] || fail "more than one picture of one frame"
}

test_the_way_up_is_the_files() {
    for turn in 3 6 8; do
        shows good/turned-$turn.mp4 frame 13 13
        has out "turn $turn"
    done
    look good/turned-6.mp4 frame 1
    has out "ok 160x240 of 160x240"
    look good/turned-6.mp4 sheet
    has out "of 160x240"
}

test_pixels_that_are_not_square_are_shown_in_shape() {
    shows good/wide-pixels.mp4 frame 5 5
    has out "ok 262x160"
    shows good/tall-pixels.mkv frame 5 5
    has out "ok 240x213"
}

test_frames_of_another_size_are_shown_at_theirs() {
    look good/resized.webm frame 10
    has out "ok 240x160"
    look good/resized.webm frame 40
    has out "ok 120x160"
    has out " shows 40 "
}

test_colours_come_out_as_they_went_in() {
    look good/h264.mp4 frame 1
    has out "#fe0000"
    look good/h264.mp4 frame 60
    has out "#0000ff"
}

test_sound_alone_is_no_video() {
    look good/sound-only.avi sheet
    has out "unsupported frames 0: the file has sound but no pictures"
}

test_damaged_frames_are_not_shown() {
    look bomb/cut-short.mp4 sheet
    has out "malformed"
    look bomb/noise.mp4 frame 5
    has out "malformed frames 100: the frame at 0.160 s is damaged"
    look bomb/noise.mp4 sheet
    has out "malformed frames 100: no frame of the video decodes without damage"
    shows bomb/damaged-mpeg4.avi frame 50 50
    look bomb/damaged-mpeg4.avi frame 60
    has out "is damaged"
}

# Frames that are lost, or do not decode; and no whole file is said to be damaged, whatever its frame rate.
test_damage_is_told() {
    for file in damaged-mpeg4.avi damaged-vp8.webm damaged-intra.avi huge-frame.webm far-offset.mp4; do
        look bomb/$file sheet
        has out " damaged "
    done
    look bomb/damaged-mpeg4.avi frame 50 # found without looking at any frame
    has out " damaged "
    look bomb/damaged-vp8.webm frame 50
    has out " damaged "
    for file in "$VIDEO"/good/*; do
        look "good/${file##*/}" sheet
        hasnt out " damaged "
    done
    run "$FOVEA" view --root "$VIDEO" "$VIDEO/bomb/damaged-mpeg4.avi" -o sheet.png
    want_status 0
    has out "Parts of the file are damaged: frames are missing, and times behind them may be off."
}

test_frames_that_the_index_or_the_head_has_and_the_file_has_not_are_missed() {
    python3 - "$VIDEO/good/mjpeg.avi" <<'EOF'
import sys
data = bytearray(open(sys.argv[1], 'rb').read())
chunk = data.find(b'00dc', data.find(b'movi'))
for i in range(20):
    chunk = data.find(b'00dc', chunk + 4)
end = chunk
for i in range(5):
    end = data.find(b'00dc', end + 4)
data[chunk:end] = b'\xff' * (end - chunk)
open('index.avi', 'wb').write(data)
at = data.rfind(b'idx1')
data[at:at + 4] = b'JUNK'
open('head.avi', 'wb').write(data)
EOF
    for file in index.avi head.avi; do
        run "$BUILD/tests/videolook" "$BUILD" $file frame 1
        has out " damaged "
    done
}

test_a_sheet_that_damage_ends_early_says_so() {
    look bomb/damaged-intra.avi sheet
    has out "ok "
    has out " partial length"
    run "$FOVEA" view --root "$VIDEO" "$VIDEO/bomb/damaged-intra.avi" -o sheet.png
    want_status 0
    has out "Not all of it was looked at: what comes later may be missing. Name a time to see it."
}

test_a_file_that_is_cut_shows_what_it_has_and_says_so() {
    shows bomb/cut.avi frame 20 20
    has out " cut length"
    for file in fragments.mp4 h264.mkv vp9.webm mjpeg.avi; do
        look good/$file sheet
        hasnt out " cut length"
        size=$(wc -c <"$VIDEO/good/$file")
        head -c $((size * 6 / 10)) "$VIDEO/good/$file" >"cut-$file"
        run "$BUILD/tests/videolook" "$BUILD" "cut-$file" sheet
        has out "ok "
        has out " cut length"
        run fovea view "cut-$file" -o sheet.png
        want_status 0
        has out "The file is cut short"
    done
}

test_a_time_that_was_told_leads_back_to_its_frame() {
    look good/film.mp4 sheet
    tr '[' '\n' <out | sed -n 's/^\([0-9]*\) at \([0-9]*\) shows .*/\1 \2/p' >cells
    [ "$(wc -l <cells)" -ge 4 ] || fail "few cells"
    while read -r number ms; do
        shows good/film.mp4 time "$ms" "$number"
        shows good/film.mp4 time $(((ms + 9) / 10 * 10)) "$number"
    done <cells
}

test_sides_beyond_all_limits_are_too_large() {
    look bomb/huge-sides.mp4 frame 1
    has out "too-large"
}

test_the_command_shows_a_sheet_and_single_frames() {
    run fovea view "$VIDEO/good/h264.mp4" -o sheet.png
    want_status 0
    run fovea view "$VIDEO/good/h264.mp4" --frame 13 -o frame.png
    want_status 0
    run fovea view "$VIDEO/good/h264.mp4" --time 2.5 -o time.png
    want_status 0
    run fovea view "$VIDEO/good/h264.mp4" --time 9 -o late.png
    want_status 1
    has err "it lasts 0:04.0 and has 100 frames"
    run "$FOVEA" view --root "$VIDEO" --time 99 "$VIDEO/bomb/cut.avi"
    want_status 1
    has err "is over by then: the file is cut short, and what is there of it lasts "
    has err " frames"
}

run_tests "$@"
