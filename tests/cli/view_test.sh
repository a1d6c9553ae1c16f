# SPDX-License-Identifier: Apache-2.0
# `fovea view`: words, JSON, files, stdin, parts, refusals.
. "${0%/*}/lib.sh"

test_plain_view_prints_note_id_and_size() {
    run fovea view "$GOOD/png-rgb-8.png"
    want_status 0
    empty err
    has out '67x41'
    grep -Eq '^view:[0-9a-f]{12}  image/(png|jpeg|webp) [0-9]+x[0-9]+, [0-9]+ bytes$' out
    [ "$(wc -l <out)" -eq 2 ]
}

test_json_view_has_the_shape_of_the_contract() {
    run fovea view --json "$GOOD/png-screen-2560x1600.png"
    want_status 0
    empty err
    [ "$(wc -l <out)" -eq 1 ]
    want_json ok true
    want_json kind perception
    want_json source.media_type image/png
    want_json source.width 2560
    want_json source.height 1600
    want_json source.frames 1
    want_json source.pages null
    want_json width 1568
    want_json height 980
    want_json region null
    want_json page null
    want_json resized true
    want_json over_budget false
    want_json tokens null
    want_json offset '[0,0]'
    json id | grep -Eq '^view:[0-9a-f]{12}$'
    json source.sha256 | grep -Eq '^[0-9a-f]{64}$'
    [ "$(json bytes)" -le 512000 ]
    [ "$(json path)" = "$GOOD/png-screen-2560x1600.png" ]
    for key in ref media_type scale note; do json "$key" >/dev/null; done
    ! json data || fail "there is data"
}

test_data_puts_the_very_bytes_into_the_json() {
    run fovea view --data -o picture "$GOOD/png-rgb-8.png"
    want_status 0
    json data | base64 -d >decoded
    cmp picture decoded
    [ "$(json bytes)" -eq "$(wc -c <picture)" ]
}

test_every_good_fixture_is_seen_at_its_size() {
    while IFS='	' read -r name width height frames; do
        run fovea view --json "$GOOD/$name"
        [ "$status" -eq 0 ] || fail "$name: exit status $status"
        [ "$(json source.width) $(json source.height) $(json source.frames)" = "$width $height $frames" ] ||
            fail "$name: want $width $height $frames"
    done <"$FIXTURES/good.tsv"
}

test_output_is_what_the_type_says() {
    for name in png-rgba-8.png jpeg-cmyk.jpg gif-still.gif webp-lossy.webp png-photo-2000x1500.png; do
        run fovea view --json -o picture "$GOOD/$name"
        want_status 0
        type=$(json media_type)
        case $(od -An -tx1 -N4 picture | tr -d ' ') in
            89504e47) [ "$type" = image/png ] ;;
            ffd8ff*) [ "$type" = image/jpeg ] ;;
            47494638) [ "$type" = image/gif ] ;;
            52494646) [ "$type" = image/webp ] ;;
            *) fail "$name: unknown bytes" ;;
        esac
    done
}

test_no_webp_never_gives_webp() {
    for name in png-photo-2000x1500.png webp-lossy.webp webp-lossless-alpha.webp png-screen-1280x800.png; do
        run fovea view --json --no-webp "$GOOD/$name"
        want_status 0
        [ "$(json media_type)" != image/webp ]
    done
}

test_metadata_does_not_leave() {
    for name in png-with-exif-gps-and-text.png jpeg-with-exif-gps-and-comment.jpg webp-with-exif-gps-and-xmp.webp \
        jpeg-photo-3000x2000.jpg; do
        run fovea view -o picture "$GOOD/$name"
        want_status 0
        hasnt picture SECRET
        hasnt picture Exif
    done
}

test_output_file_appears_whole_with_ordinary_rights() {
    umask 022
    cp "$GOOD/png-rgb-8.png" a.png
    run fovea view -o out.png a.png
    want_status 0
    [ "$(stat -c %a out.png)" = 644 ]
    [ "$(find . -name '.fovea-*' | wc -l)" -eq 0 ]
    echo old >out.png
    run fovea view -o out.png a.png
    [ "$(head -c 3 out.png)" != old ]
}

test_output_into_a_missing_folder_is_a_fault() {
    run fovea view -o nowhere/x.png "$GOOD/png-rgb-8.png"
    want_status 3
    empty out
    has err nowhere/x.png
}

