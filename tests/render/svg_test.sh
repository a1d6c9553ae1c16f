# SPDX-License-Identifier: Apache-2.0
# SVG and SVGZ become pixels: sizes, parts drawn again, grounds, text, what is not loaded, what is refused.
. "${0%/*}/../cli/lib.sh"

[ -x "$BUILD/fovea-svg" ] || { echo "skip svg: fovea-svg is not built"; exit 0; }

# svg NAME ATTRIBUTES CONTENT
svg() {
    echo "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" $2>$3</svg>" >"$1"
}
# look FILE OPTIONS...: seen as PNG of at most 400 pixels, in the file seen.png.
look() {
    run fovea view --json --no-webp --max-edge 400 -o seen.png "$@"
    want_status 0
    want_json ok true
    want_json media_type image/png
}
# colour PLACE: at x,y of what was seen; pixel PLACE WANTED.
colour() {
    python3 "$TOP/tests/render/pixels.py" seen.png "$1" | tr -d ' '
}
pixel() {
    got=$(colour "$1")
    [ "$got" = "$2" ] || fail "at $1 is $got, want $2"
}
count() {
    python3 "$TOP/tests/render/pixels.py" seen.png count "$1" "$2"
}
want_size() {
    [ "$(json source.width)x$(json source.height)" = "$1" ] || fail "size is not $1"
}
refused() {
    run fovea view --json "$1"
    want_status 1
    want_json kind refusal
    want_json reason "$2"
}

test_size_is_width_and_height() {
    svg a.svg 'width="300" height="150"' '<rect width="150" height="150" fill="red"/><rect x="150" width="150" height="150" fill="blue"/>'
    look a.svg
    want_size 300x150
    want_json source.media_type image/svg+xml
    want_json width 400
    want_json height 200
    pixel 150,190 ff0000
    pixel 380,20 0000ff
}

test_size_is_in_css_pixels_for_every_unit() {
    for row in 'width="25.4mm" height="2in" 96x192' 'width="2.54cm" height="72pt" 96x96' 'width="6pc" height="50px" 96x50' \
        'width="10em" height="20em" font-size="20px" 200x400'; do
        svg a.svg "${row% *}" '<rect width="99" height="99"/>'
        look a.svg
        want_size "${row##* }"
    done
}

test_size_is_the_view_box_without_width_and_height() {
    rect='<rect width="10" height="10"/>'
    svg a.svg 'viewBox="-5 -5 400 100"' "$rect"
    look a.svg
    want_size 400x100
    svg a.svg 'width="100%" height="100%" viewBox="0 0 400 100"' "$rect"
    look a.svg
    want_size 400x100
}

# Places on the picture are places in the markup, whatever width and height say.
test_units_are_those_of_the_view_box() {
    rect='<rect x="200" y="50" width="40" height="20" fill="lime"/>'
    for size in 'width="200"' 'width="80" height="20"' 'width="10mm" height="2.5mm"' 'height="50%" width="80"'; do
        svg a.svg "$size viewBox=\"0 0 400 100\"" "$rect"
        look a.svg
        want_size 400x100
        run fovea view --json --region 200,50,40,20 a.svg -o part.png
        [ "$(json region)" = '[200,50,40,20]' ] || fail "region $(json region)"
    done
    svg a.svg 'width="400" height="100" viewBox="100 40 200 50"' "$rect"
    run fovea view --json a.svg
    [ "$(json offset)" = '[100,40]' ] || fail "offset $(json offset)"
    svg a.svg 'width="400" height="400" viewBox="0 0 400 100"' "$rect"
    run fovea view --json a.svg
    [ "$(json offset) $(json source.height)" = '[0,-150] 400' ] || fail "offset $(json offset)"
    svg a.svg 'width="400" height="400" viewBox="0 0 400 100" preserveAspectRatio="xMidYMax meet"' "$rect"
    run fovea view --json a.svg
    [ "$(json offset)" = '[0,-300]' ] || fail "offset $(json offset)"
}

