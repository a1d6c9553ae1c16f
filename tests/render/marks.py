#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""marks.py WITHOUT WITH: two pictures of the same letters, the second with marks on them. Says what is wrong: marks that are not there,
letters that moved (one with its mark may be drawn a little differently), ink where there was none to the left or right of all. Where
marks of another font make rows higher, letters are only looked at from left to right."""
import sys

from pixels import Picture


def ink(picture):
    rows = ([picture.colour(raw)[0] < 128 for raw in picture.raw(y)] for y in range(picture.height))
    return {(x, y) for y, row in enumerate(rows) for x, dark in enumerate(row) if dark}


pictures = [Picture(path) for path in sys.argv[1:]]
without, marked = (ink(p) for p in pictures)
extent = [[f(x for x, _ in i) for f in (min, max)] for i in (without, marked)]
if not len(marked) > len(without):
    print("no marks")
if pictures[0].height != pictures[1].height:
    without, marked = ({x for x, _ in i} for i in (without, marked))
if len(without - marked) > len(without) // 20:
    print("%d of %d pixels of the letters are elsewhere" % (len(without - marked), len(without)))
if extent[0] != extent[1]:
    print("ink from %d to %d, not to %d" % (*extent[1], extent[0][1]))