test_output_through_a_link_or_a_device_replaces_neither() {
    ln -s target link.png
    echo old >target
    run fovea view -o link.png "$GOOD/png-rgb-8.png"
    want_status 0
    [ -L link.png ]
    [ "$(head -c 3 target)" != old ]
    run fovea view -o /dev/null "$GOOD/png-rgb-8.png"
    want_status 0
    [ -c /dev/null ]
}

test_a_name_that_does_not_suit_the_type_gets_a_hint() {
    run fovea view --no-webp -o x.webp "$GOOD/png-rgb-8.png"
    want_status 0
    has err "'x.webp' holds image/"
    run fovea view --no-webp -o x.PNG "$GOOD/png-palette-4.png"
    empty err
}

test_output_dash_is_the_picture_alone() {
    run fovea view -o - "$GOOD/png-rgb-8.png"
    want_status 0
    cp out piped
    run fovea view -o file.bin "$GOOD/png-rgb-8.png"
    cmp piped file.bin
}

test_stdin_is_seen_like_a_file() {
    fovea view --json "$GOOD/png-rgb-8.png" >a
    fovea view --json - <"$GOOD/png-rgb-8.png" >out
    want_json ref -
    [ "$(json source.sha256)" = "$("$BUILD/tests/jsonget" a source.sha256)" ]
    head -c 100000 "$GOOD/png-rgb-8.png" | fovea view --json - >out
    [ "$(json source.sha256)" = "$("$BUILD/tests/jsonget" a source.sha256)" ]
}

test_stdin_can_be_what_a_picture_is_compared_with() {
    cp "$GOOD/png-rgb-8.png" a.png
    status=0
    fovea view --json a.png --against - <"$GOOD/png-rgb-8.png" >out 2>err || status=$?
    want_status 0
    want_json difference.changed_pixels 0
    json note | grep -q 'against stdin: they are equal' || fail "other words"
    status=0
    fovea view --json a.png --against - <"$GOOD/png-palette-8.png" >out 2>err || status=$?
    want_status 0
    [ "$(json difference.changed_pixels)" -gt 0 ] || fail "they are said to be equal"
    run fovea view - --against -
    want_status 2
    has err 'both want stdin'
}

test_stdin_at_and_over_its_limit() {
    fovea view --json - <"$GOOD/exactly-20mib.png" >out
    want_json ok true
    status=0
    fovea view --json - <"$BAD/just-over-20mib.png" >out 2>err || status=$?
    want_status 1
    want_json reason too_large
    status=0
    fovea view - <"$BAD/just-over-20mib.png" >out 2>err || status=$?
    want_status 1
    empty out
    [ -s err ]
}

test_empty_stdin_is_refused() {
    run fovea view --json -
    want_status 1
    want_json reason unperceivable_type
}

test_region_is_cut_from_the_source() {
    run fovea view --json --region 10,20,30,15 "$GOOD/png-rgb-8.png"
    want_status 0
    want_json offset '[10,20]'
    run fovea view --json --region 60,30,100,100 "$GOOD/png-rgb-8.png"
    want_status 0
    want_json offset '[60,30]'
    run fovea view --json --region 500,500,10,10 "$GOOD/png-rgb-8.png"
    want_status 1
    want_json reason invalid_input
    json message | grep -q 67x41
}

test_region_in_unit_space_is_a_share_of_the_picture() {
    run fovea view --json --space unit --region 500,500,500,500 "$GOOD/jpeg-baseline.jpg"
    want_status 0
    want_json offset '[48,32]'
}

test_max_edge_bounds_the_longest_side() {
    run fovea view --json --max-edge 400 "$GOOD/png-photo-2000x1500.png"
    want_status 0
    want_json width 400
    want_json height 300
    want_json scale '[5.0,5.0]' || want_json scale '[5,5]'
}

test_frame_picks_one_of_an_animation() {
    run fovea view --json --frame 2 "$GOOD/gif-animated-3-frames.gif"
    want_status 0
    want_json source.frames 3
    run fovea view --json --frame 9 "$GOOD/gif-animated-3-frames.gif"
    want_status 1
    want_json reason invalid_input
    json message | grep -q 3
}

test_model_says_what_the_picture_costs() {
    run fovea view --json --model claude-opus-4-7 "$GOOD/png-screen-1280x800.png"
    want_status 0
    want_json tokens.model claude-opus-4-7
    [ "$(json tokens.image)" -gt 100 ]
}