# A unit may be wider than it is tall: shown as a browser does, measured as the markup does.
test_a_view_box_that_is_stretched_keeps_its_units() {
    svg a.svg 'width="400" height="400" viewBox="0 0 800 400" preserveAspectRatio="none"' \
        '<rect width="800" height="400" fill="white"/><rect x="600" y="100" width="100" height="50" fill="lime"/>'
    look a.svg
    want_size 800x400
    [ "$(json width)x$(json height) $(json scale)" = '400x400 [2,1]' ] || fail "not shown as 400x400"
    has out 'Multiply x by 2 and y by 1 to map to user units'
    pixel 325,125 00ff00
    pixel 295,125 ffffff
    pixel 325,155 ffffff
    look --region 600,100,100,50 a.svg
    [ "$(json region) $(json scale)" = '[600,100,100,50] [0.25,0.125]' ] || fail "region $(json region) $(json scale)"
    pixel 5,5 00ff00
    pixel 395,395 00ff00
}

# Milliseconds since 1970, shares of one: shown as ever, and measured in pixels.
test_a_view_box_that_is_stretched_past_all_measure_is_shown_in_pixels() {
    for box in '0 0 4e9 100' '1700000000000 0 3600 100' '0 0 1 65000' '0 0 65000 0.2'; do
        read -r x y w h <<-END
			$box
		END
        svg a.svg "width=\"800\" height=\"200\" viewBox=\"$box\" preserveAspectRatio=\"none\"" \
            "<rect x=\"$x\" y=\"$y\" width=\"$w\" height=\"$h\" fill=\"lime\"/>"
        look a.svg
        want_size 800x200
        [ "$(json width)x$(json height) $(json offset)" = '400x100 [0,0]' ] || fail "$box: $(json width)x$(json height) $(json offset)"
        pixel 5,5 00ff00
        pixel 395,95 00ff00
        look --region 600,100,100,50 a.svg
        [ "$(json region)" = '[600,100,100,50]' ] || fail "$box: region $(json region)"
        pixel 200,100 00ff00
        json note | grep -q '^a.svg 800x200 CSS pixels, region .* to map to CSS pixels\.' || fail "$box: other words"
        run fovea view --json --region 9000,10,100,10 a.svg
        want_json message 'the region is empty or outside the picture, which is 800x200 CSS pixels'
    done
}

# (librsvg's own numbers have 24 bits, so these are whole multiples of 128.)
test_times_since_1970_are_units_as_others() {
    svg a.svg 'width="800" height="400" viewBox="1700000000 0 86400 100" preserveAspectRatio="none"' \
        '<rect x="1700000000" width="86400" height="100" fill="#fff"/><rect x="1700043264" width="43136" height="50" fill="lime"/>'
    look a.svg
    want_size 86400x100
    pixel 205,95 00ff00
    pixel 195,95 ffffff
    look --region 1700043000,0,400,.5 a.svg
    want_json region '[1700043000,0,400,0.5]'
    pixel 269,100 00ff00
    pixel 259,100 ffffff
}

test_a_comparison_says_which_of_two_drawings_is_measured_in_pixels() {
    svg seconds.svg 'width="800" height="200" viewBox="0 0 86400000000 100" preserveAspectRatio="none"' \
        '<rect width="86400000000" height="100" fill="lime"/>'
    svg plain.svg 'viewBox="0 0 400 200"' '<rect width="400" height="200" fill="lime"/>'
    run fovea view --json --region 300,0,200,100 --against plain.svg seconds.svg
    json note | grep -q '800x200 CSS pixels, .* has only 100x100 there in user units: ' || fail "other words"
    has out 'in 1 box in CSS pixels: 400,0 100x100.'
    run fovea view --json --against seconds.svg plain.svg
    json note | grep -q '400x200 user units against seconds.svg, which is 800x200 in CSS pixels' || fail "other words"
}

