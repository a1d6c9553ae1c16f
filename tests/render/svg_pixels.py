# SPDX-License-Identifier: Apache-2.0
"""svg_pixels.py PNG X,Y...: the colours at those places, one line each: R G B A. `count R,G,B TOLERANCE` instead of a place: how many
pixels are that colour, give or take. Reads PNG that is not interlaced, of 8 bits or less: what fovea writes."""
import struct
import sys
import zlib


def unfilter(kind, line, above, step):
    for i in range(len(line)):
        left = line[i - step] if i >= step else 0
        up = above[i]
        corner = above[i - step] if i >= step else 0
        if kind == 4:
            p = left + up - corner
            best = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2]
        else:
            best = (0, left, up, (left + up) // 2)[kind]
        line[i] = (line[i] + best) & 255


def load(path):
    data = open(path, "rb").read()
    at, packed, palette, clear = 8, b"", b"", b""
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + n]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, woven = struct.unpack(">IIBBBBB", body)
            assert depth <= 8 and not woven
        elif kind == b"PLTE":
            palette = body
        elif kind == b"tRNS":
            clear = body
        elif kind == b"IDAT":
            packed += body
        at += 12 + n
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    raw, stride = zlib.decompress(packed), (width * channels * depth + 7) // 8
    above, rows = bytearray(stride), []
    for y in range(height):
        start = y * (stride + 1)
        line = bytearray(raw[start + 1:start + 1 + stride])
        if raw[start]:
            unfilter(raw[start], line, above, max(1, channels * depth // 8))
        rows.append(line)
        above = line
    return width, height, depth, colour, channels, palette, clear, rows


def pixel(png, x, y):
    _, _, depth, colour, channels, palette, clear, rows = png
    if colour in (0, 3):
        bit = x * depth
        v = rows[y][bit // 8] >> (8 - depth - bit % 8) & ((1 << depth) - 1)
        if colour == 3:
            return (*palette[v * 3:v * 3 + 3], clear[v] if v < len(clear) else 255)
        v = v * 255 // ((1 << depth) - 1)
        return v, v, v, 255
    px = rows[y][x * channels:(x + 1) * channels]
    if colour == 4:
        return px[0], px[0], px[0], px[1]
    return (*px, 255) if channels == 3 else tuple(px)


def main():
    png, places = load(sys.argv[1]), sys.argv[2:]
    if places[0] == "count":
        wanted, near = [int(v) for v in places[1].split(",")], int(places[2])
        print(sum(all(abs(a - b) <= near for a, b in zip(pixel(png, x, y), wanted))
                  for y in range(png[1]) for x in range(png[0])))
        return
    for place in places:
        x, y = place.split(",")
        print(*pixel(png, int(x), int(y)))


main()