test_refusal_is_words_on_stderr_or_json_on_stdout() {
    run fovea view "$BAD/program-saved-as.png"
    want_status 1
    empty out
    [ -s err ]
    run fovea view --json "$BAD/program-saved-as.png"
    want_status 1
    empty err
    want_json ok false
    want_json kind refusal
    json message >/dev/null
}

test_absent_and_out_of_reach_say_the_same() {
    mkdir in out_of_reach
    cp "$GOOD/png-rgb-8.png" out_of_reach/a.png
    cd in
    run "$FOVEA" view --json ../out_of_reach/a.png
    want_status 1
    want_json reason absent
    sed 's|out_of_reach|X|g' out >one
    run "$FOVEA" view --json ../not_anywhere/a.png
    want_status 1
    sed 's|not_anywhere|X|g' out >two
    cmp one two
}

test_relative_root_is_below_where_we_stand() {
    mkdir sub other
    cp "$GOOD/png-rgb-8.png" sub/a.png
    cp "$GOOD/png-rgb-8.png" other/a.png
    run "$FOVEA" view --root sub sub/a.png
    want_status 0
    run "$FOVEA" view --root sub other/a.png
    want_status 1
    run "$FOVEA" view --root sub --root ./other other/a.png
    want_status 0
    (cd sub && "$FOVEA" view --root ../other ../other/a.png)
    run "$FOVEA" view --root "" sub/a.png
    want_status 3
    run "$FOVEA" view --json --root missing sub/a.png
    want_status 3
    want_json kind fault
}

test_root_narrows_fs_reach_and_never_widens_it() {
    mkdir -p in/sub far
    for folder in in in/sub far; do
        cp "$GOOD/png-rgb-8.png" $folder/a.png
    done
    ln -s in link
    echo 'fs_reach: ["${cwd}/link"]' >c.yaml
    run "$FOVEA" view --config c.yaml --root in/sub in/sub/a.png
    want_status 0
    run "$FOVEA" view --config c.yaml --root in/sub in/a.png
    want_status 1
    run "$FOVEA" view --config c.yaml --root . in/a.png
    want_status 0
    run "$FOVEA" view --config c.yaml --root . far/a.png
    want_status 1
    run "$FOVEA" view --config c.yaml --root far far/a.png
    want_status 3
    has err "far\" lies outside fs_reach of $PWD/c.yaml"
    run "$FOVEA" view --json --config c.yaml --root in --root far in/a.png
    want_status 3
    want_json kind fault
}

test_config_file_is_obeyed_and_a_wrong_one_is_a_fault() {
    echo 'images: {maxDimension: 500}' >c.yaml
    run fovea view --json --config c.yaml "$GOOD/png-photo-2000x1500.png"
    want_status 0
    want_json width 500
    mkdir sub
    (cd sub && fovea view --json --config ../c.yaml "$GOOD/png-rgb-8.png")
    echo 'images: {maxDimensoin: 500}' >c.yaml
    run fovea view --json --config c.yaml "$GOOD/png-rgb-8.png"
    want_status 3
    want_json kind fault
    json error | grep -q maxDimension
    run fovea view --config none.yaml "$GOOD/png-rgb-8.png"
    want_status 3
}

test_output_keeps_the_permissions_of_the_file_it_replaces() {
    touch p.png
    chmod 600 p.png
    run fovea view -o p.png "$GOOD/png-rgb-8.png"
    want_status 0
    [ "$(stat -c %a p.png)" = 600 ]
    [ -s p.png ]
}

test_output_that_cannot_be_written_is_one_fault_object_with_json() {
    run fovea view --json -o nowhere/p.png "$GOOD/png-rgb-8.png"
    want_status 3
    want_json kind fault
    has out 'nowhere/p.png'
    [ "$(wc -l <out)" -eq 1 ]
}

test_names_with_any_bytes_open_and_are_shown_escaped() {
    name=$(printf 'bad\377.png')
    cp "$GOOD/png-rgb-8.png" "$name"
    cp "$GOOD/png-rgb-8.png" "$(printf 'line\nbreak.png')"
    run fovea view --json "$name"
    want_status 0
    want_json ref 'bad\xff.png'
    run fovea view "$(printf 'line\nbreak.png')"
    want_status 0
    has out 'line\nbreak.png 67x41'
}

run_tests "$@"