test_a_drawing_is_long_in_pixels_whatever_its_units() {
    while read -r n width size x y h shown root; do
        svg a.svg "$root" '<rect x="-9999" y="-9999" width="20000" height="20000" fill="#fff"/>'
        run fovea view --json a.svg
        want_json source.pages "$n"
        json note | grep -q "It is long: .* page 1 to $n shows it in tiles of $size user units\." || fail "$root: other words"
        run fovea view --json --page 2 a.svg
        want_json page 2
        want_json width "$width"
        want_json height 1568
        json note | grep -qi "add $x to x and $y to y" || fail "$root: other words"
        json note | grep -q "tile 2 of $n, y $y to $h" || fail "$root: other words"
        run fovea view --json --page "$n" a.svg
        json note | grep -q "tile $n of $n, y .* to $shown" || fail "$root: other words"
        run fovea view --json --page "$((n + 1))" a.svg
        want_json reason invalid_input
    done <<-END
		8 800 100x196 0 188 384 1500 width="800" height="12000" viewBox="0 0 100 1500"
		8 800 800x1568 0 1504 3072 12000 width="800" height="12000"
		4 200 100x784 -10 852 1636 3100 width="200" height="6000" viewBox="-10 100 100 3000"
		4 200 100x26.133 0 25.067 51.2 100 width="200" height="6000" viewBox="0 0 100 100" preserveAspectRatio="none"
		3 400 3000x1568 0 1504 3072 4000 width="400" height="4000" viewBox="0 0 3000 4000" preserveAspectRatio="none"
		10 300 1x5.2267 0 5.0133 10.24 50 viewBox="0 0 1 50"
	END
}

test_a_drawing_of_many_units_is_not_long_where_it_is_small() {
    svg a.svg 'width="100" height="1000" viewBox="0 0 1000 10000"' '<rect width="1000" height="10000"/>'
    look --page 1 a.svg
    want_json page null
    want_json source.pages null
    run fovea view --json --page 2 a.svg
    want_json reason invalid_input
    has out 'has 1 page, so there is no page 2'
}

test_a_tile_is_compared_in_units() {
    root='width="200" height="6000" viewBox="-10 100 100 3000"'
    svg a.svg "$root" '<rect x="-10" y="100" width="100" height="3000" fill="#fff"/><rect x="10" y="1000" width="50" height="50" fill="lime"/>'
    svg b.svg "$root" '<rect x="-10" y="100" width="100" height="3000" fill="#fff"/>'
    run fovea view --json --page 2 --against b.svg a.svg
    has out 'in 1 box in user units: 10,1000 50x50.'
    run fovea view --json --page 1 --against b.svg a.svg
    want_json difference.changed_pixels 0
}

# A part of the one is the same share of the other, wherever its units begin.
test_a_part_of_a_drawing_that_begins_elsewhere_is_compared_with_that_of_a_bitmap() {
    svg a.svg 'viewBox="1000 1000 400 400"' '<rect x="1000" y="1000" width="400" height="400" fill="#fff"/>
        <rect x="1200" y="1200" width="200" height="200" fill="lime"/>'
    look a.svg
    run fovea view --json --region 1200,1200,200,200 --against seen.png a.svg
    want_status 0
    want_json difference.changed_pixels 0
}

test_root_behind_a_remark_that_seems_to_end_at_once_is_found() {
    for remark in '<!--><svg preserveAspectRatio="none">-->' '<!---><svg preserveAspectRatio="none">-->'; do
        svg a.svg 'width="200" height="100" viewBox="0 0 10 10"' '<rect width="5" height="5"/>'
        echo "$remark$(cat a.svg)" >b.svg
        look b.svg
        has out 'b.svg 20x10 user units'
    done
}

test_size_is_that_of_what_is_drawn_when_nothing_says_it() {
    svg a.svg '' '<g opacity=".5"><rect x="50" y="20" width="40" height="80"/></g><rect x="60" y="30" width="20" height="60" fill="lime"/>'
    look a.svg
    want_size 90x100
}

