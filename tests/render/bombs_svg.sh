#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bombs_svg.sh FOLDER: writes small SVG files that ask for far more than they look like. Each must end as a refusal or a picture
# within the worker's time and memory.
set -eu
cd "$1"

open_svg='<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'

# repeat N WORDS: with %d the number, with %p the one before.
repeat() {
    awk -v n="$1" -v s="$2" 'BEGIN {
        parts = 0
        while (match(s, /%[dp]/)) {
            before[++parts] = substr(s, 1, RSTART - 1)
            less[parts] = substr(s, RSTART, 2) == "%p"
            s = substr(s, RSTART + 2)
        }
        for (i = 1; i <= n; i++) {
            for (k = 1; k <= parts; k++)
                printf "%s%d", before[k], i - less[k]
            print s
        }
    }'
}
# svg ATTRIBUTES: what stands in it comes from stdin.
svg() {
    echo "$open_svg $1>"
    cat
    echo '</svg>'
}
usual='width="1000" height="1000" viewBox="0 0 1000 1000"'

# ---- XML

{
    echo '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY e0 "lol">'
    repeat 12 '<!ENTITY e%d "&e%p;&e%p;&e%p;&e%p;&e%p;&e%p;&e%p;&e%p;&e%p;&e%p;">'
    echo "]>$open_svg $usual><text>&e12;</text></svg>"
} >billion-laughs.svg
{
    echo '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "'
    repeat 3000 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'
    echo "\">]>$open_svg $usual><desc>"
    repeat 6000 '&a;'
    echo '</desc></svg>'
} >quadratic-entities.svg
{
    echo '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY e0 "<rect width=&#34;9&#34; height=&#34;9&#34;/>">'
    repeat 9 '<!ENTITY e%d "&e%p;&e%p;&e%p;&e%p;&e%p;&e%p;&e%p;&e%p;&e%p;&e%p;">'
    echo "]>$open_svg $usual>&e9;</svg>"
} >elements-by-entities.svg
{ repeat 200 '<g>' | tr -d '\n'; repeat 200 '</g>'; } | svg "$usual" >nested-200.svg
{ repeat 100000 '<g>' | tr -d '\n'; repeat 100000 '</g>'; } | svg "$usual" >nested-100000.svg
repeat 1000000 '<g/>' | svg "$usual" >million-elements.svg
repeat 60000 '<rect x="%d" width="900" height="900" fill-opacity=".01"/>' | svg "$usual" >large-rects.svg
{ printf '<g id="'; head -c 12000000 /dev/zero | tr '\0' a; echo '"/>'; } | svg "$usual" >long-attribute.svg
{
    echo '<style>'
    repeat 3000 'g g g g g g > g + rect:nth-child(%d), .a%d .b%d .c%d { fill: red }'
    echo '</style>'
    repeat 3000 '<g class="a%d b%d"><g><g><rect width="9" height="9"/></g></g></g>'
} | svg "$usual" >many-selectors.svg

# ---- references

{ echo '<g id="u0"><rect width="9" height="9"/></g>'
  repeat 20 '<g id="u%d"><use xlink:href="#u%p"/><use xlink:href="#u%p"/><use xlink:href="#u%p"/><use xlink:href="#u%p"/></g>'
  echo '<use xlink:href="#u20"/>'; } | svg "$usual" >use-exponential.svg
echo '<g id="a"><use xlink:href="#b"/></g><g id="b"><use xlink:href="#a"/></g>' | svg "$usual" >use-in-circles.svg
{ echo '<g id="u0"><rect width="9" height="9"/></g>'; repeat 20000 '<g id="u%d"><use xlink:href="#u%p"/></g>'
  echo '<use xlink:href="#u20000"/>'; } | svg "$usual" >use-deep.svg
{ echo '<pattern id="p0" width=".1" height=".1"><rect width="9" height="9"/></pattern>'
  repeat 30 '<pattern id="p%d" width=".01" height=".01"><rect width="900" height="900" fill="url(#p%p)"/><circle r="500" fill="url(#p%p)"/></pattern>'
  echo '<rect width="1000" height="1000" fill="url(#p30)"/>'; } | svg "$usual" >patterns-nested.svg
echo '<pattern id="p" width="1e-9" height="1e-9" patternUnits="userSpaceOnUse"><rect width="1" height="1"/></pattern><rect width="1000" height="1000" fill="url(#p)"/>' |
    svg "$usual" >pattern-tiny.svg
echo '<pattern id="p" width="1e9" height="1e9" patternUnits="userSpaceOnUse"><rect width="1e9" height="1e9"/></pattern><rect width="1000" height="1000" fill="url(#p)"/>' |
    svg "$usual" >pattern-huge.svg
{ echo '<mask id="m0"><rect width="900" height="900" fill="#fff"/></mask>'
  repeat 40 '<mask id="m%d"><rect width="900" height="900" fill="#fff" mask="url(#m%p)"/><rect width="500" height="500" fill="#fff" mask="url(#m%p)"/></mask>'
  echo '<rect width="1000" height="1000" mask="url(#m40)"/>'; } | svg "$usual" >masks-nested.svg
{ repeat 25 '<clipPath id="c%d"><rect width="900" height="900" clip-path="url(#c%p)"/><circle r="500" clip-path="url(#c%p)"/></clipPath>'
  echo '<rect width="1000" height="1000" clip-path="url(#c25)"/>'; } | svg "$usual" >clips-nested.svg
{ echo '<marker id="m0"><rect width="9" height="9"/></marker>'
  repeat 12 '<marker id="m%d" overflow="visible"><path d="M0 0L1 1L2 2L3 3L4 4L5 5L6 6L7 7L8 8L9 9" marker-mid="url(#m%p)" marker-end="url(#m%p)"/></marker>'
  echo '<path d="M0 0L100 100L200 0L300 300" marker-mid="url(#m12)" marker-end="url(#m12)"/>'; } | svg "$usual" >markers-nested.svg
{ repeat 300 '<g opacity=".9">'; echo '<rect width="900" height="900"/>'; repeat 300 '</g>'; } | svg "$usual" >opacity-nested.svg
{ echo '<linearGradient id="g0"><stop/></linearGradient>'; repeat 5000 '<linearGradient id="g%d" xlink:href="#g%p"/>'
  echo '<rect width="1000" height="1000" fill="url(#g5000)"/>'; } | svg "$usual" >gradient-chain.svg

