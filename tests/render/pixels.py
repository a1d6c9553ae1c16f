#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pixels.py PNG X,Y...: the colours at these places, as rrggbb; of a place in thousandths where it ends with %."""
import struct
import sys
import zlib

DEPTHS = {0: 1, 2: 3, 3: 1, 6: 4}


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
        for kind, body in chunks(data):
            if kind == b"IHDR":
                self.width, self.height, self.bits, self.kind = struct.unpack(">IIBB", body[:10])
            elif kind == b"PLTE":
                self.palette = body
            elif kind == b"IDAT":
                packed += body
        pixel = self.bits * DEPTHS[self.kind]
        self.rows = unfiltered(zlib.decompress(packed), (self.width * pixel + 7) // 8, self.height, max(pixel // 8, 1))

    def at(self, x, y):
        row, n = self.rows[y], DEPTHS[self.kind]
        if n > 1:
            return row[x * n:x * n + 3].hex()
        shift = 8 - self.bits - x * self.bits % 8
        value = row[x * self.bits // 8] >> shift & (1 << self.bits) - 1
        if self.kind == 3:
            return self.palette[value * 3:value * 3 + 3].hex()
        return ("%02x" % (value * 255 // ((1 << self.bits) - 1))) * 3


if __name__ == "__main__":
    picture = Picture(sys.argv[1])
    for place in sys.argv[2:]:
        x, y = (float(v) for v in place.rstrip("%").split(","))
        if place.endswith("%"):
            x, y = x * picture.width // 1000, y * picture.height // 1000
        print(picture.at(int(x), int(y)), end=" ")
    print()