# And where it begins, which no size tells.
test_sizes_are_said_as_they_are_and_regions_outside_name_them() {
    svg a.svg 'viewBox="0 0 12.5 7.3"' '<rect width="9" height="9"/>'
    look a.svg
    want_size 12x7
    has out 'a.svg 12.5x7.3 user units, shown'
    svg a.svg 'viewBox="0 0 1 0.6"' '<rect width="1" height="1"/>'
    look a.svg
    has out 'a.svg 1x0.6 user units, shown'
    run fovea view --json --region 2,2,1,1 a.svg
    want_json message 'the region is empty or outside the picture, which is 1x0.6 user units'
    svg a.svg 'viewBox="-100 -50.5 200 100"' '<rect width="9" height="9"/>'
    run fovea view --json --region 150,0,9,9 a.svg
    want_json message 'the region is empty or outside the picture, which is 200x100 user units and begins at -100,-50.5'
}

test_nothing_without_a_size_is_refused() {
    svg a.svg '' '<g/>'
    refused a.svg malformed
    has out 'no size'
    svg a.svg 'width="0" height="10"' '<rect width="9" height="9"/>'
    refused a.svg malformed
    svg a.svg 'width="3000000000" height="10"' '<rect width="9" height="9"/>'
    refused a.svg too_large
    has out 'it is 3000000000x10, and a side may be 2147483647'
}

# Thousandths of a millimetre, metres of a map: it has no pixels, so that none are too many, and places are those of the markup.
test_a_drawing_of_many_units_is_drawn_and_measured_in_them() {
    for root in 'width="280mm" height="210mm"' '' 'width="2000000" height="1500000"'; do
        svg a.svg "$root viewBox=\"0 5000000 280000 210000\"" '<rect y="5000000" width="280000" height="210000" fill="#fff"/>
            <rect x="140000" y="5105000" width="140000" height="105000" fill="lime"/>'
        run fovea view --json --no-webp --max-edge 400 -o seen.png a.svg
        want_status 0
        pixel 195,145 ffffff
        pixel 205,155 00ff00
        look --region 139900,5104900,200,200 a.svg
        want_json region '[139900,5104900,200,200]'
        want_json offset '[139900,5104900]'
        pixel 195,205 ffffff
        pixel 205,205 00ff00
        run fovea view --json --region 1,1,9,9 a.svg
        has out 'user units and begins at'
        has out '280000x210000'
    done
    svg b.svg 'viewBox="0 5000000 280000 210000"' '<rect y="5000000" width="280000" height="210000" fill="#fff"/>'
    run fovea view --json --region 0,5000000,280000,210000 --max-edge 1000 --against b.svg a.svg
    has out 'in 1 box in user units: 1'
    run fovea view --json --space unit --region 500,500,1,1 a.svg
    want_json region '[140000,5105000,280,210]'
    svg a.svg 'width="1e6" height="500000"' '<rect width="1e6" height="500000" fill="lime"/>'
    look a.svg
    want_size 1000000x500000
    pixel 395,195 00ff00
}

# A hair of a tenth of a unit is grey when it is shown whole, black and four pixels wide when it is drawn again.
test_region_is_drawn_again_and_not_magnified() {
    svg a.svg 'width="1000" height="1000"' '<rect width="1000" height="1000" fill="#fff"/><rect x="500" width=".1" height="1000"/>'
    look a.svg
    [ "$(count 000000 60)" -eq 0 ]
    look --region 495,495,10,10 a.svg
    want_json offset '[495,495]'
    pixel 198,200 ffffff
    pixel 202,200 000000
    pixel 206,200 ffffff
    look --region 495.5,495.25,10,10 a.svg
    want_json offset '[495.5,495.25]'
    pixel 182,200 000000
}

# Layers of the whole at such a scale would be 160 thousand pixels wide.
test_small_region_of_layers_is_drawn_as_in_the_whole() {
    svg a.svg 'width="1000" height="1000"' '<style>svg { opacity: .5 }</style><rect width="100%" height="100%" fill="blue"/>
        <g opacity=".5"><rect x="500" width="50%" height="1000" fill="red"/></g><rect x="100%" width="5" height="5"/>'
    look a.svg
    blue=$(colour 100,200)
    [ "$blue" = 8080ff ] || [ "$blue" = 7f7fff ] || fail "the ground is $blue"
    mixed=$(colour 300,200)
    look --region 499,495,2,2 a.svg
    pixel 100,200 "$blue"
    pixel 198,200 "$blue"
    pixel 202,200 "$mixed"
    pixel 300,200 "$mixed"
}