# ---- sizes

echo '<rect width="10" height="10"/>' | svg 'width="1e9" height="1e9"' >canvas-huge.svg
echo '<rect width="10" height="10"/>' | svg 'width="1e308" height="1e308" viewBox="0 0 1e-308 1e-308"' >canvas-infinite.svg
echo '<rect width="10" height="10"/>' | svg 'width="65535" height="1"' >canvas-thin.svg
echo '<rect width="1e300" height="1e300" stroke-width="1e300" stroke="red"/><circle r="1e38"/>' | svg "$usual" >shapes-infinite.svg
echo '<rect width="1e9" height="1e9"/>' | svg '' >ink-huge.svg
echo '<text font-size="1e9" x="-1e9" y="900">A</text><text font-size="1e-9">A</text>' | svg "$usual" >text-huge.svg
{ printf '<text font-size="9" textLength="1e9">'; head -c 3000000 /dev/zero | tr '\0' W; echo '</text>'; } | svg "$usual" >text-long.svg

# ---- strokes and paths

echo '<path d="M0 0H1000000" stroke="red" stroke-dasharray=".00001 .00001" stroke-width="9"/>' | svg "$usual" >dashes-tiny.svg
{ printf '<path d="M0 500H1000" stroke="red" stroke-dasharray="'; repeat 200000 '.0%d .1' | tr '\n' ' '; echo '"/>'; } |
    svg "$usual" >dashes-many.svg
{ printf '<path stroke="red" stroke-width="30" stroke-linejoin="round" d="M0 0'
  awk 'BEGIN { srand(1); for (i = 0; i < 300000; i++) printf "L%d %d", rand() * 1000, rand() * 1000 }'; echo '"/>'; } |
    svg "$usual" >path-long.svg

# ---- filters

filter() {
    echo "<filter id=\"f\" x=\"-5\" y=\"-5\" width=\"11\" height=\"11\">$1</filter><rect width=\"900\" height=\"900\" filter=\"url(#f)\"/>" |
        svg "$usual"
}
filter '<feGaussianBlur stdDeviation="100000"/>' >blur-wide.svg
filter "$(repeat 300 '<feGaussianBlur stdDeviation="400"/>')" >blur-often.svg
filter '<feMorphology operator="dilate" radius="500"/>' >morphology-wide.svg
filter '<feTurbulence baseFrequency=".5" numOctaves="100000"/>' >turbulence-deep.svg
filter "$(repeat 200 '<feTurbulence baseFrequency=".5" numOctaves="9"/>')" >turbulence-often.svg
filter "<feConvolveMatrix order=\"300\" kernelMatrix=\"$(repeat 90000 1 | tr '\n' ' ')\"/>" >convolve-wide.svg
filter "$(repeat 500 '<feTile/><feOffset dx="1"/><feMerge><feMergeNode/><feMergeNode/></feMerge>')" >filter-many.svg
{ echo '<filter id="f"><feGaussianBlur stdDeviation="50"/></filter>'
  repeat 2000 '<g filter="url(#f)"><rect width="900" height="900"/></g>'; } | svg "$usual" >filtered-often.svg
{ repeat 60 '<g filter="blur(90px) drop-shadow(9px 9px 99px)">'; echo '<rect width="900" height="900"/>'
  repeat 60 '</g>'; } | svg "$usual" >filters-nested.svg
filter '<feDiffuseLighting surfaceScale="1e30"><fePointLight x="1e30" y="1e30" z="1e-30"/></feDiffuseLighting>' >lighting.svg

# ---- images inside: a PNG whose few bytes say 30000x30000, and an SVG in an SVG in an SVG ...

png='iVBORw0KGgoAAAANSUhEUgAAdTAAAHUwCAIAAAAm0hLLAAAAC0lEQVR4nGNgAAMAAAcAAQ=='
echo "<image width=\"900\" height=\"900\" xlink:href=\"data:image/png;base64,$png\"/>" | svg "$usual" >image-huge.svg
# image_of FILE: an image element that holds the SVG file.
image_of() {
    printf '<image width="900" height="900" xlink:href="data:image/svg+xml;base64,'
    base64 -w0 "$1"
    echo '"/>'
}
echo '<rect width="9" height="9"/>' | svg "$usual" >images-nested.svg
for _ in 1 2 3 4 5 6 7; do
    { image_of images-nested.svg; image_of images-nested.svg; image_of images-nested.svg; } | svg "$usual" >inner
    mv inner images-nested.svg
done

# ---- gzip: 300 MB of blanks, markup that goes on for 300 MB, and a gzip in a gzip; named, so that they count as SVGZ

squeeze() {
    cat >"$1.svg"
    gzip -9 "$1.svg"
    mv "$1.svg.gz" "$1.svgz"
}
{ echo "$open_svg $usual>"; head -c 300000000 /dev/zero | tr '\0' ' '; echo '</svg>'; } | squeeze gzip-blanks
repeat 2000000 '<g/>' | svg "$usual" | squeeze gzip-elements
echo '<rect width="9" height="9"/>' | svg "$usual" | gzip -9 | squeeze gzip-twice
