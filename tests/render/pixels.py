#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pixels.py PNG X,Y...: the colours at these places, as rrggbb, or rrggbbaa where they are not opaque; of a place in thousandths
where it ends with %. pixels.py PNG count RRGGBB OFF: how many pixels have that colour, each channel give or take OFF. Reads PNG
that is not interlaced, of 8 bits or less: what fovea writes."""
import collections
import struct
import sys
import zlib

DEPTHS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


def chunks(data):
    at = 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        yield kind, data[at + 8:at + 8 + length]
        at += 12 + length


def paeth(a, b, c):
    p = a + b - c
    near = sorted(((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c)))
    return near[0][2]


def unfiltered(data, stride, height, step):
    above, rows = bytes(stride), []
    for y in range(height):
        kind, row = data[y * (stride + 1)], bytearray(data[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride if kind else 0):
            left, corner = (row[i - step], above[i - step]) if i >= step else (0, 0)
            row[i] = (row[i] + (0, left, above[i], (left + above[i]) // 2, paeth(left, above[i], corner))[kind]) & 255
        above = row
        rows.append(row)
    return rows


class Picture:
    def __init__(self, path):
        data, packed = open(path, "rb").read(), b""
        self.clear = b""
        for kind, body in chunks(data):
            if kind == b"IHDR":
                self.width, self.height, self.bits, self.kind = struct.unpack(">IIBB", body[:10])
                assert self.bits <= 8 and not body[12]
            elif kind == b"PLTE":
                self.palette = body
            elif kind == b"tRNS":
                self.clear = body
            elif kind == b"IDAT":
                packed += body
        pixel = self.bits * DEPTHS[self.kind]
        self.rows = unfiltered(zlib.decompress(packed), (self.width * pixel + 7) // 8, self.height, max(pixel // 8, 1))

    def sample(self, x, y):
        """Of a pixel that has only one: a grey or a place in the palette."""
        shift = 8 - self.bits - x * self.bits % 8
        return self.rows[y][x * self.bits // 8] >> shift & (1 << self.bits) - 1

    def raw(self, y):
        """The pixels of a row, each as the file has it."""
        n = DEPTHS[self.kind]
        if n > 1:
            return list(zip(*[iter(self.rows[y])] * n))
        return [(self.sample(x, y),) for x in range(self.width)]

    def colour(self, raw):
        if self.kind == 3:
            value = raw[0]
            return (*self.palette[value * 3:value * 3 + 3], self.clear[value] if value < len(self.clear) else 255)
        if self.kind == 0:
            return (raw[0] * 255 // ((1 << self.bits) - 1),) * 3 + (255,)
        return raw[:1] * 3 + raw[1:] if self.kind == 4 else (raw + (255,))[:4]

    def at(self, x, y):
        return self.colour(self.raw(y)[x])

    def count(self, wanted, off):
        pixels = collections.Counter(pixel for y in range(self.height) for pixel in self.raw(y))
        return sum(n for raw, n in pixels.items() if all(abs(a - b) <= off for a, b in zip(self.colour(raw), wanted)))


def main():
    picture, places = Picture(sys.argv[1]), sys.argv[2:]
    if places[0] == "count":
        print(picture.count(bytes.fromhex(places[1]), int(places[2])))
        return
    for place in places:
        x, y = (float(v) for v in place.rstrip("%").split(","))
        if place.endswith("%"):
            x, y = x * picture.width // 1000, y * picture.height // 1000
        colour = bytes(picture.at(int(x), int(y))).hex()
        print(colour[:6] if colour.endswith("ff") else colour, end=" ")
    print()


if __name__ == "__main__":
    main()