# The root says a size of its own, within what it is drawn in.
test_small_region_of_layers_is_where_the_view_box_says() {
    for root in 'width="400" height="400"' 'width="50" height="50"' 'width="100" height="25" preserveAspectRatio="none"'; do
        svg a.svg "$root viewBox=\"1000 0 1000 1000\"" \
            '<rect x="1000" width="1000" height="1000" fill="blue"/><g opacity=".99"><rect x="1500" width="500" height="1000" fill="red"/></g>'
        look --region 1499,495,2,2 a.svg
        pixel 20,20 0000ff
        [ "$(colour "$(($(json width) - 20)),20")" != 0000ff ] || fail "$root: it is elsewhere"
    done
}

test_transparent_ground_is_told_and_white() {
    svg a.svg 'width="100" height="100"' '<circle cx="50" cy="50" r="40" fill="#800"/>'
    look a.svg
    pixel 2,2 ffffff
    pixel 200,200 880000
    has out 'on white'
}

test_light_drawing_is_laid_on_grey() {
    svg a.svg 'width="100" height="100"' '<circle cx="50" cy="50" r="40" fill="#fff"/>'
    look a.svg
    pixel 2,2 808080
    pixel 200,200 ffffff
    has out 'grey'
}

test_half_transparent_colours_are_true() {
    svg a.svg 'width="10" height="10"' '<rect width="10" height="10" fill="#f80" fill-opacity=".5"/>'
    look a.svg
    [ "$(count ffc380 2)" -gt 150000 ]
}

# Rules keep every layer, also those that rule nothing.
test_see_through_marks_look_the_same_with_a_layer_of_their_own_and_without() {
    command -v rsvg-convert >/dev/null || skip "there is no rsvg-convert (librsvg2-bin)"
    n=0
    while read -r mark; do
        n=$((n + 1))
        ground='<rect width="100" height="100" fill="#fff"/><rect width="50" height="100" fill="#36c"/>
            <linearGradient id="g"><stop stop-color="red"/><stop offset="1" stop-opacity=".3"/></linearGradient>
            <pattern id="p" width=".2" height=".2"><rect width="9" height="5" fill="red" opacity=".5"/></pattern>'
        svg "$n.svg" 'width="100" height="100"' "$ground$mark"
        svg "layers$n.svg" 'width="100" height="100"' "$ground<style/>$mark"
        rsvg-convert -w 400 -h 400 "layers$n.svg" -o "$n.png"
        printf '%s\t%s\t%s\n' "$n.svg" "$n.png" "$n.png" >>list
    done <<-END
		<rect x="10" y="10" width="80" height="50" fill="red" opacity=".5"/>
		<path d="M10 10L90 20L20 90L80 80" fill="none" stroke="red" stroke-width="9" opacity="0.35"/>
		<g fill="none" stroke="lime"><line x2="99" y2="99" stroke-width="20" stroke-linecap="round" opacity=".8"/></g>
		<g fill="none" stroke="lime"><g><line fill="red" x2="99" y2="99" stroke-width="20" stroke-dasharray="9 4" opacity=".8"/></g></g>
		<circle cx="50" cy="50" r="45" fill="url(#g)" opacity=".6"/>
		<circle cx="50" cy="50" r="45" fill="url(#p)" opacity=".6"/>
		<ellipse cx="50" cy="50" rx="45" ry="9" fill="none" stroke="url(#g)" stroke-width="20" opacity=".6"/>
		<ellipse cx="50" cy="50" rx="45" ry="9" fill="lime" stroke="red" stroke-width="20" opacity=".6"/>
		<polygon points="5,5 95,5 50,95" fill="lime" stroke="red" stroke-width="9" opacity="0"/>
		<text x="5" y="50" font-size="30" opacity="0">Words</text>
		<g opacity=".5"><rect width="60" height="60" fill="red" opacity=".5"/><rect x="40" y="40" width="60" height="60" opacity=".5"/></g>
		<g fill-opacity=".5"><rect width="60" height="60" fill="red" opacity=".5"/></g>
		<clipPath id="c"><rect width="50" height="50" opacity="0"/></clipPath><rect width="99" height="99" clip-path="url(#c)"/>
		<mask id="m"><rect width="50" height="50" fill="#fff" opacity=".5"/></mask><rect width="99" height="99" mask="url(#m)"/>
		<rect fill="none" opacity=".5"><pattern id="q" width="1" height="1"><rect width="99" height="99" fill="red"/></pattern></rect><rect width="99" height="99" fill="url(#q)"/>
		<circle opacity="0"><mask id="m"><rect width="99" height="99" fill="#fff"/></mask></circle><rect width="99" height="99" mask="url(#m)"/>
		<!--><g fill="none">--><circle cx="50" cy="50" r="30" fill="red" stroke="blue" stroke-width="20" opacity=".5"/><!--></g>-->
		$(for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do printf '<rect width="99" height="99" fill="red" opacity=".01"/>'; done)
		<filter id="f"><feOffset dx="9"/></filter><g filter="url(#f)"><rect width="50" height="50" opacity="0"/><rect x="9" width="9" height="9"/></g>
	END
    "$BUILD/tests/picdiff" "$BUILD" <list >distances
    [ "$(wc -l <distances)" -eq 19 ] || fail "not all were drawn"
    awk -F '\t' '!($1 ~ /^[0-9]/ && $1 <= 0.5 && $2 == 0)' distances >off
    [ ! -s off ] || fail "$(cat off)"
}

test_markup_that_is_broken_at_an_opacity_is_refused() {
    svg a.svg 'width="9" height="9"' '<rect width="9" height="9" opacity=".5" opacity=".5"/>'
    refused a.svg malformed
    has out 'broken at line 1'
}

# Layers of the whole picture, some milliseconds each, would take many times as long.
test_many_see_through_marks_are_drawn_without_layers() {
    skip_if_sanitized
    skip_if_counted
    marks=$(awk 'BEGIN { for (i = 0; i < 400; i++) printf "<rect x=\"%d\" y=\"%d\" width=\"4\" height=\"4\" opacity=\".5\"/>", i % 20 * 5, i / 4 }')
    svg a.svg 'width="100" height="100"' "$marks"
    svg layers.svg 'width="100" height="100"' "<style/>$marks"
    svg plain.svg 'width="100" height="100"' "$(echo "$marks" | sed 's/ opacity/ fill-opacity/g')"
    for file in plain a layers; do
        "$BUILD/tests/viewms" "$BUILD" 3 $file.svg | tail -n 1 | cut -f 1
    done >ms
    echo "400 marks of see-through paint, see-through marks, with layers: $(paste -sd ' ' ms) ms"
    awk '{ ms[NR] = $1 } END { exit !(ms[2] > 0 && ms[3] > ms[1] && ms[2] - ms[1] < (ms[3] - ms[1]) / 4) }' ms || fail "$(paste -sd ' ' ms)"
}

test_text_is_drawn() {
    svg a.svg 'width="200" height="50"' '<rect width="200" height="50" fill="#fff"/><text x="5" y="40" font-size="40" font-family="sans-serif">Words</text>'
    look a.svg
    [ "$(count 000000 40)" -gt 2000 ] || fail "no text: $(count 000000 40)"
}

# A worker that waits measures lines its own way: what it draws must be the same, byte for byte.
test_a_worker_that_waits_draws_text_as_one_that_is_started_does() {
    n=0
    while read -r attributes; do
        n=$((n + 1))
        echo "<svg xmlns='http://www.w3.org/2000/svg' width='300' height='200'><text x='60' y='90' font-size='21' $attributes>Ågypqj
            <tspan dy='1.3em' x='60'>two 22</tspan><tspan font-size='11' baseline-shift='super'>3</tspan></text></svg>" >"$n.svg"
        VIEWMS_SUMS=1 "$BUILD/tests/viewms" "$BUILD" 0 "$n.svg" >>started
        VIEWMS_SUMS=1 "$BUILD/tests/viewms" "$BUILD" 1 "$n.svg" | tail -n 1 >>waited
    done <<-END
		font-weight='bold'
		text-decoration='underline line-through overline'
		transform='rotate(-90 90 90)' font-style='italic'
		transform='scale(1 3)' text-decoration='underline'
		writing-mode='tb' text-decoration='underline'
		font-family='serif' dominant-baseline='middle'
		font-family='monospace' dominant-baseline='hanging'
	END
    [ "$(grep -cv refused started)" -eq 7 ] || fail "$(cat started)"
    cmp started waited || fail "$(diff started waited)"
}

test_pictures_inside_are_drawn() {
    red=iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC
    svg a.svg 'width="10" height="10"' "<image width=\"10\" height=\"10\" xlink:href=\"data:image/png;base64,$red\"/>"
    look a.svg
    pixel 150,150 ff0000
    gif=R0lGODdhAQABAIAAAAAA/////ywAAAAAAQABAAACAkQBADs=
    svg a.svg 'width="10" height="10"' "<image width=\"10\" height=\"10\" xlink:href=\"data:image/gif;base64,$gif\"/>"
    look a.svg
    pixel 150,150 0000ff
    cp "$GOOD/jpeg-gray.jpg" j.jpg 2>/dev/null || cp "$(ls "$GOOD"/jpeg*.jpg | head -n 1)" j.jpg
    svg a.svg 'width="10" height="10"' "<image width=\"10\" height=\"10\" preserveAspectRatio=\"none\" xlink:href=\"data:image/jpeg;base64,$(base64 -w0 j.jpg)\"/>"
    look a.svg
    [ "$(count ffffff 0)" -lt 150000 ]
}

# A loader that is no part of gdk-pixbuf would be code mapped in the jail.
test_other_pictures_inside_are_left_out() {
    printf 'BM\072\0\0\0\0\0\0\0\066\0\0\0\050\0\0\0\1\0\0\0\1\0\0\0\1\0\030\0\0\0\0\0\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\377\0\0\0' >b.bmp
    for type in image/bmp image/x-icon image/tiff application/octet-stream text/plain; do
        svg a.svg 'width="10" height="10"' "<rect width=\"10\" height=\"10\" fill=\"#fff\"/><image width=\"10\" height=\"10\" xlink:href=\"data:$type;base64,$(base64 -w0 b.bmp)\"/>"
        look a.svg
        pixel 150,150 ffffff
    done
}

test_nothing_outside_is_loaded() {
    base64 -d >red.png <<-END
		iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC
	END
    echo 'rect { fill: red !important }' >red.css
    svg other.svg 'width="10" height="10"' '<rect id="r" width="10" height="10" fill="red"/>'
    ground='<rect width="10" height="10" fill="#fff"/>'
    for href in red.png ./red.png "$PWD/red.png" "file://$PWD/red.png" other.svg; do
        svg a.svg 'width="10" height="10"' "$ground<image width=\"10\" height=\"10\" xlink:href=\"$href\"/>"
        look a.svg
        [ "$(count ffffff 0)" -eq 160000 ] || fail "$href was loaded"
    done
    svg a.svg 'width="10" height="10"' "<style>@import url(red.css); @import 'file://$PWD/red.css';</style>$ground<use xlink:href=\"other.svg#r\"/>
        <use xlink:href=\"file://$PWD/other.svg#r\"/><g filter=\"url(other.svg#r)\"/>
        <xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" href=\"other.svg\"/>
        <xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" href=\"file://$PWD/other.svg\" parse=\"text\"/>"
    look a.svg
    [ "$(count ffffff 0)" -eq 160000 ] || fail "something was loaded"
    { echo "<?xml-stylesheet type=\"text/css\" href=\"red.css\"?><?xml-stylesheet type=\"text/css\" href=\"file://$PWD/red.css\"?>"
      cat a.svg; } >b.svg
    look b.svg
    [ "$(count ffffff 0)" -eq 160000 ] || fail "a stylesheet was loaded"
}

test_entities_of_files_are_empty() {
    echo SECRET >secret.txt
    for name in file:///etc/passwd secret.txt "file://$PWD/secret.txt" http://127.0.0.1:9/; do
        cat >a.svg <<-END
			<!DOCTYPE svg [<!ENTITY e SYSTEM "$name"><!ENTITY % p SYSTEM "$name">]>
			<svg xmlns="http://www.w3.org/2000/svg" width="200" height="20"><rect width="200" height="20" fill="#fff"/>
			<text y="18" font-size="20">&e;</text></svg>
		END
        run fovea view --json --no-webp --max-edge 400 -o seen.png a.svg
        [ "$status" -eq 1 ] || [ "$(count 000000 200)" -eq 0 ] || fail "$name is shown"
        hasnt out SECRET
    done
}

test_encodings_are_read() {
    svg a.svg 'width="10" height="10"' '<rect width="10" height="10" fill="red"/><!-- ü -->'
    for encoding in UTF-16LE UTF-16BE; do
        { case $encoding in *LE) printf '\377\376' ;; *) printf '\376\377' ;; esac; iconv -f UTF-8 -t $encoding a.svg; } >b.svg
        look b.svg
        want_json source.media_type image/svg+xml
        pixel 150,150 ff0000
    done
    { echo '<?xml version="1.0" encoding="UTF-8"?>'; cat a.svg; } >b.svg
    look b.svg
    pixel 150,150 ff0000
}

test_svgz_is_inflated() {
    svg a.svg 'width="20" height="10"' '<rect width="20" height="10" fill="red"/>'
    gzip -k a.svg
    look a.svg.gz
    want_size 20x10
    want_json source.media_type image/svg+xml
    pixel 150,150 ff0000
}

test_cut_svgz_is_refused() {
    svg a.svg 'width="20" height="10"' '<rect width="20" height="10" fill="red"/>'
    gzip -k a.svg
    head -c 100 a.svg.gz >cut.svgz
    refused cut.svgz malformed
    { cat a.svg.gz | head -c -8; printf '12345678'; } >sum.svgz
    refused sum.svgz malformed
}

test_gzip_bomb_is_refused_at_once() {
    { echo '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">'; head -c 100000000 /dev/zero; } >bomb.svg
    gzip -1 bomb.svg
    refused bomb.svg.gz too_large
    has out '64 MiB'
}

test_broken_markup_is_refused_with_its_place() {
    printf '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">\n<g>\n</svg>\n' >a.svg
    refused a.svg malformed
    has out 'line 4, column 1'
    printf '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" heig' >a.svg
    refused a.svg malformed
}

# On a busy machine the time may be over first.
test_limits_of_librsvg_are_told_and_not_taken_for_damage() {
    { echo '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9"><defs><g id="a0"/>'
      awk 'BEGIN { for (i = 1; i <= 6; i++) { printf "<g id=\"a%d\">", i
          for (k = 0; k < 10; k++) printf "<use xlink:href=\"#a%d\"/>", i - 1
          print "</g>" } }'
      echo '</defs><use xlink:href="#a6"/></svg>'; } >a.svg
    run fovea view --json a.svg
    [ "$(json reason)" = timed_out ] || has out 'it refers to elements, as with <use>, more than 500000 times'
    [ "$(json reason)" = timed_out ] || want_json reason too_large
}

test_long_drawing_has_tiles() {
    svg a.svg 'width="1000" height="10000"' '<rect y="9000" width="1000" height="1000" fill="red"/>'
    run fovea view --json --max-edge 400 a.svg
    want_status 0
    n=$(json source.pages)
    [ "$n" -gt 3 ]
    look --page "$n" a.svg
    pixel 30,"$(($(json height) - 10))" ff0000
}

run_tests "$@"
